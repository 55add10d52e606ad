package duckdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
)

// Register makes a source known as a table of a schema, "" being the default
// one. A table of that name, in DuckDB's sense (letter case does not matter),
// is replaced.
func (e *Engine) Register(ctx context.Context, schema, name string, s Source) error {
	e.registering.Lock()
	defer e.registering.Unlock()
	key := tableKey(schema, name)
	e.mu.Lock()
	before, had := e.sources[key]
	e.sources[key] = s
	e.mu.Unlock()
	err := e.createView(ctx, schema, name, fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s(%s) WHERE %[1]s", rowColumn, function, QuoteString(key)))
	if err == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if had {
		e.sources[key] = before
	} else {
		delete(e.sources, key)
	}
	return fmt.Errorf("table %q: %w", name, err)
}

// RegisterTable makes what a query reads of a Hudi table known, as [Register]
// does. Base files that need no merging are read by DuckDB's own Parquet
// reader, with all that it can push down. The query's condition and limit are
// left to SQL.
func (e *Engine) RegisterTable(ctx context.Context, schema, name string, t *provider.Table, q provider.Query) error {
	q.Where, q.Limit = "", 0
	e.registering.Lock()
	defer e.registering.Unlock()
	key := tableKey(schema, name)
	// The view that is replaced keeps its own name until then.
	e.names++
	id := fmt.Sprintf("%s %d", key, e.names)
	expression, ready := e.functions.Name(id, t, q)
	if err := e.createView(ctx, schema, name, "FROM "+expression); err != nil {
		e.functions.Forget(id)
		return fmt.Errorf("table %q: %w", name, err)
	}
	if columns, err := e.columnsOf(key); err == nil {
		e.shadow.know(key, columns)
		e.hinted.Store(id, key)
	}
	ready()
	if before, had := e.registered[key]; had {
		e.functions.Forget(before)
	}
	e.registered[key] = id
	return nil
}

// tableKey names a table as DuckDB tells tables apart.
func tableKey(schema, name string) string {
	if schema == "" {
		schema = "main"
	}
	return strings.ToLower(QuoteName(schema) + "." + QuoteName(name))
}

func (e *Engine) createView(ctx context.Context, schema, name, sql string) error {
	c, err := e.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	if schema == "" {
		schema = "main"
	}
	return c.Exec(ctx, fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS %s; CREATE OR REPLACE VIEW %[1]s.%s AS %s", QuoteName(schema), QuoteName(name), sql))
}

// resolve gives the source of a registered name.
func (e *Engine) resolve(_ context.Context, a tablefunc.Arguments) (Source, error) {
	key := a.Positional[0]
	e.mu.RLock()
	defer e.mu.RUnlock()
	if s := e.sources[key]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("table %q is not registered any more", key)
}
