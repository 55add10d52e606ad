package duckdb

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// memSource is a table in memory that records how it is asked.
type memSource struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch

	mu     sync.Mutex
	scans  [][]string
	before func(ctx context.Context, i int) error
	open   atomic.Int32
	given  atomic.Int32
}

func (s *memSource) Schema() *arrow.Schema { return s.schema }

func (s *memSource) Scan(ctx context.Context, columns []string) (batch.Reader, error) {
	s.mu.Lock()
	s.scans = append(s.scans, slices.Clone(columns))
	before := s.before
	s.mu.Unlock()
	s.open.Add(1)
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = s.schema.Field(s.schema.FieldIndices(c)[0])
	}
	return &memReader{source: s, ctx: ctx, schema: arrow.NewSchema(fields, nil), before: before}, nil
}

// run makes the scans that begin from now on run f before they give batch i
// out; a scan that was cancelled may go on for a moment.
func (s *memSource) run(f func(ctx context.Context, i int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// asked gives the scans so far, each as "a,b".
func (s *memSource) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, c := range s.scans {
		all = append(all, strings.Join(c, ","))
	}
	slices.Sort(all)
	return all
}

type memReader struct {
	source *memSource
	ctx    context.Context
	schema *arrow.Schema
	before func(ctx context.Context, i int) error
	next   int
	closed bool
}

func (r *memReader) Schema() *arrow.Schema { return r.schema }

func (r *memReader) Next() (arrow.RecordBatch, error) {
	if r.before != nil {
		if err := r.before(r.ctx, r.next); err != nil {
			return nil, err
		}
	}
	if r.next >= len(r.source.batches) {
		return nil, io.EOF
	}
	b := r.source.batches[r.next]
	r.next++
	r.source.given.Add(1)
	columns := make([]arrow.Array, r.schema.NumFields())
	for i, f := range r.schema.Fields() {
		columns[i] = b.Column(b.Schema().FieldIndices(f.Name)[0])
	}
	return array.NewRecordBatch(r.schema, columns, b.NumRows()), nil
}

func (r *memReader) Close() error {
	if !r.closed {
		r.closed = true
		r.source.open.Add(-1)
	}
	return nil
}

// fromJSON builds a batch from JSON rows.
func fromJSON(t testing.TB, mem memory.Allocator, schema *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// numbers is a table of n rows (id BIGINT, name VARCHAR, half DOUBLE) in
// batches of the given size.
func numbers(mem memory.Allocator, n, size int) *memSource {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "half", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	s := &memSource{schema: schema}
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%7 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(nameOf(i))
		}
		b.Field(2).(*array.Float64Builder).Append(float64(i) / 2)
		if (i+1)%size == 0 || i == n-1 {
			s.batches = append(s.batches, b.NewRecordBatch())
		}
	}
	return s
}

// nameOf gives strings of up to 30 bytes, so that some are inlined by DuckDB.
func nameOf(i int) string { return "name-of-the-number-0123456789."[:1+i%30] }

func (s *memSource) release() {
	for _, b := range s.batches {
		b.Release()
	}
}

// open starts an engine with one connection.
func open(t testing.TB, o Options) (*Engine, *Conn) {
	t.Helper()
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, c
}

func register(t testing.TB, e *Engine, name string, s Source) {
	t.Helper()
	if err := e.Register(context.Background(), "", name, s); err != nil {
		t.Fatal(err)
	}
}

// rows runs a query and gives each row as JSON.
func rows(t testing.TB, c *Conn, sql string) []string {
	t.Helper()
	r, err := c.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer r.Close()
	all, err := batch.Collect(r)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for _, b := range all {
		var text strings.Builder
		if err := array.RecordToJSON(b, &text); err != nil {
			t.Fatal(err)
		}
		b.Release()
		out = append(out, strings.Split(strings.TrimSpace(text.String()), "\n")...)
	}
	return out
}
