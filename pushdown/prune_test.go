package pushdown

import (
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/snapshot"
)

func TestPruneByHand(t *testing.T) {
	for _, c := range []struct {
		where string
		stats fixedStats
		want  Answer
	}{
		{"i > 10", fixedStats{"i": {Min: Int(1), Max: Int(10)}}, No},
		{"i >= 10", fixedStats{"i": {Min: Int(1), Max: Int(10)}}, Unknown},
		{"i >= 1", fixedStats{"i": {Min: Int(1), Max: Int(10)}}, Unknown}, // there may be nulls
		{"i >= 1", fixedStats{"i": {Min: Int(1), Max: Int(10), NoNulls: true}}, Yes},
		{"i > 10 or i is null", fixedStats{"i": {Min: Int(1), Max: Int(10)}}, Unknown},
		{"i > 10 or i is null", fixedStats{"i": {Min: Int(1), Max: Int(10), NoNulls: true}}, No},
		{"i is null", fixedStats{"i": {AllNulls: true}}, Yes},
		{"i is not null", fixedStats{"i": {AllNulls: true}}, No},
		{"i = 1", fixedStats{"i": {AllNulls: true}}, No},
		{"i = 1", fixedStats{"i": {AllNulls: true, NoNulls: true}}, Unknown}, // a contradiction
		{"i is null", fixedStats{"i": {AllNulls: true, NoNulls: true}}, Unknown},
		{"i is null", fixedStats{}, Unknown}, // no entry
		{"i = 1 or i = 20", fixedStats{"i": {Min: Int(5), Max: Int(9)}}, No},
		{"i in (1, 20)", fixedStats{"i": {Min: Int(5), Max: Int(9)}}, No},
		{"i in (1, 7)", fixedStats{"i": {Min: Int(5), Max: Int(9)}}, Unknown},
		{"i <> 5", fixedStats{"i": {Min: Int(5), Max: Int(5)}}, No},
		{"i = 3", fixedStats{"i": {Min: Int(9), Max: Int(5)}}, Unknown}, // upside down
		{"i > 5", fixedStats{"i": {Max: Int(5)}}, No},
		{"i < 5", fixedStats{"i": {Max: Int(5)}}, Unknown},
		{"i = 7 or l = 1", fixedStats{"i": {Min: Int(1), Max: Int(2)}}, Unknown},
		{"i = 7 and l = 1", fixedStats{"i": {Min: Int(1), Max: Int(2)}}, No},
		{"i = 7 or l = 1", fixedStats{"i": {Min: Int(1), Max: Int(2)}, "l": {Min: Int(2), Max: Int(3)}}, No},
		{"d > 5", fixedStats{"d": {Min: Float(1), Max: Float(2)}}, Unknown}, // NaN may hide
		{"d > 5", fixedStats{"d": {Min: Float(1), Max: Float(2), NoNaN: true}}, No},
		{"d < 0.5", fixedStats{"d": {Min: Float(1), Max: Float(2)}}, No},
		{"d = 3", fixedStats{"d": {Min: Float(1), Max: Float(2)}}, No},
		{"d < 9", fixedStats{"d": {Min: Float(1), Max: Float(2), NoNulls: true}}, Unknown},
		{"d = 3", fixedStats{"d": {Min: Float(0), Max: Float(0), NoNaN: true}}, Unknown}, // R12
		{"d = 3", fixedStats{"d": {Min: Float(math.Copysign(0, -1)), Max: Float(0), NoNaN: true}}, Unknown},
		{"d = 3", fixedStats{"d": {Min: Float(1), Max: Float(math.NaN())}}, Unknown},
		{"d = 3", fixedStats{"d": {Min: Int(5), Max: Int(6)}}, No}, // an older file with integers
		{"d = 1.1", fixedStats{"d": {Min: Float32(1.1), Max: Float32(1.1), NoNaN: true}}, Unknown},
		{"s = 'b'", fixedStats{"s": {Min: String("c"), Max: String("d")}}, No},
		{"s like 'b%'", fixedStats{"s": {Min: String("c"), Max: String("d")}}, No},
		{"s like 'b%x'", fixedStats{"s": {Min: String("c"), Max: String("d")}}, No},
		{"s like '%b'", fixedStats{"s": {Min: String("c"), Max: String("d")}}, Unknown},
		{"s like 'c%'", fixedStats{"s": {Min: String("c"), Max: String("cz"), NoNulls: true}}, Yes},
		{"s like 'c%z'", fixedStats{"s": {Min: String("c"), Max: String("cz"), NoNulls: true}}, Unknown},
		{"s = '5'", fixedStats{"s": {Min: Int(7), Max: Int(9)}}, Unknown}, // the column became text: another order
		{"dec > 5", fixedStats{"dec": {Min: Decimal(big.NewInt(1), 0), Max: Decimal(big.NewInt(49), 1)}}, No},
		{"dec > 5", fixedStats{"dec": {Min: Int(1), Max: Int(4)}}, No},
		{"dec > 5", fixedStats{"dec": {Min: Float(1), Max: Float(4)}}, Unknown},
		{"day > date '2024-01-01'", fixedStats{"day": {Max: Date(19000)}}, No},
		{"ms > timestamp '2024-01-01 00:00:00'", fixedStats{"ms": {Max: Timestamp(1600000000, arrow.Second)}}, No},
		{"ms > timestamp '2024-01-01 00:00:00'", fixedStats{"ms": {Max: Timestamp(1600000000000000000, arrow.Nanosecond)}}, Unknown},
		{"ms > timestamp '2024-01-01 00:00:00'", fixedStats{"ms": {Max: Timestamp(1800000000000, arrow.Microsecond)}}, Unknown}, // a wrong label: these are millis
		{"st.x > 4", fixedStats{"st.x": {Max: Int(4)}}, No},
		{"b", fixedStats{"b": {Min: Bool(false), Max: Bool(false)}}, No},
		{"not b", fixedStats{"b": {Min: Bool(false), Max: Bool(false), NoNulls: true}}, Yes},
		{"true", fixedStats{}, Yes},
		{"false", fixedStats{}, No},
	} {
		if got := mustBind(t, c.where, handSchema).Prune(c.stats); got.Answer != c.want {
			t.Errorf("%s over %v: %s, want %s", c.where, c.stats, got.Answer, c.want)
		}
	}
}

func TestVerdictTellsWhy(t *testing.T) {
	b := mustBind(t, "i > 1 and s = 'x' and i < 9", handSchema)
	v := b.Prune(fixedStats{"s": {Min: String("a"), Max: String("b")}})
	if v.Conjunct != "s = 'x'" {
		t.Errorf("%+v", v)
	}
	v = b.Prune(fixedStats{"i": {Min: Int(9)}})
	if v.Conjunct != "i > 1 AND i < 9" {
		t.Errorf("%+v", v)
	}
	var c Counters
	c.Count(LevelFiles, "column_stats", v)
	c.Count(LevelFiles, "column_stats", v)
	c.Count(LevelFiles, "column_stats", Verdict{})
	c.Add(LevelRows, "page index", "x", 100, 40)
	text, err := c.MarshalJSON()
	want := `[{"level":"files","seen":3,"pruned":2,"by":[{"condition":"i \u003e 1 AND i \u003c 9","index":"column_stats","count":2}]},` +
		`{"level":"rows","seen":100,"pruned":40,"by":[{"condition":"x","index":"page index","count":40}]}]`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

// TestIndexKnowsNamesOnly: a column may have been dropped and added again.
func TestIndexKnowsNamesOnly(t *testing.T) {
	f := nullable("i", arrow.PrimitiveTypes.Int32)
	f.Metadata = arrow.MetadataFrom(map[string]string{idKey: "7"})
	b := mustBind(t, "i is null", arrow.NewSchema([]arrow.Field{f}, nil))
	row := &snapshot.ColumnStats{
		File: "f.parquet", Column: "i", ValueType: -1, Min: snapshot.StatsValue{Kind: snapshot.ValueInt, I64: 1},
		Max: snapshot.StatsValue{Kind: snapshot.ValueInt, I64: 2}, ValueCount: 3, HasCounts: true,
	}
	if v := b.Prune(FileStats{"i": row}); v.Answer != Unknown {
		t.Errorf("%+v", v)
	}
}

func TestIndexStats(t *testing.T) {
	val := func(k snapshot.ValueKind, n int64) snapshot.StatsValue { return snapshot.StatsValue{Kind: k, I64: n} }
	float := func(f float64) snapshot.StatsValue { return snapshot.StatsValue{Kind: snapshot.ValueDouble, F64: f} }
	text := func(s string) snapshot.StatsValue { return snapshot.StatsValue{Kind: snapshot.ValueString, Str: s} }
	row := func(column string, typ int, low, high snapshot.StatsValue, rows, nulls int64) *snapshot.ColumnStats {
		return &snapshot.ColumnStats{File: "f.parquet", Column: column, ValueType: typ, Min: low, Max: high, ValueCount: rows, NullCount: nulls, HasCounts: true}
	}
	bytes := func(s string) snapshot.StatsValue { return snapshot.StatsValue{Kind: snapshot.ValueBytes, Str: s} }
	none := snapshot.StatsValue{}
	log := row("i", -1, val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0)
	log.File = ".f_1.log.1_0-0-0"
	typed := row("dec", int(valueDecimal), snapshot.StatsValue{Kind: snapshot.ValueBytes, Str: "\x01\x00"}, snapshot.StatsValue{Kind: snapshot.ValueBytes, Str: "\x02\x00"}, 9, 0)
	typed.TypeInfo = "10,2"
	old := func(n int64) snapshot.StatsValue { // n * 10^-15
		return snapshot.StatsValue{Kind: snapshot.ValueDecimal, Str: string(big.NewInt(n).Bytes())}
	}
	for _, c := range []struct {
		name      string
		where     string
		row       *snapshot.ColumnStats
		partition bool
		want      Answer
	}{
		{"numbers", "i > 5", row("i", -1, val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0), false, No},
		{"numbers, typed", "i > 5", row("i", int(valueInt), val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0), false, No},
		{"no nulls", "i is null", row("i", -1, val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0), false, No},
		{"no nulls, so all match", "i < 9", row("i", -1, val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0), false, Yes},
		{"nulls of a log", "i is null", log, false, Unknown},
		{"nulls of a partition", "i is null", row("i", -1, val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 5), 9, 0), true, Unknown},
		{"all nulls", "i = 1", row("i", -1, none, none, 9, 9), false, No},
		{"all nulls of a partition", "i = 1", row("i", -1, none, none, 9, 9), true, Unknown},
		{"all nulls without proof", "i = 1", row("i", -1, none, none, 9, 0), false, Unknown},
		{"deletes only", "i = 1", row("i", -1, none, none, 0, 0), false, Unknown},
		{"all nulls with bounds", "i = 1", row("i", -1, val(snapshot.ValueInt, 5), val(snapshot.ValueInt, 5), 9, 9), false, No},
		{"R12: lost bounds", "d > 5", row("d", -1, float(0), float(0), 3, 0), false, Unknown},
		{"R12: lost bounds in a partition", "d > 5", row("d", -1, float(0), float(3), 3, 0), true, Unknown},
		{"floats", "d > 5", row("d", -1, float(1), float(3), 3, 0), false, No},
		{"NaN", "d > 5", row("d", -1, float(1), float(math.NaN()), 3, 0), false, Unknown},
		{"texts", "s > 'd'", row("s", -1, text("a"), text("c"), 3, 0), false, No},
		// U+FF5E sorts above U+1F600 for Java, below in UTF-8.
		{"texts in Java's order", "s >= '\U0001F600'", row("s", -1, text("a"), text("\uff5e"), 3, 0), false, Unknown},
		{"texts in Java's order, low", "s < '\U0001F600'", row("s", -1, text("\U0001F600"), text("\uff5e"), 3, 0), false, Unknown},
		{"date", "day > date '2024-01-01'", row("day", -1, val(snapshot.ValueDate, 1), val(snapshot.ValueDate, 100), 3, 0), false, No},
		{"date, typed", "day > date '2024-01-01'", row("day", int(valueDate), val(snapshot.ValueInt, 1), val(snapshot.ValueInt, 100), 3, 0), false, No},
		{"micros", "us > timestamp '2024-01-01 00:00:00'", row("us", -1, val(snapshot.ValueTimestamp, 1), val(snapshot.ValueTimestamp, 100), 3, 0), false, No},
		{"micros in a column of millis", "ms > timestamp '2024-01-01 00:00:00'", row("ms", -1, val(snapshot.ValueTimestamp, 1), val(snapshot.ValueTimestamp, 100), 3, 0), false, Unknown},
		{"millis, typed", "ms > timestamp '2024-01-01 00:00:00'", row("ms", int(valueLocalTimestampMillis), val(snapshot.ValueLong, 1), val(snapshot.ValueLong, 100), 3, 0), false, No},
		{"a plain number for a time", "us > timestamp '2024-01-01 00:00:00'", row("us", -1, val(snapshot.ValueLong, 1), val(snapshot.ValueLong, 100), 3, 0), false, Unknown},
		{"decimal, typed", "dec > 5.12", typed, false, No},
		{"decimal, typed, at the bound", "dec >= 5.12", typed, false, Unknown},
		{"decimal in the old wrapper", "dec > 0.02", row("dec", -1, old(1e13), old(2e13), 3, 0), false, No},
		{"decimal that does not fit the column", "dec > 0.02", row("dec", -1, old(1e13), old(2e13+1), 3, 0), false, Unknown},
		// Java compares bytes as signed numbers: of the upper bounds 0xff and 0x7f it takes 0x7f.
		{"binaries", "bin = X'8001'", row("bin", -1, bytes("\x01"), bytes("\x7f"), 3, 0), false, Unknown},
		{"binaries of a partition", "bin > X'80'", row("bin", int(valueBytes), bytes("\x01"), bytes("\x7f"), 3, 0), true, Unknown},
		{"no row", "i = 1", nil, false, Unknown},
	} {
		b := mustBind(t, c.where, handSchema)
		var container Container
		name := b.Fields()[0].Name()
		if c.partition {
			container = PartitionStats{name: c.row}
		} else {
			container = FileStats{name: c.row}
		}
		if got := b.Prune(container).Answer; got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.name, c.where, got, c.want)
		}
	}
}
