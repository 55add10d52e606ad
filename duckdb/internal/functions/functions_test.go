package functions

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

func TestReference(t *testing.T) {
	tests := []struct {
		text  string
		path  string
		named map[string]string
		maps  map[string]map[string]string
		err   string
	}{
		{text: "/lake/trips", path: "/lake/trips"},
		{text: "///lake/trips?meta=true", path: "/lake/trips", named: map[string]string{"meta": "true"}},
		{text: "s3://b/t?as_of=2024-01-02%2003:04:05", path: "s3://b/t", named: map[string]string{"as_of": "2024-01-02 03:04:05"}},
		{text: "t?hoodie.x=1&storage.region=eu", path: "t", maps: map[string]map[string]string{
			readOptions: {"hoodie.x": "1"}, storageOptions: {"region": "eu"}}},
		{text: "", err: "path is needed"},
		{text: "?meta=true", err: "path is needed"},
		{text: "t?asof=1", err: "asof is none of"},
		{text: "t?as_of=%zz", err: "parameters of"},
	}
	for _, tt := range tests {
		a, err := reference(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if tt.named == nil {
			tt.named = map[string]string{}
		}
		if tt.maps == nil {
			tt.maps = map[string]map[string]string{}
		}
		if err != nil || a.Positional[0] != tt.path || !reflect.DeepEqual(a.Named, tt.named) || !reflect.DeepEqual(a.Maps, tt.maps) {
			t.Errorf("%q: %+v, %v", tt.text, a, err)
		}
	}
}

func TestTypeName(t *testing.T) {
	tests := map[string]arrow.DataType{
		"VARCHAR":                  arrow.BinaryTypes.String,
		"TIMESTAMP WITH TIME ZONE": &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"},
		"TIMESTAMP_MS":             &arrow.TimestampType{Unit: arrow.Millisecond},
		"TIMESTAMP":                &arrow.TimestampType{Unit: arrow.Microsecond},
		"DECIMAL(8,2)":             &arrow.Decimal128Type{Precision: 8, Scale: 2},
		"BLOB":                     &arrow.FixedSizeBinaryType{ByteWidth: 3},
		"BIGINT[][]":               arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64)),
		"MAP(VARCHAR, DATE)":       arrow.MapOf(arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32),
		`STRUCT("a""b" INTEGER)`:   arrow.StructOf(arrow.Field{Name: `a"b`, Type: arrow.PrimitiveTypes.Int32}),
	}
	for want, typ := range tests {
		if got, err := TypeName(typ); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", typ, got, err, want)
		}
	}
	if _, err := TypeName(arrow.ListOf(arrow.FixedWidthTypes.MonthInterval)); err == nil {
		t.Error("a type that DuckDB lacks has a name")
	}
}

// one makes an array of one value.
func one(t arrow.DataType, add func(array.Builder)) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	add(b)
	return b.NewArray()
}

func TestLiteral(t *testing.T) {
	tz := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	dec := &arrow.Decimal128Type{Precision: 10, Scale: 2}
	tests := []struct {
		value arrow.Array
		want  string
		ok    bool
	}{
		{one(arrow.BinaryTypes.String, func(b array.Builder) { b.AppendNull() }), "NULL", true},
		{one(arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("it's") }), "'it''s'", true},
		{one(arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("a\x00") }), "", false},
		{one(arrow.PrimitiveTypes.Int64, func(b array.Builder) { b.(*array.Int64Builder).Append(-1 << 63) }), "'-9223372036854775808'", true},
		{one(arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).Append(-1) }), "'1969-12-31'", true},
		{one(arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).Append(-800_000) }), "", false},
		{one(tz, func(b array.Builder) { b.(*array.TimestampBuilder).Append(-1) }), "'1969-12-31 23:59:59.999999+00'", true},
		{one(dec, func(b array.Builder) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(-5)) }), "'-0.05'", true},
		{one(arrow.PrimitiveTypes.Float64, func(b array.Builder) { b.(*array.Float64Builder).Append(1) }), "", false},
	}
	for _, tt := range tests {
		got, ok := literal(tt.value)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%v: %s, %t; want %s, %t", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func TestUnfit(t *testing.T) {
	base := func(path string) snapshot.FileSlice {
		return snapshot.FileSlice{Base: &snapshot.BaseFile{Path: path, Format: "PARQUET"}}
	}
	logs, boot, orc := base("a"), base("a"), base("a")
	logs.Logs = []snapshot.LogFile{{}}
	boot.Base.Bootstrap = &snapshot.BootstrapFile{}
	orc.Base.Format = "ORC"
	for slice, want := range map[*snapshot.FileSlice]string{
		&logs: "logs", &boot: "bootstrapped", &orc: "no Parquet", {}: "no Parquet",
	} {
		if got := unfit(scan.Task{Slice: *slice}, "/t"); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", slice, got, want)
		}
	}
	for _, path := range []string{"p=a*/f", "p=[1]/f", "p=?/f"} {
		if unfit(scan.Task{Slice: base(path)}, "/t") == "" {
			t.Errorf("%s: DuckDB would take it for a pattern", path)
		}
	}
	if got := unfit(scan.Task{Slice: base("p=x y/f")}, "/t"); got != "" {
		t.Error(got)
	}
	for uri, want := range map[string]string{"/lake/t": "/lake/t", "t": "t", "file:///lake/t": "/lake/t", "s3://b/t": ""} {
		if got := localRoot(uri); got != want {
			t.Errorf("%s: root %q, want %q", uri, got, want)
		}
	}
}

func TestPlansAreBounded(t *testing.T) {
	p := newPlans()
	first := p.keep(list{})
	for range maxPlans {
		p.keep(list{})
	}
	if len(p.all) != maxPlans || len(p.order) != maxPlans {
		t.Errorf("%d plans, %d in order", len(p.all), len(p.order))
	}
	if _, err := p.resolve(t.Context(), tablefunc.Arguments{Positional: []string{first}}); err == nil {
		t.Error("the oldest plan is still there")
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		v    snapshot.StatsValue
		typ  arrow.DataType
		want string
	}{
		{snapshot.StatsValue{}, nil, "<nil>"},
		{snapshot.StatsValue{Kind: snapshot.ValueInt, I64: 19_000}, arrow.FixedWidthTypes.Date32, "2022-01-08"},
		{snapshot.StatsValue{Kind: snapshot.ValueInt, I64: 19_000}, arrow.PrimitiveTypes.Int32, "19000"},
		{snapshot.StatsValue{Kind: snapshot.ValueBytes, Str: "\xff\x38"}, &arrow.Decimal128Type{Precision: 8, Scale: 2}, "-2.00"},
		{snapshot.StatsValue{Kind: snapshot.ValueBytes, Str: "\x01\xa3"}, arrow.BinaryTypes.Binary, "01a3"},
		{snapshot.StatsValue{Kind: snapshot.ValueLong, I64: 1_500}, &arrow.TimestampType{Unit: arrow.Millisecond}, "1970-01-01 00:00:01.5"},
		{snapshot.StatsValue{Kind: snapshot.ValueBool, I64: 1}, arrow.FixedWidthTypes.Boolean, "true"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(typedText(tt.v, tt.typ)); got != tt.want {
			t.Errorf("%+v as %v: %s, want %s", tt.v, tt.typ, got, tt.want)
		}
	}
}
