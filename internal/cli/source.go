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

type scanOf struct {
	table  *provider.Table
	result *provider.Result
}

func (l *statsLog) add(t *provider.Table, r *provider.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scans = append(l.scans, scanOf{t, r})
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
}

func (l *statsLog) all() []tableStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]tableStats, 0, len(l.scans))
	for _, s := range l.scans {
		all = append(all, tableStats{s.table.Name(), s.table.URI(), s.result.Stats()})
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
