package avro

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func parseField(t testing.TB, typ string) *Schema {
	t.Helper()
	s, err := Parse(`{"type":"record","name":"r","fields":[{"name":"f","type":` + typ + `}]}`)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestArrowTypes(t *testing.T) {
	element := func(dt arrow.DataType, nullable bool) arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "element", Type: dt, Nullable: nullable})
	}
	for typ, want := range map[string]arrow.DataType{
		`"null"`:                              arrow.Null,
		`["null"]`:                            arrow.Null,
		`"string"`:                            arrow.BinaryTypes.String,
		`{"type":{"type":"string"}}`:          arrow.BinaryTypes.String,
		`{"type":"int","logicalType":"date"}`: arrow.FixedWidthTypes.Date32,
		`{"type":"int","logicalType":"time-millis"}`:                                            arrow.FixedWidthTypes.Time32ms,
		`{"type":"long","logicalType":"time-micros"}`:                                           arrow.FixedWidthTypes.Time64us,
		`{"type":"long","logicalType":"timestamp-millis"}`:                                      arrow.FixedWidthTypes.Timestamp_ms,
		`{"type":"long","logicalType":"timestamp-micros"}`:                                      arrow.FixedWidthTypes.Timestamp_us,
		`{"type":"long","logicalType":"timestamp-nanos"}`:                                       arrow.FixedWidthTypes.Timestamp_ns,
		`{"type":"long","logicalType":"local-timestamp-millis"}`:                                &arrow.TimestampType{Unit: arrow.Millisecond},
		`{"type":"long","logicalType":"local-timestamp-micros"}`:                                &arrow.TimestampType{Unit: arrow.Microsecond},
		`{"type":"long","logicalType":"local-timestamp-nanos"}`:                                 &arrow.TimestampType{Unit: arrow.Nanosecond},
		`{"type":"long","logicalType":"date"}`:                                                  arrow.PrimitiveTypes.Int64, // does not fit: ignored
		`{"type":"string","logicalType":"uuid"}`:                                                arrow.BinaryTypes.String,
		`{"type":"bytes","logicalType":"decimal","precision":10}`:                               &arrow.Decimal128Type{Precision: 10},
		`{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}`:                      arrow.BinaryTypes.Binary,
		`{"type":"bytes","logicalType":"decimal"}`:                                              arrow.BinaryTypes.Binary,
		`{"type":"fixed","name":"x","size":7}`:                                                  &arrow.FixedSizeBinaryType{ByteWidth: 7},
		`{"type":"fixed","name":"x","size":12,"logicalType":"duration"}`:                        &arrow.FixedSizeBinaryType{ByteWidth: 12},
		`{"type":"fixed","name":"x","size":9,"logicalType":"decimal","precision":20,"scale":4}`: &arrow.Decimal128Type{Precision: 20, Scale: 4},
		`{"type":"enum","name":"x","symbols":["A"]}`:                                            arrow.BinaryTypes.String,
		`{"type":"array","items":"int"}`:                                                        element(arrow.PrimitiveTypes.Int32, false),
		`{"type":"array","items":["boolean","null"]}`:                                           element(arrow.FixedWidthTypes.Boolean, true),
		`{"type":"map","values":["null","float"]}`: arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String},
			arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float32, Nullable: true}),
		`{"type":"record","name":"x","fields":[{"name":"a","type":"double"},{"name":"b","type":["null","bytes"]}]}`: arrow.StructOf(
			arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Float64},
			arrow.Field{Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true}),
	} {
		s, err := parseField(t, typ).Arrow()
		if err != nil || !arrow.TypeEqual(s.Field(0).Type, want) {
			t.Errorf("%s: %v, %v; want %v", typ, s, err, want)
			continue
		}
		if nullable := strings.Contains(typ[:min(len(typ), 7)], "null"); s.Field(0).Nullable != nullable {
			t.Errorf("%s: nullable %v", typ, !nullable)
		}
	}
}

func TestArrowMetadata(t *testing.T) {
	s, err := Parse(`{"type":"record","name":"r","fields":[
		{"name":"a","type":["null","int"],"default":null},
		{"name":"b","type":"string","default":"x\"y"},
		{"name":"c","type":["int","null"],"default": 0 },
		{"name":"v","type":["null",{"type":"fixed","name":"v","size":16,"logicalType":"vector","dimension":4}]},
		{"name":"w","type":{"type":"record","name":"w","logicalType":"variant","fields":[{"name":"metadata","type":"bytes"},{"name":"value","type":"bytes"}]}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Arrow()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", `hudi.default="x\"y"`, `hudi.default=0`, `hudi.logicalType=vector`, `hudi.logicalType=variant`} {
		text := ""
		for k, v := range got.Field(i).Metadata.ToMap() {
			text += k + "=" + v
		}
		if text != want {
			t.Errorf("field %s has %s, want %s", got.Field(i).Name, text, want)
		}
	}
}

// Named types are found by full name, in the namespace of where they are used,
// and may be used more than once.
func TestNamespaces(t *testing.T) {
	s, err := Parse(`{"type":"record","name":"r","namespace":"a.b","fields":[
		{"name":"x","type":{"type":"fixed","name":"F","size":1}},
		{"name":"y","type":{"type":"record","name":"c.R","fields":[
			{"name":"own","type":{"type":"fixed","name":"F","size":2}}, {"name":"again","type":"F"}, {"name":"outer","type":"a.b.F"}]}},
		{"name":"z","type":"F"}, {"name":"w","type":["null","c.F"]}, {"name":"ünï-code x","type":"int"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Arrow()
	want := "x: type=fixed_size_binary[1] y: type=struct<own: fixed_size_binary[2], again: fixed_size_binary[2], outer: fixed_size_binary[1]> " +
		"z: type=fixed_size_binary[1] w: type=fixed_size_binary[2], nullable ünï-code x: type=int32"
	var fields []string
	for _, f := range got.Fields() {
		fields = append(fields, f.String())
	}
	if text := strings.Join(fields, " "); err != nil || text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestUnsupportedFields(t *testing.T) {
	for typ, reason := range map[string]string{
		`["null","int","string"]`:                 "several types",
		`["int","long"]`:                          "several types",
		`{"type":"array","items":["int","long"]}`: "several types",
		`{"type":"bytes","logicalType":"decimal","precision":39,"scale":2}`:                    "precision 39",
		`["null",{"type":"record","name":"x","fields":[{"name":"next","type":["null","x"]}]}]`: "contains itself",
	} {
		_, err := parseField(t, typ).Arrow()
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || !strings.HasPrefix(unsupported.Field, "f") || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 2000) + `"int"` + strings.Repeat("}", 2000)
	for _, text := range []string{
		"", "{", "null", "1", `"strang"`, `{"type":"strang"}`, `{"type":"record","fields":[]}`, `{"type":"record","name":"r"}`,
		`{"type":"array"}`, `{"type":"fixed","name":"f"}`, `{"type":"fixed","name":"f","size":-1}`, `[]`, `["null",["int"]]`, `["null","null"]`,
		`{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`,
		`{"type":"record","name":"r","fields":[{"type":"int"}]}`, `{"type":"enum","name":"e"}`, deep,
	} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%.60s: %v", text, s.root)
		}
	}
}

// A short schema whose Arrow form would be endless.
func TestBlownUpSchema(t *testing.T) {
	text := `{"type":"record","name":"t0","fields":[{"name":"a","type":"int"}]}`
	for i := 1; i < 40; i++ {
		prev := "t" + string(rune('0'+(i-1)%10)) + strings.Repeat("_", (i-1)/10)
		name := "t" + string(rune('0'+i%10)) + strings.Repeat("_", i/10)
		text = `{"type":"record","name":"` + name + `","fields":[{"name":"a","type":` + text + `},{"name":"b","type":"` + prev + `"}]}`
	}
	text = `{"type":"record","name":"root","fields":[{"name":"a","type":` + text + `},{"name":"end","type":"int"}]}`
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var unsupported *UnsupportedError
	if _, err := s.Arrow(); !errors.As(err, &unsupported) {
		t.Errorf("error %v", err)
	}
	d, err := NewDecoder(s, []string{"end"}, memory.DefaultAllocator) // stepping over it is fine
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	if err := d.Append(make([]byte, 1000)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"all_types.log"} {
		s, _ := blockOf(f, name)
		f.Add(s.String())
	}
	f.Add(`{"type":"record","name":"r","fields":[{"name":"a","type":["null",{"type":"map","values":"r"}],"default":null}]}`)
	f.Add(`{"type":"fixed","name":"x.y","size":3,"logicalType":"decimal","precision":5,"scale":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		s.Arrow()
		if d, err := NewDecoder(s, nil, nil); err == nil {
			_ = d.Schema()
		}
	})
}
