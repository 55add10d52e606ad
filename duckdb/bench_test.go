package duckdb

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// BenchmarkScan measures the way from Arrow into DuckDB, on one thread.
func BenchmarkScan(b *testing.B) {
	const n = 2_000_000
	s := numbers(memory.DefaultAllocator, n, 65_536)
	defer s.release()
	for name, sql := range map[string]string{
		"int64":  "SELECT sum(id) FROM t",
		"string": "SELECT max(name) FROM t",
		"count":  "SELECT count(*) FROM t",
		"arrow":  "SELECT id, half FROM t",
	} {
		b.Run(name, func(b *testing.B) {
			e, c := open(b, Options{Threads: 1})
			register(b, e, "t", s)
			for b.Loop() {
				if err := c.Exec(context.Background(), sql); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
