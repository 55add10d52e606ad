package parquet

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
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
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/batch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// realFiles gives the files of testdata, which Hudi and Spark wrote, and those
// below the folder that HUDI_FIXTURES names. They are stored compressed, since
// most of a small base file is an empty Bloom filter.
func realFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	paths, err := filepath.Glob("testdata/*.parquet.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if files[p], err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if root := os.Getenv("HUDI_FIXTURES"); root != "" {
		addFixtures(t, root, files)
	}
	return files
}

func addFixtures(t testing.TB, root string, files map[string][]byte) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".parquet") || strings.HasPrefix(name, "._") {
			return err
		}
		b, err := os.ReadFile(path)
		if len(b) > 12 {
			files[path] = b
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func realFile(t testing.TB, name string) []byte {
	t.Helper()
	b := realFiles(t)["testdata/"+name+".parquet.gz"]
	if b == nil {
		t.Fatalf("no file %s in testdata", name)
	}
	return b
}

func openBytes(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := OpenSection(bytes.NewReader(data), int64(len(data)), "test.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readAll reads rows into one table.
func readAll(t testing.TB, f *File, o ReadOptions) arrow.Table {
	t.Helper()
	r, err := f.Read(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	schema := r.Schema()
	batches, err := batch.Collect(r)
	if err != nil {
		t.Fatal(err)
	}
	size := o.BatchSize
	if size == 0 {
		size = DefaultBatchSize
	}
	for _, b := range batches {
		if b.NumRows() == 0 || int(b.NumRows()) > size || !b.Schema().Equal(schema) {
			t.Errorf("batch of %d rows with schema %v", b.NumRows(), b.Schema())
		}
	}
	tbl := array.NewTableFromRecords(schema, batches)
	for _, b := range batches {
		b.Release()
	}
	return tbl
}

// oracle reads a file by arrow-go's own reader.
func oracle(t testing.TB, data []byte) arrow.Table {
	t.Helper()
	r, err := arrowfile.NewParquetReader(bytes.NewReader(data))
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
		t.Fatalf("oracle: %v", err)
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
	case *array.FixedSizeBinary:
		return string(a.Value(i))
	case *array.Timestamp:
		// arrow-go gives INT96 in nanoseconds.
		if a.DataType().(*arrow.TimestampType).Unit == arrow.Nanosecond {
			return fmt.Sprint(floorDiv(int64(a.Value(i)), 1000))
		}
		return fmt.Sprint(int64(a.Value(i)))
	}
	return a.ValueStr(i)
}

// column gives all values of a column as text.
func columnCells(c *arrow.Chunked) []string {
	var out []string
	for _, a := range c.Chunks() {
		for i := range a.Len() {
			out = append(out, cell(a, i))
		}
	}
	return out
}

// compare compares two tables cell by cell.
func compare(t testing.TB, got, want arrow.Table) {
	t.Helper()
	if got.NumRows() != want.NumRows() || got.NumCols() != want.NumCols() {
		t.Fatalf("%d x %d, want %d x %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for c := range int(got.NumCols()) {
		compareCells(t, got.Schema().Field(c).Name, columnCells(got.Column(c).Data()), columnCells(want.Column(c).Data()))
	}
}

func compareCells(t testing.TB, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("column %s: %d rows, want %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("column %s, row %d: got %.200q, want %.200q", name, i, got[i], want[i])
		}
	}
}
