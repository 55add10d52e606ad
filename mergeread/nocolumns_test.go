package mergeread_test

import (
	"context"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestNoColumns counts rows without asking for a column, as count(*) does: of
// all tables, and at the times of which there are answers, when logs may hold
// nothing that counts.
func TestNoColumns(t *testing.T) {
	ctx := context.Background()
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" || f.Manifest.TableType == "COPY_ON_WRITE" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			table, err := provider.Open(ctx, f.Open(t), provider.Options{Hudi: f.Options(t)})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range f.Manifest.Queries {
				if q.Kind != "snapshot" && q.Kind != "time_travel" {
					continue
				}
				var counts [2]int64
				for i, columns := range [][]string{{}, nil} {
					r, err := table.Scan(ctx, provider.Query{AsOf: q.Options.AsOf, Columns: columns, Threads: 2})
					if err != nil {
						t.Fatalf("%s %s: %v", q.Kind, q.Options.AsOf, err)
					}
					for b, err := range r.Batches() {
						if err != nil {
							t.Fatalf("%s %s: %v", q.Kind, q.Options.AsOf, err)
						}
						counts[i] += b.NumRows()
					}
				}
				if counts[0] != counts[1] {
					t.Errorf("%s %s: %d rows without columns, %d with all", q.Kind, q.Options.AsOf, counts[0], counts[1])
				}
			}
		})
	}
}
