package adbc

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/guard"
)

// A stream is the reader of a statement's rows. It outlives the statement, its
// connection and its database.
type stream struct {
	refs    atomic.Int64
	in      batch.Reader
	schema  *arrow.Schema
	release func() // of what the rows come from

	mu      sync.Mutex // Release may come from another thread than Next
	current arrow.RecordBatch
	err     error
}

var _ array.RecordReader = (*stream)(nil)

// newStream takes over the reader. release, if set, is called at the end.
func newStream(in batch.Reader, release func()) *stream {
	s := &stream{in: in, schema: in.Schema(), release: release}
	s.refs.Add(1)
	return s
}

func (s *stream) Retain() { s.refs.Add(1) }

func (s *stream) Release() {
	if s.refs.Add(-1) != 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	s.in.Close()
	if s.release != nil {
		s.release()
	}
	if s.err == nil {
		s.err = errorf(adbc.StatusInvalidState, "the stream is released")
	}
}

// drop releases the batch that was given last.
func (s *stream) drop() {
	if s.current != nil {
		s.current.Release()
		s.current = nil
	}
}

func (s *stream) Next() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	if s.err != nil {
		return false
	}
	b, err := s.next()
	if err != nil {
		s.err = err
		return false
	}
	s.current = b
	return true
}

func (s *stream) next() (b arrow.RecordBatch, err error) {
	defer guard.Recover(&err)
	return s.in.Next()
}

func (s *stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return wrap(s.err)
}

func (s *stream) Schema() *arrow.Schema          { return s.schema }
func (s *stream) RecordBatch() arrow.RecordBatch { return s.current }
func (s *stream) Record() arrow.RecordBatch      { return s.current }

// A chain reads several readers with the same columns one after the other, each
// opened when the one before is at its end.
type chain struct {
	ctx    context.Context
	schema *arrow.Schema
	now    batch.Reader
	more   func(context.Context) (batch.Reader, error) // io.EOF after the last
	done   func()
}

func (c *chain) Schema() *arrow.Schema { return c.schema }

func (c *chain) Next() (arrow.RecordBatch, error) {
	for {
		if c.now == nil {
			in, err := c.more(c.ctx)
			if err != nil {
				return nil, err
			}
			c.now = in
		}
		b, err := c.now.Next()
		if err == io.EOF {
			c.now.Close()
			c.now = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		return c.checked(b)
	}
}

// checked gives a batch the schema of the first reader.
func (c *chain) checked(b arrow.RecordBatch) (arrow.RecordBatch, error) {
	if b.Schema().Equal(c.schema) {
		return b, nil
	}
	defer b.Release()
	if b.Schema().NumFields() != c.schema.NumFields() {
		return nil, errorf(adbc.StatusInternal, "a row of parameters gives %d columns, the first one %d", b.Schema().NumFields(), c.schema.NumFields())
	}
	for i, f := range b.Schema().Fields() {
		if !arrow.TypeEqual(f.Type, c.schema.Field(i).Type) {
			return nil, errorf(adbc.StatusInvalidArgument, "column %s is %s for one row of parameters and %s for another", c.schema.Field(i).Name, c.schema.Field(i).Type, f.Type)
		}
	}
	return array.NewRecordBatch(c.schema, b.Columns(), b.NumRows()), nil
}

func (c *chain) Close() error {
	defer c.done()
	if c.now == nil {
		return nil
	}
	err := c.now.Close()
	c.now = nil
	return err
}

// A window leaves rows out at the beginning, and picks and renames columns.
type window struct {
	batch.Reader
	schema  *arrow.Schema
	columns []int // of the reader's; nil for all as they are
	skip    int64
}

func (w *window) Schema() *arrow.Schema { return w.schema }

func (w *window) Next() (arrow.RecordBatch, error) {
	for {
		b, err := w.Reader.Next()
		if err != nil {
			return nil, err
		}
		n := b.NumRows()
		from := min(w.skip, n)
		w.skip -= from
		if from == n {
			b.Release()
			continue
		}
		part := b.NewSlice(from, n)
		b.Release()
		if w.columns == nil {
			return part, nil
		}
		columns := make([]arrow.Array, len(w.columns))
		for i, c := range w.columns {
			columns[i] = part.Column(c)
		}
		out := array.NewRecordBatch(w.schema, columns, part.NumRows())
		part.Release()
		return out, nil
	}
}

// An engineReader reads a result of DuckDB and gives the connection back at the
// end.
type engineReader struct {
	result *duckdb.Result
	schema *arrow.Schema
	done   func()
}

// newEngineReader takes over the result. names, if it has as many columns, has
// their names: those of expressions would have the values of parameters in them.
func newEngineReader(r *duckdb.Result, names *arrow.Schema, done func()) *engineReader {
	schema := r.Schema()
	if names != nil && names.NumFields() == schema.NumFields() {
		fields := schema.Fields()
		for i := range fields {
			fields[i].Name = names.Field(i).Name
		}
		schema = arrow.NewSchema(fields, nil)
	}
	return &engineReader{r, schema, done}
}

func (r *engineReader) Schema() *arrow.Schema { return r.schema }

func (r *engineReader) Next() (arrow.RecordBatch, error) {
	b, err := r.result.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	return array.NewRecordBatch(r.schema, b.Columns(), b.NumRows()), nil
}

func (r *engineReader) Close() error {
	err := r.result.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}
