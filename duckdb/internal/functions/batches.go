package functions

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/internal/batch"
)

// selectColumns gives a batch of some columns.
func selectColumns(s *arrow.Schema, b arrow.RecordBatch, columns []int) arrow.RecordBatch {
	picked := make([]arrow.Array, len(columns))
	for i, c := range columns {
		picked[i] = b.Column(c)
	}
	return array.NewRecordBatch(s, picked, b.NumRows())
}

// list is a table that is one batch, in Go's memory.
type list struct{ batch arrow.RecordBatch }

var _ tablefunc.Counter = list{}

func (l list) Schema() *arrow.Schema { return l.batch.Schema() }
func (l list) Rows() (int64, bool)   { return l.batch.NumRows(), true }

func (l list) Scan(_ context.Context, columns []string) (batch.Reader, error) {
	l.batch.Retain()
	return pick(&single{b: l.batch}, columns)
}

// single gives one batch.
type single struct {
	b    arrow.RecordBatch
	done bool
}

func (s *single) Schema() *arrow.Schema { return s.b.Schema() }

func (s *single) Next() (arrow.RecordBatch, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	s.b.Retain()
	return s.b, nil
}

func (s *single) Close() error {
	s.b.Release()
	return nil
}

// rowsOf makes a list of rows of Go values.
func rowsOf(s *arrow.Schema, rows func(add func(values ...any)) error) (list, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	var err error
	add := func(values ...any) {
		for i, v := range values {
			if e := appendValue(b.Field(i), v); e != nil && err == nil {
				err = fmt.Errorf("column %s: %w", s.Field(i).Name, e)
			}
		}
	}
	if e := rows(add); e != nil {
		return list{}, e
	}
	if err != nil {
		return list{}, err
	}
	return list{b.NewRecordBatch()}, nil
}
