package parquet

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// Shorthands for schema elements.
func group(name string, rep, children int32) schemaElement {
	return schemaElement{name: name, repetition: rep, children: children, converted: convNone}
}

func annotated(e schemaElement, converted int32) schemaElement {
	e.converted = converted
	return e
}

func leafOf(name string, rep int32, typ Physical) schemaElement {
	return schemaElement{name: name, repetition: rep, typ: typ, isLeaf: true, converted: convNone}
}

func withLogical(e schemaElement, l logicalType) schemaElement {
	e.logical = l
	return e
}

func str(name string, rep int32) schemaElement {
	return annotated(leafOf(name, rep, ByteArray), convUTF8)
}

// TestSchemaShapes checks the Arrow form of the shapes that writers give to
// lists and maps.
func TestSchemaShapes(t *testing.T) {
	i32 := leafOf("element", optional, Int32)
	pair := []schemaElement{str("k", required), leafOf("v", optional, Int64)}
	cases := map[string]struct {
		elements []schemaElement
		want     string
	}{
		"three levels": {[]schemaElement{annotated(group("f", optional, 1), convList), group("list", repeated, 1), i32},
			"list<element: int32, nullable>"},
		"three levels, logical type": {[]schemaElement{withLogical(group("f", optional, 1), logicalType{kind: logicalList}), group("list", repeated, 1), i32},
			"list<element: int32, nullable>"},
		"avro, two levels": {[]schemaElement{annotated(group("f", optional, 1), convList), leafOf("array", repeated, Int32)},
			"list<element: int32>"},
		"avro, struct of one field": {[]schemaElement{annotated(group("f", optional, 1), convList), group("array", repeated, 1), str("s", optional)},
			"list<element: struct<s: utf8 nullable>>"},
		"thrift tuple": {[]schemaElement{annotated(group("f", optional, 1), convList), group("f_tuple", repeated, 1), str("s", optional)},
			"list<element: struct<s: utf8 nullable>>"},
		"struct of two fields": {[]schemaElement{annotated(group("f", optional, 1), convList), group("item", repeated, 2), str("a", optional), str("b", required)},
			"list<element: struct<a: utf8 nullable, b: utf8>>"},
		"hive bag": {[]schemaElement{annotated(group("f", optional, 1), convList), group("bag", repeated, 1), leafOf("array_element", optional, Int32)},
			"list<element: int32, nullable>"},
		"repeated within repeated": {[]schemaElement{annotated(group("f", optional, 1), convList), group("list", repeated, 1), leafOf("x", repeated, Int32)},
			"list<element: struct<x: list<element: int32>>>"},
		"list of lists": {[]schemaElement{annotated(group("f", optional, 1), convList), group("list", repeated, 1),
			annotated(group("element", optional, 1), convList), group("list", repeated, 1), i32},
			"list<element: list<element: int32, nullable>, nullable>"},
		"bare repeated": {[]schemaElement{leafOf("f", repeated, Int32)}, "list<element: int32>"},
		"map": {append([]schemaElement{annotated(group("f", optional, 1), convMap), group("key_value", repeated, 2)}, pair...),
			"map<utf8, int64, items_nullable>"},
		"old map": {append([]schemaElement{annotated(group("f", optional, 1), convMapKeyValue), group("map", repeated, 2)}, pair...),
			"map<utf8, int64, items_nullable>"},
		"set": {[]schemaElement{annotated(group("f", optional, 1), convMap), group("key_value", repeated, 1), str("k", required)},
			"list<element: struct<k: utf8>>"},
	}
	for name, c := range cases {
		nodes, _, err := buildSchema(append([]schemaElement{group("root", required, 1)}, c.elements...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := nodes[0].field.Type.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if nodes[0].field.Name != "f" {
			t.Errorf("%s: named %q", name, nodes[0].field.Name)
		}
	}
}

func TestSchemaTypes(t *testing.T) {
	flba := func(n int32) schemaElement {
		e := leafOf("f", optional, FixedLenByteArray)
		e.length = n
		return e
	}
	decimal := func(e schemaElement, p, s int32) schemaElement {
		e.converted, e.precision, e.scale = convDecimal, p, s
		return e
	}
	leaf := func(p Physical) schemaElement { return leafOf("f", optional, p) }
	times := func(p Physical, kind int16, unit int16, utc bool) schemaElement {
		return withLogical(leaf(p), logicalType{kind: kind, unit: unit, utc: utc})
	}
	cases := []struct {
		e    schemaElement
		want string
	}{
		{leaf(Boolean), "bool"},
		{leaf(Int32), "int32"},
		{annotated(leaf(Int32), convInt8), "int8"},
		{annotated(leaf(Int32), convInt16), "int16"},
		{annotated(leaf(Int32), convUint8), "uint8"},
		{annotated(leaf(Int32), convUint16), "uint16"},
		{annotated(leaf(Int32), convUint32), "uint32"},
		{annotated(leaf(Int64), convUint64), "uint64"},
		{annotated(leaf(Int64), convInt64), "int64"},
		{annotated(leaf(Int32), convDate), "date32"},
		{annotated(leaf(Int32), convTimeMillis), "time32[ms]"},
		{annotated(leaf(Int64), convTimeMicros), "time64[us]"},
		{annotated(leaf(Int64), convTimestampMillis), "timestamp[ms, tz=UTC]"},
		{annotated(leaf(Int64), convTimestampMicros), "timestamp[us, tz=UTC]"},
		{times(Int64, logicalTimestamp, unitMicros, true), "timestamp[us, tz=UTC]"},
		{times(Int64, logicalTimestamp, unitMicros, false), "timestamp[us]"},
		{times(Int64, logicalTimestamp, unitMillis, false), "timestamp[ms]"},
		{times(Int64, logicalTimestamp, unitNanos, true), "timestamp[ns, tz=UTC]"},
		{times(Int64, logicalTime, unitNanos, false), "time64[ns]"},
		{leaf(Int96), "timestamp[us, tz=UTC]"},
		{leaf(Float), "float32"},
		{leaf(Double), "float64"},
		{leaf(ByteArray), "binary"},
		{annotated(leaf(ByteArray), convUTF8), "utf8"},
		{annotated(leaf(ByteArray), convEnum), "utf8"},
		{annotated(leaf(ByteArray), convJSON), "utf8"},
		{annotated(leaf(ByteArray), convBSON), "binary"},
		{flba(5), "fixed_size_binary[5]"},
		{withLogical(flba(16), logicalType{kind: logicalUUID}), "fixed_size_binary[16]"},
		{withLogical(flba(2), logicalType{kind: logicalFloat16}), "float16"},
		{decimal(leaf(Int32), 9, 2), "decimal(9, 2)"},
		{decimal(leaf(Int64), 18, 0), "decimal(18, 0)"},
		{decimal(flba(5), 10, 2), "decimal(10, 2)"},
		{decimal(leaf(ByteArray), 20, 4), "decimal(20, 4)"},
		{decimal(flba(20), 40, 4), "decimal256(40, 4)"},
		{decimal(flba(5), 0, 0), "fixed_size_binary[5]"}, // no such decimal
		{annotated(leaf(Double), convUTF8), "float64"},   // annotation of another type
	}
	for _, c := range cases {
		nodes, _, err := buildSchema([]schemaElement{group("root", required, 1), c.e})
		if err != nil {
			t.Errorf("%+v: %v", c.e, err)
			continue
		}
		if got := nodes[0].field.Type.String(); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.e, got, c.want)
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	deep := []schemaElement{group("root", required, 1)}
	for range 200 {
		deep = append(deep, group("g", optional, 1))
	}
	for name, elements := range map[string][]schemaElement{
		"empty":         nil,
		"missing field": {group("root", required, 2), str("a", optional)},
		"extra element": {group("root", required, 1), str("a", optional), str("b", optional)},
		"empty group":   {group("root", required, 1), group("g", optional, 0)},
		"bad type":      {group("root", required, 1), leafOf("a", optional, 9)},
		"no length":     {group("root", required, 1), leafOf("a", optional, FixedLenByteArray)},
		"too deep":      append(deep, str("a", optional)),
	} {
		if _, _, err := buildSchema(elements); !errors.Is(err, errSchema) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestFieldIDs(t *testing.T) {
	e := str("a", optional)
	e.fieldID, e.hasFieldID = 7, true
	nodes, _, err := buildSchema([]schemaElement{group("root", required, 1), e})
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := nodes[0].field.Metadata.GetValue(FieldIDKey); id != "7" {
		t.Errorf("field id %q", id)
	}
}

func TestRealSchema(t *testing.T) {
	for _, name := range []string{"all_types_list2", "all_types_list3"} {
		s := openBytes(t, realFile(t, name)).Schema()
		null := name == "all_types_list3"
		element := func(t arrow.DataType) arrow.DataType {
			return arrow.ListOfField(arrow.Field{Name: "element", Type: t, Nullable: null})
		}
		want := map[string]arrow.DataType{
			"c_d1":   &arrow.Decimal128Type{Precision: 10, Scale: 2},
			"c_ts":   arrow.FixedWidthTypes.Timestamp_us,
			"c_bin":  arrow.BinaryTypes.Binary,
			"c_arr":  element(arrow.PrimitiveTypes.Int32),
			"c_sarr": element(arrow.BinaryTypes.String),
			"c_map":  arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32),
			"c_astruct": element(arrow.StructOf(arrow.Field{Name: "p", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
				arrow.Field{Name: "q", Type: arrow.BinaryTypes.String, Nullable: true})),
		}
		for column, typ := range want {
			f, _ := s.FieldsByName(column)
			if len(f) != 1 || !arrow.TypeEqual(f[0].Type, typ) {
				t.Errorf("%s: %s is %v, want %v", name, column, f, typ)
			}
		}
	}
}
