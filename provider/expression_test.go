package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestExpressionIndexes: tables without statistics of columns are pruned by
// their expression indexes. The rows are compared by
// TestFiltersCountWhatSparkCounts and TestPruningNeverChangesAnAnswer.
func TestExpressionIndexes(t *testing.T) {
	for _, name := range []string{"extra/expression_index", "extra/expression_index_v8"} {
		table := openInMemory(t, tabletest.Fixture{Name: name, Dir: "../testdata/tables/" + name}, nil, memory.DefaultAllocator)
		for where, want := range map[string]struct {
			index string
			files int // of 6 that may have rows
		}{
			"ts BETWEEN 1609459200 AND 1609900000":       {"from_unixtime", 1},
			"ts = 1610323260":                            {"from_unixtime", 2},
			"at < TIMESTAMP '2020-05-05 00:00:00'":       {"year", 0},
			"at >= TIMESTAMP '2022-01-20 00:00:00'":      {"year", 4},
			"at IS NULL":                                 {"year", 2},
			"name = 'CName050'":                          {"lower", 2},
			"name IN ('CName050', 'nobody')":             {"lower", 2},
			"name >= 'C' AND name < 'D'":                 {"prefix", 2},
			"name LIKE 'AN%'":                            {"prefix", 2},
			"tag = 'Tag2'":                               {"tags", 2},
			"tag = 'Tag2' AND name LIKE 'AN%'":           {"tags", 0},
			"tag IN ('Tag2', 'Tag0') AND at IS NOT NULL": {"tags", 4},
		} {
			plan, err := table.Plan(context.Background(), provider.Query{Where: where})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(plan.Explain(), "\n"); len(plan.Tasks) != want.files || !strings.Contains(text, "expr_index_"+want.index) {
				t.Errorf("%s: %s: %d files, want %d\n%s", name, where, len(plan.Tasks), want.files, text)
			}
		}
	}
}
