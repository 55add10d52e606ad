package duckdb

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"
	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/duckdb/internal/hints"
	"github.com/hudi-go/hudi/pushdown"
)

// DuckDB's C interface does not tell table functions what a query asks of their
// rows. So a second, empty database, the shadow, has tables with the same
// columns: DuckDB plans each statement there first, and the plan tells what
// reaches the scan of each table. The planner of Hudi tables gets that as a
// hint, and DuckDB asks the rows again.
//
// Hints are given up where the shadow might plan a statement in another way:
// after settings were changed, and for functions whose value is not the same in
// both. Whatever goes wrong costs speed only.
//
// The statement that a table is planned for is known by a number, which stands
// in a variable of the connection while the statement is bound.

// statementVariable is the variable that has the number of the statement.
const statementVariable = "hudi_statement"

// A shadow plans statements over empty tables.
type shadow struct {
	mu         sync.Mutex
	off        bool              // settings were changed
	columns    map[string]string // of registered tables: the columns of CREATE TABLE
	names      map[string]string // of registered tables, quoted
	next       int
	statements map[string]map[string][]hints.Scan // of statements that are being bound

	engine *Engine // nil until it is needed
	conn   *Conn
	owner  uint64 // the connection whose tables and views it has
	common bool   // these are no connection's own
	stale  bool   // the owner's may be others by now
	views  bool   // there are views, which may ask something themselves
}

// disabled are the optimizers that would see that the tables are empty, or
// that make plans of another form.
const disabled = "SET disabled_optimizers = 'statistics_propagation,compressed_materialization,late_materialization,empty_result_pullup'"

var (
	querying = regexp.MustCompile(`(?i)^[\s(]*(select|with|from)\b`)
	asking   = regexp.MustCompile(`(?i)\b(where|on|using|join|having|qualify|in)\b`)
	// unsteady are functions that may give another value in the shadow.
	unsteady = regexp.MustCompile(`(?i)\b(now|today|age|random|uuid\w*|\w*random\w*|nextval|currval|\w*current\w*|local\w*|get\w*|\w*transaction\w*|txid\w*|pg_\w*|version|in_search_path)\b`)
	// wrapping is what may stand before a query that is planned as it is.
	wrapping = regexp.MustCompile(`(?i)^\s*(explain\s+(analyze\s+)?|create\s+(or\s+replace\s+)?(temp\s+|temporary\s+)?table\s+(if\s+not\s+exists\s+)?("[^"]+"|[\w.]+)\s+as\s+)`)
)

// know adds a registered table.
func (s *shadow) know(key, name, columns string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns == nil {
		s.columns, s.names, s.statements = map[string]string{}, map[string]string{}, map[string]map[string][]hints.Scan{}
	}
	s.columns[key], s.names[key], s.stale = columns, name, true
}

// ran looks at a statement that was run on a connection.
func (s *shadow) ran(c *Conn, t bindings.StatementType) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch t {
	case bindings.StatementTypeSelect, bindings.StatementTypeExplain, bindings.StatementTypeInsert, bindings.StatementTypeUpdate,
		bindings.StatementTypeDelete, bindings.StatementTypeCopy, bindings.StatementTypeTransaction, bindings.StatementTypePrepare,
		bindings.StatementTypeExecute, bindings.StatementTypeExport, bindings.StatementTypeAnalyze, bindings.StatementTypeVacuum:
	case bindings.StatementTypeCreate, bindings.StatementTypeDrop, bindings.StatementTypeAlter, bindings.StatementTypeCreateFunc:
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
	key, ok := e.hinted.Load(name)
	if !ok {
		return nil
	}
	return e.shadow.hint(key.(string), statement)
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
	sql = wrapping.ReplaceAllString(withoutComments(sql), "")
	if s.off || len(s.columns) == 0 || !querying.MatchString(sql) || unsteady.MatchString(sql) || !s.views && !s.stale && !asking.MatchString(sql) {
		return ""
	}
	if err := s.sync(c); err != nil {
		return ""
	}
	if err := s.conn.Use(c.schema); err != nil {
		return ""
	}
	scans, err := s.scansOf(sql)
	if err != nil || len(scans) == 0 {
		return ""
	}
	s.next++
	id := strconv.Itoa(s.next)
	if _, err := c.texts(fmt.Sprintf("SET VARIABLE %s = %s", statementVariable, QuoteString(id))); err != nil {
		return ""
	}
	s.statements[id] = scans
	return id
}

// forget drops the hints of a statement that has been bound.
func (s *shadow) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.statements, id)
}

// scansOf plans a statement and gives its scans by table.
func (s *shadow) scansOf(sql string) (map[string][]hints.Scan, error) {
	written, err := s.plan(sql, false)
	if err != nil {
		return nil, err
	}
	optimized, err := s.plan(sql, true)
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

func (s *shadow) plan(sql string, optimize bool) (map[string][]hints.Scan, error) {
	rows, err := s.conn.texts(fmt.Sprintf("SELECT json_serialize_plan(%s, optimize := %t)", QuoteString(sql), optimize))
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("duckdb: %d plans, 1 is wanted", len(rows))
	}
	scans, err := hints.Read([]byte(rows[0]))
	if err != nil {
		return nil, err
	}
	by := map[string][]hints.Scan{}
	for _, one := range scans {
		key := tableKey(one.Schema, one.Table)
		by[key] = append(by[key], one)
	}
	return by, nil
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
	make := func(sql string) { _, _ = s.conn.texts(sql) } // what can't be made is missed by statements about it only
	for key, columns := range s.columns {
		schema, _, _ := strings.Cut(s.names[key], "\".\"")
		make("CREATE SCHEMA IF NOT EXISTS " + schema + `"`)
		make("CREATE TABLE " + s.names[key] + " (" + columns + ")")
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
		make(sql)
	}
	for _, sql := range views {
		if !unsteady.MatchString(sql) {
			make(sql)
			s.views = true
		}
	}
	s.stale = false
	_, err = s.conn.texts(disabled)
	return err
}

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
