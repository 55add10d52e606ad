package duckdb

import (
	"io"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestPrepare: what a prepared statement says of itself is what it gives, and
// it scans nothing before it is asked.
func TestPrepare(t *testing.T) {
	scans := 0
	e, c := open(t, Options{Threads: 1, Catalog: "lake", Scanned: func(*provider.Table, *provider.Result) { scans++ }})
	tables := NewTables(func() (*Engine, error) { return e, nil }, TablesOptions{Query: provider.Query{Threads: 1}, Fresh: true})
	if err := tables.Add(t.Context(), "", tabletest.Open(t, "v9/mor_compacted")); err != nil {
		t.Fatal(err)
	}
	name := tables.List()[0].Name
	from := " FROM lake.main." + QuoteName(name)
	if err := tables.Prepare(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	r, err := c.Prepare(t.Context(), "SELECT *"+from+" ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	said := r.Schema()
	if !r.Reads() || scans != 0 {
		t.Errorf("reads %v, %d scans", r.Reads(), scans)
	}
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if !said.Equal(b.Schema()) || scans == 0 {
		t.Errorf("announced %s, came %s, %d scans", said, b.Schema(), scans)
	}
	b.Release()
	r.Close()
	scans = 0
	if r, err = c.Prepare(t.Context(), "SELECT count(*)"+from); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := r.Next(); err == io.EOF || err == nil || scans != 0 {
		t.Errorf("closed: %v, %d scans", err, scans)
	}
	for sql, reads := range map[string]bool{"CREATE TABLE x(a INT)": false, "EXPLAIN SELECT 1": true, "SET threads = 1": false, "SHOW TABLES": true, "DESCRIBE SELECT 1": true, "COPY (SELECT 1) TO '/dev/null'": false} {
		r, err := c.Prepare(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if r.Reads() != reads {
			t.Errorf("%s: %v", sql, r.Reads())
		}
		r.Close()
	}
	if _, err := c.Prepare(t.Context(), "SELECT 1; SELECT 2"); err == nil {
		t.Error("two statements are prepared")
	}
}

func TestParameters(t *testing.T) {
	_, c := open(t, Options{Threads: 1})
	for sql, want := range map[string]string{
		"SELECT ?, ?": ":null :null", "SELECT $name::INTEGER, $2::TEXT": "error", "SELECT $a + $b::DOUBLE": "a:null b:float64",
		"SELECT 1 WHERE ? > 5::BIGINT AND 'x' = ?": ":int64 :utf8", "SELECT 1 WHERE 5::BIGINT > $1 AND 'x' = $2": ":int64 :utf8", "SELECT 1": "",
	} {
		r, err := c.Prepare(t.Context(), sql)
		if err != nil {
			if want != "error" {
				t.Errorf("%s: %v", sql, err)
			}
			continue
		}
		s, err := r.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range s.Fields() {
			got = append(got, f.Name+":"+f.Type.String())
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", sql, text, want)
		}
		r.Close()
	}
}
