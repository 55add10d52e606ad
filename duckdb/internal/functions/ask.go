package functions

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
	"github.com/hudi-go/hudi/duckdb/internal/hints"
	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
	"github.com/hudi-go/hudi/pushdown"
)

// Where a program owns the database, it knows each statement before it is
// bound. An extension does not: all that reaches it is the statement's text,
// since SQL can hand it to hudi_sql. An asker plans that text on an empty
// database of its own, which has nothing but the Hudi tables that the text
// names by their path, and reads from the plan what is asked of them.
//
// The user's tables, settings, macros and types are not there. So only texts
// count that mean the same without: those that name anything else fail to be
// planned, the words that a setting or a macro could give another meaning are
// not let in, and a database that asks for another collation gives no text.

// statementText is an expression of SQL for the statement that is being bound:
// its number, a space and its text. Outside of a statement current_query fails,
// and takes the whole database with it; there current_query_id is the greatest
// of all numbers.
const statementText = "CASE WHEN current_setting('default_collation') = '' AND current_query_id() < 4611686018427387904 THEN current_query_id() || ' ' || current_query() ELSE '' END"

// AskStatements makes 'hudi:...' ask the statement around it for conditions,
// in a DuckDB that can tell its text.
func (f *Functions) AskStatements() {
	var major, minor int
	if _, err := fmt.Sscanf(capi.LibraryVersion(), "v%d.%d", &major, &minor); err != nil || major == 1 && minor < 3 || major < 1 {
		return // no current_query_id
	}
	f.asker = &asker{f: f}
	f.options.Hint, f.options.Number = f.asker.hint, statementText
}

type asker struct {
	f  *Functions
	mu sync.Mutex
	db *capi.Database // nil until it is needed
	// off is set if DuckDB makes plans of another form than is known here.
	off bool

	statement string // the last one; all of its references ask in turn
	plan      plan
}

// A plan is what a statement asks of its tables.
type plan struct {
	refs  map[string]string // by lower-case reference, as DuckDB tells them apart
	scans map[hints.Table][]hints.Scan
}

func (a *asker) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.off = true; a.db != nil {
		a.db.Close()
		a.db = nil
	}
}

// hint gives what a statement asks of the table of a reference; nil for nothing
// that is known.
func (a *asker) hint(ref, statement string) pushdown.Predicate {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.statement != statement {
		_, text, _ := strings.Cut(statement, " ")
		a.statement, a.plan = statement, a.ask(text)
	}
	key := strings.ToLower(ref)
	if a.plan.refs[key] != ref {
		return nil
	}
	return unzoned(hints.Join(a.plan.scans[hints.Table{Schema: "main", Name: key}]))
}

// ask plans the text of a statement.
func (a *asker) ask(text string) plan {
	if len(sqltext.Split(text)) != 1 {
		return plan{}
	}
	query, ok := hints.Query(text)
	if !ok || !hints.Asks(query) || !plain(query) {
		return plan{}
	}
	p := plan{refs: map[string]string{}}
	for _, r := range References(query) {
		key := strings.ToLower(r)
		if other, ok := p.refs[key]; ok && other != r {
			return plan{}
		}
		p.refs[key] = r
	}
	if len(p.refs) == 0 || !a.ready() {
		return plan{}
	}
	for _, r := range p.refs {
		defer a.db.Texts("DROP TABLE IF EXISTS " + quoteName(r))
		columns, err := a.f.Columns(context.Background(), r)
		if err != nil {
			return plan{}
		}
		if _, err := a.db.Texts("CREATE TABLE " + quoteName(r) + " (" + columns + ")"); err != nil {
			return plan{}
		}
	}
	var err error
	if p.scans, err = hints.Plan(a.db.Texts, query); err != nil {
		return plan{}
	}
	return p
}

// trial is a query whose plan shows whether DuckDB writes plans in the form
// that is understood, and trialAsks what is to be read from it.
const (
	trialTable = "CREATE TABLE trial (a INTEGER, b VARCHAR, c DOUBLE, d DATE, e DECIMAL(8,2), f TIMESTAMP, g STRUCT(x INTEGER), h BIGINT, i BIGINT)"
	trial      = "SELECT h, d FROM trial WHERE c > 1.5 AND (a = 1 OR f IS NULL) AND e = 3.25 AND d >= DATE '2024-01-02' AND b LIKE 'z%' AND i <> 7"
)

var trialAsks = []string{"c > 1.5e+00", "a = 1", " OR ", "f IS NULL", "e = 3.25", "d >= DATE '2024-01-02'", "b >= 'z'", "i <> 7"}

// ready opens the database and tries it.
func (a *asker) ready() bool {
	if a.off || a.db != nil {
		return !a.off
	}
	a.off = true
	db, err := capi.OpenDatabase()
	if err != nil {
		return false
	}
	for _, sql := range []string{"SET threads = 1", "SET autoinstall_known_extensions = false", "SET enable_external_access = false", hints.Settle, trialTable} {
		if _, err = db.Texts(sql); err != nil {
			break
		}
	}
	if err != nil || !understood(db.Texts) {
		db.Close()
		return false
	}
	a.db, a.off = db, false
	return true
}

// understood tells whether the trial is read as it should be.
func understood(run hints.Runner) bool {
	scans, err := hints.Plan(run, trial)
	if err != nil {
		return false
	}
	p := hints.Join(scans[hints.Table{Schema: "main", Name: "trial"}])
	if p == nil {
		return false
	}
	text := p.String()
	for _, want := range trialAsks {
		if !strings.Contains(text, want) {
			return false
		}
	}
	return true
}

var (
	// calls are what may stand before a parenthesis.
	calls  = regexp.MustCompile(`(?i)([\w$"]+)\s*\(`)
	called = regexp.MustCompile(`(?i)^(count|sum|min|max|avg|in|and|or|not|on|where|when|then|else|case|by|as|from|join|using|values|select|exists|any|all|with|over|union|except|intersect|having|qualify|between|lateral|materialized|row_number|rank|dense_rank)$`)
	// worded are words that a setting gives its meaning.
	worded = regexp.MustCompile(`(?i)\b(timestamptz|zone|cast|try_cast|collate|interval|sample|positional|asof)\b`)
)

// plain tells that nothing in a query but its tables hangs on the database that
// it is asked of: no functions, casts or divisions.
func plain(query string) bool {
	var words strings.Builder
	for len(query) > 0 {
		n := sqltext.TokenLength(query)
		switch c := query[0]; {
		case n == 1:
			words.WriteByte(c)
		case c == '"':
			words.WriteString(`"`) // a name
		default:
			words.WriteByte(' ')
		}
		query = query[n:]
	}
	text := words.String()
	if strings.ContainsAny(text, "/%:^@~&|!#[{") && strings.ContainsAny(strings.ReplaceAll(text, "!=", ""), "/%:^@~&|!#[{") || worded.MatchString(text) {
		return false
	}
	for _, call := range calls.FindAllStringSubmatch(text, -1) {
		if !called.MatchString(call[1]) {
			return false
		}
	}
	return true
}

// unzoned leaves out what is asked of instants: their texts mean what the
// session's time zone says.
func unzoned(p pushdown.Predicate) pushdown.Predicate {
	switch p := p.(type) {
	case pushdown.And:
		var all pushdown.And
		for _, one := range p {
			if one = unzoned(one); one != nil {
				all = append(all, one)
			}
		}
		if len(all) == 0 {
			return nil
		}
		return all
	case pushdown.Or:
		for i, one := range p {
			if p[i] = unzoned(one); p[i] == nil {
				return nil
			}
		}
	case pushdown.Compare:
		if p.Value.Kind() == pushdown.KindTimestampTZ {
			return nil
		}
	case pushdown.In:
		for _, v := range p.Values {
			if v.Kind() == pushdown.KindTimestampTZ {
				return nil
			}
		}
	}
	return p
}
