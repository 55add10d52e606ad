package duckdb

import (
	"fmt"
	"slices"
	"testing"
)

// TestExecute compares EXECUTE, whose constants are written into the query, with
// the same on a connection that does not know what was prepared. Where one fails,
// so does the other.
func TestExecute(t *testing.T) {
	_, c := open(t, Options{Threads: 1})
	_, other := open(t, Options{Threads: 1})
	setup := `CREATE TABLE t AS SELECT i::INT AS i, (i / 3)::DOUBLE AS d, (i / 4)::DECIMAL(10, 2) AS c, '' || i AS s,
		DATE '2024-01-01' + i::INT AS dt, TIMESTAMP '2024-01-01 00:00:00' + to_hours(i) AS ts, i % 2 = 0 AS b, (i / 3)::FLOAT AS f FROM range(20) r(i)`
	for _, conn := range []*Conn{c, other} {
		if err := conn.Exec(t.Context(), setup); err != nil {
			t.Fatal(err)
		}
	}
	written := 0
	for _, column := range []string{"i", "d", "c", "s", "dt", "ts", "b", "f"} {
		for _, op := range []string{"=", ">=", "<>"} {
			for _, conn := range []*Conn{c, other} {
				if err := conn.Exec(t.Context(), fmt.Sprintf("PREPARE q AS SELECT count(*), sum(i) FROM t WHERE %s %s ?", column, op)); err != nil {
					t.Fatal(err)
				}
			}
			other.prepared = nil
			if c.writtenOut("EXECUTE q(random())") != "" {
				t.Fatal("a function is written out")
			}
			for _, arg := range []string{"5", "5.5", "-3", "1e1", ".25", "'5'", "'it''s'", "'2024-01-05'", "DATE '2024-01-05'", "TIMESTAMP '2024-01-01 05:00:00'",
				"'2024-01-01 05:00:00'", "true", "NULL", "5::BIGINT", "1.25::DECIMAL(10, 2)", "0.333"} {
				sql := "EXECUTE q(" + arg + ")"
				if c.writtenOut(sql) != "" {
					written++
				}
				got, err := rowsOf(t, c, sql)
				want, wantErr := rowsOf(t, other, sql)
				if !slices.Equal(got, want) || (err == nil) != (wantErr == nil) {
					t.Errorf("%s %s ?, %s: %v %v, want %v %v", column, op, sql, got, err, want, wantErr)
				}
			}
		}
	}
	if written < 300 {
		t.Errorf("only %d of the queries were written out", written)
	}
	for _, bad := range []string{"EXECUTE q", "EXECUTE q(1, 2)", "EXECUTE nope(1)", "DEALLOCATE q; EXECUTE q(1)"} {
		if err := c.Exec(t.Context(), bad); err == nil {
			t.Errorf("%s works", bad)
		}
	}
}
