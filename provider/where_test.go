package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
)

// notOurs are counts of Spark that are not ours.
var notOurs = map[string]string{
	"extra/stats_nan_mor: f = 0":           "Spark's Parquet reader took 0.0 for absent where there was -0.0, which is equal",
	"extra/stats_nan_cow: f = 0":           "Spark's Parquet reader took 0.0 for absent where there was -0.0, which is equal",
	"extra/part_dropped_typed: pi = 1":     "Spark reads the text column as a number; here types must agree",
	"extra/part_dropped_typed_mor: pi = 1": "Spark reads the text column as a number; here types must agree",

	"extra/part_dropped_typed: pd = date'2024-01-02'":     "Spark reads the text column as a date; here types must agree",
	"extra/part_dropped_typed_mor: pd = date'2024-01-02'": "Spark reads the text column as a date; here types must agree",
}

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
			table := openInMemory(t, f, f.Options(t), mem)
			for _, w := range f.Manifest.Filters {
				for _, threads := range []int{1, 4} {
					n, stats, err := countRows(table, provider.Query{Where: w.Predicate, Columns: []string{}, Threads: threads})
					var syntax *pushdown.SyntaxError
					if errors.As(err, &syntax) && strings.Contains(w.Predicate, "size(") {
						continue
					}
					if notOurs[f.Name+": "+w.Predicate] != "" {
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
	n, err := rowsIn(r)
	return n, r.Stats(), err
}

// rowsIn counts the rows of a result.
func rowsIn(r *provider.Result) (n int64, err error) {
	for b, err := range r.Batches() {
		if err != nil {
			return n, err
		}
		n += b.NumRows()
	}
	return n, nil
}

// TestKeyLookupOpensFewFiles: on tables with all indexes, a lookup of a key opens
// the file slice that holds it and no other data file.
func TestKeyLookupOpensFewFiles(t *testing.T) {
	for _, name := range []string{"v9/mdt_full", "v9/mdt_full_mor", "v6/mdt_full_mor"} {
		t.Run(name, func(t *testing.T) {
			f := tabletest.Fixture{Name: name, Dir: "../testdata/tables/" + name}
			for _, query := range []struct {
				where  string
				slices int
			}{
				{"id = 'k00007'", 1}, {"_hoodie_record_key = 'k00007'", 1}, {"id IN ('k00007', 'nobody')", 1}, {"id = 'nobody'", 0},
				{"id = 'k00007' AND qty IS NOT NULL", 1},
			} {
				for _, off := range []string{"", scan.PruneRecordIndex} {
					table := openInMemory(t, f, map[string]string{scan.OptionPruningOff: off}, memory.DefaultAllocator)
					plan, err := table.Plan(context.Background(), provider.Query{Where: query.where})
					if err != nil {
						t.Fatal(err)
					}
					all, err := table.Files(context.Background(), provider.Query{})
					if err != nil {
						t.Fatal(err)
					}
					if off == "" && len(plan.Tasks) != query.slices || len(plan.Tasks) >= len(all) {
						t.Errorf("%s: %d of %d slices, want %d\n%s", query.where, len(plan.Tasks), len(all), query.slices, strings.Join(plan.Explain(), "\n"))
					}
				}
			}
		})
	}
}

// TestSecondaryIndex: an equality on an indexed column is a lookup of keys.
func TestSecondaryIndex(t *testing.T) {
	f := tabletest.Fixture{Name: "v9/mdt_full", Dir: "../testdata/tables/v9/mdt_full"}
	table := openInMemory(t, f, nil, memory.DefaultAllocator)
	plan, err := table.Plan(context.Background(), provider.Query{Where: "name = 'c-0999'"})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(plan.Explain(), "\n"); len(plan.Tasks) != 0 || !strings.Contains(text, "secondary_index (name = 'c-0999')") {
		t.Errorf("%d tasks\n%s", len(plan.Tasks), text)
	}
}

// TestCountReadsNoPages: counting the rows of slices without logs reads
// footers only, and a limit ends the scan early.
func TestCountReadsNoPages(t *testing.T) {
	f := tabletest.Fixture{Name: "v9/cow_basic", Dir: "../testdata/tables/v9/cow_basic"}
	table := openInMemory(t, f, nil, memory.DefaultAllocator)
	plan, err := table.Plan(context.Background(), provider.Query{})
	if err != nil {
		t.Fatal(err)
	}
	n, stats, err := countRows(table, provider.Query{Columns: []string{}})
	if err != nil || n == 0 {
		t.Fatalf("%d rows, %v", n, err)
	}
	all, whole, err := countRows(table, provider.Query{})
	if err != nil || all != n {
		t.Fatalf("%d rows, want %d: %v", all, n, err)
	}
	footers := footerBytes(t, f, plan)
	if planned := stats.BytesRead - footers; planned < 0 || planned > whole.BytesRead-footers-1000 {
		t.Errorf("%d bytes read to count rows, %d of them footers; %d to read all", stats.BytesRead, footers, whole.BytesRead)
	}
	one, cut, err := countRows(table, provider.Query{Limit: 1})
	if err != nil || one != 1 || cut.BytesRead >= whole.BytesRead {
		t.Errorf("%d rows with limit 1; %d bytes read, %d without limit; %v", one, cut.BytesRead, whole.BytesRead, err)
	}
}

// footerBytes is what opening the base files of a plan reads.
func footerBytes(t *testing.T, f tabletest.Fixture, plan *provider.Plan) int64 {
	t.Helper()
	st, counters := storage.Metered(f.Storage(t))
	for _, task := range plan.Tasks {
		file, err := st.Open(context.Background(), task.Slice.Base.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := parquet.Open(file); err != nil {
			t.Fatal(err)
		}
	}
	return counters.Bytes.Load()
}

// TestQueryConditions: conditions of all forms join with the text; what is not understood is
// refused, or left to the caller.
func TestQueryConditions(t *testing.T) {
	f := tabletest.Fixture{Name: "v9/cow_basic", Dir: "../testdata/tables/v9/cow_basic"}
	table := openInMemory(t, f, nil, memory.DefaultAllocator)
	ctx := context.Background()
	n, stats, err := countRows(table, provider.Query{Where: "qty < 20", Filter: pushdown.Col("id").Eq("k00006")})
	if err != nil || n != 1 || len(stats.Filters) != 2 || stats.Filters[1].Support != "exact" {
		t.Errorf("%d rows, %+v, %v", n, stats.Filters, err)
	}
	opaque := pushdown.And{pushdown.Opaque{Text: "f(qty)"}, pushdown.Col("id").Eq("k00006")}
	var bind *pushdown.BindError
	if _, err := table.Plan(ctx, provider.Query{Filter: opaque}); !errors.As(err, &bind) {
		t.Errorf("an opaque condition gives %v", err)
	}
	n, stats, err = countRows(table, provider.Query{Filter: opaque, Inexact: true})
	if err != nil || n != 1 || stats.Filters[0].Support != "unsupported" || stats.Filters[1].Support != "exact" {
		t.Errorf("%d rows, %+v, %v", n, stats.Filters, err)
	}
	var unknown *pushdown.UnknownColumnError
	if _, err := table.Plan(ctx, provider.Query{Where: "nope = 1"}); !errors.As(err, &unknown) {
		t.Errorf("an unknown column gives %v", err)
	}
	if _, err := table.Plan(ctx, provider.Query{Where: "abs(qty) = 1"}); !errors.As(err, new(*pushdown.SyntaxError)) {
		t.Errorf("a function gives %v", err)
	}
	plan, err := table.Plan(ctx, provider.Query{Where: "qty < 20 AND qty > 30"})
	if err != nil || len(plan.Tasks) != 0 {
		t.Errorf("a contradiction gives %d tasks, %v", len(plan.Tasks), err)
	}
}
