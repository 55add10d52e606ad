package adbc

import (
	"context"
	"strings"
	"sync"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/provider"
)

// catalog is what the database is called in names of tables.
const catalog = "hudi"

// mainSchema is the schema of tables that are in none of the folder's.
const mainSchema = "main"

// An engine is the tables of a database as one view has them, and the DuckDB
// that answers what is no plain scan of them: most programs never need it, and it
// takes time and memory to start. Whoever uses an engine holds a reference.
type engine struct {
	path   string
	tables *duckdb.Tables

	binding sync.Mutex // of statements: tables are looked at and bound by one at a time
	broken  sync.Map   // lower-case name of a table -> error that keeps it from SQL
	mu      sync.Mutex
	refs    int
	options duckdb.Options
	duck    *duckdb.Engine // nil until a statement needs it
	idle    []*duckdb.Conn
}

func openEngine(ctx context.Context, path string, s settings, o provider.Options) (*engine, error) {
	q := s.query()
	limit, scans := duckdb.ShareMemory(s.memory)
	q.MemoryLimit = scans
	e := &engine{path: path, refs: 1}
	e.options = duckdb.Options{Threads: s.workers(), MemoryLimit: limit, Catalog: catalog, Paths: true, Provider: o, Scans: q}
	e.tables = duckdb.NewTables(e.start, duckdb.TablesOptions{Provider: o, Query: q, Fresh: true, LeftOut: func(t duckdb.TableName, err error) {
		e.broken.Store(strings.ToLower(t.Name), err)
	}})
	if err := e.tables.Add(ctx, "", path); err != nil {
		return nil, err
	}
	return e, nil
}

// start gives DuckDB, which it starts for the first who asks.
func (e *engine) start() (*duckdb.Engine, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.duck == nil {
		duck, err := duckdb.Open(e.options)
		if err != nil {
			return nil, err
		}
		e.duck = duck
	}
	return e.duck, nil
}

func (e *engine) retain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refs++
}

func (e *engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refs--; e.refs > 0 {
		return
	}
	for _, c := range e.idle {
		c.Close()
	}
	e.idle = nil
	if e.duck != nil {
		e.duck.Close()
	}
}

// connect gives a connection of DuckDB that knows the tables of a text of
// statements. It goes back by put. e.binding is held.
func (e *engine) connect(ctx context.Context, sql string) (*duckdb.Conn, error) {
	if err := e.tables.Register(ctx, sql); err != nil {
		return nil, err
	}
	duck, err := e.start()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	if n := len(e.idle); n > 0 {
		c := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return c, nil
	}
	e.mu.Unlock()
	return duck.Connect()
}

func (e *engine) put(c *duckdb.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, c)
}

// bound runs f while the tables that a text of statements names are at their
// latest instant and stay there. A table that is not known yet is looked for in
// the folder.
func (e *engine) bound(ctx context.Context, sql string, f func() error) error {
	e.binding.Lock()
	defer e.binding.Unlock()
	run := func() error {
		if err := e.tables.Open(ctx, sql); err != nil {
			return err
		}
		return f()
	}
	err := run()
	if !isNoTable(err) {
		return err
	}
	if why := e.why(sql); why != nil {
		return why
	}
	before := len(e.tables.List())
	if again := e.tables.Add(ctx, "", e.path); again != nil || len(e.tables.List()) == before {
		return err
	}
	return run()
}

// isNoTable tells whether an error is that of a table that is not there.
func isNoTable(err error) bool {
	known, ok := wrap(err).(adbc.Error)
	return ok && known.SqlState == [5]byte([]byte(stateNoTable))
}

// why gives the error that keeps a table which a text of SQL names from it.
func (e *engine) why(sql string) (why error) {
	sql = strings.ToLower(sql)
	e.broken.Range(func(name, err any) bool {
		if strings.Contains(sql, name.(string)) {
			why = err.(error)
		}
		return why == nil
	})
	return why
}

// table gives a table by its name. e.binding is held.
func (e *engine) table(ctx context.Context, schema, name string) (*provider.Table, error) {
	in := schema
	if strings.EqualFold(schema, mainSchema) {
		in = ""
	}
	t, err := e.tables.Table(ctx, in, name)
	if err == nil && t == nil {
		err = sqlErrorf(adbc.StatusNotFound, stateNoTable, "there is no table %s in schema %s at %s", name, schema, e.path)
	}
	return t, err
}

// query runs a statement on DuckDB. names are those of the columns, nil for
// DuckDB's. e.binding is held.
func (e *engine) query(ctx context.Context, sql, current string, names *arrow.Schema) (batch.Reader, error) {
	c, err := e.connect(ctx, sql)
	if err != nil {
		return nil, err
	}
	r, err := prepareOn(ctx, c, sql, current)
	if err != nil {
		e.put(c)
		return nil, err
	}
	return newEngineReader(r, names, func() { e.put(c) }), nil
}

// prepareOn binds a statement that reads.
func prepareOn(ctx context.Context, c *duckdb.Conn, sql, current string) (*duckdb.Result, error) {
	if strings.EqualFold(current, mainSchema) {
		current = ""
	}
	if err := c.Use(current); err != nil {
		return nil, err
	}
	r, err := c.Prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	if !r.Reads() {
		r.Close()
		return nil, readOnly(firstWord(sql))
	}
	return r, nil
}
