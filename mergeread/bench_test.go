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

const (
	benchRows  = 1 << 20
	benchBatch = 8192
)

var benchSchema = arrow.NewSchema([]arrow.Field{
	{Name: "_hoodie_record_key", Type: arrow.BinaryTypes.String},
	{Name: "ts", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "amount", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "count", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

// benchRecords makes batches of the rows with the given numbers.
func benchRecords(rows []int, ts int64) []arrow.RecordBatch {
	var recs []arrow.RecordBatch
	for part := range slices.Chunk(rows, benchBatch) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, benchSchema)
		for _, r := range part {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("%08x-73ab-4cde-9f01-%012x", r, r))
			b.Field(1).(*array.Int64Builder).Append(ts)
			b.Field(2).(*array.Float64Builder).Append(float64(r) / 3)
			b.Field(3).(*array.Int32Builder).Append(int32(r))
			b.Field(4).(*array.StringBuilder).Append([]string{"Amsterdam", "Rio", "San Francisco"}[r%3])
		}
		recs = append(recs, b.NewRecordBatch())
	}
	return recs
}

type benchSlice struct {
	base []arrow.RecordBatch
	runs [][]arrow.RecordBatch
	pos  [][]int64
}

func newBenchSlice(runs int, share float64) *benchSlice {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]int, benchRows)
	for i := range all {
		all[i] = i
	}
	s := &benchSlice{base: benchRecords(all, 1), runs: make([][]arrow.RecordBatch, runs), pos: make([][]int64, runs)}
	rows := make([][]int, runs)
	for i := range benchRows {
		if r.Float64() < share {
			k := r.IntN(runs)
			rows[k] = append(rows[k], i)
		}
	}
	for k := range runs {
		s.runs[k] = benchRecords(rows[k], 2)
		for _, i := range rows[k] {
			s.pos[k] = append(s.pos[k], int64(i))
		}
	}
	return s
}

func reader(schema *arrow.Schema, recs []arrow.RecordBatch) batch.Reader {
	for _, r := range recs {
		r.Retain()
	}
	return batch.FromSlice(schema, slices.Clone(recs))
}

func (s *benchSlice) input(path string, mode Mode) Input {
	in := Input{Schema: benchSchema, Output: []int{1, 2, 3, 4}, Rules: Rules{Mode: mode, Ordering: []string{"ts"}}, Sorted: path == "sorted"}
	in.Base = func(_ context.Context, columns []int, position bool) (batch.Reader, error) {
		var recs []arrow.RecordBatch
		var schema *arrow.Schema
		at := int64(0)
		for _, b := range s.base {
			var fields []arrow.Field
			var cols []arrow.Array
			for _, c := range columns {
				fields, cols = append(fields, benchSchema.Field(c)), append(cols, b.Column(c))
			}
			if position {
				bld := array.NewInt64Builder(memory.DefaultAllocator)
				for range b.NumRows() {
					bld.Append(at)
					at++
				}
				fields, cols = append(fields, arrow.Field{Name: PositionColumn, Type: arrow.PrimitiveTypes.Int64}), append(cols, bld.NewArray())
			}
			schema = arrow.NewSchema(fields, nil)
			recs = append(recs, array.NewRecordBatch(schema, cols, b.NumRows()))
		}
		return batch.FromSlice(schema, recs), nil
	}
	for k := range s.runs {
		run := Run{Name: fmt.Sprint(k), Open: func(context.Context) (batch.Reader, error) { return reader(benchSchema, s.runs[k]), nil }}
		if path == "position" {
			run.Positions = s.pos[k]
		}
		in.Runs = append(in.Runs, run)
	}
	return in
}

// BenchmarkMerge merges a million base rows with logs that update a share of
// them. ns/row is per base row, all in; base-ns/row without the log side's
// folding would be that of the smallest share.
func BenchmarkMerge(b *testing.B) {
	for _, path := range []string{"hash", "position", "sorted", "spilled"} {
		for _, runs := range []int{1, 4, 16, 64} {
			for _, share := range []float64{0.001, 0.01, 0.10, 0.15, 0.50} {
				b.Run(fmt.Sprintf("path=%s/runs=%d/updated=%g%%", path, runs, share*100), func(b *testing.B) {
					s := newBenchSlice(runs, share)
					var stats Stats
					o := Options{Stats: &stats}
					if path == "spilled" {
						o.MemoryLimit = 1 << 20
					}
					for b.Loop() {
						drain(b, s.input(path, EventTime), o)
					}
					rows := float64(b.N) * benchRows
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "ns/row")
					b.ReportMetric(float64(stats.Comparisons)/rows, "cmp/row")
				})
			}
		}
	}
}

func drain(b *testing.B, in Input, o Options) {
	rd, err := Merge(context.Background(), in, o)
	if err != nil {
		b.Fatal(err)
	}
	n := int64(0)
	for {
		rec, err := rd.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		n += rec.NumRows()
		rec.Release()
	}
	if n != benchRows {
		b.Fatalf("%d rows, want %d", n, benchRows)
	}
	rd.Close()
}
