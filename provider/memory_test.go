package provider_test

import (
	"path/filepath"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestDuplicatesOnDisk: rows of one key are told apart by their positions,
// however little memory there is.
func TestDuplicatesOnDisk(t *testing.T) {
	const name = "extra/duplicates_positions"
	dir := tabletest.Open(t, name)
	snapshot := filepath.Join("..", "testdata", "tables", name, "expected", "snapshot.parquet")
	want := expected(t, snapshot)
	for limit := int64(1 << 6); limit <= 1<<12; limit *= 2 {
		got, err := answer(dir, provider.Query{Meta: true, MemoryLimit: limit}, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := want.diff(got, false); d != "" {
			t.Errorf("%d bytes: %s", limit, d)
		}
	}
}
