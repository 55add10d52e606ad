package mergeread

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// gatherTypes are types of every layout, those without a kernel included.
var gatherTypes = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us,
	&arrow.Decimal128Type{Precision: 30, Scale: 3}, &arrow.Decimal256Type{Precision: 60, Scale: 3},
	&arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
	arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	arrow.ListOf(arrow.BinaryTypes.String), arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int16)),
	arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), arrow.MapOf(arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean),
	arrow.StructOf(arrow.Field{Name: "a", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
		arrow.Field{Name: "b", Type: arrow.StructOf(arrow.Field{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true}),
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
}

// TestGather gathers random spans of random, sliced arrays and compares with
// Arrow's concatenation of the same slices.
func TestGather(t *testing.T) {
	defer func() {
		if inPlaceSeen < 50 {
			t.Errorf("%d selections were made in place", inPlaceSeen)
		}
	}()
	for _, dt := range gatherTypes {
		t.Run(dt.String(), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			for seed := range uint64(30) {
				checkGather(t, dt, mem, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

func checkGather(t *testing.T, dt arrow.DataType, mem memory.Allocator, r *rand.Rand) {
	t.Helper()
	g := newGatherer(dt, mem)
	arrs := make([]arrow.Array, 3)
	for i := range arrs {
		whole := randomArray(dt, mem, r, 40)
		arrs[i] = array.NewSlice(whole, int64(r.IntN(5)), int64(20+r.IntN(20)))
		whole.Release()
		defer arrs[i].Release()
		g.set(i, arrs[i])
	}
	g.set(len(arrs), nil)
	spans := randomSpans(r, arrs)
	if r.IntN(2) == 0 {
		spans = updateSpans(r, arrs)
	}
	var parts []arrow.Array
	n := 0
	for _, s := range spans {
		if s.src < 0 || int(s.src) == len(arrs) {
			parts = append(parts, array.MakeArrayOfNull(mem, dt, int(s.n)))
		} else {
			parts = append(parts, array.NewSlice(arrs[s.src], int64(s.row), int64(s.row+s.n)))
		}
		n += int(s.n)
	}
	parts = append(parts, array.MakeArrayOfNull(mem, dt, 0))
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	want, err := array.Concatenate(parts, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Release()
	checkInPlace(t, g, spans, n, arrs, want)
	var sel selection
	sel.reset(spans, n, room{src: baseSource, rows: int32(arrs[baseSource].Len())})
	got, err := g.gather(&sel)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	if v, ok := got.(interface{ ValidateFull() error }); ok {
		if err := v.ValidateFull(); err != nil {
			t.Fatal(err)
		}
	}
	if got.Len() != n || got.NullN() != want.NullN() || !array.Equal(got, want) {
		t.Fatalf("spans %v:\ngot  %v\nwant %v", spans, got, want)
	}
}

// checkInPlace makes a selection in the memory of a copy of the base, as far as
// it can be, and looks that rows outside of its room stay.
func checkInPlace(t *testing.T, g *gatherer, spans []span, n int, arrs []arrow.Array, want arrow.Array) {
	t.Helper()
	base, err := array.Concatenate([]arrow.Array{arrs[1], arrs[baseSource], arrs[2]}, g.mem)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Release()
	from := arrs[1].Len()
	own := array.NewSlice(base, int64(from), int64(from+arrs[baseSource].Len()))
	defer own.Release()
	g.set(baseSource, own)
	defer g.set(baseSource, arrs[baseSource])
	end := 0
	for _, s := range spans {
		if s.src == baseSource {
			end = max(end, int(s.row+s.n))
		}
	}
	end = max(end, min(n, own.Len()))
	before, err := array.Concatenate([]arrow.Array{own}, g.mem)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Release()
	var sel selection
	sel.reset(spans, n, room{src: baseSource, end: int32(end), rows: int32(own.Len()), owned: true})
	if !g.fitsInPlace(&sel) {
		return
	}
	inPlaceSeen++
	got := g.inPlace(&sel)
	defer got.Release()
	if got.NullN() != want.NullN() || !array.Equal(got, want) {
		t.Fatalf("spans %v in place:\ngot  %v\nwant %v", spans, got, want)
	}
	if !array.SliceEqual(base, 0, int64(from), arrs[1], 0, int64(from)) ||
		!array.SliceEqual(base, int64(from+own.Len()), int64(base.Len()), arrs[2], 0, int64(arrs[2].Len())) ||
		!array.SliceEqual(own, int64(end), int64(own.Len()), before, int64(end), int64(own.Len())) {
		t.Fatalf("spans %v in place: rows outside of its room changed", spans)
	}
}

// inPlaceSeen counts the selections that were made in place.
var inPlaceSeen int

// randomSpans takes stretches from anywhere, and from a null source at either
// end.
func randomSpans(r *rand.Rand, arrs []arrow.Array) (spans []span) {
	for range r.IntN(8) {
		src := r.IntN(len(arrs)+2) - 1
		s := span{src: int32(src), n: int32(1 + r.IntN(12))}
		if src >= 0 && src < len(arrs) {
			s.n = min(s.n, int32(arrs[src].Len()))
			s.row = int32(r.IntN(arrs[src].Len() - int(s.n) + 1))
		}
		spans = append(spans, s)
	}
	return spans
}

// updateSpans goes through the base as a merge does: rows stay, go or are
// replaced, and others may follow.
func updateSpans(r *rand.Rand, arrs []arrow.Array) []span {
	var o output
	for row := range arrs[baseSource].Len() + r.IntN(4) {
		src := 1 + r.IntN(len(arrs)) // the last has no column
		switch k := r.IntN(10); {
		case k < 1 || k < 2 && row == 0:
		case k < 4 && src == len(arrs) && r.IntN(9) > 0:
		case k < 4 || row >= arrs[baseSource].Len():
			last := 0
			if src < len(arrs) {
				last = arrs[src].Len() - 1
			}
			o.add(src, last-r.IntN(last+1)*r.IntN(2), 1)
		default:
			o.add(baseSource, row, 1)
		}
	}
	return o.spans
}

func randomArray(dt arrow.DataType, mem memory.Allocator, r *rand.Rand, n int) arrow.Array {
	b := array.NewBuilder(mem, dt)
	defer b.Release()
	nulls := r.IntN(2) == 0
	for range n {
		appendRandom(b, r, nulls)
	}
	return b.NewArray()
}

func appendRandom(b array.Builder, r *rand.Rand, nulls bool) {
	if nulls && r.IntN(3) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(4) {
			appendRandom(b.ValueBuilder(), r, nulls)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range 2 {
			appendRandom(b.ValueBuilder(), r, nulls)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			appendRandom(b.KeyBuilder(), r, false)
			appendRandom(b.ItemBuilder(), r, nulls)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(b.FieldBuilder(i), r, nulls)
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%03d", r.IntN(1000))))
	case *array.BinaryBuilder:
		b.Append(make([]byte, r.IntN(5)))
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Date32Builder:
		b.Append(arrow.Date32(r.IntN(1000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(r.Int64()))
	case *array.NullBuilder:
		b.AppendNull()
	default:
		if err := b.AppendValueFromString(fmt.Sprint(r.IntN(100))); err != nil {
			panic(err)
		}
	}
}

// TestLongColumns: what exceeds the offsets of one batch comes out as several.
func TestLongColumns(t *testing.T) {
	defer func(n int64) { maxOffset = n }(maxOffset)
	maxOffset = 1000
	for _, limit := range []int64{0, 2000} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
		in := Input{Schema: schema, Output: []int{0, 1}, EmitDeletes: true}
		in.Base = func(context.Context, []int, bool) (batch.Reader, error) { return numbered(mem, schema, 1000, 0), nil }
		for k := range 100 {
			in.Runs = append(in.Runs, Run{Open: func(context.Context) (batch.Reader, error) { return numbered(mem, schema, 900, k), nil }})
		}
		rd, err := Merge(context.Background(), in, Options{Allocator: mem, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, rd)
		sort.Strings(rows)
		if len(rows) != 1000 || rows[899] != `{"_deleted":false,"key":"key-0899","n":99}` || rows[900] != `{"_deleted":false,"key":"key-0900","n":0}` {
			t.Errorf("%d rows, %v", len(rows), rows[899:901])
		}
		mem.AssertSize(t, 0)
	}
}
