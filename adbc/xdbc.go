package adbc

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// An xdbcType is what JDBC and ODBC tell of a type. Facts that a type does not
// have are nil.
type xdbcType struct {
	name          string // in SQL
	code, sqlCode any    // int16; SQL's own code is a class for dates and times
	datetimeSub   any    // int16
	size          any    // int32: digits, bytes, or characters of a text
	digits, radix any    // int16
}

// Codes of types, as in JDBC and ODBC.
const (
	xdbcDecimal   = int16(3)
	xdbcInteger   = int16(4)
	xdbcSmallint  = int16(5)
	xdbcReal      = int16(7)
	xdbcDouble    = int16(8)
	xdbcDatetime  = int16(9)
	xdbcVarchar   = int16(12)
	xdbcDate      = int16(91)
	xdbcTime      = int16(92)
	xdbcTimestamp = int16(93)
	xdbcVarbinary = int16(-3)
	xdbcBigint    = int16(-5)
	xdbcTinyint   = int16(-6)
	xdbcBit       = int16(-7)
)

func xdbcOf(t arrow.DataType) xdbcType {
	x := xdbcType{name: typeName(t)}
	number := func(code int16, size int32, digits, radix int16) {
		x.code, x.sqlCode, x.size, x.digits, x.radix = code, code, size, digits, radix
	}
	moment := func(code int16, sub int16, size int32, digits int16) {
		x.code, x.sqlCode, x.datetimeSub, x.size, x.digits = code, xdbcDatetime, sub, size, digits
	}
	switch t.ID() {
	case arrow.BOOL:
		x.code, x.sqlCode, x.size = xdbcBit, xdbcBit, int32(1)
	case arrow.INT8, arrow.UINT8:
		number(xdbcTinyint, 3, 0, 10)
	case arrow.INT16, arrow.UINT16:
		number(xdbcSmallint, 5, 0, 10)
	case arrow.INT32, arrow.UINT32:
		number(xdbcInteger, 10, 0, 10)
	case arrow.INT64, arrow.UINT64:
		number(xdbcBigint, 19, 0, 10)
	case arrow.FLOAT32:
		x.code, x.sqlCode, x.size, x.radix = xdbcReal, xdbcReal, int32(24), int16(2)
	case arrow.FLOAT64:
		x.code, x.sqlCode, x.size, x.radix = xdbcDouble, xdbcDouble, int32(53), int16(2)
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		x.code, x.sqlCode = xdbcVarchar, xdbcVarchar
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.BINARY_VIEW:
		x.code, x.sqlCode = xdbcVarbinary, xdbcVarbinary
	case arrow.DATE32, arrow.DATE64:
		moment(xdbcDate, 1, 10, 0)
	case arrow.TIME32, arrow.TIME64:
		moment(xdbcTime, 2, 15, 6)
	case arrow.TIMESTAMP:
		moment(xdbcTimestamp, 3, 26, 6)
	}
	if d, ok := t.(arrow.DecimalType); ok {
		number(xdbcDecimal, d.GetPrecision(), int16(d.GetScale()), 10)
	}
	return x
}

// typeName is the name of a type in SQL.
func typeName(t arrow.DataType) string {
	if m, ok := t.(*arrow.MapType); ok {
		return "MAP(" + typeName(m.KeyType()) + ", " + typeName(m.ItemType()) + ")"
	}
	if name, err := sqlType(t); err == nil {
		return name
	}
	return t.String()
}
