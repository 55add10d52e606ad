package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var (
	i32, i64 = arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	f32, f64 = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	utf8     = arrow.BinaryTypes.String
	bin      = arrow.BinaryTypes.Binary
	date     = arrow.FixedWidthTypes.Date32
	tsMillis = arrow.FixedWidthTypes.Timestamp_ms
	tsMicros = arrow.FixedWidthTypes.Timestamp_us
	ntz      = &arrow.TimestampType{Unit: arrow.Microsecond}
)

func dec(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func idField(id int, name string, t arrow.DataType) arrow.Field { return withID(field(name, t), id) }

// adaptJSON reads rows of the file's schema from JSON, adapts them twice (once
// whole, once as a slice that begins inside) and gives the rows back as JSON.
func adaptJSON(t *testing.T, file, target *arrow.Schema, rows string, constants map[string]*string) (string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	a, err := NewAdapter(file, target, AdapterOptions{Allocator: mem, Constants: constants})
	if err != nil {
		return "", err
	}
	fields := []arrow.Field{}
	for _, c := range a.FileColumns() {
		i, _ := Lookup(file, c)
		fields = append(fields, file.Field(i))
	}
	all, _, err := array.RecordFromJSON(mem, file, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	cols := []arrow.Array{}
	for _, f := range fields {
		cols = append(cols, all.Column(all.Schema().FieldIndices(f.Name)[0]))
	}
	b := array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, all.NumRows())
	defer b.Release()
	out, err := a.Adapt(b)
	if err != nil {
		return "", err
	}
	defer out.Release()
	if !out.Schema().Equal(target) {
		t.Errorf("schema %v, want %v", out.Schema(), target)
	}
	for i := range out.NumCols() { // the data must have the type that the schema says, nested names included
		if got := out.Column(int(i)).DataType(); !sameType(got, target.Field(int(i)).Type) {
			t.Errorf("column %d has type %s, want %s", i, got, target.Field(int(i)).Type)
		}
	}
	whole, err := out.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if n := b.NumRows(); n > 1 {
		tail := b.NewSlice(1, n)
		defer tail.Release()
		part, err := a.Adapt(tail)
		if err != nil {
			t.Fatal(err)
		}
		defer part.Release()
		want := out.NewSlice(1, n)
		defer want.Release()
		if !array.RecordEqual(part, want) {
			t.Errorf("a slice adapts to %v, want %v", part, want)
		}
	}
	return string(whole), nil
}

func TestPromotions(t *testing.T) {
	for _, c := range []struct {
		from, to arrow.DataType
		in, want string // JSON value
	}{
		{i32, i64, "-7", "-7"},
		{i32, f32, "7", "7"},
		{i32, f64, "7", "7"},
		{i32, utf8, "-7", `"-7"`},
		{i32, dec(10, 2), "7", `"7"`},
		{i64, f64, "9007199254740993", "9007199254740992"},
		{i64, utf8, "1", `"1"`},
		{i64, tsMicros, "1000000", `"1970-01-01T00:00:01Z"`},
		{i64, ntz, "1000000", `"1970-01-01T00:00:01"`},
		{f32, f64, "1.1", "1.1"},
		{f32, utf8, "1.1", `"1.1"`},
		{f32, utf8, "100", `"100.0"`},
		{f64, utf8, "1e10", `"1.0E10"`},
		{f64, utf8, "0.0001", `"1.0E-4"`},
		{f64, utf8, "-123456.75", `"-123456.75"`},
		{f64, dec(5, 1), "2.25", `"2.3"`},
		{f64, dec(5, 1), "-2.25", `"-2.3"`},
		{f64, dec(2, 1), "123", "null"},
		{date, utf8, `"1969-12-31"`, `"1969-12-31"`},
		{utf8, date, `"2024-02-29"`, `"2024-02-29"`},
		{utf8, dec(6, 3), `"-1.5"`, `"-1.5"`},
		{utf8, dec(6, 3), `"1/3"`, "null"},
		{utf8, bin, `"ab"`, `"YWI="`},
		{bin, utf8, `"YWI="`, `"ab"`},
		{dec(10, 2), dec(12, 4), `"1.25"`, `"1.25"`},
		{dec(10, 2), dec(12, 2), `"1.25"`, `"1.25"`},
		{dec(10, 2), utf8, `"1.50"`, `"1.50"`},
		{tsMillis, tsMicros, `"2024-01-01T00:00:00.005Z"`, `"2024-01-01T00:00:00.005Z"`},
		{tsMicros, tsMillis, `"1970-01-01T00:00:00.000005Z"`, `"1970-01-01T00:00:00.005Z"`}, // the label was wrong, the number is right
		{i32, i32, "3", "3"},
	} {
		got, err := adaptJSON(t, arrow.NewSchema([]arrow.Field{field("c", c.from)}, nil), arrow.NewSchema([]arrow.Field{field("c", c.to)}, nil),
			`[{"c":`+c.in+`},{"c":null},{"c":`+c.in+`}]`, nil)
		if err != nil {
			t.Errorf("%s -> %s: %v", c.from, c.to, err)
			continue
		}
		for i, row := range strings.Split(strings.Trim(got, "[]\n"), "\n,") {
			want := c.want
			if i == 1 {
				want = "null"
			}
			if w := `{"c":` + want + `}`; strings.TrimSpace(row) != w {
				t.Errorf("%s -> %s row %d: %s, want %s", c.from, c.to, i, row, w)
			}
		}
	}
}

func TestNoPromotion(t *testing.T) {
	for _, c := range [][2]arrow.DataType{
		{i64, i32}, {f64, f32}, {utf8, i64}, {utf8, arrow.FixedWidthTypes.Boolean}, {dec(10, 2), dec(10, 1)},
		{arrow.FixedWidthTypes.Boolean, utf8}, {date, tsMicros}, {tsMicros, ntz}, {arrow.ListOf(i32), i32},
		{arrow.StructOf(field("a", i64)), arrow.StructOf(field("a", i32))},
	} {
		_, err := NewAdapter(arrow.NewSchema([]arrow.Field{field("c", c[0])}, nil), arrow.NewSchema([]arrow.Field{field("c", c[1])}, nil), AdapterOptions{})
		var pe *PromotionError
		if !errors.As(err, &pe) || !strings.HasPrefix(pe.Column, "c") {
			t.Errorf("%s -> %s: %v, want a PromotionError", c[0], c[1], err)
		}
	}
}

// TestEvolution: columns renamed, dropped and added again under the same name,
// reordered, added, at the top and inside structs, lists and maps; matched by
// id where both sides have ids.
func TestEvolution(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name         string
		file, target []arrow.Field
		rows, want   string
		constants    map[string]*string
	}{
		{
			name:   "by name: added, dropped, reordered",
			file:   []arrow.Field{field("a", i32), field("gone", utf8), field("b", utf8)},
			target: []arrow.Field{field("b", utf8), field("new", f64), field("a", i64)},
			rows:   `[{"a":1,"gone":"x","b":"y"}]`, want: `[{"a":1,"b":"y","new":null}]`,
		},
		{
			name:   "by id: renamed",
			file:   []arrow.Field{idField(1, "old", i32), idField(2, "b", utf8)},
			target: []arrow.Field{idField(2, "b", utf8), idField(1, "new", i64)},
			rows:   `[{"old":1,"b":"y"}]`, want: `[{"b":"y","new":1}]`,
		},
		{
			name:   "by id: dropped and added again under the same name",
			file:   []arrow.Field{idField(1, "a", i32), idField(2, "b", utf8)},
			target: []arrow.Field{idField(3, "a", utf8), idField(2, "b", utf8)},
			rows:   `[{"a":1,"b":"y"}]`, want: `[{"a":null,"b":"y"}]`,
		},
		{
			name:   "letter case",
			file:   []arrow.Field{field("Amount", i32)},
			target: []arrow.Field{field("amount", i32)},
			rows:   `[{"Amount":1}]`, want: `[{"amount":1}]`,
		},
		{
			name:   "inside a struct",
			file:   []arrow.Field{field("s", arrow.StructOf(idField(4, "a", i32), idField(5, "b", utf8)))},
			target: []arrow.Field{field("s", arrow.StructOf(idField(5, "bb", utf8), idField(6, "c", f64), idField(4, "a", i64)))},
			rows:   `[{"s":{"a":1,"b":"x"}},{"s":null},{"s":{"a":2,"b":null}}]`,
			want:   `[{"s":{"a":1,"bb":"x","c":null}},{"s":null},{"s":{"a":2,"bb":null,"c":null}}]`,
		},
		{
			name:   "inside a list of structs",
			file:   []arrow.Field{field("l", arrow.ListOfField(field("array", arrow.StructOf(field("a", i32)))))},
			target: []arrow.Field{field("l", arrow.ListOf(arrow.StructOf(field("a", i64), field("n", utf8))))},
			rows:   `[{"l":[{"a":1},null]},{"l":[]},{"l":null},{"l":[{"a":3}]}]`,
			want:   `[{"l":[{"a":1,"n":null},null]},{"l":[]},{"l":null},{"l":[{"a":3,"n":null}]}]`,
		},
		{
			name:   "inside a map",
			file:   []arrow.Field{field("m", arrow.MapOf(utf8, arrow.StructOf(field("a", f32))))},
			target: []arrow.Field{field("m", arrow.MapOf(utf8, arrow.StructOf(field("a", f64), field("n", utf8))))},
			rows:   `[{"m":[{"key":"k","value":{"a":1.5}}]},{"m":null},{"m":[]}]`,
			want:   `[{"m":[{"key":"k","value":{"a":1.5,"n":null}}]},{"m":null},{"m":[]}]`,
		},
		{
			name:   "partition columns from the path",
			file:   []arrow.Field{field("a", i32)},
			target: []arrow.Field{field("a", i32), field("hh", utf8), field("d", date), field("n", i64), field("z", utf8)},
			rows:   `[{"a":1},{"a":2}]`, want: `[{"a":1,"d":"2024-01-02","hh":"08","n":12,"z":null},{"a":2,"d":"2024-01-02","hh":"08","n":12,"z":null}]`,
			constants: map[string]*string{"hh": text("08"), "d": text("2024-01-02"), "n": text("12"), "z": nil, "a": text("9")},
		},
		{
			name:   "default of a missing column",
			file:   []arrow.Field{field("a", i32)},
			target: []arrow.Field{{Name: "d", Type: utf8, Metadata: arrow.NewMetadata([]string{defaultKey}, []string{`"none"`})}, field("a", i32)},
			rows:   `[{"a":1}]`, want: `[{"a":1,"d":"none"}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := adaptJSON(t, arrow.NewSchema(c.file, nil), arrow.NewSchema(c.target, nil), c.rows, c.constants)
			if err != nil {
				t.Fatal(err)
			}
			if got = strings.ReplaceAll(strings.ReplaceAll(got, "\n,", ","), "\n", ""); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPathWins: a file that has a dropped partition column has nulls in it.
func TestPathWins(t *testing.T) {
	p := "7"
	s := arrow.NewSchema([]arrow.Field{field("p", i64)}, nil)
	for wins, want := range map[bool]bool{false: false, true: true} {
		a, err := NewAdapter(s, s, AdapterOptions{Constants: map[string]*string{"p": &p}, PathWins: wins})
		if err != nil {
			t.Fatal(err)
		}
		if a.Missing(0) != want {
			t.Errorf("path wins %t: the column is taken from the path: %t", wins, a.Missing(0))
		}
	}
}

func TestConstantOfWrongType(t *testing.T) {
	s := "abc"
	_, err := NewAdapter(arrow.NewSchema(nil, nil), arrow.NewSchema([]arrow.Field{field("n", i64)}, nil),
		AdapterOptions{Constants: map[string]*string{"n": &s}})
	if err == nil || !strings.Contains(err.Error(), `"abc"`) {
		t.Errorf("%v, want an error that shows the text", err)
	}
}
