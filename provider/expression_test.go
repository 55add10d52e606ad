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

// TestFunctionsAskExpressionIndexes: a condition on the function of an index
// prunes, though its rows are left to the caller.
func TestFunctionsAskExpressionIndexes(t *testing.T) {
	for _, name := range []string{"extra/expression_index", "extra/expression_index_v8"} {
		table := openInMemory(t, tabletest.Fixture{Name: name, Dir: "../testdata/tables/" + name}, nil, memory.DefaultAllocator)
		for where, files := range map[string]int{
			"lower(name) = 'cname050'":                         2,
			"lower(name) IN ('aname001', 'nobody')":            2,
			"lower(name) = 'nobody' AND tag = 'Tag0'":          0,
			"lower(name) = 'NAME'":                             0,
			"lower(name) = 'aname01i'":                         6, // İ is i to some
			"lower(name) = 'é'":                                6,
			"lower(tag) = 'tag2'":                              6, // the index holds tags as they are
			"substring(name, 1, 2) = 'CN'":                     2,
			"substring(name, 1, 1) = 'C'":                      6, // of another length
			"NOT (lower(name) = 'nobody')":                     6,
			"lower(name) = 'nobody' OR n = 1":                  6,
			"upper(name) = 'NOBODY' AND lower(name) <> 'bob'":  6,
			"substr(name, 1, 2) IN ('CN', 'AN') AND at > NULL": 0,
		} {
			plan, err := table.Plan(context.Background(), provider.Query{Where: where, Inexact: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Tasks) != files {
				t.Errorf("%s: %s: %d files, want %d\n%s", name, where, len(plan.Tasks), files, strings.Join(plan.Explain(), "\n"))
			}
			if _, err := table.Plan(context.Background(), provider.Query{Where: where}); err == nil {
				t.Errorf("%s is taken for exact", where)
			}
		}
	}
}
