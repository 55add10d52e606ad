package scan

import (
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// TestSchemaJSON: each type that a table may have comes back as it was.
func TestSchemaJSON(t *testing.T) {
	meta := arrow.NewMetadata([]string{"b", "a"}, []string{"1", "2"})
	fields := []arrow.Field{
		{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true, Metadata: meta},
		{Name: "ntz", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}}, {Name: "t32", Type: arrow.FixedWidthTypes.Time32ms}, {Name: "t64", Type: arrow.FixedWidthTypes.Time64us},
		{Name: "fixed", Type: &arrow.FixedSizeBinaryType{ByteWidth: 7}}, {Name: "d", Type: &arrow.Decimal128Type{Precision: 38, Scale: 10}}, {Name: "dd", Type: &arrow.Decimal256Type{Precision: 40, Scale: 1}},
		{Name: "list", Type: arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Metadata: meta}), Nullable: true})},
		{Name: "map", Type: arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Int32, Nullable: true, Metadata: meta})},
		{Name: "none", Type: arrow.StructOf()},
	}
	for name, typ := range simpleTypes {
		fields = append(fields, arrow.Field{Name: name, Type: typ})
	}
	s := Schema{arrow.NewSchema(fields, &meta)}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again Schema
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !again.Equal(s.Schema) || again.String() != s.String() {
		t.Errorf("%s\nbecomes\n%s", s, again)
	}
	for i, f := range fields {
		if !arrow.TypeEqual(f.Type, again.Field(i).Type, arrow.CheckMetadata()) {
			t.Errorf("%s becomes %s", f, again.Field(i))
		}
	}
	if _, err := json.Marshal(Schema{arrow.NewSchema([]arrow.Field{{Name: "u", Type: arrow.SparseUnionOf(nil, nil)}}, nil)}); err == nil {
		t.Error("a union is written")
	}
	for _, text := range []string{`{}`, `{"type": "int32"}`, `[]`, `{"type": "struct", "children": [{"type": "list"}]}`, `{"type": "struct", "children": [{"type": "decimal", "precision": 99}]}`, `{"type": "struct", "children": [{"type": "timestamp", "unit": "h"}]}`, `{"type": "struct", "children": [{"type": "fixed_size_binary", "width": -1}]}`} {
		if err := json.Unmarshal([]byte(text), &again); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
