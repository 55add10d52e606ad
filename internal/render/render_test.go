package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// column makes a batch of one column from JSON values.
func column(t *testing.T, mem memory.Allocator, typ arrow.DataType, values ...string) arrow.RecordBatch {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
	b, _, err := array.RecordFromJSON(mem, s, strings.NewReader(`[{"c":`+strings.Join(values, `},{"c":`)+`}]`))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write renders batches.
func write(t *testing.T, f Format, o Options, batches ...arrow.RecordBatch) string {
	t.Helper()
	var out bytes.Buffer
	w, err := New(f, &out, batches[0].Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		b.Retain()
	}
	if _, err := Copy(w, batch.FromSlice(batches[0].Schema(), batches)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func ts(u arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: zone}
}

var spellings = []struct {
	typ                arrow.DataType
	value              string // JSON, as Arrow reads it
	wantText, wantJSON string
}{
	{arrow.FixedWidthTypes.Boolean, `true`, `true`, `true`},
	{arrow.PrimitiveTypes.Int8, `-128`, `-128`, `-128`},
	{arrow.PrimitiveTypes.Int64, `9223372036854775807`, `9223372036854775807`, `9223372036854775807`},
	{arrow.PrimitiveTypes.Uint64, `18446744073709551615`, `18446744073709551615`, `18446744073709551615`},
	{arrow.PrimitiveTypes.Float64, `9`, `9.0`, `9.0`},
	{arrow.PrimitiveTypes.Float64, `0.1`, `0.1`, `0.1`},
	{arrow.PrimitiveTypes.Float64, `1e300`, `1e+300`, `1e+300`},
	{arrow.PrimitiveTypes.Float64, `123456789012345680`, `1.2345678901234568e+17`, `1.2345678901234568e+17`},
	{arrow.PrimitiveTypes.Float32, `0.1`, `0.1`, `0.1`},
	{&arrow.Decimal128Type{Precision: 38, Scale: 18}, `"837356920607514730.513557325300000001"`, `837356920607514730.513557325300000001`, `837356920607514730.513557325300000001`},
	{&arrow.Decimal128Type{Precision: 5, Scale: 2}, `"1.50"`, `1.50`, `1.50`},
	{&arrow.Decimal128Type{Precision: 38, Scale: 20}, `"-0.00000000000000000001"`, `-0.00000000000000000001`, `-0.00000000000000000001`},
	{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `"-92233720368547758.08"`, `-92233720368547758.08`, `-92233720368547758.08`},
	{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `"-92233720368547758.07"`, `-92233720368547758.07`, `-92233720368547758.07`},
	{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `"92233720368547758.08"`, `92233720368547758.08`, `92233720368547758.08`},
	{&arrow.Decimal128Type{Precision: 9, Scale: 0}, `"0"`, `0`, `0`},
	{&arrow.Decimal256Type{Precision: 40, Scale: 2}, `"1.50"`, `1.50`, `1.50`},
	{&arrow.Decimal128Type{Precision: 5, Scale: 2}, `"-0.05"`, `-0.05`, `-0.05`},
	{arrow.BinaryTypes.String, `"say \"hi\"\n\u0001 ü\\"`, "say \"hi\"\n\x01 ü\\", `"say \"hi\"\n\u0001 ü\\"`},
	{arrow.BinaryTypes.Binary, `"AAH/"`, `0001ff`, `"0001ff"`},
	{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `"q80="`, `abcd`, `"abcd"`},
	{arrow.FixedWidthTypes.Date32, `"2024-02-29"`, `2024-02-29`, `"2024-02-29"`},
	{arrow.FixedWidthTypes.Date32, `"0001-01-01"`, `0001-01-01`, `"0001-01-01"`},
	{arrow.FixedWidthTypes.Date64, `"1969-12-31"`, `1969-12-31`, `"1969-12-31"`},
	{arrow.FixedWidthTypes.Time32ms, `"23:59:59.5"`, `23:59:59.5`, `"23:59:59.5"`},
	{arrow.FixedWidthTypes.Time64us, `"01:02:03.000001"`, `01:02:03.000001`, `"01:02:03.000001"`},
	{ts(arrow.Second, ""), `"2024-01-02 03:04:05"`, `2024-01-02 03:04:05`, `"2024-01-02T03:04:05"`},
	{ts(arrow.Millisecond, "UTC"), `"2024-01-02 03:04:05.670Z"`, `2024-01-02 03:04:05.67Z`, `"2024-01-02T03:04:05.67Z"`},
	{ts(arrow.Microsecond, "Europe/Berlin"), `"1960-01-01 00:00:00.000001Z"`, `1960-01-01 00:00:00.000001Z`, `"1960-01-01T00:00:00.000001Z"`},
	{ts(arrow.Nanosecond, ""), `"2024-01-02 03:04:05.678901234"`, `2024-01-02 03:04:05.678901234`, `"2024-01-02T03:04:05.678901234"`},
	{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[1,null,3]`, `[1,null,3]`, `[1,null,3]`},
	{arrow.ListOf(arrow.FixedWidthTypes.Date32), `["2024-02-29"]`, `["2024-02-29"]`, `["2024-02-29"]`},
	{arrow.StructOf(arrow.Field{Name: `a"b`, Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Float64, Nullable: true}),
		`{"a\"b":"x","n":null}`, `{"a\"b":"x","n":null}`, `{"a\"b":"x","n":null}`},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[{"key":"k","value":1},{"key":"l","value":null}]`, `{"k":1,"l":null}`, `{"k":1,"l":null}`},
	{arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.ListOf(arrow.BinaryTypes.String)), `[{"key":7,"value":["x"]}]`, `{"7":["x"]}`, `{"7":["x"]}`},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `"d"`, `d`, `"d"`},
}

func TestSpelling(t *testing.T) {
	for _, tt := range spellings {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := column(t, mem, tt.typ, tt.value, `null`)
		got := strings.Split(write(t, JSON, Options{}, b), "\n")
		if want := `{"c":` + tt.wantJSON + `}`; got[0] != want {
			t.Errorf("%s: JSON %s, want %s", tt.typ, got[0], want)
		}
		if got[1] != `{"c":null}` {
			t.Errorf("%s: JSON NULL %s", tt.typ, got[1])
		}
		if !json.Valid([]byte(got[0])) {
			t.Errorf("%s: %s is no JSON", tt.typ, got[0])
		}
		rows, err := csv.NewReader(strings.NewReader(write(t, CSV, Options{}, b))).ReadAll()
		if err != nil || len(rows) != 2 || rows[0][0] != "c" || rows[1][0] != tt.wantText { // the reader skips the line of NULL
			t.Errorf("%s: CSV %q (%v), want %q", tt.typ, rows, err, tt.wantText)
		}
		if v := Value(b.Column(0), 0); v != tt.wantText {
			t.Errorf("%s: value %q, want %q", tt.typ, v, tt.wantText)
		}
		b.Release()
		mem.AssertSize(t, 0)
	}
}

func TestFloatsThatAreNoNumbers(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}, nil)
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Float64}}, nil)
	r := array.NewRecordBatch(s, []arrow.Array{b.NewArray()}, 4)
	if got := write(t, JSON, Options{}, r); got != `{"c":"NaN"}`+"\n"+`{"c":"Infinity"}`+"\n"+`{"c":"-Infinity"}`+"\n"+`{"c":-0.0}`+"\n" {
		t.Error(got)
	}
	if got := write(t, CSV, Options{}, r); got != "c\nNaN\nInfinity\n-Infinity\n-0.0\n" {
		t.Error(got)
	}
}

func TestCSV(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a,b", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(
		`[{"a,b":"x","n":1},{"a,b":"","n":null},{"a,b":null,"n":2},{"a,b":"q\"u,o\r\nte","n":3},{"a,b":" lead","n":4}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := "\"a,b\",n\nx,1\n\"\",\n,2\n\"q\"\"u,o\r\nte\",3\n\" lead\",4\n"
	if got := write(t, CSV, Options{}, b); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := write(t, CSV, Options{}, b.NewSlice(0, 0)); got != "\"a,b\",n\n" {
		t.Errorf("empty: %q", got)
	}
}

func people(t *testing.T) arrow.RecordBatch {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "note", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(
		`[{"name":"絵里","n":7,"note":"line\nbreak\u001b[31m"},{"name":"bob","n":12345,"note":null},{"name":null,"n":null,"note":"a note that is long"}]`))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTable(t *testing.T) {
	tests := []struct {
		width int
		want  string
	}{
		{0, `
 name │     n │ note
──────┼───────┼─────────────────────
 絵里 │     7 │ line\nbreak\x1b[31m
 bob  │ 12345 │ NULL
 NULL │  NULL │ a note that is long
(3 rows)
`},
		{32, `
 name │     n │ note
──────┼───────┼─────────────────
 絵里 │     7 │ line\nbreak\x1…
 bob  │ 12345 │ NULL
 NULL │  NULL │ a note that is…
(3 rows)
`},
		{20, `
─── row 1 ──────────
name │ 絵里
n    │ 7
note │ line\nbreak\x1b[31m
─── row 2 ──────────
name │ bob
n    │ 12345
note │ NULL
─── row 3 ──────────
name │ NULL
n    │ NULL
note │ a note that is long
(3 rows)
`},
	}
	for _, tt := range tests {
		got := "\n" + write(t, Table, Options{Width: tt.width}, people(t))
		if got != tt.want {
			t.Errorf("width %d: got %s\nwant %s", tt.width, got, tt.want)
		}
		for line := range strings.Lines(got) {
			if w := textWidth(strings.TrimSuffix(line, "\n")); tt.width > 20 && w > tt.width {
				t.Errorf("width %d: a line takes %d", tt.width, w)
			}
		}
	}
	if got := write(t, Table, Options{}, people(t).NewSlice(0, 0)); got != " name │ n │ note\n──────┼───┼──────\n(0 rows)\n" {
		t.Error(got)
	}
	if got := write(t, Table, Options{Quiet: true}, people(t).NewSlice(1, 2)); strings.Contains(got, "row)") {
		t.Error(got)
	}
}

func TestTableOfManyRows(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range pageRows + 5 {
		b.Append(int64(i))
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64}}, nil)
	got := write(t, Table, Options{}, array.NewRecordBatch(s, []arrow.Array{b.NewArray()}, pageRows+5))
	if n := strings.Count(got, "\n"); n != pageRows+5+3 || !strings.HasSuffix(got, " 10004\n(10005 rows)\n") {
		t.Errorf("%d lines, ending in %q", n, got[len(got)-30:])
	}
}

func TestList(t *testing.T) {
	var out bytes.Buffer
	if err := List(&out, []Column{{"a", false}, {"b", true}}, [][]string{{"x", "10"}, {"yy", "9"}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := " a  │  b\n────┼────\n x  │ 10\n yy │  9\n(2 rows)\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	if err := Pairs(&out, [][2]string{{"k", "v"}, {"key", "w\tx"}}); err != nil || out.String() != "k    v\nkey  w\\tx\n" {
		t.Errorf("%q %v", out.String(), err)
	}
}

// TestFiles reads back what the formats of files hold.
func TestFiles(t *testing.T) {
	for _, tt := range spellings {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := column(t, mem, tt.typ, tt.value, `null`, tt.value)
		want := write(t, JSON, Options{}, b)
		if got := write(t, JSON, Options{}, readArrow(t, write(t, Arrow, Options{}, b, b.NewSlice(1, 2)))); got != want+`{"c":null}`+"\n" {
			t.Errorf("%s: arrow gives %s", tt.typ, got)
		}
		back := readParquet(t, write(t, Parquet, Options{}, b, b.NewSlice(1, 2)))
		if got := write(t, JSON, Options{}, back); got != want+`{"c":null}`+"\n" {
			t.Errorf("%s: parquet gives %s, want %s", tt.typ, got, want)
		}
		if got := back.Schema().Field(0).Type; !sameInParquet(tt.typ, got) {
			t.Errorf("%s: parquet gives %s", tt.typ, got)
		}
		b.Release()
	}
}

// sameInParquet: no dictionaries, no dates of 64 bits, no seconds, all instants
// in UTC, no large types.
func sameInParquet(in, out arrow.DataType) bool {
	switch t := in.(type) {
	case *arrow.DictionaryType:
		return arrow.TypeEqual(t.ValueType, out)
	case *arrow.TimestampType:
		o, ok := out.(*arrow.TimestampType)
		return ok && (t.TimeZone == "") == (o.TimeZone == "") && (t.Unit == o.Unit || t.Unit == arrow.Second && o.Unit == arrow.Millisecond)
	case *arrow.Date64Type:
		return out.ID() == arrow.DATE32
	case *arrow.ListType, *arrow.MapType, *arrow.StructType:
		return in.ID() == out.ID()
	}
	return arrow.TypeEqual(in, out)
}

func readArrow(t *testing.T, data string) arrow.RecordBatch {
	r, err := ipc.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	return oneBatch(t, array.NewTableFromRecords(r.Schema(), collect(t, r)))
}

func collect(t *testing.T, r *ipc.Reader) []arrow.RecordBatch {
	var all []arrow.RecordBatch
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		all = append(all, b)
	}
	if err := r.Err(); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return all
}

func readParquet(t *testing.T, data string) arrow.RecordBatch {
	f, err := file.NewParquetReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if f.MetaData().KeyValueMetadata().FindValue("ARROW:schema") != nil {
		t.Error("parquet holds an Arrow schema")
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return oneBatch(t, tbl)
}

func oneBatch(t *testing.T, tbl arrow.Table) arrow.RecordBatch {
	columns := make([]arrow.Array, tbl.NumCols())
	for i := range columns {
		var err error
		if columns[i], err = array.Concatenate(tbl.Column(i).Data().Chunks(), memory.DefaultAllocator); err != nil {
			t.Fatal(err)
		}
	}
	return array.NewRecordBatch(tbl.Schema(), columns, tbl.NumRows())
}

func TestEmptyFiles(t *testing.T) {
	b := column(t, memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 38, Scale: 2}, `null`).NewSlice(0, 0)
	if back := readParquet(t, write(t, Parquet, Options{}, b)); back.NumRows() != 0 || !arrow.TypeEqual(back.Schema().Field(0).Type, b.Schema().Field(0).Type) {
		t.Errorf("parquet gives %v", back)
	}
}

func TestWhatParquetCannotHold(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.FixedWidthTypes.MonthDayNanoInterval}}, nil)
	if _, err := New(Parquet, io.Discard, s, Options{}); err == nil || !strings.Contains(err.Error(), `column "c"`) {
		t.Errorf("error %v", err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestFullDisk(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	d := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 30, Scale: 0})
	defer d.Release()
	for i := range 20_000 {
		d.Append(decimal128.FromI64(int64(i)))
	}
	c := d.NewArray()
	defer c.Release()
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.DataType()}}, nil)
	b := array.NewRecordBatch(s, []arrow.Array{c}, int64(c.Len()))
	defer b.Release()
	for _, f := range Formats {
		w, err := New(f, full{}, s, Options{})
		if err == nil {
			b.Retain()
			_, err = Copy(w, batch.FromSlice(s, []arrow.RecordBatch{b}))
		}
		if err == nil || !strings.Contains(err.Error(), "no room") {
			t.Errorf("%s: error %v", f, err)
		}
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := ParseFormat("json", Formats...); f != JSON || err != nil {
		t.Errorf("%s %v", f, err)
	}
	if _, err := ParseFormat("xml", Table, JSON); err == nil || !strings.Contains(err.Error(), "use table, json") {
		t.Errorf("error %v", err)
	}
}
