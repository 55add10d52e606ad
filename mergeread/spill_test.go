package mergeread

import (
	"context"
	"slices"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestSpillBeforePartialBlocks: records before the first partial block combine
// by the rules of the table, whether the log side goes to disk before that
// block, with it or after it.
func TestSpillBeforePartialBlocks(t *testing.T) {
	str := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	m := &modelSlice{schema: arrow.NewSchema([]arrow.Field{str("key"), str("a"), str("b")}, nil),
		rules: Rules{Partial: FillUnavailable, Unavailable: marker}}
	row := func(a, b any) modelRec { return modelRec{key: "k", row: map[string]any{"a": a, "b": b}} }
	m.runs = []modelRun{
		{recs: []modelRec{row("old", "old")}},
		{recs: []modelRec{row(marker, "new")}},
		{recs: []modelRec{row(nil, "partial")}, present: map[string]bool{"b": true}},
		{recs: []modelRec{row("other", "other")}},
	}
	m.runs[3].recs[0].key = "l"
	want := []string{`{"a":"old","b":"partial"}`, `{"a":"other","b":"other"}`}
	for limit := int64(0); limit < 400; limit += 4 {
		si := &sliceInput{m: m, mem: memory.DefaultAllocator, rows: 10}
		rd, err := Merge(context.Background(), si.input([]string{"a", "b"}, false), Options{MemoryLimit: limit, SpillDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		got := rowsOf(t, rd)
		sort.Strings(got)
		if !slices.Equal(got, want) {
			t.Errorf("memory limit %d: got %v, want %v", limit, got, want)
		}
	}
}
