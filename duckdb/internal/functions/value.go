package functions

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/snapshot"
)

// appendValue appends a Go value to a column: nil and nil pointers are NULL.
func appendValue(b array.Builder, v any) error {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
	case string:
		b.(*array.StringBuilder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case int64:
		b.(*array.Int64Builder).Append(v)
	case time.Time:
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro()))
	case []string:
		l := b.(*array.ListBuilder)
		l.Append(true)
		for _, s := range v {
			l.ValueBuilder().(*array.StringBuilder).Append(s)
		}
	default:
		return fmt.Errorf("no column takes a %T", v)
	}
	return nil
}

// orNull is NULL for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// typedText writes a bound of a column's statistics as SQL shows such a value;
// NULL for none. Newer indexes keep dates, times and decimals as the numbers
// that Avro has for them, which only the column's type makes readable.
func typedText(v snapshot.StatsValue, column arrow.DataType) any {
	whole := v.Kind == snapshot.ValueInt || v.Kind == snapshot.ValueLong
	switch t := column.(type) {
	case *arrow.Date32Type:
		if whole {
			return arrow.Date32(v.I64).FormattedString()
		}
	case *arrow.TimestampType:
		if whole {
			return arrow.Timestamp(v.I64).ToTime(t.Unit).UTC().Format("2006-01-02 15:04:05.999999999")
		}
	case *arrow.Decimal128Type:
		if v.Kind == snapshot.ValueBytes {
			return decimalText(v.Str, int(t.Scale))
		}
	}
	return boundText(v)
}

// indexScale is the scale of all decimals that an index marks as such.
const indexScale = 15

// decimalText writes a decimal of which the unscaled number is given, in two's
// complement.
func decimalText(b string, scale int) string {
	var unscaled big.Int
	unscaled.SetBytes([]byte(b))
	if len(b) > 0 && b[0]&0x80 != 0 {
		unscaled.Sub(&unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(&unscaled, power).FloatString(scale)
}

// boundText writes a bound by what the index says of its type.
func boundText(v snapshot.StatsValue) any {
	switch v.Kind {
	case snapshot.ValueBool:
		return strconv.FormatBool(v.I64 != 0)
	case snapshot.ValueInt, snapshot.ValueLong:
		return strconv.FormatInt(v.I64, 10)
	case snapshot.ValueFloat, snapshot.ValueDouble:
		return strconv.FormatFloat(v.F64, 'g', -1, 64)
	case snapshot.ValueString:
		return v.Str
	case snapshot.ValueBytes:
		return fmt.Sprintf("%x", v.Str)
	case snapshot.ValueDate, snapshot.ValueLocalDate:
		return arrow.Date32(v.I64).FormattedString()
	case snapshot.ValueDecimal:
		return decimalText(v.Str, indexScale)
	case snapshot.ValueTime:
		return time.UnixMicro(v.I64).UTC().Format("15:04:05.999999")
	case snapshot.ValueTimestamp:
		return time.UnixMicro(v.I64).UTC().Format("2006-01-02 15:04:05.999999")
	case snapshot.ValueArray:
		parts := make([]string, len(v.List))
		for i, e := range v.List {
			parts[i] = fmt.Sprint(boundText(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return nil
}
