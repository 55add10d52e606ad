package duckdb

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/tabletest"
)

var tablePath = regexp.MustCompile(`\{([\w/]+)\}`)

// TestSQL runs the files of sqltest; see its README.
func TestSQL(t *testing.T) {
	files, err := filepath.Glob("sqltest/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "extension only\n") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, c := open(t, Options{Threads: 2, Paths: true})
			paths := map[string]string{"trips": "../testdata/trips"}
			for _, block := range strings.Split(string(data), "\n\n") {
				runBlock(t, c, block, paths)
			}
		})
	}
}

// runBlock runs one test of a file.
func runBlock(t *testing.T, c *Conn, block string, paths map[string]string) {
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 || lines[0] == "" {
		return
	}
	statement, want, _ := strings.Cut(strings.Join(lines[1:], "\n")+"\n", "\n----\n")
	want = strings.TrimSpace(want)
	statement = tablePath.ReplaceAllStringFunc(statement, func(m string) string {
		name := m[1 : len(m)-1]
		if paths[name] == "" {
			paths[name] = tabletest.Open(t, name)
		}
		return paths[name]
	})
	switch lines[0] {
	case "statement ok":
		if err := c.Exec(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	case "statement error":
		if err := c.Exec(context.Background(), statement); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", statement, err, want)
		}
	case "query":
		if got := textRows(t, c, statement); got != want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", statement, got, want)
		}
	default:
		t.Errorf("what is %q?", lines[0])
	}
}

// textRows gives the rows of a query, all columns as DuckDB writes them.
func textRows(t *testing.T, c *Conn, sql string) string {
	t.Helper()
	r, err := c.Query(context.Background(), "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ("+sql+")")
	if err != nil {
		t.Errorf("%s: %v", sql, err)
		return ""
	}
	defer r.Close()
	var lines []string
	for {
		b, err := r.Next()
		if b == nil {
			if err != io.EOF {
				t.Errorf("%s: %v", sql, err)
			}
			return strings.Join(lines, "\n")
		}
		for row := range int(b.NumRows()) {
			cells := make([]string, b.NumCols())
			for i, col := range b.Columns() {
				if cells[i] = "NULL"; col.IsValid(row) {
					cells[i] = strings.Clone(col.(*array.String).Value(row)) // the memory is DuckDB's
				}
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
		b.Release()
	}
}
