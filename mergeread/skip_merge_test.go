package mergeread_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestSkipMerge compares unmerged rows with Spark's.
func TestSkipMerge(t *testing.T) {
	ctx := context.Background()
	asked := 0
	for _, f := range tabletest.All(t) {
		data, err := os.ReadFile(filepath.Join(f.Dir, "expected", "skip_merge.parquet"))
		if err != nil {
			continue
		}
		asked++
		t.Run(f.Name, func(t *testing.T) {
			table, err := provider.Open(ctx, f.Open(t), provider.Options{Hudi: map[string]string{"hoodie.datasource.merge.type": "skip_merge"}})
			if err != nil {
				t.Fatal(err)
			}
			want, columns := spark(t, data)
			r, err := table.Scan(ctx, provider.Query{Columns: columns, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for b, err := range r.Batches() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, lines(b)...)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows, want %d, or others", len(got), len(want))
			}
		})
	}
	if asked < 3 {
		t.Errorf("%d tables have answers", asked)
	}
}

// spark reads an answer: its rows as text, sorted, and its columns.
func spark(t *testing.T, data []byte) (rows, columns []string) {
	t.Helper()
	pf, err := file.NewParquetReader(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	defer pf.Close()
	fr, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: 1 << 20}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	r, err := fr.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		columns = append(columns, f.Name)
	}
	for r.Next() {
		rows = append(rows, lines(r.RecordBatch())...)
	}
	slices.Sort(rows)
	return rows, columns
}

func lines(b arrow.RecordBatch) []string {
	out := make([]string, b.NumRows())
	for i := range out {
		for _, c := range b.Columns() {
			out[i] += c.ValueStr(i) + "|"
		}
	}
	return out
}
