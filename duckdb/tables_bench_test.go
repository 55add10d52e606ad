package duckdb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tableQueries are the shapes of TPC-H's first and sixth query and of plain
// aggregates, on the lineitem-like tables of bench/gen.py.
var tableQueries = []struct{ name, sql string }{
	{"q1", `SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
		sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
		FROM {} WHERE l_shipdate <= DATE '1998-09-02' GROUP BY 1, 2`},
	{"q6", `SELECT sum(l_extendedprice * l_discount) FROM {}
		WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24`},
	{"four", `SELECT sum(l_orderkey), sum(l_quantity), max(l_comment), max(l_shipdate) FROM {}`},
	{"count", `SELECT count(*) FROM {}`},
}

// BenchmarkTables reads the tables that bench/gen.py made in the folder that
// HUDI_BENCH names, on one thread: by the merge scan alone, and as planned.
func BenchmarkTables(b *testing.B) {
	dir := os.Getenv("HUDI_BENCH")
	if dir == "" {
		b.Skip("HUDI_BENCH names no folder")
	}
	_, c := open(b, Options{Threads: 1, Paths: true})
	for _, table := range []string{"cow", "mor"} {
		path := filepath.Join(dir, table)
		for way, from := range map[string]string{"scan": "hudi_scan(" + QuoteString(path) + ")", "planned": QuoteName("hudi:" + path)} {
			for _, q := range tableQueries {
				b.Run(table+"/"+way+"/"+q.name, func(b *testing.B) {
					for b.Loop() {
						if err := c.Exec(context.Background(), strings.ReplaceAll(q.sql, "{}", from)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
