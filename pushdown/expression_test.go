package pushdown

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/snapshot"
)

func text(s string) snapshot.StatsValue {
	return snapshot.StatsValue{Kind: snapshot.ValueString, Str: s}
}

func number(n int64) snapshot.StatsValue {
	return snapshot.StatsValue{Kind: snapshot.ValueInt, I64: n}
}

func date(n int64) snapshot.StatsValue { return snapshot.StatsValue{Kind: snapshot.ValueDate, I64: n} }

// TestExpressionIndex asks indexes of functions about conditions on the
// column. The answers are worked out by hand.
func TestExpressionIndex(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "ts", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "wall", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, nil)
	ymd := map[string]string{"format": "yyyy-MM-dd"}
	for _, c := range []struct {
		function, column string
		options          map[string]string
		low, high        snapshot.StatsValue
		nulls            int64
		ask              map[string]Answer
	}{
		// 2021-01-02 is from 1609545600 on; zones differ by 18 hours at most.
		{"from_unixtime", "ts", ymd, text("2021-01-02"), text("2021-01-03"), 0, map[string]Answer{
			"ts = 1609545600": Unknown, "ts = 1609480800": Unknown, "ts = 1609480799": No, "ts = 1609783201": No, "ts = 1609783199": Unknown,
			"ts BETWEEN -3000000000 AND -2500000000": Unknown, // before 1900 the formatters differ
			"ts BETWEEN 1000 AND 2000000":            No,      // 1970
			"ts > 1700000000":                        Unknown, // a number that overflows may read as any date
			"ts BETWEEN 1700000000 AND 1800000000":   No,      // it can't be one of these
			"ts < 1600000000":                        Unknown,
			"ts IS NULL":                             No,
		}},
		{"from_unixtime", "ts", ymd, text("2021-01-02"), text("2021-01-03"), 1, map[string]Answer{"ts BETWEEN 1700000000 AND 1800000000": Unknown}},
		{"from_unixtime", "ts", map[string]string{"format": "dd.MM.yyyy"}, text("01.02.2021"), text("03.02.2021"), 0, map[string]Answer{"ts = 5": Unknown}},
		{"from_unixtime", "ts", map[string]string{"format": "yyyy-M-d"}, text("2021-1-2"), text("2021-1-3"), 0, map[string]Answer{"ts = 5": Unknown}},
		{"from_unixtime", "ts", ymd, text("+10000-01-02"), text("2021-01-03"), 0, map[string]Answer{"ts = 1700000000": Unknown}},
		{"date_format", "at", ymd, text("2021-01-02"), text("2021-01-03"), 5, map[string]Answer{
			"at = TIMESTAMPTZ '2021-01-01 06:00:00+00'": Unknown, "at = TIMESTAMPTZ '2021-01-01 05:59:59+00'": No,
			"at BETWEEN TIMESTAMPTZ '2021-01-04 18:00:02+00' AND TIMESTAMPTZ '2022-01-01 00:00:00+00'": No,
			"at > TIMESTAMPTZ '2022-01-01 00:00:00+00'":                                                Unknown, // the year 20210 of the old formatter
			"at < TIMESTAMPTZ '2020-01-01 00:00:00+00'":                                                Unknown, // 2021 BC is 2021, too
			"at IS NULL": Unknown,
		}},
		{"year", "at", nil, number(2020), number(2021), 5, map[string]Answer{
			"at >= TIMESTAMPTZ '2022-01-01 18:00:02+00'": No, "at >= TIMESTAMPTZ '2022-01-01 17:59:59+00'": Unknown,
			"at < TIMESTAMPTZ '2019-12-31 06:00:00+00'": No, "at <= TIMESTAMPTZ '2019-12-31 06:00:00+00'": Unknown,
			"at IS NULL OR at > TIMESTAMPTZ '2030-01-01 00:00:00+00'": Unknown,
		}},
		{"year", "day", nil, number(2020), number(2021), 0, map[string]Answer{
			"day > DATE '2022-01-02'": No, "day < DATE '2019-12-31'": No, "day = DATE '2020-01-01'": Unknown, "day IS NULL": No,
		}},
		{"to_date", "at", nil, date(18628), date(18629), 0, map[string]Answer{ // 2021-01-01, 02
			"at >= TIMESTAMPTZ '2021-01-03 18:00:02+00'": No, "at < TIMESTAMPTZ '2020-12-31 06:00:00+00'": No, "at = TIMESTAMPTZ '2021-01-01 00:00:00+00'": Unknown,
		}},
		{"to_date", "name", nil, date(18628), date(18629), 0, map[string]Answer{"name = '2030-01-01'": Unknown}},
		{"date_add", "day", map[string]string{"days": "30"}, date(18658), date(18660), 0, map[string]Answer{ // 2021-01-01 to 03, 30 days later
			"day = DATE '2021-01-01'": Unknown, "day = DATE '2020-12-31'": No, "day > DATE '2021-01-03'": No,
		}},
		{"date_sub", "day", map[string]string{"days": "1"}, date(18627), date(18627), 0, map[string]Answer{"day = DATE '2021-01-01'": Unknown, "day = DATE '2021-01-02'": No}},
		{"unix_timestamp", "at", nil, number(1609459200), number(1609459260), 0, map[string]Answer{ // 2021-01-01 00:00 to 00:01
			"at = TIMESTAMPTZ '2020-12-31 23:59:59.999999+00'": No, "at = TIMESTAMPTZ '2021-01-01 00:01:00.5+00'": Unknown, "at > TIMESTAMPTZ '2021-01-01 00:01:02+00'": No,
		}},
		{"unix_timestamp", "wall", nil, number(1609459200), number(1609459260), 0, map[string]Answer{
			"wall = TIMESTAMP '2021-01-01 17:00:00'": Unknown, "wall = TIMESTAMP '2021-01-01 19:00:00'": No,
		}},
		{"hour", "at", nil, number(3), number(4), 0, map[string]Answer{"at = TIMESTAMPTZ '2021-01-01 00:00:00+00'": Unknown}},
		{"lower", "name", nil, text("bob"), text("dora"), 3, map[string]Answer{
			"name = 'CAROL'": Unknown, "name = 'Anna'": No, "name = 'EVE'": No, "name = 'É'": Unknown, "name IN ('Anna', 'Bob')": Unknown,
			"name IN ('Anna', 'Eve')": No, "name > 'EVE'": Unknown, "name IS NULL": Unknown, "name = 'Anna' OR name IS NULL": Unknown,
		}},
		{"upper", "name", nil, text("BOB"), text("DORA"), 0, map[string]Answer{"name = 'carol'": Unknown, "name = 'anna'": No}},
		{"length", "name", nil, number(3), number(4), 0, map[string]Answer{"name = 'abc'": Unknown, "name = 'äöüß'": Unknown, "name = 'ab'": No, "name = 'äöüßx'": No}},
		{"trim", "name", nil, text("b"), text("c"), 0, map[string]Answer{"name = '  b '": Unknown, "name = ' a'": No, "name = '\tb'": No}},
		{"trim", "name", map[string]string{"trimString": "x"}, text("b"), text("c"), 0, map[string]Answer{"name = 'a'": Unknown}},
		{"rtrim", "name", nil, text("b"), text("c"), 0, map[string]Answer{"name = ' b'": No, "name = 'b '": Unknown}},
		{"substring", "name", map[string]string{"pos": "1", "len": "2"}, text("ba"), text("bz"), 0, map[string]Answer{
			"name = 'bzz'": Unknown, "name = 'baa'": Unknown, "name = 'axx'": No, "name >= 'c'": No, "name < 'ba'": No, "name LIKE 'c%'": No, "name LIKE 'bz%'": Unknown, "name > 'bzzz'": Unknown,
		}},
		{"substring", "name", map[string]string{"pos": "2", "len": "1"}, text("m"), text("p"), 0, map[string]Answer{"name = 'xn'": Unknown, "name = 'xa'": No, "name > 'z'": Unknown, "name = 'ña'": Unknown}},
		{"substring", "name", map[string]string{"pos": "-1", "len": "1"}, text("m"), text("p"), 0, map[string]Answer{"name = 'xa'": Unknown}},
		{"identity", "n", nil, number(3), number(4), 7, map[string]Answer{"n = 3": Unknown, "n > 4": No, "n IS NULL": Unknown}},
		{"regexp_extract", "name", map[string]string{"pattern": "a", "idx": "0"}, text("a"), text("a"), 0, map[string]Answer{"name = 'x'": Unknown}},
	} {
		e, ok := NewExpressionIndex(snapshot.IndexDefinition{Name: "i", Type: "column_stats", Function: c.function, Fields: []string{c.column}, Options: c.options})
		for where, want := range c.ask {
			p, err := ParseSQL(where)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Bind(p, schema, BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := Unknown
			if ok {
				stats := &snapshot.ColumnStats{File: "f.parquet", Column: c.column, Min: c.low, Max: c.high, ValueCount: 10, NullCount: c.nulls, HasCounts: true, ValueType: -1}
				got = b.Prune(e.Container(&snapshot.MetadataRecord{Stats: stats})).Answer
			}
			if got == Yes {
				got = Unknown
			}
			if got != want {
				t.Errorf("%s(%s) from %v to %v: %s is %s, want %s", c.function, c.column, c.low, c.high, where, got, want)
			}
		}
	}
}
