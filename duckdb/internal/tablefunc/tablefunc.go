// Package tablefunc makes a DuckDB table function out of anything that can hand
// out Arrow record batches.
//
// DuckDB runs a table function in four steps, each a callback into Go:
//
//	bind   once per mention in a query: the argument becomes a [Source], whose
//	       schema becomes the function's columns
//	init   once per execution: the columns that the query needs are known, the
//	       scan is opened with just these
//	local  once per thread
//	scan   many times, from several threads: take a stretch of the thread's
//	       current batch, or pull the next batch, and write it into the chunk
//
// Go objects travel through DuckDB as cgo handles, freed by its delete
// callbacks. A panic in a callback becomes an error of the query. The code
// reaches DuckDB through package capi only.
package tablefunc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
	"github.com/hudi-go/hudi/duckdb/internal/vector"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/guard"
)

// A Source is a table. Schema must not change, and Scan must be ready to run
// several times, also at once: a query may name a table twice.
type Source interface {
	Schema() *arrow.Schema
	// Scan reads all rows with the given columns, in this order; the list may
	// be empty, then only the number of rows counts. The context ends with the
	// query.
	Scan(ctx context.Context, columns []string) (batch.Reader, error)
}

// A Counter is a Source that knows about how many rows it has.
type Counter interface {
	Rows() (n int64, exact bool)
}

// defaultRows is taken for tables that don't know. Without it DuckDB takes one
// row, and joins such tables by nested loops.
const defaultRows = 1_000_000

// A Parameter is a named parameter of a function.
type Parameter struct {
	Name string
	Kind Kind
}

// Kind is what a named parameter takes.
type Kind uint8

// The kinds of parameters.
const (
	Text   Kind = iota // VARCHAR
	Flag               // BOOLEAN
	Number             // BIGINT
	Map                // MAP(VARCHAR, VARCHAR), or a struct
)

// Arguments are those of a call, as text. What is NULL is absent, or "" among
// the positional ones.
type Arguments struct {
	Positional []string
	Named      map[string]string
	Maps       map[string]map[string]string
}

// A Function is what a table function needs to know.
type Function struct {
	// Positional is how many VARCHAR arguments the function has, 0 for one. The
	// first must not be NULL.
	Positional int
	// Named are its named parameters.
	Named []Parameter
	// Resolve gives the table for the function's arguments.
	Resolve func(ctx context.Context, a Arguments) (Source, error)
	// Context gives the context of the query that runs on a connection; nil
	// stands for context.Background.
	Context func(connection uint64) context.Context
	// RowColumn, if not empty, names an additional first column, a BOOLEAN: true
	// for a row, false for a tick (see tick.go), which whoever calls the function
	// has to leave out by WHERE.
	RowColumn string
	// Threads is how many threads may read one scan at once; 0 for one.
	Threads int
}

func (f *Function) context(connection uint64, known bool) context.Context {
	if f.Context == nil || !known {
		return context.Background()
	}
	return f.Context(connection)
}

// binding is a mention of the function in a query. A prepared statement keeps
// it for many executions.
type binding struct {
	fn         *Function
	source     Source
	connection uint64
	known      bool // whether connection was told
}

func (f *Function) bind(info capi.BindInfo) error {
	arguments, err := f.arguments(info)
	if err != nil {
		return err
	}
	b := &binding{fn: f}
	b.connection, b.known = info.ConnectionID()
	if b.source, err = f.Resolve(f.context(b.connection, b.known), arguments); err != nil {
		return err
	}
	schema := b.source.Schema()
	if schema.NumFields() == 0 {
		return fmt.Errorf("table %q has no columns", arguments.Positional[0])
	}
	if f.RowColumn != "" {
		t := capi.NewType(capi.Boolean)
		info.AddColumn(f.RowColumn, t)
		t.Destroy()
	}
	names := UniqueNames(schema, f.RowColumn)
	for i, field := range schema.Fields() {
		t, err := vector.TypeOf(field.Type)
		if err != nil {
			return fmt.Errorf("column %q: %w", field.Name, err)
		}
		info.AddColumn(names[i], t)
		t.Destroy()
	}
	rows, exact := int64(defaultRows), false
	if c, ok := b.source.(Counter); ok {
		rows, exact = c.Rows()
	}
	if f.RowColumn != "" {
		rows, exact = rows*filterGuess, false
	}
	info.SetCardinality(rows, exact)
	setBindData(info, b)
	return nil
}

func (f *Function) arguments(info capi.BindInfo) (Arguments, error) {
	a := Arguments{Named: map[string]string{}, Maps: map[string]map[string]string{}}
	for i := range max(f.Positional, 1) {
		text, ok := info.Parameter(i)
		if !ok && i == 0 {
			return a, errors.New("a table's name or path is needed, not NULL")
		}
		if ok && text == "" && i > 0 {
			return a, fmt.Errorf("argument %d is empty: give NULL for none", i+1)
		}
		a.Positional = append(a.Positional, text)
	}
	for _, p := range f.Named {
		if p.Kind == Map {
			a.Maps[p.Name] = info.NamedMap(p.Name)
		} else if text, ok := info.Named(p.Name); ok {
			if text == "" {
				return a, fmt.Errorf("%s is empty: leave it out, or give NULL", p.Name)
			}
			a.Named[p.Name] = text
		}
	}
	return a, nil
}

// UniqueNames gives the names of the columns as DuckDB takes them: it does not
// tell letter case apart, so twins get a number, as in its Parquet reader.
func UniqueNames(schema *arrow.Schema, taken string) []string {
	seen := map[string]bool{strings.ToLower(taken): true}
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		name := f.Name
		for k := 1; seen[strings.ToLower(name)]; k++ {
			name = fmt.Sprintf("%s_%d", f.Name, k)
		}
		seen[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// execution is one run of a bound function: the open scan.
type execution struct {
	columns []column
	ctx     context.Context
	cancel  context.CancelFunc
	chunk   int  // rows of a full chunk
	ticks   bool // see tick.go

	reading sync.Once
	reader  batch.Reader
	batches chan arrow.RecordBatch // of the reader, closed at its end
	err     error                  // what ended it, io.EOF after all rows
	closed  atomic.Bool
}

// column tells which column of the batches goes into a vector of the chunk.
type column struct {
	name   string
	typ    arrow.DataType
	source int // or one of these:
}

const (
	rowColumn = -1 // true for each row
	noColumn  = -2 // a row id: nobody reads it
)

func (b *binding) init(info capi.InitInfo) (err error) {
	schema := b.source.Schema()
	e := &execution{chunk: capi.VectorSize(), ticks: b.fn.RowColumn != "", batches: make(chan arrow.RecordBatch)}
	var names []string
	position := map[uint64]int{}
	for _, index := range info.Columns() {
		if b.fn.RowColumn != "" {
			if index == 0 {
				e.columns = append(e.columns, column{source: rowColumn})
				continue
			}
			index--
		}
		if index >= uint64(schema.NumFields()) {
			e.columns = append(e.columns, column{source: noColumn})
			continue
		}
		field := schema.Field(int(index))
		at, seen := position[index]
		if !seen {
			at = len(names)
			position[index] = at
			names = append(names, field.Name)
		}
		e.columns = append(e.columns, column{field.Name, field.Type, at})
	}
	e.ctx, e.cancel = context.WithCancel(b.fn.context(b.connection, b.known))
	if names == nil {
		names = []string{}
	}
	if e.reader, err = b.source.Scan(e.ctx, names); err != nil {
		e.cancel()
		return err
	}
	if err := e.check(len(names)); err != nil {
		e.close()
		return err
	}
	info.SetMaxThreads(max(b.fn.Threads, 1))
	setInitData(info, e)
	return nil
}

// check makes sure that the scan gives what was asked for: a column of another
// type would be read as garbage.
func (e *execution) check(want int) error {
	schema := e.reader.Schema()
	if schema.NumFields() != want && want > 0 {
		return fmt.Errorf("scan gives %d columns, %d were asked for", schema.NumFields(), want)
	}
	for _, c := range e.columns {
		if c.source < 0 {
			continue
		}
		if f := schema.Field(c.source); f.Name != c.name || !arrow.TypeEqual(f.Type, c.typ) {
			return fmt.Errorf("scan gives column %q of type %s where %q of type %s was asked for", f.Name, f.Type, c.name, c.typ)
		}
	}
	return nil
}

// close ends the scan. DuckDB calls it when no thread is scanning any more.
func (e *execution) close() {
	if e.closed.Swap(true) {
		return
	}
	e.cancel()
	e.reading.Do(func() { close(e.batches) }) // if nobody has asked for rows
	for b := range e.batches {
		b.Release()
	}
	e.reader.Close()
}

// read hands the batches that have rows to the workers.
func (e *execution) read() {
	defer close(e.batches)
	defer guard.Recover(&e.err)
	for {
		b, err := e.reader.Next()
		if err != nil {
			e.err = err
			return
		}
		if b.NumRows() == 0 {
			b.Release()
			continue
		}
		select {
		case e.batches <- b:
		case <-e.ctx.Done():
			b.Release()
			e.err = e.ctx.Err()
			return
		}
	}
}

// pull gives the next batch that has rows, or nil where it is time for a tick.
func (e *execution) pull() (arrow.RecordBatch, error) {
	e.reading.Do(func() { go e.read() })
	var tick <-chan time.Time
	if e.ticks {
		tick = time.After(patience)
	}
	select {
	case b, ok := <-e.batches:
		if !ok {
			return nil, e.err
		}
		return b, nil
	case <-tick:
		return nil, nil
	}
}

// worker is one thread's part of an execution.
type worker struct {
	e       *execution
	writers []*vector.Writer
	batch   arrow.RecordBatch
	next    int // first row of batch that is not given out yet
}

func newWorker(e *execution) (*worker, error) {
	w := &worker{e: e, writers: make([]*vector.Writer, len(e.columns))}
	for i, c := range e.columns {
		if c.source < 0 {
			continue
		}
		var err error
		if w.writers[i], err = vector.New(c.typ); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	return w, nil
}

// scan fills a chunk; a chunk of no rows is the end.
func (w *worker) scan(chunk unsafe.Pointer) error {
	if w.batch == nil {
		b, err := w.e.pull()
		if err == io.EOF {
			capi.SetChunkSize(chunk, 0)
			return nil
		}
		if err != nil {
			return err
		}
		if b == nil {
			return w.tick(chunk)
		}
		w.batch, w.next = b, 0
	}
	rows := int(min(w.batch.NumRows()-int64(w.next), int64(w.e.chunk), math.MaxInt32))
	for i, c := range w.e.columns {
		if c.source < 0 {
			c.mark(chunk, i, rows, true)
			continue
		}
		if err := w.writers[i].Write(capi.ChunkVector(chunk, i), w.batch.Column(c.source), w.next, rows); err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	capi.SetChunkSize(chunk, rows)
	if w.next += rows; int64(w.next) == w.batch.NumRows() {
		w.close()
	}
	return nil
}

func (w *worker) close() {
	if w.batch != nil {
		w.batch.Release()
		w.batch = nil
	}
}

// guarded runs f and hands its error, or panic, to set.
func guarded(set func(string), f func() error) {
	err := func() (err error) {
		defer guard.Recover(&err)
		return f()
	}()
	if err != nil {
		set(err.Error())
	}
}
