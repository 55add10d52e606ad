package pushdown

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var handSchema = arrow.NewSchema([]arrow.Field{
	nullable("i", arrow.PrimitiveTypes.Int32), nullable("l", arrow.PrimitiveTypes.Int64), nullable("f", arrow.PrimitiveTypes.Float32), nullable("d", arrow.PrimitiveTypes.Float64),
	nullable("dec", &arrow.Decimal128Type{Precision: 10, Scale: 2}), nullable("s", arrow.BinaryTypes.String), nullable("day", arrow.FixedWidthTypes.Date32),
	nullable("ms", &arrow.TimestampType{Unit: arrow.Millisecond}), nullable("us", arrow.FixedWidthTypes.Timestamp_us), nullable("b", arrow.FixedWidthTypes.Boolean),
	nullable("st", arrow.StructOf(nullable("x", arrow.PrimitiveTypes.Int32))), nullable("list", arrow.ListOf(arrow.PrimitiveTypes.Int32)),
	nullable("bin", arrow.BinaryTypes.Binary),
}, nil)

const handRows = `[
{"i": 1, "l": 9007199254740993, "f": 1.1, "d": -0.0, "dec": "1.10", "s": "abc", "day": "2024-01-05", "ms": "2024-01-05 00:00:00.000", "us": "2024-01-05T00:00:00.000001Z", "b": true, "st": {"x": 5}, "list": [1]},
{"i": 2, "l": -1, "f": 2, "d": "NaN", "dec": "-0.05", "s": "a%c", "day": "2024-01-06", "ms": "2024-01-05 00:00:00.001", "us": "2024-01-04T23:59:59.999999Z", "b": false, "st": {"x": null}, "list": []},
{"i": null, "l": null, "f": null, "d": null, "dec": null, "s": null, "day": null, "ms": null, "us": null, "b": null, "st": null, "list": null},
{"i": -2147483648, "l": 0, "f": "NaN", "d": 1e300, "dec": "99999999.99", "s": "", "day": "1969-12-31", "ms": "1969-12-31 23:59:59.999", "us": "1970-01-01T00:00:00Z", "b": true, "st": {"x": 4}, "list": [null]}
]`

func handBatch(t *testing.T) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, handSchema, strings.NewReader(handRows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFilterByHand(t *testing.T) {
	batch := handBatch(t)
	defer batch.Release()
	for _, c := range []struct {
		where string
		want  []int
	}{
		{"i = 1.5", nil},
		{"i <> 1.5", []int{0, 1, 3}},
		{"i < 1.5", []int{0, 3}},
		{"i > 0.999", []int{0, 1}},
		{"i < 3000000000", []int{0, 1, 3}},
		{"i >= '2'", []int{1}},
		{"i = 1e0", []int{0}},
		{"not (i = 1)", []int{1, 3}},
		{"i is distinct from 1", []int{1, 2, 3}},
		{"not (i is not distinct from null)", []int{0, 1, 3}},
		{"i in (1, null)", []int{0}},
		{"i not in (1, null)", nil},
		{"not (i in (1, null)) or i is null", []int{2}},
		{"i = null or i is not null and null is null", []int{0, 1, 3}},
		{"l = 9007199254740992e0", []int{0}}, // as doubles they are equal
		{"l = 9007199254740992.0", nil},      // as decimals they are not
		{"l > -9223372036854775809", []int{0, 1, 3}},
		{"f = 1.1", []int{0}},
		{"f = 1.1e0", nil}, // as doubles they differ
		{"f > 2", []int{3}},
		{"f >= 'NaN'::float", []int{3}},
		{"d = 0", []int{0}},
		{"d > 1e299", []int{1, 3}}, // NaN is above all
		{"d = 'NaN'::double", []int{1}},
		{"d < 0", nil},
		{"dec = 1.1", []int{0}},
		{"dec = 1.100", []int{0}},
		{"dec < 1.105", []int{0, 1}},
		{"dec <= -0.05e0", []int{1}},
		{"dec > 1e8", nil},
		{"s > 'a%c'", []int{0}},
		{"s like 'a\\%%'", nil},
		{"s like 'a!%%' escape '!'", []int{1}},
		{"s like '%c'", []int{0, 1}},
		{"s not like '_b_'", []int{1, 3}},
		{"s like ''", []int{3}},
		{"s like '%'", []int{0, 1, 3}},
		{"day = '2024-01-05'", []int{0}},
		{"day < timestamp '2024-01-05 10:00:00'", []int{0, 3}},
		{"day > date '1969-12-31'", []int{0, 1}},
		{"ms = '2024-01-05'", []int{0}},
		{"ms > timestamp '2024-01-05 00:00:00.0005'", []int{1}},
		{"ms <= timestamp '2024-01-05 00:00:00.0005'", []int{0, 3}},
		{"ms < timestamp '1970-01-01 00:00:00'", []int{3}},
		{"us < timestamp '2024-01-05 00:00:00'", []int{1, 3}},
		{"us < timestamptz '2024-01-05 08:00:00+08'", []int{1, 3}},
		{"us >= date '2024-01-05'", []int{0}},
		{"b", []int{0, 3}},
		{"not b", []int{1}},
		{"b is not true", []int{1, 2}},
		{"st.x > 4", []int{0}},
		{"st.x is null", []int{1, 2}},
		{"st is null", []int{2}},
		{"ST.X = 4", []int{3}},
		{"list is not null", []int{0, 1, 3}},
		{"true", []int{0, 1, 2, 3}},
		{"false or null", nil},
	} {
		b := mustBind(t, c.where, handSchema)
		got, err := filterRows(b, batch)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v, want %v (%v)", c.where, got, c.want, err)
		}
	}
}

func TestBindZone(t *testing.T) {
	batch := handBatch(t)
	defer batch.Release()
	zone := time.FixedZone("", 8*3600)
	for where, want := range map[string][]int{
		"us < timestamp '2024-01-05 08:00:00'":        {1, 3}, // 00:00 UTC
		"us < timestamp '2024-01-05 07:59:59.999999'": {3},
		"ms = timestamptz '2024-01-04 16:00:00+00'":   {0},
	} {
		p, err := ParseSQL(where)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Bind(p, handSchema, BindOptions{Zone: zone})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := filterRows(b, batch); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: rows %v, want %v (%v)", where, got, want, err)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	for _, c := range []struct{ where, problem string }{
		{"nope = 1", "no column nope; there are i, l"},
		{"st.y = 1", "no column st.y; there are x"},
		{"i.x = 1", "no field x"},
		{"i = 'x'", `"x" is no int32`},
		{"i = true", "can't be compared with BOOLEAN"},
		{"day = 5", "can't be compared with INTEGER"},
		{"day = 'soon'", `"soon" is no date32`},
		{"s = 1", "can't be compared with INTEGER"},
		{"s = date '2024-01-01'", "can't be compared with DATE"},
		{"list = 1", "can't be compared"},
		{"st = 1", "can't be compared"},
		{"i like 'x'", "can't be matched with LIKE"},
		{"s like 'x!' escape '!'", "ends with its escape"},
		{"dec = '1.005'", "is no decimal"},
	} {
		p, err := ParseSQL(c.where)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Bind(p, handSchema, BindOptions{})
		var e *BindError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", c.where, err, c.problem)
		}
	}
	if _, err := Bind(Col("i").Eq(struct{}{}), handSchema, BindOptions{}); err == nil || !strings.Contains(err.Error(), "Go value of type struct {}") {
		t.Errorf("a strange Go value: %v", err)
	}
}

func TestBindSimplifies(t *testing.T) {
	for where, want := range map[string]Answer{
		"i > 3 and i < 2":                    No,
		"i > 3000000000":                     No,
		"i = 1.5":                            No,
		"i is null and i = 1":                No,
		"i < 3000000000 or i is null":        Yes,
		"i = 1 or i <> 1 or i is null":       Yes,
		"i = 1 or i <> 1":                    Unknown,
		"true and (false or true)":           Yes,
		"s like '%' or s is null":            Yes,
		"s >= '' and s < ''":                 No,
		"l = null":                           No,
		"b = true and b = false":             No,
		"b = true or b = false or b is null": Yes,
		"i = 1 and l = 1":                    Unknown,
	} {
		if got := mustBind(t, where, handSchema).Always(); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}

func TestSupportAndColumns(t *testing.T) {
	p := And{Col("i").Gt(1), Opaque{"f(x)"}, Or{Col("l").Eq(1), Opaque{"g"}}, Or{And{Opaque{"h"}, Col("S").Eq("x")}, Col("st", "x").Eq(3)}}
	if _, err := Bind(p, handSchema, BindOptions{}); err == nil {
		t.Error("what is not understood is bound")
	}
	b, err := Bind(p, handSchema, BindOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Support(); !slices.Equal(got, []Support{Exact, Unsupported, Inexact, Inexact}) {
		t.Errorf("support %v", got)
	}
	if got := b.Columns(); !slices.Equal(got, []string{"i", "l", "s", "st"}) {
		t.Errorf("columns %v", got)
	}
	if got := b.Prune(fixedStats{"s": {Min: String("a"), Max: String("b")}, "st.x": {Min: Int(5), Max: Int(7)}}).Answer; got != No {
		t.Errorf("pruning by what is understood: %s", got)
	}
}

func TestPoints(t *testing.T) {
	b := mustBind(t, "s in ('a', 'b') and s <> 'b' and i = 7 and l > 5", handSchema)
	if got, ok := b.Points("s"); !ok || len(got) != 1 || got[0].Text() != "a" {
		t.Errorf("s: %v %v", got, ok)
	}
	if got, ok := b.Points("i"); !ok || len(got) != 1 || got[0].Int64() != 7 {
		t.Errorf("i: %v %v", got, ok)
	}
	if _, ok := b.Points("l"); ok {
		t.Error("l is no list of values")
	}
}
