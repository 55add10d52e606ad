// Package tabletest gives tests the real tables of testdata/tables, unpacked,
// and what Spark answers when asked about them.
//
// When the environment variable HUDI_FIXTURES names a folder, the tables below
// it, laid out the same way, are given too.
package tabletest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
)

// A Fixture is one table with its answers, still packed.
type Fixture struct {
	Name     string // as in testdata/tables: "v9/mor_compacted"
	Dir      string // folder with table.zip, manifest.json and expected
	Manifest Manifest
}

// A Manifest says what is in a table and what was asked of it.
type Manifest struct {
	Name         string            `json:"name"`
	Hudi         string            `json:"hudi"` // release that wrote the table
	TableVersion int               `json:"table_version"`
	TableType    string            `json:"table_type"`
	RecordKey    []string          `json:"record_key"`
	Properties   map[string]string `json:"properties"`
	Timeline     []struct {
		Instant    string `json:"instant"`
		Completion string `json:"completion"`
		Action     string `json:"action"`
	} `json:"timeline"`
	Queries []Query  `json:"queries"`
	Filters []Filter `json:"filters_on_snapshot"`
	// Refused is a word of the error that the table must be refused with.
	Refused string `json:"refused"`
}

// A Query is a question and where Spark's answer is.
type Query struct {
	Kind    string `json:"kind"` // snapshot, read_optimized, time_travel, incremental, cdc
	Options struct {
		AsOf  string `json:"as_of"`
		Begin string `json:"begin"`
		End   string `json:"end"`
	} `json:"options"`
	File           string            `json:"file"` // relative to the fixture's folder
	RowCount       int64             `json:"row_count"`
	SparkOptions   map[string]string `json:"spark_options"`
	CommitTimes    map[string]int64  `json:"commit_times"` // rows by _hoodie_commit_time
	RangeField     string            `json:"range_field"`
	BeginInclusive bool              `json:"begin_inclusive"`
	AnsweredBy     string            `json:"answered_by"`
}

// A Filter is a condition and how many rows of the snapshot it holds for.
type Filter struct {
	Predicate string `json:"predicate"`
	RowCount  int64  `json:"row_count"`
}

// Open unpacks the table of a name like "v9/mor_compacted" and gives its base
// path.
func Open(t testing.TB, name string) (dir string) {
	t.Helper()
	return Fixture{Name: name, Dir: filepath.Join(tables(t), filepath.FromSlash(name))}.Open(t)
}

// OpenCustom is Open of a table by event time, which then asks for a merger by a
// strategy id of its own.
func OpenCustom(t testing.TB, name, strategy string) (dir string) {
	t.Helper()
	dir = Open(t, name)
	file := filepath.Join(dir, ".hoodie", "hoodie.properties")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("EVENT_TIME_ORDERING"), []byte("CUSTOM\nhoodie.record.merge.strategy.id="+strategy), 1)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// All gives all fixtures, by name.
func All(t testing.TB) []Fixture {
	t.Helper()
	found := below(t, tables(t))
	if more := os.Getenv("HUDI_FIXTURES"); more != "" {
		found = append(found, below(t, more)...)
	}
	return found
}

// Open unpacks the table and gives its base path.
func (f Fixture) Open(t testing.TB) (dir string) {
	t.Helper()
	root := t.TempDir()
	unzip(t, filepath.Join(f.Dir, "table.zip"), root)
	base := ""
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "hoodie.properties" && filepath.Base(filepath.Dir(path)) == ".hoodie" {
			base = filepath.Dir(filepath.Dir(path))
			return fs.SkipAll
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if base == "" {
		t.Fatalf("%s: no .hoodie in table.zip", f.Name)
	}
	return base
}

// Storage gives the table's files from memory, which is much faster than Open
// where no folder is needed.
func (f Fixture) Storage(t testing.TB) storage.Storage {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join(f.Dir, "table.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	base := ""
	for _, z := range r.File {
		if strings.HasSuffix(z.Name, "/") {
			continue
		}
		in, err := z.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatalf("unpack %s: %v", z.Name, err)
		}
		files[z.Name] = data
		// The metadata table's own properties lie deeper.
		if dir, ok := strings.CutSuffix(z.Name, ".hoodie/hoodie.properties"); ok && !strings.Contains(dir, ".hoodie") {
			base = strings.TrimSuffix(dir, "/")
		}
	}
	return storage.NewMemory(files).Sub(base)
}

// Options gives the read options that the table needs, unpacking the source
// files of a bootstrapped one.
func (f Fixture) Options(t testing.TB) map[string]string {
	t.Helper()
	source := filepath.Join(f.Dir, "source.zip")
	if _, err := os.Stat(source); err != nil {
		return nil
	}
	root := t.TempDir()
	unzip(t, source, root)
	return map[string]string{"hoodie.bootstrap.base.path": root}
}

// below finds the fixtures in a folder tree.
func below(t testing.TB, root string) []Fixture {
	t.Helper()
	var found []Fixture
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "table.zip" {
			return err
		}
		dir := filepath.Dir(path)
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		f := Fixture{Name: filepath.ToSlash(name), Dir: dir}
		data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &f.Manifest); err != nil {
			return err
		}
		found = append(found, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(found, func(a, b Fixture) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// tables is the folder testdata/tables of the repository, which holds the
// package under test.
func tables(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		path := filepath.Join(dir, "testdata", "tables")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no testdata/tables above the working folder")
		}
		dir = parent
	}
}

func unzip(t testing.TB, file, to string) {
	t.Helper()
	r, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.CopyFS(to, r); err != nil {
		t.Fatalf("unpack %s: %v", file, err)
	}
}
