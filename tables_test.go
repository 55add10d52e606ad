package hudi_test

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const maxTables = 40_000_000 // bytes of all test tables

// TestTablesAreComplete: each test table has its zip, its README and every answer that its manifest names, no answer that
// it does not name, and all of them stay small enough for a repository.
func TestTablesAreComplete(t *testing.T) {
	var total int64
	found := 0
	err := filepath.WalkDir(filepath.Join("testdata", "tables"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		if d.Name() == "manifest.json" {
			found++
			checkTable(t, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("only %d tables", found)
	}
	if total > maxTables {
		t.Errorf("the test tables take %d bytes, more than %d", total, maxTables)
	}
}

func checkTable(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Error(err)
		return
	}
	var manifest struct {
		Refused string
		Queries []struct{ Kind, File string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	if len(manifest.Queries) == 0 && manifest.Refused == "" {
		t.Errorf("%s: neither an answer nor a refusal", dir)
	}
	named := map[string]bool{}
	for _, q := range manifest.Queries {
		named[filepath.Base(q.File)] = true
		if _, err := os.Stat(filepath.Join(dir, q.File)); err != nil {
			t.Errorf("%s: answer of a %s query: %v", dir, q.Kind, err)
		}
	}
	answers, _ := os.ReadDir(filepath.Join(dir, "expected"))
	for _, a := range answers {
		if !named[a.Name()] && a.Name() != "skip_merge.parquet" { // asked by a read option, which manifests do not know
			t.Errorf("%s: no query has the answer %s", dir, a.Name())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "README")); err != nil {
		t.Error(err)
	}
	z, err := zip.OpenReader(filepath.Join(dir, "table.zip"))
	if err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	defer z.Close()
	for _, f := range z.File {
		if f.Name == ".hoodie/hoodie.properties" || strings.HasSuffix(f.Name, "/.hoodie/hoodie.properties") {
			return
		}
	}
	t.Errorf("%s: table.zip holds no table", dir)
}
