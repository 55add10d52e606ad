package duckdb

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestTables reads every table in all ways that SQL has, and compares the
// answers with one another and with Spark's.
func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	handed := 0 // files
	_, c := open(t, Options{Threads: 2, Paths: true, Handed: func(h Handed) { handed += h.Files }})
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			dir, options := f.Open(t), f.Options(t)
			travelled := false // once is enough here: package provider does it all
			for _, q := range f.Manifest.Queries {
				switch {
				case q.Kind == "time_travel" && travelled:
				case q.Kind == "snapshot", q.Kind == "read_optimized", q.Kind == "time_travel":
					travelled = travelled || q.Kind == "time_travel"
					t.Run(q.Kind+q.Options.AsOf, func(t *testing.T) {
						compareWays(t, c, dir, options, f, q)
					})
				}
			}
		})
	}
	if handed < 100 {
		t.Errorf("DuckDB's reader was given %d files only", handed)
	}
}

func compareWays(t *testing.T, c *Conn, dir string, options map[string]string, f tabletest.Fixture, q tabletest.Query) {
	values, named := url.Values{"meta": {"true"}}, "meta := true"
	set := func(name, value string) {
		values.Set(name, value)
		named += ", " + name + " := " + QuoteString(value)
	}
	if q.Options.AsOf != "" {
		set("as_of", q.Options.AsOf)
	}
	if q.Kind == "read_optimized" {
		set("query_type", q.Kind)
	}
	for k, v := range options {
		values.Set(k, v)
		named += fmt.Sprintf(", options := {%s: %s}", QuoteString(k), QuoteString(v))
	}
	planned := "(FROM " + QuoteName("hudi:"+dir+"?"+values.Encode()) + ")"
	scanned := "(FROM hudi_scan(" + QuoteString(dir) + ", " + named + "))"
	keep(t, c, "planned", planned)
	keep(t, c, "scanned", scanned)
	types := columnTypes(t, c, "planned")
	if got, want := fmt.Sprint(types), fmt.Sprint(columnTypes(t, c, "scanned")); got != want {
		t.Fatalf("types as planned %s, as scanned %s", got, want)
	}
	same(t, c, "(FROM planned)", "(FROM scanned)")
	if q.AnsweredBy != "" || strings.Contains(f.Name, "keygen") { // where Spark shows another type
		return
	}
	keep(t, c, "spark", fmt.Sprintf("(FROM read_parquet(%s, hive_partitioning = false))", QuoteString(filepath.Join(f.Dir, q.File))))
	var ours, theirs []string
	has := map[string]bool{}
	for _, s := range columnTypes(t, c, "spark") {
		has[s[0]] = true
	}
	for _, s := range types {
		if has[s[0]] && s[0] != "_hoodie_file_name" {
			ours = append(ours, QuoteName(s[0]))
			theirs = append(theirs, fmt.Sprintf("CAST(%s AS %s) AS %[1]s", QuoteName(s[0]), s[1]))
		}
	}
	same(t, c, "(SELECT "+strings.Join(ours, ", ")+" FROM planned)", "(SELECT "+strings.Join(theirs, ", ")+" FROM spark)")
}

// keep stores the rows of a table expression.
func keep(t *testing.T, c *Conn, name, from string) {
	t.Helper()
	if err := c.Exec(context.Background(), "CREATE OR REPLACE TEMP TABLE "+name+" AS "+from); err != nil {
		t.Fatalf("%s: %v", from, err)
	}
}

// same compares the rows of two table expressions.
func same(t *testing.T, c *Conn, a, b string) {
	t.Helper()
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if got := rows(t, c, fmt.Sprintf("%s EXCEPT ALL %s LIMIT 3", pair[0], pair[1])); len(got) > 0 {
			t.Fatalf("rows of\n%s\nthat are not in\n%s:\n%s", pair[0], pair[1], strings.Join(got, "\n"))
		}
	}
}

// columnTypes gives the names and types of an expression's columns.
func columnTypes(t *testing.T, c *Conn, from string) (all [][2]string) {
	t.Helper()
	for _, r := range rows(t, c, "SELECT column_name || chr(9) || column_type AS c FROM (DESCRIBE FROM "+from+")") {
		r = strings.TrimSuffix(strings.TrimPrefix(r, `{"c":"`), `"}`)
		name, typ, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(r, `\t`, "\t"), `\"`, `"`), "\t")
		all = append(all, [2]string{name, typ})
	}
	return all
}

func TestNamesMeta(t *testing.T) {
	for sql, want := range map[string]bool{
		"FROM t": false, "SELECT _hoodie_record_key FROM t": true, "SELECT COLUMNS('_HOODIE_.*') FROM t": true,
		"FROM t WHERE NOT _hoodie_is_deleted": false, "FROM t WHERE _hoodie_is_deleted AND _hoodie_commit_time > '2'": true,
	} {
		if got := NamesMeta(sql); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
