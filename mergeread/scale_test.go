package mergeread

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// A peakAllocator knows the most memory that was allocated at a time.
type peakAllocator struct {
	memory.Allocator
	now, peak atomic.Int64
}

func (a *peakAllocator) note(n int) {
	now := a.now.Add(int64(n))
	for old := a.peak.Load(); now > old && !a.peak.CompareAndSwap(old, now); old = a.peak.Load() {
	}
}

func (a *peakAllocator) Allocate(n int) []byte {
	a.note(n)
	return a.Allocator.Allocate(n)
}

func (a *peakAllocator) Reallocate(n int, b []byte) []byte {
	a.note(n - len(b))
	return a.Allocator.Reallocate(n, b)
}

func (a *peakAllocator) Free(b []byte) {
	a.note(-len(b))
	a.Allocator.Free(b)
}

// generated makes every step-th of n rows as they are read.
type generated struct {
	mem           memory.Allocator
	schema        *arrow.Schema
	columns       []int // PositionColumn is number -1
	next, n, step int
	ts            int64
}

func (g *generated) Schema() *arrow.Schema { return g.schema }
func (g *generated) Rows() (int64, bool)   { return int64((g.n - g.next + g.step - 1) / g.step), true }
func (g *generated) Close() error          { return nil }

func (g *generated) Next() (arrow.RecordBatch, error) {
	if g.next >= g.n {
		return nil, io.EOF
	}
	b := array.NewRecordBuilder(g.mem, g.schema)
	defer b.Release()
	var key []byte
	for range benchBatch {
		if g.next >= g.n {
			break
		}
		for i, c := range g.columns {
			switch c {
			case -1:
				b.Field(i).(*array.Int64Builder).Append(int64(g.next))
			case 0:
				key = fmt.Appendf(key[:0], "%08x-73ab-4cde-9f01-%08x", g.next, g.next)
				b.Field(i).(*array.StringBuilder).BinaryBuilder.Append(key)
			case 1:
				b.Field(i).(*array.Int64Builder).Append(g.ts)
			case 2:
				b.Field(i).(*array.Float64Builder).Append(float64(g.next) / 3)
			case 3:
				b.Field(i).(*array.Int32Builder).Append(int32(g.next))
			case 4:
				b.Field(i).(*array.StringBuilder).Append("San Francisco")
			}
		}
		g.next += g.step
	}
	return b.NewRecordBatch(), nil
}

// generatedSlice is a slice of n base rows; each of the runs updates every
// step-th row.
func generatedSlice(mem memory.Allocator, n, runs, step int) Input {
	in := Input{Schema: benchSchema, Output: []int{1, 2, 3, 4}, Rules: Rules{Mode: EventTime, Ordering: []string{"ts"}}}
	in.Base = func(_ context.Context, columns []int, position bool) (batch.Reader, error) {
		var fields []arrow.Field
		for _, c := range columns {
			fields = append(fields, benchSchema.Field(c))
		}
		if position {
			fields = append(fields, arrow.Field{Name: PositionColumn, Type: arrow.PrimitiveTypes.Int64})
			columns = append(columns[:len(columns):len(columns)], -1)
		}
		return &generated{mem: mem, schema: arrow.NewSchema(fields, nil), columns: columns, n: n, step: 1, ts: 1}, nil
	}
	for k := range runs {
		in.Runs = append(in.Runs, Run{Name: fmt.Sprint(k), Open: func(context.Context) (batch.Reader, error) {
			return &generated{mem: mem, schema: benchSchema, columns: []int{0, 1, 2, 3, 4}, next: k, n: n, step: step, ts: 2}, nil
		}})
	}
	return in
}

// TestScale measures what a slice of many rows takes. HUDI_SCALE=1 runs it: the
// rows are made up as they are read, so that all memory is the merge's.
func TestScale(t *testing.T) {
	if os.Getenv("HUDI_SCALE") == "" {
		t.Skip("HUDI_SCALE is not set")
	}
	const million = 1 << 20
	measure := func(name string, n, runs, step int, tweak func(*Input, *Options, int)) (peak int64) {
		mem := &peakAllocator{Allocator: memory.NewGoAllocator()}
		in := generatedSlice(mem, n, runs, step)
		var stats Stats
		o := Options{Allocator: mem, Stats: &stats, SpillDir: t.TempDir()}
		tweak(&in, &o, n)
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		var heap uint64
		start := time.Now()
		rd, err := Merge(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		defer rd.Close()
		rows := int64(0)
		for k := 0; ; k++ {
			rec, err := rd.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rows += rec.NumRows()
			rec.Release()
			if k%64 == 0 {
				runtime.ReadMemStats(&now)
				heap = max(heap, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
			}
		}
		if rows != int64(n) {
			t.Fatalf("%s: %d rows, want %d", name, rows, n)
		}
		t.Logf("%-28s %9d rows, %2d logs, %9d log records: peak of Arrow buffers %6.1f MB, of the heap %6.1f MB, spilled %7.1f MB, %5.1f s",
			name, n, runs, stats.LogRecords, float64(mem.peak.Load())/1e6, float64(heap)/1e6, float64(stats.Spilled)/1e6, time.Since(start).Seconds())
		return mem.peak.Load()
	}
	sorted := func(in *Input, _ *Options, _ int) { in.Sorted = true }
	few := measure("sorted, 10 % updated", million, 4, 40, sorted)
	many := measure("sorted, 10 % updated", 20*million, 4, 40, sorted)
	if float64(many) > 1.2*float64(few) {
		t.Errorf("the sorted merge of 20 million rows takes %d bytes, of one million %d", many, few)
	}
	positioned := func(in *Input, _ *Options, n int) {
		for k := range in.Runs {
			at := []int64{}
			for p := k; p < n; p += 40 {
				at = append(at, int64(p))
			}
			in.Runs[k].Positions = at
		}
	}
	few = measure("by position, 10 % updated", million, 4, 40, positioned)
	many = measure("by position, 10 % updated", 20*million, 4, 40, positioned)
	if float64(many) > 1.2*float64(few) {
		t.Errorf("the merge by position of 20 million rows takes %d bytes, of one million %d", many, few)
	}
	const budget = 16 << 20
	limited := func(_ *Input, o *Options, _ int) { o.MemoryLimit = budget }
	few = measure("by hashing, 16 MiB budget", million, 10, 20, limited)
	many = measure("by hashing, 16 MiB budget", 20*million, 10, 50, limited) // logs of 17 times the budget
	if many > 3*budget || float64(many) > 1.2*float64(few) {
		t.Errorf("a merge with a budget of %d takes %d bytes for 20 million rows, %d for one million", budget, many, few)
	}
}
