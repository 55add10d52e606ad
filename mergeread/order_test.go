package mergeread

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestOrderColumns compares values of every type that records can be ordered
// by; each list ascends.
func TestOrderColumns(t *testing.T) {
	for _, test := range []struct {
		dt     arrow.DataType
		seq    bool
		values string
	}{
		{arrow.FixedWidthTypes.Boolean, false, "false true"},
		{arrow.PrimitiveTypes.Int8, false, "-128 -1 1 127"},
		{arrow.PrimitiveTypes.Int16, false, "-300 0 300"},
		{arrow.PrimitiveTypes.Int32, false, "-70000 0 70000"},
		{arrow.PrimitiveTypes.Int64, false, "-9223372036854775808 -1 0 1 9223372036854775807"},
		{arrow.PrimitiveTypes.Uint8, false, "0 200 255"},
		{arrow.PrimitiveTypes.Uint16, false, "0 65535"},
		{arrow.PrimitiveTypes.Uint32, false, "0 4294967295"},
		{arrow.PrimitiveTypes.Uint64, false, "0 18446744073709551615"},
		{arrow.PrimitiveTypes.Float32, false, "-Inf -1 -0 0 1 +Inf NaN"},
		{arrow.PrimitiveTypes.Float64, false, "-Inf -1 -0 0 1 +Inf NaN"},
		{arrow.FixedWidthTypes.Date32, false, "1969-12-31 1970-01-01 2024-02-29"},
		{arrow.FixedWidthTypes.Date64, false, "1969-12-31 2024-02-29"},
		{arrow.FixedWidthTypes.Time32ms, false, "00:00:00.001 23:59:59"},
		{arrow.FixedWidthTypes.Time64us, false, "00:00:00.000001 23:59:59"},
		{arrow.FixedWidthTypes.Timestamp_us, false, "1969-12-31T23:59:59Z 2024-01-01T00:00:00Z"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, false, "-12345678901234567890.12 -0.01 0 0.01 12345678901234567890.12"},
		{arrow.BinaryTypes.String, false, "10 2 Z a é"},
		{arrow.BinaryTypes.LargeString, false, "10 2"},
		{arrow.BinaryTypes.String, true, "nonsense 1.2 1.10 2.1 10.1"},
	} {
		b := array.NewBuilder(memory.DefaultAllocator, test.dt)
		words := strings.Fields(test.values)
		for _, w := range words {
			if err := b.AppendValueFromString(w); err != nil {
				t.Fatalf("%s: %v", test.dt, err)
			}
		}
		c, err := newOrderColumn(b.NewArray(), "x", test.seq)
		if err != nil {
			t.Fatal(err)
		}
		for i := range words {
			for j := range words {
				if got, want := compareOrder(&c, i, &c, j), compareInts(i, j); got != want {
					t.Errorf("%s: %s and %s compare as %d, want %d", test.dt, words[i], words[j], got, want)
				}
			}
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestOrderColumnRefused(t *testing.T) {
	b := array.NewBuilder(memory.DefaultAllocator, arrow.ListOf(arrow.PrimitiveTypes.Int32))
	b.AppendNull()
	arr := b.NewArray()
	for _, path := range []string{"x", "x.y"} {
		if _, err := newOrderColumn(arr, path, false); err == nil {
			t.Errorf("ordering by %s, a list, is accepted", path)
		}
	}
}

// TestNullStructs: a value inside a null struct is null, whatever is stored.
func TestNullStructs(t *testing.T) {
	ints := array.NewInt64Builder(memory.DefaultAllocator)
	ints.AppendValues([]int64{5, 6, 7}, []bool{true, true, false})
	child := ints.NewArray()
	field := arrow.Field{Name: "ts", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	data := array.NewData(arrow.StructOf(field), 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101})}, []arrow.ArrayData{child.Data()}, 1, 0)
	c, err := newOrderColumn(array.NewStructData(data), "meta.ts", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := []bool{c.null(0), c.null(1), c.null(2)}; !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("nulls %v", got)
	}
	if c, err := newOrderColumn(array.NewStructData(data), "meta.gone", false); err != nil || !c.null(0) {
		t.Errorf("a field that the file lacks: null %v, error %v", c.null(0), err)
	}
}

func TestRulesColumns(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "Op", Type: arrow.BinaryTypes.String},
		{Name: "meta", Type: arrow.StructOf(arrow.Field{Name: "ts", Type: arrow.PrimitiveTypes.Int64})},
		{Name: "_hoodie_operation", Type: arrow.BinaryTypes.String},
		{Name: "_hoodie_is_deleted", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "_event_seq", Type: arrow.BinaryTypes.String},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	for _, test := range []struct {
		rules Rules
		want  string
	}{
		{Rules{Ordering: []string{"a"}}, "_hoodie_operation _hoodie_is_deleted"},
		{Rules{Mode: EventTime, Ordering: []string{"meta.ts", "a"}}, "a meta _hoodie_operation _hoodie_is_deleted"},
		{Rules{DeleteField: "Op", DeleteMarker: "D"}, "Op _hoodie_operation _hoodie_is_deleted"},
		{Rules{Mode: Custom, Payload: "org.apache.hudi.common.model.AWSDmsAvroPayload", Ordering: []string{"a"}}, "a Op _hoodie_operation _hoodie_is_deleted"},
		{Rules{Mode: Custom, Payload: mysqlDebezium, Ordering: []string{"a"}}, "_hoodie_operation _hoodie_is_deleted _event_seq"},
		{Rules{Mode: Custom, Strategy: "test-strategy"}, "_hoodie_operation _hoodie_is_deleted n"},
	} {
		if got := strings.Join(test.rules.Columns(schema), " "); got != test.want {
			t.Errorf("%+v: columns %q, want %q", test.rules, got, test.want)
		}
	}
	text := arrow.NewSchema([]arrow.Field{{Name: "_hoodie_is_deleted", Type: arrow.BinaryTypes.String}}, nil)
	if got := (Rules{}).Columns(text); len(got) > 0 {
		t.Errorf("a _hoodie_is_deleted that is no bool is asked for: %v", got)
	}
}
