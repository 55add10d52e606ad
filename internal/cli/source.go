package cli

import (
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/provider"
)

// bytesPerRow is what a row takes in files, about, to guess the size of a table.
const bytesPerRow = 64

// source is a Hudi table, as seen by a query, for the SQL engine.
type source struct {
	table  *provider.Table
	query  provider.Query
	schema *arrow.Schema
	stats  *statsLog
	rows   int64
}

// newSource makes a source of what a query reads; its condition and limit are
// left to SQL.
func newSource(ctx context.Context, t *provider.Table, q provider.Query, stats *statsLog) (*source, error) {
	q.Where, q.Limit = "", 0
	schema, err := t.Schema(ctx, q)
	if err != nil {
		return nil, err
	}
	s := &source{table: t, query: q, schema: schema, stats: stats}
	if plan, err := t.Plan(ctx, q); err == nil {
		s.rows = plan.Stats.Bytes/bytesPerRow + 1
	}
	return s, nil
}

var _ duckdb.Counter = (*source)(nil)

// Schema is the schema of all columns.
func (s *source) Schema() *arrow.Schema { return s.schema }

// Rows guesses the number of rows.
func (s *source) Rows() (int64, bool) { return s.rows, false }

// Scan reads some columns.
func (s *source) Scan(ctx context.Context, columns []string) (batch.Reader, error) {
	q := s.query
	q.Columns, q.Meta = columns, false
	r, err := s.table.Scan(ctx, q)
	if err != nil {
		return nil, err
	}
	s.stats.add(s.table, r)
	return r, nil
}

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

// tableStats are the stats of a scan with the table's name.
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
		one := tableStats{Table: s.table.Name(), Path: s.table.URI()}
		if s.result != nil {
			one.Stats = s.result.Stats()
		} else {
			one.Instant, one.Plan = s.handed.Plan.Instant(), s.handed.Plan.Stats
			one.Handed = &handedStats{s.handed.Files, s.handed.Bytes}
		}
		all = append(all, one)
	}
	return all
}

// read sums up rows and bytes so far, for progress.
func (l *statsLog) read() (rows, bytes int64) {
	for _, s := range l.all() {
		rows += s.Rows
		bytes += s.BytesRead
	}
	return rows, bytes
}
