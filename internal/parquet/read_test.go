package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestRealFiles compares files of Hudi and Spark with what arrow-go makes of
// them, then parts of them with the whole.
func TestRealFiles(t *testing.T) {
	for name, data := range realFiles(t) {
		if strings.Contains(name, "pyarrow_") && !strings.Contains(name, "plain") {
			continue // see TestPyarrowFiles
		}
		t.Run(name, func(t *testing.T) {
			f := openBytes(t, data)
			got := readAll(t, f, ReadOptions{})
			defer got.Release()
			want := oracle(t, data)
			defer want.Release()
			compare(t, got, want)
			checkParts(t, f, got, 5)
		})
	}
}

// checkParts reads random columns and rows of a file in random ways and
// compares them with the whole of it.
func checkParts(t *testing.T, f *File, whole arrow.Table, times int) {
	t.Helper()
	cells := map[string][]string{}
	for i := range int(whole.NumCols()) {
		cells[whole.Schema().Field(i).Name] = columnCells(whole.Column(i).Data())
	}
	for seed := range times {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		o := ReadOptions{
			Rows: randomRanges(rnd, f.NumRows()), BatchSize: 1 + rnd.IntN(5000), Threads: rnd.IntN(4),
			Allocator: mem, Position: rnd.IntN(2) == 0,
		}
		for _, field := range f.Schema().Fields() {
			if rnd.IntN(3) > 0 {
				o.Columns = append(o.Columns, field.Name)
			}
		}
		rnd.Shuffle(len(o.Columns), func(i, j int) { o.Columns[i], o.Columns[j] = o.Columns[j], o.Columns[i] })
		got := readAll(t, f, o)
		checkPart(t, got, cells, o)
		got.Release()
		mem.AssertSize(t, 0)
	}
}

func checkPart(t *testing.T, got arrow.Table, cells map[string][]string, o ReadOptions) {
	t.Helper()
	for c := range int(got.NumCols()) {
		name := got.Schema().Field(c).Name
		var want []string
		for _, r := range o.Rows {
			for row := r.Start; row < r.End; row++ {
				if name == PositionColumn {
					want = append(want, strconv.FormatInt(row, 10))
				} else {
					want = append(want, cells[name][row])
				}
			}
		}
		compareCells(t, fmt.Sprintf("%s of %+v", name, o), columnCells(got.Column(c).Data()), want)
	}
}

func randomRanges(rnd *rand.Rand, rows int64) []RowRange {
	ranges := []RowRange{}
	step := 1 + rnd.Int64N(max(1, rows/2))
	for at := rnd.Int64N(step); at < rows; {
		end := min(rows, at+rnd.Int64N(step))
		ranges = append(ranges, RowRange{at, end})
		at = end + rnd.Int64N(step)
		if rnd.IntN(20) == 0 {
			at++
		}
		if at == end && end == ranges[len(ranges)-1].Start {
			at++
		}
	}
	return ranges
}

func TestReadOptionErrors(t *testing.T) {
	f := openBytes(t, realFile(t, "hudi_zstd"))
	for name, o := range map[string]ReadOptions{
		"unknown column":   {Columns: []string{"no_such_column"}},
		"unsorted ranges":  {Rows: []RowRange{{5, 6}, {0, 1}}},
		"overlapping":      {Rows: []RowRange{{0, 6}, {5, 7}}},
		"backward range":   {Rows: []RowRange{{6, 5}}},
		"beyond the file":  {Rows: []RowRange{{0, f.NumRows() + 1}}},
		"before the start": {Rows: []RowRange{{-1, 1}}},
	} {
		if r, err := f.Read(context.Background(), o); err == nil {
			r.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadNothing(t *testing.T) {
	f := openBytes(t, realFile(t, "hudi_zstd"))
	none := readAll(t, f, ReadOptions{Rows: []RowRange{}})
	if none.NumRows() != 0 || int(none.NumCols()) != f.Schema().NumFields() {
		t.Errorf("no rows asked for: %d x %d", none.NumRows(), none.NumCols())
	}
	counted := readAll(t, f, ReadOptions{Columns: []string{}})
	if counted.NumRows() != f.NumRows() || counted.NumCols() != 0 {
		t.Errorf("no columns asked for: %d x %d, want %d x 0", counted.NumRows(), counted.NumCols(), f.NumRows())
	}
}

func TestCancelAndClose(t *testing.T) {
	f := openBytes(t, generate(t, genOptions{rows: 30000, pageSize: 1 << 10}))
	for _, threads := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		ctx, cancel := context.WithCancel(context.Background())
		r, err := f.Read(ctx, ReadOptions{Threads: threads, BatchSize: 100, Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
		cancel()
		for err == nil {
			if b, err = r.Next(); err == nil {
				b.Release()
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("threads %d: after cancelling: %v", threads, err)
		}
		if _, again := r.Next(); again != err {
			t.Errorf("threads %d: the error does not stay: %v", threads, again)
		}
		r.Close()
		r.Close()

		if r, err = f.Read(context.Background(), ReadOptions{Threads: threads, BatchSize: 100, Allocator: mem}); err != nil {
			t.Fatal(err)
		}
		if b, err = r.Next(); err != nil {
			t.Fatal(err)
		}
		b.Release()
		r.Close()
		if _, err := r.Next(); err == nil {
			t.Errorf("threads %d: Next works after Close", threads)
		}
		mem.AssertSize(t, 0)
	}
}

// countingReader counts the bytes read, and fails from a point on.
type countingReader struct {
	io.ReaderAt
	bytes, reads int64
	failAfter    int64
}

var errInjected = errors.New("injected")

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	atomic.AddInt64(&c.bytes, int64(len(p)))
	if reads := atomic.AddInt64(&c.reads, 1); c.failAfter > 0 && reads > c.failAfter {
		return 0, errInjected
	}
	return c.ReaderAt.ReadAt(p, off)
}

// TestPyarrowFiles reads the same values out of files that pyarrow wrote in
// different encodings, some of which arrow-go can't read.
func TestPyarrowFiles(t *testing.T) {
	read := func(name string, columns ...string) arrow.Table {
		f := openBytes(t, realFile(t, name))
		tbl := readAll(t, f, ReadOptions{Columns: columns})
		if columns == nil {
			checkParts(t, f, tbl, 5)
		}
		return tbl
	}
	plain := read("pyarrow_plain")
	defer plain.Release()
	encoded := read("pyarrow_encodings")
	defer encoded.Release()
	compare(t, encoded, plain)
	int96 := read("pyarrow_int96")
	defer int96.Release()
	micros := read("pyarrow_plain", "micros")
	defer micros.Release()
	compare(t, int96, micros)
	if a, b := int96.Schema().Field(0).Type, micros.Schema().Field(0).Type; !arrow.TypeEqual(a, b) {
		t.Errorf("INT96 is %v, not %v", a, b)
	}
}
