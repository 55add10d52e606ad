package pushdown

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/scalar"
)

// A Kind is the type of a constant, which is that of an SQL literal: numbers
// have no width.
type Kind uint8

// The kinds of constants.
const (
	KindNull Kind = iota
	KindBoolean
	KindInteger
	KindFloat
	KindDecimal
	KindString
	KindBinary
	KindDate
	KindTime
	KindTimestamp   // wall clock
	KindTimestampTZ // instant
	kindInvalid     // a Go value that is no constant; Bind says so
)

var kindNames = [...]string{"NULL", "BOOLEAN", "INTEGER", "DOUBLE", "DECIMAL", "VARCHAR", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "unknown"}

// String is the SQL name of the kind.
func (k Kind) String() string { return kindNames[min(k, kindInvalid)] }

// A Value is a typed constant. The zero Value is NULL.
type Value struct {
	kind   Kind
	unit   arrow.TimeUnit // of Time and Timestamp
	single bool           // a Float of 32 bits
	scale  int32          // of Decimal
	num    int64          // Boolean, Integer, Date (days), Time and Timestamp
	float  float64
	text   string // String, Binary
	big    *big.Int
}

// Kind tells the type of the constant.
func (v Value) Kind() Kind { return v.kind }

// IsNull tells whether the constant is NULL.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Int64 gives the number of a Boolean, Integer, Date, Time or Timestamp.
func (v Value) Int64() int64 { return v.num }

// Float64 gives the number of a Float.
func (v Value) Float64() float64 { return v.float }

// Text gives the bytes of a String or Binary.
func (v Value) Text() string { return v.text }

// Unit gives the unit of a Time or Timestamp.
func (v Value) Unit() arrow.TimeUnit { return v.unit }

// Bool makes a Boolean.
func Bool(b bool) Value {
	v := Value{kind: KindBoolean}
	if b {
		v.num = 1
	}
	return v
}

// Int makes an Integer.
func Int(n int64) Value { return Value{kind: KindInteger, num: n} }

// Uint makes an Integer, or a Decimal where the number has 64 bits.
func Uint(n uint64) Value {
	if n > math.MaxInt64 {
		return Decimal(new(big.Int).SetUint64(n), 0)
	}
	return Int(int64(n))
}

// Float makes a Float of 64 bits.
func Float(f float64) Value { return Value{kind: KindFloat, float: f} }

// Float32 makes a Float of 32 bits.
func Float32(f float32) Value { return Value{kind: KindFloat, float: float64(f), single: true} }

// Decimal makes the Decimal unscaled / 10^scale.
func Decimal(unscaled *big.Int, scale int32) Value {
	if scale < 0 {
		unscaled, scale = new(big.Int).Mul(unscaled, pow10(-scale)), 0
	}
	return Value{kind: KindDecimal, big: unscaled, scale: scale}
}

// String makes a String.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Binary makes a Binary.
func Binary(b []byte) Value { return Value{kind: KindBinary, text: string(b)} }

// Date makes a Date of days since 1970-01-01.
func Date(days int32) Value { return Value{kind: KindDate, num: int64(days)} }

// Time makes a Time of units since midnight.
func Time(n int64, unit arrow.TimeUnit) Value { return Value{kind: KindTime, num: n, unit: unit} }

// Timestamp makes a Timestamp of units since 1970-01-01 00:00 of the wall
// clock.
func Timestamp(n int64, unit arrow.TimeUnit) Value {
	return Value{kind: KindTimestamp, num: n, unit: unit}
}

// TimestampTZ makes a TimestampTZ of units since 1970-01-01 00:00 UTC.
func TimestampTZ(n int64, unit arrow.TimeUnit) Value {
	return Value{kind: KindTimestampTZ, num: n, unit: unit}
}

// ValueOf makes a constant of a Go value or an Arrow scalar. What can't be one
// gives a Value that [Bind] refuses.
func ValueOf(x any) Value {
	switch x := x.(type) {
	case nil:
		return Value{}
	case Value:
		return x
	case bool:
		return Bool(x)
	case int:
		return Int(int64(x))
	case int8:
		return Int(int64(x))
	case int16:
		return Int(int64(x))
	case int32:
		return Int(int64(x))
	case int64:
		return Int(x)
	case uint:
		return Uint(uint64(x))
	case uint8:
		return Int(int64(x))
	case uint16:
		return Int(int64(x))
	case uint32:
		return Int(int64(x))
	case uint64:
		return Uint(x)
	case float32:
		return Float32(x)
	case float64:
		return Float(x)
	case string:
		return String(x)
	case []byte:
		return Binary(x)
	case *big.Int:
		return Decimal(x, 0)
	case time.Time:
		return timeValue(x)
	case arrow.Date32:
		return Date(int32(x))
	case scalar.Scalar:
		return scalarValue(x)
	}
	return Value{kind: kindInvalid, text: fmt.Sprintf("%T", x)}
}

// timeValue takes the finest unit that holds the time.
func timeValue(t time.Time) Value {
	if y := t.Year(); y > 1678 && y < 2262 {
		return TimestampTZ(t.UnixNano(), arrow.Nanosecond)
	}
	return TimestampTZ(t.UnixMicro(), arrow.Microsecond)
}

func scalarValue(s scalar.Scalar) Value {
	if !s.IsValid() {
		return Value{}
	}
	switch s := s.(type) {
	case *scalar.Boolean:
		return Bool(s.Value)
	case *scalar.Int8:
		return Int(int64(s.Value))
	case *scalar.Int16:
		return Int(int64(s.Value))
	case *scalar.Int32:
		return Int(int64(s.Value))
	case *scalar.Int64:
		return Int(s.Value)
	case *scalar.Uint8:
		return Int(int64(s.Value))
	case *scalar.Uint16:
		return Int(int64(s.Value))
	case *scalar.Uint32:
		return Int(int64(s.Value))
	case *scalar.Uint64:
		return Uint(s.Value)
	case *scalar.Float32:
		return Float32(s.Value)
	case *scalar.Float64:
		return Float(s.Value)
	case *scalar.Date32:
		return Date(int32(s.Value))
	case *scalar.Time32:
		return Time(int64(s.Value), s.Type.(*arrow.Time32Type).Unit)
	case *scalar.Time64:
		return Time(int64(s.Value), s.Type.(*arrow.Time64Type).Unit)
	case *scalar.Timestamp:
		t := s.Type.(*arrow.TimestampType)
		if t.TimeZone != "" {
			return TimestampTZ(int64(s.Value), t.Unit)
		}
		return Timestamp(int64(s.Value), t.Unit)
	case *scalar.Decimal128:
		return Decimal(s.Value.BigInt(), s.Type.(*arrow.Decimal128Type).Scale)
	case *scalar.String:
		return String(string(s.Data()))
	case *scalar.LargeString:
		return String(string(s.Data()))
	case scalar.BinaryScalar:
		return Binary(s.Data())
	}
	return Value{kind: kindInvalid, text: s.DataType().String()}
}

// String is the constant as an SQL literal, which [ParseSQL] reads as the same
// constant.
func (v Value) String() string {
	switch v.kind {
	case KindNull:
		return "NULL"
	case KindBoolean:
		return strings.ToUpper(strconv.FormatBool(v.num != 0))
	case KindInteger:
		return strconv.FormatInt(v.num, 10)
	case KindFloat:
		return floatText(v.float, v.single)
	case KindDecimal:
		return decimalText(v.big, v.scale)
	case KindString:
		return quoteText(v.text)
	case KindBinary:
		return "X'" + hex.EncodeToString([]byte(v.text)) + "'"
	case KindDate:
		return "DATE '" + dateText(v.num) + "'"
	case KindTime:
		return "TIME '" + clockText(v.num, v.unit) + "'"
	case KindTimestamp:
		return "TIMESTAMP '" + timestampText(v.num, v.unit) + "'"
	case KindTimestampTZ:
		return "TIMESTAMPTZ '" + timestampText(v.num, v.unit) + "+00'"
	}
	return "<" + v.text + ">"
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// floatText marks a number as DOUBLE by an exponent: without one it would be
// read as DECIMAL.
func floatText(f float64, single bool) string {
	name, bits := "DOUBLE", 64
	if single {
		name, bits = "FLOAT", 32
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return "CAST('" + text + "' AS " + name + ")"
	case single:
		return "CAST(" + text + " AS FLOAT)"
	}
	return text
}

// decimalText gives a point even to whole numbers that would be read as an
// Integer otherwise.
func decimalText(n *big.Int, scale int32) string {
	sign, digits := "", new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		if n.IsInt64() {
			return sign + digits + "."
		}
		return sign + digits
	}
	if pad := int(scale) + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	at := len(digits) - int(scale)
	return sign + digits[:at] + "." + digits[at:]
}

func pow10(n int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
