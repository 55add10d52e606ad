package functions

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
)

// bytesPerRow is what a row takes in files, about, to guess the size of a table.
const bytesPerRow = 64

// scan serves hudi_scan.
func (f *Functions) scan(ctx context.Context, a tablefunc.Arguments) (tablefunc.Source, error) {
	q, err := f.query(a)
	if err != nil {
		return nil, err
	}
	return f.rowsAt(ctx, a, q)
}

// changes serves hudi_changes and hudi_cdc: what changed after begin up to end,
// deleted rows included.
func (f *Functions) changes(ctx context.Context, kind provider.QueryType, a tablefunc.Arguments) (tablefunc.Source, error) {
	q, err := f.query(a)
	if err != nil {
		return nil, err
	}
	q.Type, q.Begin, q.End = kind, a.Positional[1], a.Positional[2]
	q.Deletes = kind == provider.Incremental
	q.CDCText = a.Named["json"] == "true"
	return f.rowsAt(ctx, a, q)
}

// rowsAt plans a query on the table at a path.
func (f *Functions) rowsAt(ctx context.Context, a tablefunc.Arguments, q provider.Query) (tablefunc.Source, error) {
	t, err := f.open(ctx, a)
	if err != nil {
		return nil, err
	}
	p, err := t.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	return f.rows(t, p, q), nil
}

// recycled is the most memory of released batches that a scan keeps for the
// next ones. Rows are copied into DuckDB's vectors before a batch is released.
const recycled = 64 << 20

// allocator gives the memory of a scan.
func (f *Functions) allocator() memory.Allocator {
	if a := f.options.Provider.Allocator; a != nil {
		return a
	}
	return parquet.NewRecycler(recycled)
}

// planned are the rows of a plan. What a query sees is settled when it is
// bound: all its executions read the same files.
type planned struct {
	table   *provider.Table
	plan    *provider.Plan
	schema  *arrow.Schema
	options scan.Options
	fixed   bool // the columns are no choice: images of changes
	f       *Functions
}

func (f *Functions) rows(t *provider.Table, p *provider.Plan, q provider.Query) *planned {
	return &planned{
		table: t, plan: p, schema: p.Schema(), f: f,
		options: scan.Options{BatchSize: q.BatchSize, Threads: q.Threads, MemoryLimit: q.MemoryLimit, Loose: q.Inexact, Logger: f.options.Provider.Logger},
		fixed:   p.Job.Changes != "",
	}
}

var _ tablefunc.Counter = (*planned)(nil)

// Schema is the schema of all columns.
func (s *planned) Schema() *arrow.Schema { return s.schema }

// Rows guesses the number of rows. A condition lets a fifth of them through, as
// DuckDB guesses of one that it knows of.
func (s *planned) Rows() (int64, bool) {
	n := s.plan.Stats.Bytes/bytesPerRow + 1
	if len(s.plan.Filters) > 0 {
		n = n/5 + 1
	}
	return n, false
}

// Scan reads some columns.
func (s *planned) Scan(ctx context.Context, columns []string) (batch.Reader, error) {
	p := *s.plan
	if !s.fixed {
		p.Job.Columns = columns
	}
	r, err := provider.Read(ctx, &p, s.f.allocator(), s.options)
	if err != nil {
		return nil, err
	}
	if s.f.options.Scanned != nil {
		s.f.options.Scanned(s.table, r)
	}
	if s.fixed {
		return pick(r, columns)
	}
	return r, nil
}

// pick gives some columns of a reader, in another order.
func pick(r batch.Reader, columns []string) (batch.Reader, error) {
	p := &picked{Reader: r}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		at := r.Schema().FieldIndices(c)
		if len(at) != 1 {
			r.Close()
			return nil, fmt.Errorf("the column %q is not there once", c)
		}
		p.columns = append(p.columns, at[0])
		fields[i] = r.Schema().Field(at[0])
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

type picked struct {
	batch.Reader
	columns []int
	schema  *arrow.Schema
}

func (p *picked) Schema() *arrow.Schema { return p.schema }

func (p *picked) Next() (arrow.RecordBatch, error) {
	b, err := p.Reader.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	return selectColumns(p.schema, b, p.columns), nil
}
