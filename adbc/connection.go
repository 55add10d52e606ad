package adbc

import (
	"context"
	"strings"
	"sync"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb"
)

// A connection sees the tables of its database. It is safe for concurrent use;
// each of its statements is used by one goroutine at a time.
type connection struct {
	options
	db *database

	mu       sync.Mutex
	closed   bool
	settings settings
	schema   string // the current one
	found    latest // of ReadPartition
}

var (
	_ adbc.GetSetOptions           = (*connection)(nil)
	_ adbc.ConnectionGetStatistics = (*connection)(nil)
)

func newConnection(db *database, s settings) *connection {
	c := &connection{db: db, settings: s, schema: mainSchema}
	c.options = options{of: "connection", known: c.option}
	return c
}

func (c *connection) option(key string) (option, bool) {
	o, ok := option{}, true
	switch key {
	case adbc.OptionKeyCurrentCatalog:
		o = option{get: func() (string, error) { return catalog, nil }, set: c.setCatalog}
	case adbc.OptionKeyCurrentDbSchema:
		o = option{get: func() (string, error) { return c.schema, nil }, set: c.setSchema}
	case adbc.OptionKeyAutoCommit:
		o = fixedOption(key, true, "transactions")
	case adbc.OptionKeyReadOnly:
		o = fixedOption(key, true, "writing")
	case adbc.OptionKeyIsolationLevel:
		o = option{get: func() (string, error) { return string(adbc.LevelSnapshot), nil }, set: setIsolation}
	default:
		if o, ok = c.found.option(key); !ok {
			o, ok = c.settings.option(key)
		}
	}
	return o.locked(&c.mu, nil), ok
}

// fixedOption is a flag that has one value.
func fixedOption(key string, is bool, without string) option {
	o := flagOption(key, &is)
	o.set = func(v string) error {
		flag, err := parseFlag(key, v)
		if err == nil && flag != is {
			err = sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "option %s = %s: there is no %s, tables are read only", key, v, without)
		}
		return err
	}
	return o
}

func setIsolation(level string) error {
	switch adbc.OptionIsolationLevel(level) {
	case adbc.LevelDefault, adbc.LevelSnapshot:
		return nil
	}
	return sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "isolation level %s: each statement reads a snapshot of its own", level)
}

func (c *connection) setCatalog(name string) error {
	if name != catalog {
		return sqlErrorf(adbc.StatusNotFound, stateNoCatalog, "there is no catalog %q, only %s", name, catalog)
	}
	return nil
}

// setSchema makes a schema the one in which tables are looked for. c.mu is
// held.
func (c *connection) setSchema(name string) error {
	v := c.settings.view
	if v.check() != nil { // other options are yet to come
		v = view{}
	}
	e, err := c.db.engine(context.Background(), v)
	if err != nil {
		return wrap(err)
	}
	defer e.release()
	for _, s := range e.schemas() {
		if strings.EqualFold(s, name) {
			c.schema = s
			return nil
		}
	}
	return sqlErrorf(adbc.StatusNotFound, stateNoSchema, "there is no schema %q, only %s", name, strings.Join(e.schemas(), ", "))
}

// schemas gives the names of schemas, the default one first.
func (e *engine) schemas() []string {
	e.binding.Lock()
	defer e.binding.Unlock()
	all := []string{mainSchema}
	seen := map[string]bool{mainSchema: true}
	for _, t := range e.tables.List() {
		if s := schemaOf(t); !seen[strings.ToLower(s)] {
			seen[strings.ToLower(s)] = true
			all = append(all, s)
		}
	}
	return all
}

func schemaOf(t duckdb.TableName) string {
	if t.Schema == "" {
		return mainSchema
	}
	return t.Schema
}

// state gives what the connection is set to, if it is open.
func (c *connection) state() (settings, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return settings{}, "", errorf(adbc.StatusInvalidState, "the connection is closed")
	}
	return c.settings, c.schema, nil
}

// Commit fails: each statement is by itself.
func (c *connection) Commit(context.Context) error { return noTransaction("Commit") }

// Rollback fails: each statement is by itself.
func (c *connection) Rollback(context.Context) error { return noTransaction("Rollback") }

func noTransaction(what string) error {
	return sqlErrorf(adbc.StatusInvalidState, "25000", "%s: autocommit is on, and can't be switched off", what)
}

// NewStatement makes a statement.
func (c *connection) NewStatement() (adbc.Statement, error) {
	settings, _, err := c.state()
	if err != nil {
		return nil, err
	}
	return newStatement(c, settings), nil
}

// Close closes the connection. What streams goes on.
func (c *connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errorf(adbc.StatusInvalidState, "the connection is closed already")
	}
	c.closed = true
	return nil
}

// GetTableSchema gives the schema of SELECT *.
func (c *connection) GetTableSchema(ctx context.Context, catalogName, dbSchema *string, tableName string) (*arrow.Schema, error) {
	settings, schema, err := c.state()
	if err != nil {
		return nil, err
	}
	if catalogName != nil && *catalogName != catalog {
		return nil, sqlErrorf(adbc.StatusNotFound, stateNoCatalog, "there is no catalog %q, only %s", *catalogName, catalog)
	}
	if dbSchema != nil && *dbSchema != "" {
		schema = *dbSchema
	}
	e, err := c.db.engine(ctx, settings.view)
	if err != nil {
		return nil, wrap(err)
	}
	defer e.release()
	var s *arrow.Schema
	ctx = describing(ctx)
	err = e.bound(ctx, tableName, func() error {
		t, err := e.table(ctx, schema, tableName)
		if err == nil {
			s, err = t.Schema(ctx, settings.query())
		}
		return err
	})
	return s, wrap(err)
}
