package hints

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
)

// A Runner runs a statement on the database that plans, and gives the texts of
// its first column.
type Runner func(sql string) ([]string, error)

// Settle has to be run on a database before it plans: it switches off the
// optimizers that would see that the tables are empty, or that make plans of
// another form.
const Settle = "SET disabled_optimizers = 'statistics_propagation,compressed_materialization,late_materialization,empty_result_pullup'"

var (
	querying = regexp.MustCompile(`(?i)^[\s(]*(select|with|from)\b`)
	asking   = regexp.MustCompile(`(?i)\b(where|on|using|join|having|qualify|in)\b`)
	// unsteady are functions that may give another value elsewhere.
	unsteady = regexp.MustCompile(`(?i)\b(now|today|age|random|uuid\w*|\w*random\w*|nextval|currval|\w*current\w*|local\w*|get\w*|\w*transaction\w*|txid\w*|pg_\w*|version|in_search_path)\b`)
	// wrapping is what may stand before a query that is planned as it is.
	wrapping = regexp.MustCompile(`(?i)^\s*(explain\s+(analyze\s+)?|create\s+(or\s+replace\s+)?(temp\s+|temporary\s+)?table\s+(if\s+not\s+exists\s+)?("[^"]+"|[\w.]+)\s+as\s+|insert\s+into\s+("[^"]+"|[\w.]+)\s+)`)
)

// Query gives the query of a statement, without comments and what stands
// before it; false if it has none, or one whose plan may differ elsewhere.
func Query(statement string) (string, bool) {
	query := wrapping.ReplaceAllString(sqltext.WithoutComments(statement), "")
	return query, querying.MatchString(query) && Steady(query)
}

// Asks tells whether a query can ask anything of the rows of its tables.
func Asks(query string) bool { return asking.MatchString(query) }

// Steady tells that a text has no function whose value may be another
// elsewhere.
func Steady(sql string) bool { return !unsteady.MatchString(sql) }

// A Table names a scanned table, in lower case: DuckDB does not tell it apart.
type Table struct{ Schema, Name string }

// Plan plans a query and gives its scans by table. Tables of which some scan is
// not understood are left out.
func Plan(run Runner, query string) (map[Table][]Scan, error) {
	written, err := plan(run, query, false)
	if err != nil {
		return nil, err
	}
	optimized, err := plan(run, query, true)
	if err != nil {
		return nil, err
	}
	for table, scans := range written {
		if len(optimized[table]) < len(scans) {
			delete(optimized, table)
		}
	}
	return optimized, nil
}

func plan(run Runner, query string, optimize bool) (map[Table][]Scan, error) {
	rows, err := run(fmt.Sprintf("SELECT json_serialize_plan('%s', optimize := %t)", strings.ReplaceAll(query, "'", "''"), optimize))
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("duckdb: %d plans, 1 is wanted", len(rows))
	}
	scans, err := Read([]byte(rows[0]))
	if err != nil {
		return nil, err
	}
	by := map[Table][]Scan{}
	for _, one := range scans {
		key := Table{strings.ToLower(one.Schema), strings.ToLower(one.Table)}
		by[key] = append(by[key], one)
	}
	return by, nil
}
