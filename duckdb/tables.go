package duckdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// A TableName is what SQL calls a Hudi table, and where it lies.
type TableName struct {
	Schema string // "" is the default one
	Name   string
	Path   string
	Found  bool // in a folder of tables
}

func (t TableName) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// A DuplicateError is the error of a second table of a name.
type DuplicateError struct{ Table, Other TableName }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("two tables are called %s: %s and %s", e.Table, e.Other.Path, e.Table.Path)
}

// TablesOptions say how [Tables] are read.
type TablesOptions struct {
	Provider provider.Options
	// Query is what is read of each table; its condition and limit are left to
	// SQL. Unless it asks for the _hoodie_ columns, tables have them for the
	// statements that name one.
	Query provider.Query
	// Fresh tables are looked at anew for each text of statements, else they
	// stay at the instant that was the latest when they were first named.
	Fresh bool
	// LeftOut, if set, is told once about each table of a folder that can't be
	// read. A statement that needs it then fails for want of it.
	LeftOut func(TableName, error)
}

// Tables are the Hudi tables that statements of an engine may name. Each is
// opened when a statement mentions it: a folder may hold hundreds. They are not
// safe for concurrent use.
type Tables struct {
	engine  func() (*Engine, error)
	options TablesOptions
	known   map[string]*hudiTable // by lower-case name
}

type hudiTable struct {
	TableName
	root   string // that it was added by
	table  *provider.Table
	bound  *provider.Table // known to the engine; nil for none
	schema *arrow.Schema   // known to the engine
	meta   bool            // known with _hoodie_ columns
	warned bool
}

// NewTables makes tables, none yet. engine gives the engine whose statements
// name them; it is first asked for by [Tables.Register], so that it may be
// started by then.
func NewTables(engine func() (*Engine, error), o TablesOptions) *Tables {
	o.Query.Where, o.Query.Limit = "", 0
	return &Tables{engine: engine, options: o, known: map[string]*hudiTable{}}
}

// Add makes known the table at a path, or all tables of a folder. With a name,
// the table has it, and the tables of a folder are in a schema of that name. A
// name that is taken is a [*DuplicateError]. A path that is added again is
// looked at anew: tables have come and gone.
func (t *Tables) Add(ctx context.Context, name, path string) error {
	found, err := provider.Discover(ctx, path, t.options.Provider)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		one := TableName{Name: key, Path: found[key], Found: found[key] != path}
		switch {
		case !one.Found && name != "":
			one.Schema, one.Name = splitName(name)
		case !one.Found:
		case name != "":
			one.Schema = name
		default:
			one.Schema, one.Name = splitName(key)
		}
		lower := strings.ToLower(one.String())
		if other := t.known[lower]; other != nil && other.Path != one.Path {
			return &DuplicateError{one, other.TableName}
		} else if other == nil {
			t.known[lower] = &hudiTable{TableName: one, root: path}
		}
	}
	for lower, one := range t.known {
		if one.root == path && !slices.Contains(slices.Collect(maps.Values(found)), one.Path) {
			if err := t.forget(ctx, one); err != nil {
				return err
			}
			delete(t.known, lower)
		}
	}
	return nil
}

// forget closes a table, and takes it from the engine.
func (t *Tables) forget(ctx context.Context, one *hudiTable) error {
	one.table = nil
	if one.bound == nil {
		return nil
	}
	e, err := t.engine()
	if err != nil {
		return err
	}
	c, err := e.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Exec(ctx, "DROP VIEW IF EXISTS "+tableKey(one.Schema, one.Name)); err != nil {
		return err
	}
	one.bound = nil
	return nil
}

// splitName takes schema.table apart.
func splitName(name string) (schema, table string) {
	if i := strings.IndexByte(name, '.'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// List gives the tables by name.
func (t *Tables) List() []TableName {
	all := make([]TableName, 0, len(t.known))
	for _, key := range slices.Sorted(maps.Keys(t.known)) {
		all = append(all, t.known[key].TableName)
	}
	return all
}

var (
	// needsAll tells statements that ask about tables in general.
	needsAll = regexp.MustCompile(`(?i)\b(show|information_schema|pg_catalog|sqlite_master|pragma|duckdb_\w+|from\s+query|query_table)\b`)
	// needsMeta tells statements that name Hudi's own columns, of which the one
	// that marks deletes is none: writers have it among their data.
	needsMeta   = regexp.MustCompile(`(?i)_hoodie_`)
	deleteMarks = regexp.MustCompile(`(?i)_hoodie_is_deleted\b`)
)

// NamesMeta tells whether a text of statements names columns of Hudi's own.
func NamesMeta(sql string) bool { return needsMeta.MatchString(deleteMarks.ReplaceAllString(sql, "")) }

// Prepare opens the tables that a text of statements may need and makes them
// known to the engine.
func (t *Tables) Prepare(ctx context.Context, sql string) error {
	if err := t.Open(ctx, sql); err != nil {
		return err
	}
	return t.Register(ctx, sql)
}

// Open opens the tables that a text of statements may need: those whose name it
// holds, or all if it asks about tables in general. Fresh ones are then at the
// instant that is the latest now. The engine is not needed for it.
func (t *Tables) Open(ctx context.Context, sql string) error {
	return t.each(ctx, sql, func(ctx context.Context, one *hudiTable) error {
		opened := one.table != nil
		if err := t.open(ctx, one); err != nil || !opened || !t.options.Fresh {
			return err
		}
		err := one.table.Refresh(ctx)
		if err != nil && ctx.Err() == nil {
			// A statement that goes on without it must not read it as it was.
			err = errors.Join(err, t.forget(ctx, one))
		}
		return err
	})
}

// Register makes the tables known to the engine that a text of statements may
// need, as they were when they were opened.
func (t *Tables) Register(ctx context.Context, sql string) error {
	e, err := t.engine()
	if err != nil {
		return err
	}
	q := t.options.Query
	q.Meta = q.Meta || NamesMeta(sql)
	return t.each(ctx, sql, func(ctx context.Context, one *hudiTable) error {
		if one.bound != nil && one.meta == q.Meta && !t.options.Fresh {
			return nil
		}
		return t.register(ctx, e, one, q)
	})
}

// each does something to the tables that a text of statements may need. Those
// of a folder for which it fails are left out.
func (t *Tables) each(ctx context.Context, sql string, do func(context.Context, *hudiTable) error) error {
	lower, all := strings.ToLower(sql), needsAll.MatchString(sql)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, one := range t.known {
		named := one.bound != nil && !t.options.Fresh || all ||
			strings.Contains(lower, strings.ToLower(one.Name)) || strings.ContainsRune(one.Name, '"')
		if !named {
			continue
		}
		group.Go(func() (err error) {
			defer guard.Recover(&err)
			err = do(inner, one)
			if err == nil || !one.Found || inner.Err() != nil {
				return err
			}
			t.leaveOut(one, err)
			return nil
		})
	}
	return group.Wait()
}

// Table opens a table by its name, in any letter case; nil if there is none.
// It is at the instant that the last text of statements saw, if that named it.
func (t *Tables) Table(ctx context.Context, schema, name string) (*provider.Table, error) {
	one := t.known[strings.ToLower(TableName{Schema: schema, Name: name}.String())]
	if one == nil {
		return nil, nil
	}
	err := t.open(ctx, one)
	return one.table, err
}

func (t *Tables) open(ctx context.Context, one *hudiTable) error {
	if one.table != nil {
		return nil
	}
	table, err := provider.Open(ctx, one.Path, t.options.Provider)
	if err == nil {
		one.table = table
	}
	return err
}

// register makes what a query reads of a table known, if it is not yet.
func (t *Tables) register(ctx context.Context, e *Engine, one *hudiTable, q provider.Query) error {
	if err := t.open(ctx, one); err != nil {
		return err
	}
	schema, err := one.table.Schema(ctx, q)
	if err != nil {
		return err
	}
	if one.bound == one.table && one.schema.Equal(schema) {
		return nil
	}
	if err := e.RegisterTable(ctx, one.Schema, one.Name, one.table, q); err != nil {
		return err
	}
	one.bound, one.schema, one.meta = one.table, schema, q.Meta
	return nil
}

func (t *Tables) leaveOut(one *hudiTable, err error) {
	var refused *snapshot.TableError
	if !errors.As(err, &refused) {
		err = fmt.Errorf("table %s: %w", one, err)
	}
	if !one.warned && t.options.LeftOut != nil {
		one.warned = true
		t.options.LeftOut(one.TableName, err)
	}
}
