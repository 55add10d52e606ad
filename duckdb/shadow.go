package duckdb

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"
	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/duckdb/internal/functions"
	"github.com/hudi-go/hudi/duckdb/internal/hints"
	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
	"github.com/hudi-go/hudi/pushdown"
)

// DuckDB's C interface does not tell table functions what a query asks of their
// rows. So a second, empty database, the shadow, has tables with the same
// columns: DuckDB plans each statement there first, and the plan tells what
// reaches the scan of each table. The planner of Hudi tables gets that as a
// hint, and DuckDB asks the rows again.
//
// Hints are given up where the shadow might plan a statement in another way:
// after settings that it can't follow, and for functions whose value is not the same in
// both. Whatever goes wrong costs speed only.
//
// The statement that a table is planned for is known by a number, which stands
// in a variable of the connection while the statement is bound.

// statementVariable is the variable that has the number of the statement.
const statementVariable = "hudi_statement"

var viewing = regexp.MustCompile(`(?i)\bview\b`)

// A shadow plans statements over empty tables.
type shadow struct {
	mu         sync.Mutex
	off        bool              // settings were changed
	columns    map[string]string // of registered tables: the columns of CREATE TABLE
	next       int
	statements map[string]map[string][]hints.Scan // of statements that are being bound

	engine *Engine // nil until it is needed
	conn   *Conn
	owner  uint64 // the connection whose tables and views it has
	common bool   // these are no connection's own
	stale  bool   // the owner's may be others by now
	views  bool   // there may be views, which may ask something themselves
}

// know adds a registered table.
func (s *shadow) know(key, columns string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(key, columns)
}

func (s *shadow) add(key, columns string) {
	if s.columns == nil {
		s.columns, s.statements = map[string]string{}, map[string]map[string][]hints.Scan{}
	}
	s.columns[key], s.stale = columns, true
}

// ran looks at a statement that was run on a connection; its text may be
// unknown.
func (s *shadow) ran(c *Conn, t bindings.StatementType, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch t {
	case bindings.StatementTypeSelect, bindings.StatementTypeExplain, bindings.StatementTypeInsert, bindings.StatementTypeUpdate,
		bindings.StatementTypeDelete, bindings.StatementTypeCopy, bindings.StatementTypeTransaction, bindings.StatementTypePrepare,
		bindings.StatementTypeExecute, bindings.StatementTypeExport, bindings.StatementTypeAnalyze, bindings.StatementTypeVacuum:
	case bindings.StatementTypeCreate, bindings.StatementTypeDrop, bindings.StatementTypeAlter, bindings.StatementTypeCreateFunc:
		s.stale, c.makes = true, true
		s.views = s.views || text == "" || viewing.MatchString(text)
	default:
		s.set(c, text)
	}
}

var (
	// harmless are settings, and variables, that change the meaning of no
	// condition; zoning ones that the shadow has to have as well.
	harmless = regexp.MustCompile(`(?i)^\s*(set|reset|pragma)\s+(session\s+|local\s+)?(variable|threads|worker_threads|external_threads|memory_limit|max_memory|temp_directory|max_temp_directory_size|\w*progress_bar\w*|\w*profil\w*|explain_output|preserve_insertion_order|default_order|default_null_order|null_order|errors_as_json|\w*object_cache|\w*logging\w*|http_\w+|s3_\w+|custom_user_agent)\b`)
	zoning   = regexp.MustCompile(`(?i)^\s*(set|reset)\s+(session\s+|local\s+)?(timezone|time\s+zone)\b`)
)

// set follows a setting.
func (s *shadow) set(c *Conn, text string) {
	switch text = sqltext.WithoutComments(text); {
	case harmless.MatchString(text):
	case zoning.MatchString(text):
		c.settings = append(c.settings, text)
		s.stale, c.makes = true, true
	default:
		s.off = true
	}
}

func (s *shadow) close() {
	if s.engine != nil {
		s.conn.Close()
		s.engine.Close()
		s.engine = nil
	}
}

// hint serves the functions that plan tables, which know them by other names.
func (e *Engine) hint(name, statement string) pushdown.Predicate {
	if key, ok := e.hinted.Load(name); ok {
		return e.shadow.hint(key.(string), statement)
	}
	return e.shadow.hint(tableKey("", name), statement) // named by its path
}

// hint gives what a statement asks of the rows of a registered table; nil for
// nothing that is known.
func (s *shadow) hint(key, statement string) pushdown.Predicate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return hints.Join(s.statements[statement][key])
}

// foresee plans a statement before it is bound on the connection. It gives the
// number under which the hints are kept, "" without hints.
func (c *Conn) foresee(sql string) string {
	s := &c.engine.shadow
	s.mu.Lock()
	defer s.mu.Unlock()
	sql, ok := hints.Query(sql)
	if s.off || !ok {
		return ""
	}
	if c.engine.options.Paths && !s.knowPaths(c.engine.functions, sql) {
		return ""
	}
	if len(s.columns) == 0 || !s.views && !hints.Asks(sql) {
		return ""
	}
	if err := s.sync(c); err != nil {
		return ""
	}
	if err := s.conn.Use(c.schema); err != nil {
		return ""
	}
	scans, err := hints.Plan(s.conn.texts, sql)
	if err != nil || len(scans) == 0 {
		return ""
	}
	s.next++
	id := strconv.Itoa(s.next)
	if _, err := c.texts(fmt.Sprintf("SET VARIABLE %s = %s", statementVariable, QuoteString(id))); err != nil {
		return ""
	}
	by := map[string][]hints.Scan{}
	for t, all := range scans {
		by[tableKey(t.Schema, t.Name)] = all
	}
	s.statements[id] = by
	return id
}

// knowPaths adds the tables that a text of SQL names by their path; false where
// the shadow can't tell them apart.
func (s *shadow) knowPaths(f *functions.Functions, sql string) bool {
	spelt := map[string]string{}
	for _, ref := range functions.References(sql) {
		key := tableKey("", ref)
		if other, ok := spelt[key]; ok && other != ref {
			return false
		}
		spelt[key] = ref
		// Each statement sees the table as it is then.
		columns, err := f.Columns(context.Background(), ref)
		if err != nil || s.columns[key] == columns {
			continue
		}
		stale := s.stale
		s.add(key, columns)
		if s.engine != nil && !stale {
			s.make(key)
			s.stale = false
		}
	}
	return true
}

// forget drops the hints of a statement that has been bound.
func (s *shadow) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.statements, id)
}

// sync makes the shadow's tables and views those that the connection sees.
func (s *shadow) sync(c *Conn) error {
	if s.engine != nil && !s.stale && (s.owner == c.id || s.common && !c.makes) {
		return nil
	}
	s.close()
	engine, err := Open(Options{Threads: 1, Catalog: c.engine.options.Catalog})
	if err != nil {
		return err
	}
	if s.conn, err = engine.Connect(); err != nil {
		engine.Close()
		return err
	}
	s.engine, s.owner, s.common, s.views = engine, c.id, !c.makes, false
	s.stale = false
	for key := range s.columns {
		s.make(key)
	}
	here := " WHERE NOT internal AND database_name IN (current_database(), 'temp')"
	tables, err := c.texts("SELECT sql FROM duckdb_tables()" + here)
	if err != nil {
		return err
	}
	views, err := c.texts("SELECT sql FROM duckdb_views()" + here + " AND sql NOT LIKE '%" + statementVariable + "%' ORDER BY view_oid")
	if err != nil {
		return err
	}
	for _, sql := range tables {
		s.run(sql)
	}
	for _, sql := range views {
		if hints.Steady(sql) && (!c.engine.options.Paths || s.knowPaths(c.engine.functions, sql)) {
			s.run(sql)
			s.views = true
		}
	}
	for _, sql := range slices.Concat(c.settings, []string{hints.Settle}) {
		if _, err := s.conn.texts(sql); err != nil {
			return err
		}
	}
	return nil
}

// make makes a table of the shadow.
func (s *shadow) make(key string) {
	schema, _, _ := strings.Cut(key, "\".\"")
	s.run("CREATE SCHEMA IF NOT EXISTS " + schema + `"`)
	s.run("CREATE OR REPLACE TABLE " + key + " (" + s.columns[key] + ")")
}

// run runs a statement in the shadow. What can't be made there is missed by
// statements about it only.
func (s *shadow) run(sql string) { _, _ = s.conn.texts(sql) }

// texts runs a statement of the engine's own and gives the texts of its first
// column.
func (c *Conn) texts(sql string) ([]string, error) {
	st, err := c.Statements(sql)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	st.own = true
	r, err := st.Next(context.Background())
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
		if b.NumCols() > 0 {
			if column, ok := b.Column(0).(*array.String); ok {
				for row := range column.Len() {
					all = append(all, strings.Clone(column.Value(row)))
				}
			}
		}
		b.Release()
	}
}

// columnsOf gives the columns of a view in the form of CREATE TABLE.
func (e *Engine) columnsOf(name string) (string, error) {
	c, err := e.Connect()
	if err != nil {
		return "", err
	}
	defer c.Close()
	all, err := c.texts(`SELECT '"' || replace(column_name, '"', '""') || '" ' || column_type FROM (DESCRIBE ` + name + ")")
	return strings.Join(all, ", "), err
}
