package parquet

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// parquetFiles lists the test's files: those of testdata, and all below the
// folder that HUDI_FIXTURES names.
func parquetFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, root := range []string{"testdata", os.Getenv("HUDI_FIXTURES")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".parquet") {
				if i, e := d.Info(); e == nil && i.Size() > 12 {
					files = append(files, path)
				}
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return files
}

func openFile(t testing.TB, path string) *File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := OpenSection(f, info.Size(), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readAll reads rows into one table.
func readAll(t testing.TB, f *File, o ReadOptions) arrow.Table {
	t.Helper()
	r, err := f.Read(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	batches, err := batch.Collect(r)
	if err != nil {
		t.Fatal(err)
	}
	tbl := array.NewTableFromRecords(r.Schema(), batches)
	for _, b := range batches {
		b.Release()
	}
	return tbl
}

// oracle reads a file by arrow-go's own reader.
func oracle(t testing.TB, path string) arrow.Table {
	t.Helper()
	r, err := arrowfile.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: 1 << 16}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := fr.ReadTable(context.Background())
	if err != nil {
		t.Fatalf("%s: oracle: %v", path, err)
	}
	return tbl
}

// cell gives a value as text in a form that does not depend on how nested
// types are named.
func cell(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Struct:
		var b strings.Builder
		for j := range a.NumField() {
			b.WriteString(cell(a.Field(j), i) + ",")
		}
		return "{" + b.String() + "}"
	case array.ListLike:
		var b strings.Builder
		from, to := a.ValueOffsets(i)
		for j := from; j < to; j++ {
			b.WriteString(cell(a.ListValues(), int(j)) + ",")
		}
		return "[" + b.String() + "]"
	case *array.Binary:
		return string(a.Value(i))
	case *array.String:
		return a.Value(i)
	}
	return a.ValueStr(i)
}

// compare compares two tables cell by cell.
func compare(t testing.TB, name string, got, want arrow.Table) {
	t.Helper()
	if got.NumRows() != want.NumRows() || got.NumCols() != want.NumCols() {
		t.Fatalf("%s: %d x %d, want %d x %d", name, got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for c := range int(got.NumCols()) {
		g, w := got.Column(c).Data(), want.Column(c).Data()
		if err := sameColumn(g, w); err != nil {
			t.Fatalf("%s: column %s: %v", name, got.Schema().Field(c), err)
		}
	}
}

func sameColumn(g, w *arrow.Chunked) error {
	gi, wi := cells(g), cells(w)
	for row := range g.Len() {
		if a, b := gi(), wi(); a != b {
			return fmt.Errorf("row %d: got %q, want %q", row, a, b)
		}
	}
	return nil
}

func cells(c *arrow.Chunked) func() string {
	chunk, i := 0, 0
	return func() string {
		for i >= c.Chunk(chunk).Len() {
			chunk, i = chunk+1, 0
		}
		i++
		return cell(c.Chunk(chunk), i-1)
	}
}

func TestFilesLikeArrow(t *testing.T) {
	files := parquetFiles(t)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := openFile(t, path)
			got := readAll(t, f, ReadOptions{})
			defer got.Release()
			want := oracle(t, path)
			defer want.Release()
			compare(t, path, got, want)
		})
	}
}
