package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestCompactionRequestedMeanwhile moves the request of a pending compaction
// behind that of the last write, which then completes after it: nothing else
// was completed that was requested later. The write's logs belong to the slice
// that the compaction begins, and the table's rows stay the same.
func TestCompactionRequestedMeanwhile(t *testing.T) {
	for _, name := range []string{"v9/mor_pending_compaction", "v8/mor_pending_compaction"} {
		for _, f := range tabletest.All(t) {
			if f.Name != name {
				continue
			}
			dir := f.Open(t)
			want, err := answer(dir, provider.Query{Meta: true}, provider.Options{})
			if err != nil {
				t.Fatal(err)
			}
			table, err := provider.Open(context.Background(), dir, provider.Options{})
			if err != nil {
				t.Fatal(err)
			}
			last := table.Instant()
			folder := filepath.Join(dir, ".hoodie", "timeline")
			requests, err := filepath.Glob(filepath.Join(folder, "*.compaction.*"))
			if err != nil || len(requests) == 0 {
				t.Fatalf("no pending compaction: %v", err)
			}
			slices.Sort(requests)
			request := requests[len(requests)-1]
			later := last[:len(last)-3] + "999" + filepath.Base(request)[len(last):]
			if err := os.Rename(request, filepath.Join(folder, later)); err != nil {
				t.Fatal(err)
			}
			for _, listed := range []bool{false, true} {
				got, err := answer(dir, provider.Query{Meta: true}, provider.Options{ListFiles: listed})
				if err != nil {
					t.Fatal(err)
				}
				if d := want.diff(got, false); d != "" {
					t.Errorf("%s: %s", name, d)
				}
			}
		}
	}
}
