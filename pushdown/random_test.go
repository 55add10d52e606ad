package pushdown

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A generator makes schemas, batches and conditions that meet: constants are
// drawn from the values and their neighbourhood.
type generator struct {
	*rand.Rand
}

var flatTestTypes = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32,
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
	arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Date32,
	arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
	&arrow.TimestampType{Unit: arrow.Millisecond}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	&arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.Decimal128Type{Precision: 10, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 0},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, &arrow.FixedSizeBinaryType{ByteWidth: 2},
}

func (g generator) schema() *arrow.Schema {
	fields := make([]arrow.Field, 1+g.IntN(4))
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprintf("c%d", i), Type: flatTestTypes[g.IntN(len(flatTestTypes))], Nullable: true}
		if g.IntN(6) == 0 {
			fields[i].Type = arrow.StructOf(
				arrow.Field{Name: "x", Type: flatTestTypes[g.IntN(len(flatTestTypes))], Nullable: true},
				arrow.Field{Name: "y y", Type: arrow.BinaryTypes.String, Nullable: true})
		}
	}
	return arrow.NewSchema(fields, nil)
}

var (
	testInts   = []int64{0, 1, -1, 2, 5, 7, 100, 127, -128, 255, 256, 32767, -32768, 65535, 1 << 31, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1<<53 + 1, 1 << 53}
	testFloats = []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 1.1, -2.5, 100, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, 9007199254740993, 16777217, 1e20}
	testTexts  = []string{"", "a", "ab", "abc", "b", "a%", "a_c", "é", "日本", "\x00", "a\x00", "\U0001F600", "\uffff", "z", "ac"}
)

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

func (g generator) int() int64 {
	if g.IntN(2) == 0 {
		return int64(g.IntN(12)) - 3
	}
	return pick(g, testInts)
}

func (g generator) text() string {
	if g.IntN(3) == 0 {
		return pick(g, testTexts) + pick(g, testTexts)
	}
	return pick(g, testTexts)
}

func (g generator) append(b array.Builder, t arrow.DataType) {
	if g.IntN(6) == 0 {
		b.AppendNull()
		return
	}
	n := g.int()
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(n&1 == 0)
	case *array.Int8Builder:
		b.Append(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.Uint8Builder:
		b.Append(uint8(n))
	case *array.Uint16Builder:
		b.Append(uint16(n))
	case *array.Uint32Builder:
		b.Append(uint32(n))
	case *array.Uint64Builder:
		b.Append(uint64(n))
	case *array.Float32Builder:
		b.Append(float32(pick(g, testFloats)))
	case *array.Float64Builder:
		b.Append(pick(g, testFloats))
	case *array.Date32Builder:
		b.Append(arrow.Date32(int16(n)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(uint16(n)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(uint32(n)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(int32(n)))
	case *array.Decimal128Builder:
		if t.(*arrow.Decimal128Type).Precision < 19 {
			n = int64(int32(n))
		}
		b.Append(decimal128.FromI64(n))
	case *array.StringBuilder:
		b.Append(g.text())
	case *array.LargeStringBuilder:
		b.Append(g.text())
	case *array.BinaryBuilder:
		b.Append([]byte(g.text()))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{byte(n), byte(g.IntN(3))})
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			g.append(b.FieldBuilder(i), b.FieldBuilder(i).Type())
		}
	default:
		panic(t.String())
	}
}

func (g generator) batch(mem memory.Allocator, s *arrow.Schema, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for i, f := range s.Fields() {
		for range rows {
			g.append(b.Field(i), f.Type)
		}
	}
	return b.NewRecordBatch()
}

// constant draws a constant that can be compared with a type.
func (g generator) constant(t arrow.DataType) Value {
	if g.IntN(12) == 0 {
		return Value{}
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return Bool(g.IntN(2) == 0)
	case *arrow.StringType, *arrow.LargeStringType:
		return String(g.text())
	case *arrow.BinaryType:
		return Binary([]byte(g.text()))
	case *arrow.FixedSizeBinaryType:
		return Binary([]byte{byte(g.int()), byte(g.IntN(3))})
	case *arrow.Date32Type, *arrow.TimestampType:
		return g.moment(t)
	case *arrow.Time32Type, *arrow.Time64Type:
		unit := pick(g, []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond})
		return Time(int64(uint16(g.int()))*pick(g, []int64{1, 1000})/pick(g, []int64{1, 1000})%86400, unit)
	}
	switch g.IntN(6) {
	case 0:
		return Decimal(big.NewInt(g.int()), int32(g.IntN(5)))
	case 1:
		return Float(pick(g, testFloats))
	case 2:
		return Float32(float32(pick(g, testFloats)))
	case 3:
		return Uint(math.MaxUint64 - uint64(g.IntN(2)))
	}
	return Int(g.int())
}

func (g generator) moment(t arrow.DataType) Value {
	n := int64(int32(g.int()))
	if g.IntN(3) == 0 {
		return Date(int32(int16(n)))
	}
	unit := pick(g, []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond})
	if t, ok := t.(*arrow.TimestampType); ok && t.TimeZone != "" {
		return TimestampTZ(n, unit)
	}
	return Timestamp(n, unit)
}

func (g generator) column(s *arrow.Schema) (Column, arrow.DataType) {
	f := pick(g, s.Fields())
	if st, ok := f.Type.(*arrow.StructType); ok && g.IntN(5) > 0 {
		inner := pick(g, st.Fields())
		return Col(f.Name, inner.Name), inner.Type
	}
	return Col(f.Name), f.Type
}

func (g generator) predicate(s *arrow.Schema, depth int) Predicate {
	if depth > 0 && g.IntN(2) == 0 {
		parts := make([]Predicate, g.IntN(4))
		for i := range parts {
			parts[i] = g.predicate(s, depth-1)
		}
		switch g.IntN(3) {
		case 0:
			return And(parts)
		case 1:
			return Or(parts)
		}
		return Not{g.predicate(s, depth-1)}
	}
	c, t := g.column(s)
	_, nested := t.(*arrow.StructType)
	switch kind := g.IntN(10); {
	case kind == 0:
		return Constant{pick(g, []Value{Bool(true), Bool(false), {}})}
	case kind == 1 || nested:
		return IsNull{Column: c, Not: g.IntN(2) == 0}
	case kind == 2:
		values := make([]Value, g.IntN(10))
		for i := range values {
			values[i] = g.constant(t)
		}
		return In{Column: c, Values: values, Not: g.IntN(2) == 0}
	case kind == 3 && (t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING):
		return g.like(c)
	}
	return Compare{c, Operator(g.IntN(8)), g.constant(t)}
}

func (g generator) like(c Column) Predicate {
	var p string
	for range g.IntN(4) {
		p += pick(g, []string{"%", "_", "a", "b", "é", "ab", "日", "\\%", "\\\\"})
	}
	l := Like{Column: c, Pattern: p, Not: g.IntN(3) == 0}
	if g.IntN(2) == 0 {
		l.Escape = '\\'
	}
	return l
}

func TestFilterIsTheNaiveOne(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for seed := range uint64(3000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		s := g.schema()
		batch := g.batch(mem, s, g.IntN(150))
		if batch.NumRows() > 3 && g.IntN(2) == 0 {
			part := batch.NewSlice(1+int64(g.IntN(2)), batch.NumRows())
			batch.Release()
			batch = part
		}
		for range 4 {
			p := g.predicate(s, 3)
			b, err := Bind(p, s, BindOptions{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got, err := filterRows(b, batch)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, p, err)
			}
			if want := naiveRows(p, batch); !slices.Equal(got, want) {
				row := firstDifference(got, want)
				t.Fatalf("seed %d: %s over %s\nrows %v\nwant %v\nrow %d: %v", seed, p, s, got, want, row, batch.NewSlice(int64(row), int64(row)+1))
			}
			checkApply(t, mem, b, batch, got)
		}
		batch.Release()
	}
}

func firstDifference(a, b []int) int {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			if i < len(b) {
				return min(a[i], b[i])
			}
			return a[i]
		}
	}
	return b[len(a)]
}

// checkApply compares the rows picked with the same rows taken one by one.
func checkApply(t *testing.T, mem memory.Allocator, b *Bound, batch arrow.RecordBatch, rows []int) {
	t.Helper()
	s, err := b.Filter(batch)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Apply(mem, batch, s)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	if int(out.NumRows()) != len(rows) {
		t.Fatalf("%d rows picked, want %d", out.NumRows(), len(rows))
	}
	for i, row := range rows {
		for c := range int(batch.NumCols()) {
			if !array.SliceApproxEqual(out.Column(c), int64(i), int64(i+1), batch.Column(c), int64(row), int64(row+1), array.WithNaNsEqual(true)) {
				t.Fatalf("column %d, row %d: %v, want %v", c, row, out.Column(c).ValueStr(i), batch.Column(c).ValueStr(row))
			}
		}
	}
}

func TestSQLRoundTrip(t *testing.T) {
	mem := memory.DefaultAllocator
	for seed := range uint64(3000) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		s := g.schema()
		p := g.predicate(s, 3)
		read, err := ParseSQL(p.String())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := ParseSQL(read.String())
		if err != nil || again.String() != read.String() {
			t.Fatalf("seed %d: %s is read as %v, which is read as %v (%v)", seed, p, read, again, err)
		}
		b, err := Bind(read, s, BindOptions{})
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, p, err)
		}
		batch := g.batch(mem, s, 40)
		got, err := filterRows(b, batch)
		if want := naiveRows(p, batch); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s is read as %s: rows %v, want %v (%v)", seed, p, read, got, want, err)
		}
		batch.Release()
	}
}
