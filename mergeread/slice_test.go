package mergeread

import (
	"testing"

	"github.com/hudi-go/hudi/scan"
)

// TestMemoryShares: the merges that run at a time share the memory limit, and
// a small one is not taken for none.
func TestMemoryShares(t *testing.T) {
	for _, test := range []struct {
		limit            int64
		threads, ofMerge int
		want             int64
	}{
		{0, 4, 1, 0},
		{1000, 1, 1, 1000},
		{1000, 4, 1, 250},
		{1000, 4, 2, 500},
		{1000, 0, 1, 1000},
		{3, 4, 1, 1},
	} {
		s := &slice{env: &scan.Env{}, threads: test.ofMerge}
		s.env.Options = scan.Options{MemoryLimit: test.limit, Threads: test.threads}
		if got := s.memory(); got != test.want {
			t.Errorf("%d bytes, %d threads of which a merge has %d: %d, want %d", test.limit, test.threads, test.ofMerge, got, test.want)
		}
	}
}
