package tabletest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
)

func TestOpen(t *testing.T) {
	dir := Open(t, "v9/mor_pending_compaction")
	if _, err := os.Stat(filepath.Join(dir, ".hoodie", "hoodie.properties")); err != nil {
		t.Fatal(err)
	}
}

func TestStorage(t *testing.T) {
	for _, f := range All(t) {
		if f.Name != "v9/mor_pending_compaction" && f.Name != "hudi-rs/sample_table__cow__v6_empty" {
			continue
		}
		if _, err := storage.ReadFile(t.Context(), f.Storage(t), ".hoodie/hoodie.properties"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestAll(t *testing.T) {
	all := All(t)
	if len(all) < 100 {
		t.Fatalf("%d fixtures", len(all))
	}
	for _, f := range all {
		for _, q := range f.Manifest.Queries {
			if _, err := os.Stat(filepath.Join(f.Dir, q.File)); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}
