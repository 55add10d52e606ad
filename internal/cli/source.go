package cli

import (
	"context"

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
