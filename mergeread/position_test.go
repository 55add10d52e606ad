package mergeread

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// numberSchema is that of rows whose values are all one needs to know of them.
var numberSchema = arrow.NewSchema([]arrow.Field{
	{Name: "key", Type: arrow.BinaryTypes.String},
	{Name: "n", Type: arrow.PrimitiveTypes.Int64},
}, nil)

func numbers(mem memory.Allocator, values []int64) arrow.Array {
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}

// numberedRun is a run whose rows have the given positions, and the same
// numbers negative. With columns it reads those alone.
func numberedRun(mem memory.Allocator, positions []int64, rows int) Run {
	read := func(_ context.Context, columns []int) (batch.Reader, error) {
		if len(columns) != 1 || columns[0] != 1 {
			return nil, fmt.Errorf("columns %v asked for", columns)
		}
		schema := arrow.NewSchema(numberSchema.Fields()[1:], nil)
		var recs []arrow.RecordBatch
		for part := range slices.Chunk(positions, rows) {
			var values []int64
			for _, p := range part {
				values = append(values, -p)
			}
			col := numbers(mem, values)
			recs = append(recs, array.NewRecordBatch(schema, []arrow.Array{col}, int64(len(values))))
			col.Release()
		}
		return batch.FromSlice(schema, recs), nil
	}
	return Run{Positions: positions, Some: read, Open: func(context.Context) (batch.Reader, error) {
		return nil, fmt.Errorf("all columns asked for")
	}}
}

// numberedBase reads the base rows of some positions, whose numbers are these.
func numberedBase(mem memory.Allocator, positions []int64, rows int) batch.Reader {
	schema := arrow.NewSchema([]arrow.Field{numberSchema.Field(1), {Name: PositionColumn, Type: arrow.PrimitiveTypes.Int64}}, nil)
	var recs []arrow.RecordBatch
	for part := range slices.Chunk(positions, rows) {
		cols := []arrow.Array{numbers(mem, part), numbers(mem, part)}
		recs = append(recs, array.NewRecordBatch(schema, cols, int64(len(part))))
		cols[0].Release()
		cols[1].Release()
	}
	return batch.FromSlice(schema, recs)
}

// TestPositionStretches merges logs whose positions lie in many stretches, and
// some so far apart that stretches are left out, with a base that delivers only
// some of its rows.
func TestPositionStretches(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		space := int64(1 + r.IntN(8*stretchRows))
		want := map[int64]int{} // times that each value comes out
		in := Input{Schema: numberSchema, Output: []int{1}}
		logged := map[int64]bool{}
		for range 1 + r.IntN(4) {
			share := []float64{0.0005, 0.05, 0.5, 1}[r.IntN(4)]
			var positions []int64
			for p := range space {
				if r.Float64() < share {
					positions = append(positions, p)
					logged[p] = true
				}
			}
			if r.IntN(3) == 0 {
				positions = append(positions, space+1000*stretchRows, space+2000*stretchRows)
				logged[space+1000*stretchRows], logged[space+2000*stretchRows] = true, true
			}
			if positions == nil {
				positions = []int64{}
			}
			in.Runs = append(in.Runs, numberedRun(mem, positions, 1+r.IntN(3000)))
		}
		var base []int64
		for from := int64(0); from < space; from++ {
			if r.IntN(50) == 0 {
				from += int64(r.IntN(2 * stretchRows))
			}
			if from < space {
				base = append(base, from)
			}
		}
		for _, p := range base {
			if !logged[p] {
				want[p]++
			}
		}
		for p := range logged {
			want[-p]++
		}
		rows := 1 + r.IntN(20000)
		in.Base = func(_ context.Context, columns []int, position bool) (batch.Reader, error) {
			if len(columns) != 1 || columns[0] != 1 || !position {
				t.Errorf("base asked for columns %v, position %v", columns, position)
			}
			return ownedReader{numberedBase(mem, base, rows)}, nil
		}
		rd, err := Merge(context.Background(), in, Options{Allocator: mem, BatchSize: []int{0, 100, 20000}[seed%3]})
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := rd.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range rec.Column(0).(*array.Int64).Int64Values() {
				if want[v]--; want[v] < 0 {
					t.Fatalf("seed %d: %d comes once too often", seed, v)
				}
			}
			rec.Release()
		}
		for v, n := range want {
			if n != 0 {
				t.Fatalf("seed %d: %d is missing", seed, v)
			}
		}
		rd.Close()
		mem.AssertSize(t, 0)
	}
}

// countingRun counts the batches that were taken of a run's reader, which knows
// its number of rows or does not.
type countingRun struct {
	countingReader
	knows bool
}

func (r countingRun) Rows() (int64, bool) {
	n, known := batch.Rows(r.Reader)
	return n, known && r.knows
}

// TestPositionStreams: of logs no more is read than the base rows need, where
// their readers know how many rows are to come.
func TestPositionStreams(t *testing.T) {
	const batches, rows = 20, 100
	for _, knows := range []bool{true, false} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		var positions []int64
		for p := range int64(batches * rows) {
			positions = append(positions, p)
		}
		run := numberedRun(mem, positions, rows)
		taken, open := 0, run.Some
		run.Some = func(ctx context.Context, columns []int) (batch.Reader, error) {
			rd, err := open(ctx, columns)
			return countingRun{countingReader{rd, &taken}, knows}, err
		}
		in := Input{Schema: numberSchema, Output: []int{1}, Runs: []Run{run}}
		in.Base = func(context.Context, []int, bool) (batch.Reader, error) {
			return numberedBase(mem, positions, rows), nil
		}
		rd, err := Merge(context.Background(), in, Options{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		for given := 1; given <= batches; given++ {
			rec, err := rd.Next()
			if err != nil || rec.NumRows() != rows {
				t.Fatalf("knows %t, batch %d: %v, %v", knows, given, rec, err)
			}
			rec.Release()
			want := given
			if !knows {
				want = batches + 1
			}
			if taken != want {
				t.Fatalf("%d batches of the log were read for the first %d of the merge, want %d", taken, given, want)
			}
		}
		if err := rd.Close(); err != nil {
			t.Fatal(err)
		}
		mem.AssertSize(t, 0)
	}
}
