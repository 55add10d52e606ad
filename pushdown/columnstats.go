package pushdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/snapshot"
)

// A valueType is the logical type of the bounds in a row of column statistics
// (org.apache.hudi.stats.ValueType). Rows of older tables have none.
type valueType int

const (
	valueUntyped valueType = iota - 1
	valueV1
	valueNull
	valueBoolean
	valueInt
	valueLong
	valueFloat
	valueDouble
	valueString
	valueBytes
	valueFixed
	valueDecimal
	valueUUID
	valueDate
	valueTimeMillis
	valueTimeMicros
	valueTimestampMillis
	valueTimestampMicros
	valueTimestampNanos
	valueLocalTimestampMillis
	valueLocalTimestampMicros
	valueLocalTimestampNanos
)

// FileStats are the rows of the metadata table's column_stats for one file, by
// column name, as a container. Columns without a row are unknown.
type FileStats map[string]*snapshot.ColumnStats

// Stats tells what is known about a column.
func (s FileStats) Stats(f *Field) Stats { return IndexStats(s[f.Name()], f, false) }

// PartitionStats are the rows of partition_stats for one partition.
type PartitionStats map[string]*snapshot.ColumnStats

// Stats tells what is known about a column.
func (s PartitionStats) Stats(f *Field) Stats { return IndexStats(s[f.Name()], f, true) }

// IndexStats tells what a row of column_stats, or of partition_stats if
// partition is set, proves about a column of the table; nil for no row.
//
// Distrusted are: rows without bounds, unless they count as many nulls as
// values and at least one (a file of deletes alone has neither); counts of
// nulls in partitions and logs, since files and writes older than the column
// are not counted; bounds of floats in partitions, since files that had lost
// theirs count as 0; bounds of texts as far as Java and UTF-8 order differ;
// bounds of binaries, which Java joins in the order of signed bytes; decimals
// that do not fit the 15 decimals of the old wrapper; timestamps whose unit is in
// doubt; upper bounds that may be the beginnings of longer texts; and all rows in
// tables that know their columns by id, as the index knows names only.
func IndexStats(c *snapshot.ColumnStats, f *Field, partition bool) Stats {
	var s Stats
	if c == nil || f.renamable {
		return s
	}
	low, high := indexBound(c, c.Min, f.domain), indexBound(c, c.Max, f.domain)
	bounded := c.Min.Kind != snapshot.ValueNull || c.Max.Kind != snapshot.ValueNull
	if !partition && c.HasCounts && c.ValueCount > 0 && c.NullCount >= 0 && c.NullCount <= c.ValueCount {
		s.AllNulls = c.NullCount == c.ValueCount && !bounded
		s.NoNulls = c.NullCount == 0 && bounded && !strings.HasPrefix(c.File, ".")
	}
	if f.domain.order == orderFloat && partition || f.domain.order == orderBinary {
		return s
	}
	s.Min, s.Max = low, high
	if f.domain.order == orderText {
		s.Min, s.Max = javaLow(s.Min), javaHigh(s.Max)
	}
	s.Max = untruncated(s.Max)
	// Both ways to get here make NaN a bound where it occurs: footers of
	// Java's writer, whose bounds are lost then, and Java's comparison.
	s.NoNaN = true
	return s
}

// storedValue makes a constant of a bound, by its wrapper.
func storedValue(v snapshot.StatsValue) Value {
	switch v.Kind {
	case snapshot.ValueBool:
		return Bool(v.I64 != 0)
	case snapshot.ValueInt, snapshot.ValueLong:
		return Int(v.I64)
	case snapshot.ValueFloat:
		return Float32(float32(v.F64))
	case snapshot.ValueDouble:
		return Float(v.F64)
	case snapshot.ValueBytes:
		return Binary([]byte(v.Str))
	case snapshot.ValueString:
		return String(v.Str)
	case snapshot.ValueDate, snapshot.ValueLocalDate:
		return Date(int32(v.I64))
	case snapshot.ValueDecimal:
		if v.Str == "" || len(v.Str) > 32 {
			return Value{}
		}
		return Decimal(signedBytes([]byte(v.Str)), wrapperScale)
	case snapshot.ValueTime:
		return Time(v.I64, arrow.Microsecond)
	case snapshot.ValueTimestamp:
		return TimestampTZ(v.I64, arrow.Microsecond)
	}
	return Value{}
}

// wrapperScale is the scale of all decimals in the old wrapper.
const wrapperScale = 15

// indexBound gives a stored bound its logical type.
func indexBound(c *snapshot.ColumnStats, bound snapshot.StatsValue, d domain) Value {
	v := storedValue(bound)
	if v.IsNull() {
		return v
	}
	switch t := valueType(c.ValueType); t {
	case valueUntyped, valueV1:
		return oldBound(v, d)
	case valueNull:
		return Value{}
	case valueDate:
		return renumbered(v, func(n int64) Value { return Date(int32(n)) })
	case valueTimeMillis:
		return renumbered(v, func(n int64) Value { return Time(n, arrow.Millisecond) })
	case valueTimeMicros:
		return renumbered(v, func(n int64) Value { return Time(n, arrow.Microsecond) })
	case valueTimestampMillis, valueTimestampMicros, valueTimestampNanos:
		unit := arrow.Millisecond + arrow.TimeUnit(t-valueTimestampMillis)
		return inUnit(renumbered(v, func(n int64) Value { return TimestampTZ(n, unit) }), d)
	case valueLocalTimestampMillis, valueLocalTimestampMicros, valueLocalTimestampNanos:
		unit := arrow.Millisecond + arrow.TimeUnit(t-valueLocalTimestampMillis)
		return inUnit(renumbered(v, func(n int64) Value { return Timestamp(n, unit) }), d)
	case valueDecimal:
		return typedDecimal(c.TypeInfo, v)
	}
	return v
}

// renumbered gives the number of a bound another type.
func renumbered(v Value, as func(int64) Value) Value {
	switch v.kind {
	case KindInteger, KindDate, KindTime, KindTimestamp, KindTimestampTZ:
		return as(v.num)
	}
	return Value{}
}

// inUnit drops timestamps of a unit that is not the column's: which of the
// labels is wrong can't be told from the index.
func inUnit(v Value, d domain) Value {
	if d.order == orderInstant && perSecond(v.unit) != d.per {
		return Value{}
	}
	return v
}

// typedDecimal reads a decimal whose info is "precision,scale".
func typedDecimal(info string, v Value) Value {
	_, text, ok := strings.Cut(info, ",")
	scale, err := strconv.Atoi(strings.TrimSpace(text))
	if !ok || err != nil || scale < 0 || scale > 76 {
		return Value{}
	}
	switch v.kind {
	case KindBinary:
		if v.text == "" || len(v.text) > 32 {
			return Value{}
		}
		return Decimal(signedBytes([]byte(v.text)), int32(scale))
	case KindDecimal:
		return v
	}
	return Value{}
}

// oldBound checks a bound without a value type, whose wrapper is the type.
func oldBound(v Value, d domain) Value {
	switch d.order {
	case orderDecimal:
		t, ok := d.typ.(*arrow.Decimal128Type)
		if !ok || v.kind != KindDecimal || t.Scale > 15 || t.Precision-t.Scale > 15 {
			return Value{}
		}
		return narrowed(v, t.Scale)
	case orderInstant, orderTime:
		if v.kind == KindInteger {
			return Value{}
		}
		return inUnit(v, d)
	}
	return v
}

// narrowed takes zeros off the end of a decimal, down to a scale.
func narrowed(v Value, scale int32) Value {
	r, ok := v.rational()
	if !ok {
		return Value{}
	}
	n, err := exactNumber(r, sqlType{name: "DECIMAL", scale: scale})
	if err != nil {
		return Value{}
	}
	return n
}

// untruncated makes an upper bound of a text that may have been cut off: one
// whose length is what writers cut at. It bounds all texts that begin with it.
func untruncated(v Value) Value {
	if v.kind != KindString && v.kind != KindBinary || !cutLength(len(v.text)) && !cutLength(utf8.RuneCountInString(v.text)) {
		return v
	}
	end, ok := prefixEnd(v.text)
	if !ok {
		return Value{}
	}
	v.text = end
	return v
}

// cutLength tells a round number.
func cutLength(n int) bool { return n >= 16 && n&(n-1) == 0 }

// javaLow and javaHigh turn bounds in the order of Java strings (UTF-16 units)
// into bounds in the order of UTF-8. The orders differ only where a character
// above U+FFFF meets one from U+E000 to U+FFFF: the bound is cut there.
func javaLow(v Value) Value {
	if v.kind != KindString {
		return v
	}
	for i, r := range v.text {
		if r > 0xffff || r == utf8.RuneError {
			return String(v.text[:i])
		}
	}
	return v
}

func javaHigh(v Value) Value {
	if v.kind != KindString {
		return v
	}
	for i, r := range v.text {
		if r >= 0xe000 && r <= 0xffff {
			end, ok := prefixEnd(v.text[:i])
			if !ok {
				return Value{}
			}
			return String(end)
		}
	}
	return v
}
