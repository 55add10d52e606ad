// Package duckdb is the SQL engine: an in-memory DuckDB, linked into the
// program, whose tables are Arrow sources.
//
// A [Source] given to [Engine.Register] becomes a view over a table function.
// When a statement runs, DuckDB tells the function which columns it needs, the
// source is scanned with just these, and the batches are copied into DuckDB's
// vectors (internal/tablefunc, internal/vector). Results come back as Arrow
// record batches, streamed, with the types that DuckDB computed.
//
// Nothing is written to disk but what DuckDB spills when memory runs short,
// into a temporary folder that goes away with the engine, and nothing is
// downloaded.
package duckdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/duckdb/internal/functions"
	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
)

// A Source is what can be a table: its schema, and scans of some of its
// columns, which may run several times at once.
type Source = tablefunc.Source

// A Counter is a Source that knows about how many rows it has, which helps
// DuckDB to order joins.
type Counter = tablefunc.Counter

// Handed tells what DuckDB's own Parquet reader reads of a table.
type Handed = functions.Handed

// Options say how an engine runs. The zero value is ready to use.
type Options struct {
	// Threads is how many threads DuckDB uses; 0 for all cores.
	Threads int
	// MemoryLimit is how many bytes DuckDB may take before it spills to disk; 0
	// for DuckDB's own choice, 80 % of the machine's memory.
	MemoryLimit int64
	// TempDir is the parent of the folder for spilled data; "" for os.TempDir.
	TempDir string
	// Paths lets statements name tables by their path, as in
	// FROM 'hudi:/lake/trips' and hudi_scan('/lake/trips').
	Paths bool
	// Provider are the options that these tables are opened with.
	Provider provider.Options
	// Scans has the threads and the memory limit of scans of such tables.
	Scans provider.Query
	// Catalog is the name of the database that registered tables are in; "" for
	// DuckDB's own, memory.
	Catalog string
	// Scanned, if set, is told about each scan that begins of a table named by
	// its path, or registered by [Engine.RegisterTable].
	Scanned func(*provider.Table, *provider.Result)
	// Handed, if set, is told which part of such a table DuckDB's own Parquet
	// reader will read for a statement.
	Handed func(Handed)
	// Planned, if set, is told about each plan of a table in a statement, also
	// if it is only explained.
	Planned func(*provider.Table, *provider.Plan)
}

// ShareMemory parts a limit of memory in bytes between an engine and the scans
// that feed it, three to one. 0 is no limit, for both.
func ShareMemory(limit int64) (engine, scans int64) {
	if limit <= 0 {
		return 0, 0
	}
	scans = max(1, limit/4)
	return max(1, limit-scans), scans
}

// An Engine is a database. It is safe for concurrent use; statements that run
// at once need a [Conn] each.
type Engine struct {
	db        bindings.Database
	options   Options
	functions *functions.Functions
	temp      string
	running   sync.Map // connection id -> context.Context of its statement
	shadow    shadow
	hinted    sync.Map // what functions know a table by -> table

	registering sync.Mutex // DuckDB does not like schemas to be made at once
	names       int
	registered  map[string]string // table -> what functions know it by
	mu          sync.RWMutex
	sources     map[string]Source
}

// ErrClosed is the error of calls on what was closed.
var ErrClosed = errors.New("duckdb: closed")

// Open starts an engine.
func Open(o Options) (*Engine, error) {
	if err := link(); err != nil {
		return nil, err
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	// DuckDB makes the folder when it needs it.
	temp := filepath.Join(o.TempDir, "hudi-sql-"+rand.Text())
	e := &Engine{options: o, temp: temp, sources: map[string]Source{}, registered: map[string]string{}}
	if o.Scans.Threads == 0 {
		o.Scans.Threads = o.Threads
	}
	e.functions = functions.New(functions.Options{
		Provider: o.Provider, Query: o.Scans, Context: e.contextOf, NoPaths: !o.Paths, Scanned: o.Scanned, Handed: o.Handed, Planned: o.Planned,
		Hint: e.hint, Number: "getvariable('" + statementVariable + "')",
	})
	if err := e.open(); err != nil {
		return nil, err
	}
	if err := e.prepare(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) open() error {
	var config bindings.Config
	if bindings.CreateConfig(&config) == bindings.StateError {
		return errors.New("duckdb: no memory for a configuration")
	}
	defer bindings.DestroyConfig(&config)
	settings := [][2]string{
		{"threads", fmt.Sprint(e.options.Threads)},
		{"temp_directory", e.temp},
		{"autoinstall_known_extensions", "false"},
	}
	if e.options.MemoryLimit > 0 {
		settings = append(settings, [2]string{"memory_limit", fmt.Sprintf("%dB", e.options.MemoryLimit)})
	}
	for _, s := range settings {
		if bindings.SetConfig(config, s[0], s[1]) == bindings.StateError {
			return fmt.Errorf("duckdb: setting %s = %q is refused", s[0], s[1])
		}
	}
	var message string
	if bindings.OpenExt("", &e.db, config, &message) == bindings.StateError {
		bindings.Close(&e.db)
		return newError(message)
	}
	return nil
}

// prepare registers the table functions, which all connections share.
func (e *Engine) prepare() error {
	c, err := e.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	f := &tablefunc.Function{Resolve: e.resolve, Context: e.contextOf, RowColumn: rowColumn, Threads: e.options.Threads}
	if err := tablefunc.Register(c.pointer(), function, f); err != nil {
		return err
	}
	if err := e.functions.Register(c.pointer()); err != nil {
		return err
	}
	if e.options.Paths {
		e.functions.Replace(e.db.Ptr)
	}
	// Instants are shown in UTC wherever the program runs.
	_, err = c.texts("SET GLOBAL TimeZone = 'UTC'")
	return err
}

const (
	function  = "hudi_rows" // the table function
	rowColumn = "hudi_row"  // its first column, hidden by what users name
)

func (e *Engine) contextOf(connection uint64) context.Context {
	if ctx, ok := e.running.Load(connection); ok {
		return ctx.(context.Context)
	}
	return context.Background()
}

// Close ends the engine. Its connections must be closed before.
func (e *Engine) Close() error {
	if e.db.Ptr == nil {
		return nil
	}
	e.shadow.close()
	bindings.Close(&e.db)
	return os.RemoveAll(e.temp)
}

// Version gives the version of the DuckDB that is linked in.
func Version() string { return bindings.LibraryVersion() }

// QuoteName writes a name so that SQL takes it as it is.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteString writes a string as an SQL literal.
func QuoteString(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }

// Connect opens a connection.
func (e *Engine) Connect() (*Conn, error) {
	if e.db.Ptr == nil {
		return nil, ErrClosed
	}
	c := &Conn{engine: e}
	if bindings.Connect(e.db, &c.conn) == bindings.StateError {
		return nil, errors.New("duckdb: can't connect")
	}
	var cc bindings.ClientContext
	bindings.ConnectionGetClientContext(c.conn, &cc)
	c.id = uint64(bindings.ClientContextGetConnectionId(cc))
	bindings.DestroyClientContext(&cc)
	if e.options.Catalog == "" {
		return c, nil
	}
	for _, sql := range []string{"ATTACH IF NOT EXISTS ':memory:' AS " + QuoteName(e.options.Catalog), "USE " + QuoteName(e.options.Catalog)} {
		if _, err := c.texts(sql); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (c *Conn) pointer() unsafe.Pointer { return c.conn.Ptr }
