package snapshot

import (
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestFixtures asks every real table what each of its queries would read. The
// two listings must agree, and every row of Spark's answer must be of a file
// group that would be read.
func TestFixtures(t *testing.T) {
	for _, f := range tabletest.All(t) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			checkFixture(t, f)
		})
	}
}

func checkFixture(t *testing.T, f tabletest.Fixture) {
	ctx := t.Context()
	st := f.Storage(t)
	hudi := f.Options(t)
	if f.Manifest.Refused != "" {
		_, err := Open(ctx, st, Options{})
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(strings.ToLower(err.Error()), f.Manifest.Refused) {
			t.Fatalf("must be refused for %s, got %v", f.Manifest.Refused, err)
		}
		return
	}
	for _, q := range f.Manifest.Queries {
		if q.Kind != "snapshot" && q.Kind != "read_optimized" && q.Kind != "time_travel" {
			continue
		}
		name := q.Kind + " " + q.Options.AsOf
		o := Options{AsOf: q.Options.AsOf, Hudi: hudi}
		so := SliceOptions{ReadOptimized: q.Kind == "read_optimized"}
		got := slicesOf(t, st, o, so)
		o.ListFiles = true
		walked := slicesOf(t, st, o, so)
		if !reflect.DeepEqual(got, walked) {
			t.Errorf("%s: the listings differ:\nmetadata table %s\nfolders        %s", name, dump(got), dump(walked))
		}
		if len(got) == 0 && q.RowCount > 0 {
			t.Errorf("%s: nothing to read", name)
		}
		checkRows(t, name, filepath.Join(f.Dir, q.File), got, so.ReadOptimized || f.Manifest.TableType == CopyOnWrite)
	}
}

func slicesOf(t *testing.T, st storage.Storage, o Options, so SliceOptions) []FileSlice {
	t.Helper()
	s, err := Open(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Slices(t.Context(), so)
	if err != nil {
		t.Fatal(err)
	}
	if s.Config().Version < 8 {
		keepSeen(t, s, all)
	}
	schema, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) > 0 && schema.Avro == "" && schema.File == "" {
		t.Error("no schema")
	}
	return all
}

// keepSeen drops logs that no block is taken from. Below version 8 a write
// that was rolled back may leave its log file, which a later block takes back;
// the metadata table no longer lists it, the folder does.
func keepSeen(t *testing.T, s *Snapshot, all []FileSlice) {
	t.Helper()
	visibility, err := s.LogVisibility(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range all {
		var files []storage.File
		for _, l := range all[n].Logs {
			f, err := s.Storage().Open(t.Context(), l.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files = append(files, f)
		}
		blocks, err := hudilog.Scan(t.Context(), files, visibility.Visibility())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, b := range blocks {
			seen[b.File] = true
		}
		all[n].Logs = slices.DeleteFunc(all[n].Logs, func(l LogFile) bool { return !seen[l.Path] })
	}
}

// checkRows compares the file names in an answer's rows with the slices. They
// are exact where rows come from base files only.
func checkRows(t *testing.T, name, answer string, all []FileSlice, exact bool) {
	t.Helper()
	groups, files := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		groups[s.FileID] = true
		if s.Base != nil {
			files[path.Base(s.Base.Path)] = true
		}
	}
	for _, file := range fileNames(t, answer) {
		id := file
		if f, ok := parseFile(file); ok {
			id = f.fileID
		}
		if !groups[id] {
			t.Errorf("%s: rows of file group %s would not be read", name, id)
		}
		if exact && !files[file] {
			t.Errorf("%s: rows of %s would not be read", name, file)
		}
	}
}

// fileNames gives the distinct values of _hoodie_file_name.
func fileNames(t *testing.T, file string) []string {
	t.Helper()
	st, err := storage.Open(t.Context(), filepath.Dir(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := st.Open(t.Context(), filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := parquet.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	const column = "_hoodie_file_name"
	if _, ok := p.Schema().FieldsByName(column); !ok {
		return nil
	}
	r, err := p.Read(context.Background(), parquet.ReadOptions{Columns: []string{column}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen := map[string]bool{}
	var names []string
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		col, ok := b.Column(0).(*array.String)
		for i := range int(b.NumRows()) {
			if ok && col.IsValid(i) && !seen[col.Value(i)] {
				name := strings.Clone(col.Value(i))
				seen[name] = true
				names = append(names, name)
			}
		}
		b.Release()
	}
}

func dump(all []FileSlice) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString("\n  " + s.Partition + " " + s.FileID + " @" + s.BaseInstant)
		if s.Base != nil {
			b.WriteString("\n    base " + s.Base.Path)
		}
		for _, l := range s.Logs {
			b.WriteString("\n    log " + l.Path)
		}
	}
	return b.String()
}
