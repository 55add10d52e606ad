package provider_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
)

// TestBuckets looks up every key of tables with bucket indexes: each is where
// the index says, and most file groups are left out.
func TestBuckets(t *testing.T) {
	simple := map[string]string{"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4", "hoodie.bucket.index.hash.field": "id"}
	reversed := map[string]string{"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4", "hoodie.bucket.index.hash.field": "line,id"}
	for _, c := range []struct {
		name    string
		options map[string]string
		share   int // one in so many file groups is read
	}{
		{"extra/bucket_consistent", nil, 2},
		{"extra/bucket_simple", simple, 4},
		{"extra/bucket_simple_composite", simple, 4},
		{"extra/bucket_single_complex", simple, 2}, // the value is hashed, or its name and it
		{"extra/bucket_reversed", reversed, 2},     // in the order of the key, or of the option
		{"extra/bucket_commas_v6", simple, 1},      // parts of other columns may be hashed
		{"extra/bucket_simple", nil, 1},            // the table does not say how many buckets there are
		{"extra/bucket_simple_composite", map[string]string{"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}, 1}, // nor which keys
		{"v9/cow_basic", map[string]string{"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}, 1},                  // the option is wrong
		{"extra/bucket_simple", map[string]string{"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}, 1},           // there are more
	} {
		t.Run(c.name, func(t *testing.T) {
			f := tabletest.Fixture{Name: c.name, Dir: "../testdata/tables/" + c.name}
			table := openInMemory(t, f, c.options, memory.DefaultAllocator)
			off := maps.Clone(c.options)
			if off == nil {
				off = map[string]string{}
			}
			off[scan.OptionPruningOff] = "all"
			plain := openInMemory(t, f, off, memory.DefaultAllocator)
			ctx := context.Background()
			for i := range 45 {
				where := fmt.Sprintf("id = 'k%03d'", i)
				if i%3 == 0 {
					where = fmt.Sprintf("id IN ('k%03d', 'nobody') AND qty >= 0", i)
				}
				if strings.HasPrefix(c.options["hoodie.bucket.index.hash.field"], "line") {
					where += fmt.Sprintf(" AND line = %d", i%4)
				}
				want, _, err := countRows(plain, provider.Query{Where: where})
				if err != nil {
					t.Fatal(err)
				}
				got, stats, err := countRows(table, provider.Query{Where: where})
				if err != nil || got != want {
					t.Errorf("%s: %d rows, want %d: %v; %+v", where, got, want, err, stats.Levels)
				}
				plan, err := table.Plan(ctx, provider.Query{Where: where})
				if err != nil {
					t.Fatal(err)
				}
				pruned := strings.Contains(strings.Join(plan.Explain(), "\n"), "by bucket (")
				if c.share == 1 && pruned || c.share > 1 && i%3 != 0 && !pruned {
					t.Errorf("%s\n%s", where, strings.Join(plan.Explain(), "\n"))
				}
				all, err := table.Files(ctx, provider.Query{})
				if err != nil {
					t.Fatal(err)
				}
				if most := len(all) / c.share; i%3 != 0 && len(plan.Tasks) > most {
					t.Errorf("%s: %d of %d file groups, want %d", where, len(plan.Tasks), len(all), most)
				}
			}
		})
	}
}
