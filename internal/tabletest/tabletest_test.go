package tabletest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := Open(t, "v9/mor_pending_compaction")
	if _, err := os.Stat(filepath.Join(dir, ".hoodie", "hoodie.properties")); err != nil {
		t.Fatal(err)
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
