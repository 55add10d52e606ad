package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// session is the SQL engine with the tables of a command. Tables are opened
// when a statement mentions them: a folder may hold hundreds.
type session struct {
	env     *Env
	options provider.Options
	query   provider.Query // threads and memory of scans
	engine  *duckdb.Engine
	conn    *duckdb.Conn
	tables  map[string]*sqlTable // by lower-case name
	stats   *statsLog
}

// sqlTable is a table that SQL may name.
type sqlTable struct {
	schema, name string
	path         string
	found        bool // in a folder: if it can't be opened, others still can
	table        *provider.Table
	meta         int // 1: known to the engine without _hoodie_ columns, 2: with
	warned       bool
}

func (t *sqlTable) String() string {
	if t.schema == "" {
		return t.name
	}
	return t.schema + "." + t.name
}

func newSession(e *Env, o provider.Options, q provider.Query) (*session, error) {
	s := &session{env: e, options: o, query: q, tables: map[string]*sqlTable{}, stats: &statsLog{}}
	// Scans and the engine share the memory.
	s.query.MemoryLimit = q.MemoryLimit / 4
	var err error
	s.engine, err = duckdb.Open(duckdb.Options{
		Threads: q.Threads, MemoryLimit: q.MemoryLimit - s.query.MemoryLimit,
		Paths: true, Provider: o, Scans: s.query, Scanned: s.stats.add, Handed: s.stats.handed,
	})
	if err != nil {
		return nil, err
	}
	if s.conn, err = s.engine.Connect(); err != nil {
		return nil, errors.Join(err, s.engine.Close())
	}
	return s, nil
}

func (s *session) close() error {
	s.conn.Close()
	return s.engine.Close()
}

// add makes known the table at a path, or all tables of a folder. With a name,
// the table has it, and the tables of a folder are in a schema of that name.
func (s *session) add(ctx context.Context, name, path string) error {
	found, err := provider.Discover(ctx, path, s.options)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		t := &sqlTable{name: key, path: found[key], found: found[key] != path}
		switch {
		case !t.found && name != "":
			t.schema, t.name = splitName(name)
		case !t.found:
		case name != "":
			t.schema = name
		default:
			t.schema, t.name = splitName(key)
		}
		lower := strings.ToLower(t.String())
		if other := s.tables[lower]; other != nil {
			return usagef("two tables are called %s: %s and %s; name them with -t name=PATH", t, other.path, t.path)
		}
		s.tables[lower] = t
	}
	return nil
}

// splitName takes schema.table apart.
func splitName(name string) (schema, table string) {
	if i := strings.IndexByte(name, '.'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return "", name
}

var (
	// needsAll tells statements that ask about tables in general.
	needsAll = regexp.MustCompile(`(?i)\b(show|information_schema|pg_catalog|sqlite_master|pragma|duckdb_\w+|from\s+query|query_table)\b`)
	// needsMeta tells statements that name Hudi's own columns.
	needsMeta = regexp.MustCompile(`(?i)_hoodie_`)
)

// prepare makes the tables known to the engine that a text of statements may
// need: those whose name it holds, or all if it asks about tables in general.
// Where the text names a column of Hudi's, tables have these columns.
func (s *session) prepare(ctx context.Context, sql string) error {
	lower := strings.ToLower(sql)
	all, meta := needsAll.MatchString(sql), 1
	if needsMeta.MatchString(sql) {
		meta = 2
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, t := range s.tables {
		if t.meta == meta || t.meta == 0 && !all && !strings.Contains(lower, strings.ToLower(t.name)) && !strings.ContainsRune(t.name, '"') {
			continue
		}
		group.Go(func() error {
			err := s.register(inner, t, meta)
			if err == nil || !t.found || inner.Err() != nil {
				return err
			}
			return s.leaveOut(t, err)
		})
	}
	return group.Wait()
}

func (s *session) register(ctx context.Context, t *sqlTable, meta int) error {
	if t.table == nil {
		table, err := provider.Open(ctx, t.path, s.options)
		if err != nil {
			return err
		}
		t.table = table
	}
	q := s.query
	q.Meta = meta == 2
	if err := s.engine.RegisterTable(ctx, t.schema, t.name, t.table, q); err != nil {
		return err
	}
	t.meta = meta
	return nil
}

// leaveOut tells once about a table of a folder that can't be read. A statement
// that needs it then fails for want of it.
func (s *session) leaveOut(t *sqlTable, err error) error {
	var refused *snapshot.TableError
	if !errors.As(err, &refused) {
		err = fmt.Errorf("table %s: %w", t, err)
	}
	if !t.warned {
		t.warned = true
		s.env.notef("table %s is left out: %s", t, message(err))
	}
	return nil
}
