package render

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A cell appends the text of a row of one array. Cells are made once per batch
// and column, so that types are looked at once, not per value.
type cell func(dst []byte, row int) []byte

// style is how values are spelled.
type style struct {
	json bool // strings and the like in quotes, T in timestamps
}

var (
	plain  = style{}
	inJSON = style{json: true}
)

// cellOf gives the cell for an array whose value at the row is not NULL.
func (s style) cellOf(a arrow.Array) cell {
	switch a := a.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, a.Value(i)) }
	case *array.String:
		return s.text(a.Value)
	case *array.LargeString:
		return s.text(a.Value)
	case *array.StringView:
		return s.text(a.Value)
	case *array.Binary:
		return s.hex(a.Value)
	case *array.LargeBinary:
		return s.hex(a.Value)
	case *array.BinaryView:
		return s.hex(a.Value)
	case *array.FixedSizeBinary:
		return s.hex(a.Value)
	case *array.Dictionary:
		values := s.nullable(a.Dictionary())
		return func(dst []byte, i int) []byte { return values(dst, a.GetValueIndex(i)) }
	case array.ExtensionArray:
		return s.extension(a)
	}
	if c := s.number(a); c != nil {
		return c
	}
	if c := s.temporal(a); c != nil {
		return c
	}
	if c := inJSON.nested(a); c != nil {
		return c
	}
	return s.text(a.ValueStr)
}

// nullable gives a cell that spells NULL as JSON does.
func (s style) nullable(a arrow.Array) cell {
	c := s.cellOf(a)
	if a.DataType().ID() == arrow.NULL {
		return func(dst []byte, _ int) []byte { return append(dst, "null"...) }
	}
	return func(dst []byte, i int) []byte {
		if a.IsNull(i) {
			return append(dst, "null"...)
		}
		return c(dst, i)
	}
}

func (s style) text(value func(int) string) cell {
	if s.json {
		return func(dst []byte, i int) []byte { return appendQuoted(dst, value(i)) }
	}
	return func(dst []byte, i int) []byte { return append(dst, value(i)...) }
}

func (s style) hex(value func(int) []byte) cell {
	return func(dst []byte, i int) []byte { return s.quote(hex.AppendEncode(s.quote(dst), value(i))) }
}

// quote appends a quote where the style has them.
func (s style) quote(dst []byte) []byte {
	if s.json {
		return append(dst, '"')
	}
	return dst
}

// extension spells a UUID or the like as its own type does, any other as it is
// stored.
func (s style) extension(a array.ExtensionArray) cell {
	if a.ExtensionType().ExtensionName() == "arrow.uuid" {
		return s.text(a.(arrow.Array).ValueStr)
	}
	return s.cellOf(a.Storage())
}

func signed[T int8 | int16 | int32 | int64](value func(int) T) cell {
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(value(i)), 10) }
}

func unsigned[T uint8 | uint16 | uint32 | uint64](value func(int) T) cell {
	return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, uint64(value(i)), 10) }
}

// decimals spells all digits of the scale. ValueStr of the arrays does not: it
// goes through floats.
func decimals[T interface{ ToString(scale int32) string }](a arrow.Array, value func(int) T) cell {
	scale := a.DataType().(arrow.DecimalType).GetScale()
	return func(dst []byte, i int) []byte { return append(dst, value(i).ToString(scale)...) }
}

// decimal128s is decimals with a fast path for values of 64 bits.
func decimal128s(a *array.Decimal128) cell {
	scale := int(a.DataType().(arrow.DecimalType).GetScale())
	slow := decimals(a, a.Value)
	if scale < 0 {
		return slow
	}
	return func(dst []byte, i int) []byte {
		v := a.Value(i)
		low := int64(v.LowBits())
		if v.HighBits() != low>>63 || low == math.MinInt64 {
			return slow(dst, i)
		}
		if low < 0 {
			dst, low = append(dst, '-'), -low
		}
		start := len(dst)
		dst = strconv.AppendInt(dst, low, 10)
		if scale == 0 {
			return dst
		}
		for len(dst)-start <= scale {
			dst = slices.Insert(dst, start, '0')
		}
		return slices.Insert(dst, len(dst)-scale, '.')
	}
}

func (s style) number(a arrow.Array) cell {
	switch a := a.(type) {
	case *array.Int8:
		return signed(a.Value)
	case *array.Int16:
		return signed(a.Value)
	case *array.Int32:
		return signed(a.Value)
	case *array.Int64:
		return signed(a.Value)
	case *array.Uint8:
		return unsigned(a.Value)
	case *array.Uint16:
		return unsigned(a.Value)
	case *array.Uint32:
		return unsigned(a.Value)
	case *array.Uint64:
		return unsigned(a.Value)
	case *array.Float16:
		return func(dst []byte, i int) []byte { return s.float(dst, float64(a.Value(i).Float32()), 32) }
	case *array.Float32:
		return func(dst []byte, i int) []byte { return s.float(dst, float64(a.Value(i)), 32) }
	case *array.Float64:
		return func(dst []byte, i int) []byte { return s.float(dst, a.Value(i), 64) }
	case *array.Decimal32:
		return decimals(a, a.Value)
	case *array.Decimal64:
		return decimals(a, a.Value)
	case *array.Decimal128:
		return decimal128s(a)
	case *array.Decimal256:
		return decimals(a, a.Value)
	}
	return nil
}

// float spells a float so that it reads back as the same and as a float.
func (s style) float(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return s.quote(append(s.quote(dst), "NaN"...))
	case math.IsInf(f, 1):
		return s.quote(append(s.quote(dst), "Infinity"...))
	case math.IsInf(f, -1):
		return s.quote(append(s.quote(dst), "-Infinity"...))
	}
	if m := math.Abs(f); m != 0 && (m < 1e-6 || m >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, bits)
	}
	dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
	if f == math.Trunc(f) {
		dst = append(dst, ".0"...)
	}
	return dst
}

func (s style) temporal(a arrow.Array) cell {
	switch a := a.(type) {
	case *array.Date32:
		return func(dst []byte, i int) []byte { return s.quote(appendDate(s.quote(dst), int64(a.Value(i)))) }
	case *array.Date64:
		return func(dst []byte, i int) []byte {
			return s.quote(appendDate(s.quote(dst), floorDiv(int64(a.Value(i)), 86_400_000)))
		}
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return func(dst []byte, i int) []byte {
			return s.quote(appendClock(s.quote(dst), int64(a.Value(i)), unit))
		}
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(dst []byte, i int) []byte {
			return s.quote(appendClock(s.quote(dst), int64(a.Value(i)), unit))
		}
	case *array.Timestamp:
		return s.timestamp(a)
	case *array.MonthDayNanoInterval:
		return func(dst []byte, i int) []byte { return s.quote(appendInterval(s.quote(dst), a.Value(i))) }
	}
	return nil
}

func (s style) timestamp(a *array.Timestamp) cell {
	t := a.DataType().(*arrow.TimestampType)
	separator, zone := byte(' '), ""
	if s.json {
		separator = 'T'
	}
	if t.TimeZone != "" {
		zone = "Z"
	}
	day := perSecond(t.Unit) * 86_400
	return func(dst []byte, i int) []byte {
		v := int64(a.Value(i))
		days := floorDiv(v, day)
		dst = append(appendDate(s.quote(dst), days), separator)
		return s.quote(append(appendClock(dst, v-days*day, t.Unit), zone...))
	}
}

func perSecond(u arrow.TimeUnit) int64 {
	return int64(time.Second) / int64(u.Multiplier())
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendDate spells a day counted from 1970-01-01, by the proleptic Gregorian
// calendar.
func appendDate(dst []byte, days int64) []byte {
	if days < -719_162 || days > 2_932_896 { // outside of the years 1 to 9999
		return append(dst, time.Unix(days*86_400, 0).UTC().Format("2006-01-02")...)
	}
	y, m, d := time.Unix(days*86_400, 0).UTC().Date()
	dst = append(appendPadded(dst, int64(y), 4), '-')
	dst = append(appendPadded(dst, int64(m), 2), '-')
	return appendPadded(dst, int64(d), 2)
}

// appendClock spells a time of day, with as many decimals as it needs.
func appendClock(dst []byte, v int64, u arrow.TimeUnit) []byte {
	per := perSecond(u)
	sec, frac := v/per, v%per
	dst = append(appendPadded(dst, sec/3600, 2), ':')
	dst = append(appendPadded(dst, sec/60%60, 2), ':')
	dst = appendPadded(dst, sec%60, 2)
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for digit := per / 10; frac > 0; digit /= 10 {
		dst = append(dst, byte('0'+frac/digit))
		frac %= digit
		if digit == 1 {
			break
		}
	}
	return dst
}

// appendPadded spells a number with zeros in front, up to four digits in all.
func appendPadded(dst []byte, v int64, width int) []byte {
	for limit := [...]int64{1, 10, 100, 1000}[width-1]; v < limit && limit > 1; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, v, 10)
}
