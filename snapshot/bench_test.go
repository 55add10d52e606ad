package snapshot

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkView groups 100,000 files: 20,000 groups of two base files and
// three logs.
func BenchmarkView(b *testing.B) {
	var names []listed
	for g := range 20_000 {
		id := fmt.Sprintf("%08x-1111-2222-3333-444444444444-0", g*2654435761%(1<<32))
		for _, instant := range []string{"20240101000000001", "20240103000000001"} {
			names = append(names, listed{id + "_0-1-2_" + instant + ".parquet", 1 << 20})
		}
		for _, instant := range []string{"20240102000000001", "20240104000000001", "20240105000000001"} {
			names = append(names, listed{"." + id + "_" + instant + ".log.1_0-1-2", 1 << 10})
		}
	}
	yes := func(context.Context, string) (bool, error) { return true, nil }
	same := func(_ context.Context, instant string) (string, bool, error) { return instant, true, nil }
	b.ReportAllocs()
	for b.Loop() {
		v := &view{instant: "20240105000000001", version: 9, format: FormatParquet, committed: yes, completed: same}
		all, err := v.partition(b.Context(), "p", names)
		if err != nil || len(all) != 20_000 {
			b.Fatal(len(all), err)
		}
	}
}
