// Package functions is what SQL gets of Hudi: the table functions that read
// tables and tell about them, and the planner that hands plain files to
// DuckDB's own Parquet reader. It is the same in the loadable extension and in
// the embedded engine; DuckDB is reached through package capi only.
//
// A call comes in with its arguments as text (package tablefunc) and becomes a
// [provider.Query] on a table. hudi_scan and its kin stream the batches of
// [provider.Table.Scan]; hudi_timeline and the other lists make one batch of
// what the table tells of itself; hudi_sql gives the text of a query that reads
// the same rows as hudi_scan, see [Functions.SQL].
package functions

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// Options say how functions read tables. The zero value is ready to use.
type Options struct {
	// Provider are the options that tables are opened with.
	Provider provider.Options
	// Query has the threads and the memory limit of scans.
	Query provider.Query
	// Context gives the context of the query that runs on a connection; nil
	// stands for context.Background.
	Context func(connection uint64) context.Context
	// NoPaths leaves only the tables of [Functions.Name]: paths are refused.
	NoPaths bool
	// Scanned, if set, is told about each scan that begins.
	Scanned func(*provider.Table, *provider.Result)
	// Hint, if set, gives what the statement of a number asks of the rows of a
	// named table; nil for nothing that is known. Number is an SQL expression for
	// the statement's number, or NULL.
	Hint   func(name, number string) pushdown.Predicate
	Number string
	// Handed, if set, is told about each plan of which DuckDB's own reader reads
	// some files.
	Handed func(Handed)
	// Planned, if set, is told about each plan of a table in a statement.
	Planned func(*provider.Table, *provider.Plan)
}

// Handed tells what DuckDB's own Parquet reader reads of a table.
type Handed struct {
	Table *provider.Table
	Plan  *provider.Plan
	Files int
	Bytes int64 // sizes of the files
}

// Functions are the functions of one database.
type Functions struct {
	options Options
	plans   *plans
	footers *footers
	named   sync.Map // name -> named
	asker   *asker   // nil for none
	last    repeated
}

// New makes the functions.
func New(o Options) *Functions {
	o.Query.Threads = max(o.Query.Threads, 1)
	return &Functions{options: o, plans: newPlans(), footers: newFooters()}
}

// Names of parameters.
const (
	asOf           = "as_of"
	queryType      = "query_type"
	beginTime      = "begin_time"
	endTime        = "end_time"
	metaColumns    = "meta"
	storageOptions = "storage_options"
	readOptions    = "options"
	threads        = "threads"
	where          = "filter" // the word where is reserved
)

// opening are the parameters of all functions: how the table is opened.
var opening = []tablefunc.Parameter{
	{Name: storageOptions, Kind: tablefunc.Map},
	{Name: readOptions, Kind: tablefunc.Map},
}

// scanning are those of functions that read rows.
var scanning = append([]tablefunc.Parameter{
	{Name: asOf}, {Name: queryType}, {Name: beginTime}, {Name: endTime},
	{Name: metaColumns, Kind: tablefunc.Flag}, {Name: where}, {Name: threads, Kind: tablefunc.Number},
}, opening...)

// changing are those of functions that read changes.
var changing = append([]tablefunc.Parameter{
	{Name: metaColumns, Kind: tablefunc.Flag}, {Name: where}, {Name: "json", Kind: tablefunc.Flag}, {Name: threads, Kind: tablefunc.Number},
}, opening...)

// Register adds the functions to the database that a duckdb_connection is
// connected to.
func (f *Functions) Register(connection unsafe.Pointer) error {
	add := func(name string, fn tablefunc.Function) error {
		fn.Context, fn.Threads = f.options.Context, f.options.Query.Threads
		return tablefunc.Register(connection, name, &fn)
	}
	for _, name := range []string{"hudi_scan", "read_hudi"} {
		if err := add(name, tablefunc.Function{Named: scanning, Resolve: f.scan}); err != nil {
			return err
		}
	}
	for name, t := range map[string]provider.QueryType{"hudi_changes": provider.Incremental, "hudi_cdc": provider.CDC} {
		err := add(name, tablefunc.Function{Positional: 3, Named: changing, Resolve: func(ctx context.Context, a tablefunc.Arguments) (tablefunc.Source, error) {
			return f.changes(ctx, t, a)
		}})
		if err != nil {
			return err
		}
	}
	if err := f.registerLists(add); err != nil {
		return err
	}
	if err := add(mergeScan, tablefunc.Function{RowColumn: rowColumn, Resolve: f.plans.resolve}); err != nil {
		return err
	}
	return tablefunc.RegisterScalar(connection, "hudi_sql", tablefunc.Scalar{Call: f.sql, Dropped: f.dropped})
}

// dropped is called when the database goes away.
func (f *Functions) dropped() {
	if f.asker != nil {
		f.asker.close()
	}
}

// Replace makes DuckDB read FROM 'hudi:...' as FROM query(hudi_sql('...')). It
// takes a duckdb_database.
func (f *Functions) Replace(database unsafe.Pointer) { tablefunc.AddReplacement(database, f.replace) }

// mark stands in front of names in hudi_sql's argument, so that no path can be
// taken for one.
const mark = "\x01"

// named is a table that has a name.
type named struct {
	table *provider.Table
	query provider.Query
	ready bool
}

// Name makes what a query reads of a table known by a name, and gives a table
// expression of SQL for it. Until ready is called, no files are planned: the
// expression has the columns and no rows, which is all that a view needs to be
// created.
func (f *Functions) Name(name string, t *provider.Table, q provider.Query) (expression string, ready func()) {
	f.named.Store(name, named{t, q, false})
	return "query(hudi_sql(" + quoteString(mark+name) + f.number() + "))", func() { f.named.Store(name, named{t, q, true}) }
}

// Forget forgets a name.
func (f *Functions) Forget(name string) { f.named.Delete(name) }

// open opens the table of a call.
func (f *Functions) open(ctx context.Context, a tablefunc.Arguments) (*provider.Table, error) {
	if f.options.NoPaths {
		return nil, fmt.Errorf("no table %q: paths can't be opened here", a.Positional[0])
	}
	o := f.options.Provider
	o.Storage = merged(o.Storage, a.Maps[storageOptions])
	o.Hudi = merged(o.Hudi, a.Maps[readOptions])
	return provider.Open(ctx, a.Positional[0], o)
}

// merged adds the entries of more to those of base, both unchanged.
func merged(base, more map[string]string) map[string]string {
	if len(more) == 0 {
		return base
	}
	m := make(map[string]string, len(base)+len(more))
	for k, v := range base {
		m[k] = v
	}
	for k, v := range more {
		m[k] = v
	}
	return m
}

// query makes the query of a call.
func (f *Functions) query(a tablefunc.Arguments) (provider.Query, error) {
	q := f.options.Query
	q.AsOf, q.Begin, q.End = a.Named[asOf], a.Named[beginTime], a.Named[endTime]
	q.Meta, q.Where = a.Named[metaColumns] == "true", a.Named[where]
	if n := a.Named[threads]; n != "" {
		if _, err := fmt.Sscan(n, &q.Threads); err != nil || q.Threads < 1 {
			return q, fmt.Errorf("%s => %s: a number from 1 is needed", threads, n)
		}
	}
	if name := a.Named[queryType]; name != "" {
		var err error
		if q.Type, err = provider.ParseQueryType(name); err != nil {
			return q, err
		}
	}
	changes := q.Type == provider.Incremental || q.Type == provider.CDC
	if !changes && (q.Begin != "" || q.End != "") {
		return q, fmt.Errorf("%s and %s bound changes: give %s => 'incremental', or %s => for the rows at a time", beginTime, endTime, queryType, asOf)
	}
	return q, nil
}
