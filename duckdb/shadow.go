package duckdb

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb/internal/hints"
	"github.com/hudi-go/hudi/pushdown"
)

// DuckDB's C interface does not tell table functions what a query asks of their
// rows. So a second, empty database has tables with the same columns: DuckDB
// plans a statement there, and the plan tells what reaches each scan. The
// planner of Hudi tables gets that as a hint; DuckDB asks the rows again.
//
// The statement that a table is planned for is known by a number, which stands
// in a variable of the connection while the statement is bound.

// statementVariable is the variable that has the number of the statement.
const statementVariable = "hudi_statement"

// A shadow plans statements over empty tables.
type shadow struct {
	mu         sync.Mutex
	next       int
	statements map[string]*statement // that are being bound, by number
	engine     *Engine               // nil until it is needed
	conn       *Conn
	stale      bool // the database has other tables or views by now
}

// A statement is planned when the first table asks for hints.
type statement struct {
	sql   string
	conn  *Conn // where it runs
	scans map[string][]hints.Scan
	done  bool
}

// disabled are the optimizers that would see that the tables are empty, or
// that make plans of another form.
const disabled = "SET disabled_optimizers = 'statistics_propagation,compressed_materialization,late_materialization,empty_result_pullup'"

// begin makes a statement known and gives its number.
func (s *shadow) begin(sql string, c *Conn) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	id := strconv.Itoa(s.next)
	s.statements[id] = &statement{sql: sql, conn: c}
	return id
}

func (s *shadow) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.statements, id)
}

// changed says that the shadow's tables may be others than the database's.
func (s *shadow) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

func (s *shadow) close() {
	if s.engine != nil {
		s.conn.Close()
		s.engine.Close()
		s.engine = nil
	}
}

// hint gives what a statement asks of the rows of a registered table; nil for
// nothing that is known. Whatever goes wrong here costs speed only.
func (e *Engine) hint(table, id string) pushdown.Predicate {
	s := &e.shadow
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.statements[id]
	if st == nil {
		return nil
	}
	if !st.done {
		st.done = true
		if scans, err := e.scansOf(st.sql); err == nil {
			st.scans = scans
		}
	}
	return hints.Join(st.scans[table])
}

// scansOf plans a statement in the shadow and gives its scans by table.
func (e *Engine) scansOf(sql string) (map[string][]hints.Scan, error) {
	if err := e.syncShadow(); err != nil {
		return nil, err
	}
	plan := func(optimize bool) (map[string][]hints.Scan, error) {
		text, err := oneText(e.shadow.conn, fmt.Sprintf("SELECT json_serialize_plan(%s, optimize := %t)", QuoteString(sql), optimize))
		if err != nil {
			return nil, err
		}
		scans, err := hints.Read([]byte(text))
		if err != nil {
			return nil, err
		}
		by := map[string][]hints.Scan{}
		for _, s := range scans {
			key := tableKey(s.Schema, s.Table)
			by[key] = append(by[key], s)
		}
		return by, nil
	}
	written, err := plan(false)
	if err != nil {
		return nil, err
	}
	optimized, err := plan(true)
	if err != nil {
		return nil, err
	}
	for table, scans := range written {
		if len(optimized[table]) < len(scans) {
			delete(optimized, table) // a scan of which nothing is known
		}
	}
	return optimized, nil
}

// syncShadow makes the shadow's tables and views those of the database.
func (e *Engine) syncShadow() error {
	s := &e.shadow
	if s.engine != nil && !s.stale {
		return nil
	}
	s.close()
	engine, err := Open(Options{Threads: 1})
	if err != nil {
		return err
	}
	if s.conn, err = engine.Connect(); err != nil {
		engine.Close()
		return err
	}
	s.engine, s.stale = engine, false
	c, err := e.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	sql, err := texts(c, `SELECT 'CREATE SCHEMA IF NOT EXISTS "' || replace(schema_name, '"', '""') || '"' FROM duckdb_schemas() WHERE NOT internal AND database_name = current_database()
UNION ALL SELECT 'CREATE TABLE ' || "table" || ' (' || string_agg(c, ', ' ORDER BY n) || ')' FROM (
  SELECT '"' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"' AS "table", '"' || replace(column_name, '"', '""') || '" ' || data_type AS c, column_index AS n
  FROM duckdb_columns() JOIN (SELECT schema_name, table_name FROM duckdb_tables() UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND sql LIKE '%`+statementVariable+`%') USING (schema_name, table_name)
  WHERE database_name = current_database()) GROUP BY "table"
UNION ALL (SELECT sql FROM duckdb_views() WHERE NOT internal AND database_name = current_database() AND sql NOT LIKE '%`+statementVariable+`%' ORDER BY view_oid)`)
	if err != nil {
		return err
	}
	for _, one := range sql {
		// What can't be made is missed only by statements about it.
		_ = s.conn.Exec(context.Background(), one)
	}
	return s.conn.Exec(context.Background(), disabled)
}

// texts gives the texts that a query's only column has.
func texts(c *Conn, sql string) ([]string, error) {
	r, err := c.Query(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []string
	for {
		b, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		for row := range int(b.NumRows()) {
			if b.Column(0).IsValid(row) {
				all = append(all, textOf(b, row))
			}
		}
		b.Release()
	}
}

func textOf(b arrow.RecordBatch, row int) string {
	if s, ok := b.Column(0).(*array.String); ok {
		return strings.Clone(s.Value(row))
	}
	return strings.Clone(b.Column(0).ValueStr(row))
}

func oneText(c *Conn, sql string) (string, error) {
	all, err := texts(c, sql)
	if err != nil {
		return "", err
	}
	if len(all) != 1 {
		return "", fmt.Errorf("duckdb: %d rows, 1 is wanted", len(all))
	}
	return all[0], nil
}
