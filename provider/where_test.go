package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// TestFiltersCountWhatSparkCounts asks every table the conditions whose rows
// were counted in Spark's snapshot.
func TestFiltersCountWhatSparkCounts(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" || len(f.Manifest.Filters) == 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			table, err := provider.Open(context.Background(), f.Open(t), provider.Options{Hudi: f.Options(t), Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range f.Manifest.Filters {
				for _, threads := range []int{1, 4} {
					n, stats, err := countRows(table, provider.Query{Where: w.Predicate, Columns: []string{}, Threads: threads})
					var syntax *pushdown.SyntaxError
					if errors.As(err, &syntax) && strings.Contains(w.Predicate, "size(") {
						continue
					}
					if err != nil {
						t.Fatalf("%s: %v", w.Predicate, err)
					}
					if n != w.RowCount {
						t.Errorf("%s: %d rows, Spark has %d; %+v", w.Predicate, n, w.RowCount, stats.Levels)
					}
				}
			}
		})
	}
}

// countRows runs a query to its end.
func countRows(table *provider.Table, q provider.Query) (int64, provider.Stats, error) {
	r, err := table.Scan(context.Background(), q)
	if err != nil {
		return 0, provider.Stats{}, err
	}
	n := int64(0)
	for b, err := range r.Batches() {
		if err != nil {
			return n, r.Stats(), err
		}
		n += b.NumRows()
	}
	return n, r.Stats(), nil
}
