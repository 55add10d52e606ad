package pushdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
)

// ValueType is the logical type of the bounds in a row of column statistics
// (org.apache.hudi.stats.ValueType).
type ValueType int32

// The value types. V1 is that of rows without one.
const (
	ValueV1 ValueType = iota
	ValueNull
	ValueBoolean
	ValueInt
	ValueLong
	ValueFloat
	ValueDouble
	ValueString
	ValueBytes
	ValueFixed
	ValueDecimal
	ValueUUID
	ValueDate
	ValueTimeMillis
	ValueTimeMicros
	ValueTimestampMillis
	ValueTimestampMicros
	ValueTimestampNanos
	ValueLocalTimestampMillis
	ValueLocalTimestampMicros
	ValueLocalTimestampNanos
)

// ColumnStats is a row of the metadata table's column_stats or
// partition_stats, as it is stored: statistics of one column in one file or in
// one partition. The reader of the metadata table makes Min and Max of the
// wrapper record by its name:
//
//	BooleanWrapper          Bool
//	IntWrapper, LongWrapper Int
//	FloatWrapper            Float32
//	DoubleWrapper           Float
//	BytesWrapper            Binary
//	StringWrapper           String
//	DateWrapper, LocalDate  Date
//	DecimalWrapper          Decimal(unscaled, 15)
//	TimeMicrosWrapper       Time(n, arrow.Microsecond)
//	TimestampMicrosWrapper  TimestampTZ(n, arrow.Microsecond)
//	none, or any other      Value{}
type ColumnStats struct {
	File      string // bare name of the file; the partition path in partition_stats
	Column    string // dotted for nested columns
	Min, Max  Value
	Values    int64 // rows, nulls included; -1 = not stored
	Nulls     int64 // -1 = not stored
	Type      ValueType
	TypeInfo  string // precision,scale of decimals
	Deleted   bool
	Partition bool // a row of partition_stats
}

// Stats tells what the row proves about a column of the table.
//
// Distrusted are: deleted rows; rows without bounds, unless they count as many
// nulls as values and at least one (a file of deletes alone has neither); counts
// of nulls in partitions, since files older than the column are not counted;
// bounds of floats there, since files that had lost theirs count as 0;
// bounds of texts as far as Java and UTF-8 order differ; decimals that do not
// fit the 15 decimals of the old wrapper; timestamps whose unit is in doubt.
func (c ColumnStats) Stats(f *Field) Stats {
	var s Stats
	if c.Deleted {
		return s
	}
	bounded := !c.Min.IsNull() || !c.Max.IsNull()
	if !c.Partition && c.Values > 0 && c.Nulls >= 0 && c.Nulls <= c.Values {
		s.AllNulls = c.Nulls == c.Values && !bounded
		s.NoNulls = c.Nulls == 0 && bounded
	}
	if f.domain.order == orderFloat && c.Partition {
		return s
	}
	s.Min, s.Max = c.bound(c.Min, f.domain), c.bound(c.Max, f.domain)
	if f.domain.order == orderText {
		s.Min, s.Max = javaLow(s.Min), javaHigh(s.Max)
	}
	// Both ways to get here make NaN a bound where it occurs: footers of
	// Java's writer, whose bounds are lost then, and Java's comparison.
	s.NoNaN = true
	return s
}

// bound gives a stored bound its logical type.
func (c ColumnStats) bound(v Value, d domain) Value {
	switch {
	case v.IsNull():
		return v
	case c.Type == ValueV1:
		return oldBound(v, d)
	}
	switch c.Type {
	case ValueNull:
		return Value{}
	case ValueDate:
		return renumbered(v, func(n int64) Value { return Date(int32(n)) })
	case ValueTimeMillis:
		return renumbered(v, func(n int64) Value { return Time(n, arrow.Millisecond) })
	case ValueTimeMicros:
		return renumbered(v, func(n int64) Value { return Time(n, arrow.Microsecond) })
	case ValueTimestampMillis, ValueTimestampMicros, ValueTimestampNanos:
		unit := arrow.Millisecond + arrow.TimeUnit(c.Type-ValueTimestampMillis)
		return inUnit(renumbered(v, func(n int64) Value { return TimestampTZ(n, unit) }), d)
	case ValueLocalTimestampMillis, ValueLocalTimestampMicros, ValueLocalTimestampNanos:
		unit := arrow.Millisecond + arrow.TimeUnit(c.Type-ValueLocalTimestampMillis)
		return inUnit(renumbered(v, func(n int64) Value { return Timestamp(n, unit) }), d)
	case ValueDecimal:
		return c.decimal(v)
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

func (c ColumnStats) decimal(v Value) Value {
	_, text, ok := strings.Cut(c.TypeInfo, ",")
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

// FileStats are the rows of column statistics of one file, or of one
// partition, as a container: by column name. Columns without a row are
// unknown.
type FileStats map[string]ColumnStats

// Stats tells what is known about a column.
func (s FileStats) Stats(f *Field) Stats {
	c, ok := s[f.Name()]
	if !ok {
		return Stats{}
	}
	return c.Stats(f)
}
