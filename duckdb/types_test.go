package duckdb

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

func listOf(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) }
func dict(i, v arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: i, ValueType: v}
}
func stamp(u arrow.TimeUnit, z string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: z}
}

// typeCases are Arrow types, what comes back for them, and some values.
var typeCases = []struct {
	in, out arrow.DataType // out nil: as in
	values  []string       // JSON
}{
	{arrow.FixedWidthTypes.Boolean, nil, []string{"true", "false"}},
	{arrow.PrimitiveTypes.Int8, nil, []string{"-128", "127", "0"}},
	{arrow.PrimitiveTypes.Int16, nil, []string{"-32768", "32767"}},
	{arrow.PrimitiveTypes.Int32, nil, []string{"-2147483648", "2147483647", "7"}},
	{arrow.PrimitiveTypes.Int64, nil, []string{"-9223372036854775808", "9223372036854775807", "42"}},
	{arrow.PrimitiveTypes.Uint8, nil, []string{"255", "1"}},
	{arrow.PrimitiveTypes.Uint16, nil, []string{"65535", "1"}},
	{arrow.PrimitiveTypes.Uint32, nil, []string{"4294967295", "1"}},
	{arrow.PrimitiveTypes.Uint64, nil, []string{"18446744073709551615", "1"}},
	{arrow.PrimitiveTypes.Float32, nil, []string{"1.5", "-0.25", "3e38"}},
	{arrow.PrimitiveTypes.Float64, nil, []string{"1.5", "-0.25", "1e300"}},
	{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, []string{"1.5", "-0.25"}},
	{arrow.BinaryTypes.String, nil, texts},
	{arrow.BinaryTypes.LargeString, arrow.BinaryTypes.String, texts},
	{arrow.BinaryTypes.Binary, nil, blobs},
	{arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.Binary, blobs},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.Binary, []string{`"AAEC"`, `"////"`}},
	{&arrow.FixedSizeBinaryType{ByteWidth: 16}, arrow.BinaryTypes.Binary, []string{`"AAECAwQFBgcICQoLDA0ODw=="`}},
	{arrow.FixedWidthTypes.Date32, nil, []string{`"1969-12-31"`, `"2024-02-29"`, `"0001-01-01"`}},
	{arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Date32, []string{`"1969-12-31"`, `"2024-02-29"`}},
	{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64us, []string{`"23:59:59"`}},
	{arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, []string{`"23:59:59.999"`, `"00:00:00"`}},
	{arrow.FixedWidthTypes.Time64us, nil, []string{`"23:59:59.999999"`, `"00:00:00"`}},
	{stamp(arrow.Second, ""), nil, []string{`"2024-01-02 03:04:05"`, `"1960-01-01 00:00:00"`}},
	{stamp(arrow.Millisecond, ""), nil, []string{`"2024-01-02 03:04:05.678"`, `"1960-01-01 00:00:00.001"`}},
	{stamp(arrow.Microsecond, ""), nil, []string{`"2024-01-02 03:04:05.678901"`, `"1960-01-01 00:00:00.000001"`}},
	{stamp(arrow.Nanosecond, ""), nil, []string{`"2024-01-02 03:04:05.678901234"`, `"1960-01-01 00:00:00.000000001"`}},
	{stamp(arrow.Second, "UTC"), stamp(arrow.Microsecond, "UTC"), []string{`"2024-01-02 03:04:05Z"`}},
	{stamp(arrow.Millisecond, "UTC"), stamp(arrow.Microsecond, "UTC"), []string{`"2024-01-02 03:04:05.678Z"`}},
	{stamp(arrow.Microsecond, "UTC"), nil, []string{`"2024-01-02 03:04:05.678901Z"`, `"1960-01-01 00:00:00.000001Z"`}},
	{stamp(arrow.Nanosecond, "UTC"), stamp(arrow.Microsecond, "UTC"), []string{`"2024-01-02 03:04:05.678901Z"`}},
	{&arrow.Decimal128Type{Precision: 4, Scale: 2}, nil, []string{`"99.99"`, `"-99.99"`, `"0.01"`}},
	{&arrow.Decimal128Type{Precision: 9, Scale: 0}, nil, []string{`"999999999"`, `"-999999999"`}},
	{&arrow.Decimal128Type{Precision: 18, Scale: 18}, nil, []string{`"0.999999999999999999"`, `"-0.999999999999999999"`}},
	{&arrow.Decimal128Type{Precision: 38, Scale: 10}, nil, []string{`"1234567890123456789012345678.0123456789"`, `"-1.0000000000"`}},
	{&arrow.Decimal32Type{Precision: 5, Scale: 1}, &arrow.Decimal128Type{Precision: 5, Scale: 1}, []string{`"-1234.5"`}},
	{&arrow.Decimal64Type{Precision: 18, Scale: 1}, &arrow.Decimal128Type{Precision: 18, Scale: 1}, []string{`"-1234.5"`}},
	{listOf(arrow.PrimitiveTypes.Int32), nil, []string{"[]", "[1]", "[1,null,3]"}},
	{listOf(arrow.BinaryTypes.String), nil, []string{"[]", `["a","longer than twelve bytes"]`, "[null]"}},
	{listOf(listOf(arrow.PrimitiveTypes.Int64)), nil, []string{"[]", "[[]]", "[[1,2],null,[3]]"}},
	{arrow.LargeListOf(arrow.PrimitiveTypes.Int16), listOf(arrow.PrimitiveTypes.Int16), []string{"[]", "[1,null]"}},
	{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16), listOf(arrow.PrimitiveTypes.Int16), []string{"[5,6]", "[null,1]"}},
	{arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "l", Type: listOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
	), nil, []string{`{"x":1,"l":["a",null],"s":{"y":"deep"}}`, `{"x":null,"l":null,"s":null}`, `{"x":2,"l":[],"s":{"y":null}}`}},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), nil, []string{"[]", `[{"key":"k","value":1},{"key":"a key that is long","value":null}]`}},
	{listOf(arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedWidthTypes.Date32, Nullable: true}))), nil,
		[]string{"[]", `[[{"key":1,"value":{"a":"2024-01-01"}}],null,[]]`}},
	{dict(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), arrow.BinaryTypes.String, texts},
	{dict(arrow.PrimitiveTypes.Uint8, arrow.BinaryTypes.Binary), arrow.BinaryTypes.Binary, blobs},
	{dict(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64), arrow.PrimitiveTypes.Int64, []string{"1", "-5"}},
	{arrow.StructOf(arrow.Field{Name: "d", Type: dict(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), Nullable: true}),
		arrow.StructOf(arrow.Field{Name: "d", Type: arrow.BinaryTypes.String, Nullable: true}), []string{`{"d":"x"}`, `{"d":null}`, `{"d":"a string of more than twelve"}`}},
	{arrow.Null, arrow.PrimitiveTypes.Int32, nil},
}

var (
	texts = []string{`""`, `"a"`, `"exactly12byt"`, `"thirteen bytes"`, `"größer"`, `"日本語のとても長い文字列"`, `"with \u0000 in it"`, `"abc"`, `"abcd"`}
	blobs = []string{`""`, `"AA=="`, `"/////////////////////w=="`, `"gICA"`}
)

// TestTypes sends random columns of all types, with NULLs, through DuckDB, as
// slices that begin anywhere.
func TestTypes(t *testing.T) {
	for _, tt := range typeCases {
		for _, nulls := range []int{0, 3} {
			t.Run(fmt.Sprintf("%s/nulls=%d", tt.in, nulls), func(t *testing.T) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer mem.AssertSize(t, 0)
				want := tt.out
				if want == nil {
					want = tt.in
				}
				s, values := randomColumn(t, mem, tt.in, tt.values, nulls)
				defer s.release()
				e, c := open(t, Options{Threads: 1})
				register(t, e, "t", s)
				compareColumn(t, c, want, values)
			})
		}
	}
}

// randomColumn makes a table of a column c in several batches, all of which are
// slices, and gives its values as JSON.
func randomColumn(t *testing.T, mem memory.Allocator, typ arrow.DataType, values []string, nulls int) (*memSource, []string) {
	rng := rand.New(rand.NewPCG(7, uint64(nulls)))
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
	s := &memSource{schema: schema}
	var all []string
	for _, n := range []int{1, 63, 2048, 5000} {
		var text strings.Builder
		var rows []string
		for range n {
			v := "null"
			if len(values) > 0 && (nulls == 0 || rng.IntN(nulls) > 0) {
				v = values[rng.IntN(len(values))]
			}
			rows = append(rows, v)
			fmt.Fprintf(&text, `{"c":%s},`, v)
		}
		b := fromJSON(t, mem, schema, "["+strings.TrimSuffix(text.String(), ",")+"]")
		from := min(rng.IntN(70), n-1)
		s.batches = append(s.batches, b.NewSlice(int64(from), int64(n)))
		b.Release()
		all = append(all, rows[from:]...)
	}
	return s, all
}

func compareColumn(t *testing.T, c *Conn, want arrow.DataType, values []string) {
	t.Helper()
	r, err := c.Query(context.Background(), "SELECT c FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Schema().Field(0).Type; !sameType(got, want) {
		t.Errorf("type %s, want %s", got, want)
	}
	all, err := batch.Collect(r)
	if err != nil {
		t.Fatal(err)
	}
	// The values are written and read by Arrow once more, to get one spelling.
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: want, Nullable: true}}, nil)
	expected := fromJSON(t, memory.DefaultAllocator, schema, `[{"c":`+strings.Join(values, `},{"c":`)+`}]`)
	defer expected.Release()
	i := 0
	for _, b := range all {
		for k := range int(b.NumRows()) {
			if i >= len(values) {
				t.Fatalf("more than %d rows", len(values))
			}
			got, _ := json.Marshal(b.Column(0).GetOneForMarshal(k))
			exp, _ := json.Marshal(expected.Column(0).GetOneForMarshal(i))
			if string(got) != string(exp) {
				t.Fatalf("row %d: %s, want %s", i, got, exp)
			}
			i++
		}
		b.Release()
	}
	if i != len(values) {
		t.Errorf("%d rows, want %d", i, len(values))
	}
}

// sameType compares types without the names of list and map children.
func sameType(a, b arrow.DataType) bool {
	switch a := a.(type) {
	case *arrow.MapType:
		m, ok := b.(*arrow.MapType)
		return ok && sameType(a.KeyType(), m.KeyType()) && sameType(a.ItemType(), m.ItemType())
	case *arrow.ListType:
		l, ok := b.(*arrow.ListType)
		return ok && sameType(a.Elem(), l.Elem())
	case *arrow.StructType:
		s, ok := b.(*arrow.StructType)
		if !ok || s.NumFields() != a.NumFields() {
			return false
		}
		for i, f := range a.Fields() {
			if f.Name != s.Field(i).Name || !sameType(f.Type, s.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return arrow.TypeEqual(a, b)
}

func TestDecimalOverflow(t *testing.T) {
	typ := &arrow.Decimal128Type{Precision: 4, Scale: 0}
	b := array.NewDecimal128Builder(memory.DefaultAllocator, typ)
	b.Append(decimal128.FromI64(99999))
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ}}, nil)
	e, c := open(t, Options{})
	register(t, e, "t", &memSource{schema: schema, batches: []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 1)}})
	if err := c.Exec(context.Background(), "SELECT c FROM t"); err == nil || !strings.Contains(err.Error(), "does not fit into duckdb's DECIMAL(4,0)") {
		t.Errorf("error %v", err)
	}
}

// TestNullStruct: fields of a NULL struct are NULL whatever Arrow keeps there.
func TestNullStruct(t *testing.T) {
	typ := arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "y", Type: arrow.BinaryTypes.String}), Nullable: true})
	full := fromJSON(t, memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil),
		`[{"c":{"x":1,"s":{"y":"a"}}},{"c":{"x":2,"s":{"y":"b"}}},{"c":{"x":3,"s":{"y":"c"}}}]`)
	defer full.Release()
	d := full.Column(0).Data()
	nulled := array.NewData(typ, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101})}, d.Children(), 1, 0)
	column := array.MakeFromData(nulled)
	b := array.NewRecordBatch(full.Schema(), []arrow.Array{column}, 3)
	defer b.Release()
	e, c := open(t, Options{})
	register(t, e, "t", &memSource{schema: full.Schema(), batches: []arrow.RecordBatch{b}})
	if got := rows(t, c, "SELECT string_agg(coalesce(c.x::text, '-') || coalesce(c.s.y, '-') || (c IS NULL)) AS r FROM t")[0]; got != `{"r":"1afalse,--true,3cfalse"}` {
		t.Error(got)
	}
}

func TestWhatDuckDBCannotHold(t *testing.T) {
	tests := []struct {
		typ    arrow.DataType
		values string
		want   string
	}{
		{stamp(arrow.Nanosecond, "UTC"), `"2024-01-02 03:04:05.678901234Z"`, "does not fit into duckdb's TIMESTAMPTZ"},
		{stamp(arrow.Second, "UTC"), `9223372036854775`, "does not fit"},
		{&arrow.Decimal256Type{Precision: 40, Scale: 0}, `"1"`, "no type for arrow decimal256"},
		{arrow.FixedWidthTypes.MonthInterval, `null`, "no type for arrow month_interval"},
	}
	for _, tt := range tests {
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: tt.typ, Nullable: true}}, nil)
		b := fromJSON(t, memory.DefaultAllocator, schema, `[{"c":`+tt.values+`}]`)
		e, c := open(t, Options{})
		err := e.Register(context.Background(), "", "t", &memSource{schema: schema, batches: []arrow.RecordBatch{b}})
		if err == nil {
			err = c.Exec(context.Background(), "SELECT c FROM t")
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `column "c"`) {
			t.Errorf("%s: error %v, want %s", tt.typ, err, tt.want)
		}
		b.Release()
	}
}

func TestInvalidUTF8(t *testing.T) {
	for _, large := range []bool{false, true} {
		var builder array.StringLikeBuilder = array.NewStringBuilder(memory.DefaultAllocator)
		if large {
			builder = array.NewLargeStringBuilder(memory.DefaultAllocator)
		}
		builder.Append("ok")
		builder.Append("ä"[:1]) // two halves of a rune side by side
		builder.Append("ä"[1:] + " and a long rest of it")
		column := builder.NewArray()
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: column.DataType(), Nullable: true}}, nil)
		nulled := array.MakeFromData(array.NewData(column.DataType(), 3, append([]*memory.Buffer{memory.NewBufferBytes([]byte{1})}, column.Data().Buffers()[1:]...), nil, 2, 0))
		e, c := open(t, Options{})
		register(t, e, "bad", &memSource{schema: schema, batches: []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{column}, 3)}})
		register(t, e, "hidden", &memSource{schema: schema, batches: []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{nulled}, 3)}})
		if err := c.Exec(context.Background(), "FROM bad"); err == nil || !strings.Contains(err.Error(), "not valid UTF-8") {
			t.Errorf("error %v", err)
		}
		if got := rows(t, c, "FROM hidden"); strings.Join(got, "") != `{"c":"ok"}{"c":null}{"c":null}` {
			t.Error(got)
		}
	}
}
