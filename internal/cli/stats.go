package cli

import (
	"slices"
	"sync"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// statsLog remembers the scans of a command, to tell what they read.
type statsLog struct {
	mu    sync.Mutex
	scans []scanOf
}

// scanOf is a scan of ours, or what DuckDB's own reader read.
type scanOf struct {
	table  *provider.Table
	result *provider.Result
	handed duckdb.Handed
}

func (l *statsLog) add(t *provider.Table, r *provider.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scans = append(l.scans, scanOf{table: t, result: r})
}

// handed notes what DuckDB reads itself. DuckDB may plan a statement more than
// once.
func (l *statsLog) handed(h duckdb.Handed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.scans {
		if s.result == nil && s.table == h.Table && s.handed.Files == h.Files && s.handed.Bytes == h.Bytes {
			return
		}
	}
	l.scans = append(l.scans, scanOf{table: h.Table, handed: h})
}

// reset forgets the scans so far.
func (l *statsLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scans = nil
}

// tableStats are the stats of all scans of a table at an instant.
type tableStats struct {
	Table string `json:"table"`
	Path  string `json:"path"`
	provider.Stats
	// Handed are the files that DuckDB's own reader read, which does not tell
	// how many rows and bytes that were.
	Handed *handedStats `json:"handed,omitempty"`
}

type handedStats struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"` // sizes of the files
}

func (l *statsLog) all() []tableStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]tableStats, 0, len(l.scans))
	for _, s := range l.scans {
		one := s.stats()
		at := slices.IndexFunc(all, func(t tableStats) bool { return t.Path == one.Path && t.Instant == one.Instant })
		if at < 0 {
			all = append(all, one)
		} else {
			all[at].add(one)
		}
	}
	return all
}

func (s scanOf) stats() tableStats {
	one := tableStats{Table: s.table.Name(), Path: s.table.URI()}
	if s.result == nil {
		one.Instant, one.Plan = s.handed.Plan.Instant(), s.handed.Plan.Stats
		one.Handed = &handedStats{s.handed.Files, s.handed.Bytes}
		one.Levels, one.Plan.Levels = one.Plan.Levels, nil
		return one
	}
	one.Stats = s.result.Stats()
	if one.Plan.Slices == 0 { // what DuckDB left of a plan that is counted with the files it took
		one.Plan = provider.PlanStats{}
	}
	return one
}

// add adds another scan of the table.
func (t *tableStats) add(o tableStats) {
	t.Rows += o.Rows
	t.Batches += o.Batches
	t.BytesRead += o.BytesRead
	t.Merge.Add(o.Merge)
	t.Plan.Partitions += o.Plan.Partitions
	t.Plan.Slices += o.Plan.Slices
	t.Plan.BaseFiles += o.Plan.BaseFiles
	t.Plan.LogFiles += o.Plan.LogFiles
	t.Plan.Bytes += o.Plan.Bytes
	for _, f := range o.Filters {
		if !slices.Contains(t.Filters, f) {
			t.Filters = append(slices.Clone(t.Filters), f)
		}
	}
	t.Levels = pushdown.AddLevels(t.Levels, o.Levels)
	switch {
	case t.Handed == nil:
		t.Handed = o.Handed
	case o.Handed != nil:
		t.Handed.Files += o.Handed.Files
		t.Handed.Bytes += o.Handed.Bytes
	}
}

// read sums up rows and bytes so far, for progress.
func (l *statsLog) read() (rows, bytes int64) {
	for _, s := range l.all() {
		rows += s.Rows
		bytes += s.BytesRead
	}
	return rows, bytes
}
