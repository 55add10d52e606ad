package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// A conversion says how a physical value becomes an Arrow one.
type conversion uint8

const (
	convCopy    conversion = iota // same bytes, fixed width
	convBits                      // BOOLEAN to a bitmap
	convStrings                   // BYTE_ARRAY to offsets and bytes
	convNarrow1                   // INT32 to 8 bits
	convNarrow2                   // INT32 to 16 bits
	convWiden32                   // INT32 to decimal128
	convWiden64                   // INT64 to decimal128
	convBig                       // big-endian FIXED_LEN_BYTE_ARRAY to decimal
	convBigVar                    // big-endian BYTE_ARRAY to decimal
	convInt96                     // Julian day and nanoseconds to microseconds
)

func newLeaf(e schemaElement, path string) (*leaf, error) {
	l := &leaf{path: path, physical: e.typ, length: int(e.length)}
	if e.typ < Boolean || e.typ > FixedLenByteArray {
		return nil, fmt.Errorf("%w: column %q has %v", errSchema, path, e.typ)
	}
	if e.typ == FixedLenByteArray && (e.length <= 0 || e.length > 1<<20) {
		return nil, fmt.Errorf("%w: column %q has values of %d bytes", errSchema, path, e.length)
	}
	l.typ, l.conv = arrowType(e)
	if f, ok := l.typ.(arrow.FixedWidthDataType); ok && l.conv != convBits {
		l.width = f.BitWidth() / 8
	}
	return l, nil
}

// arrowType gives the Arrow type of a leaf. An annotation that does not fit
// the physical type is passed over.
func arrowType(e schemaElement) (arrow.DataType, conversion) {
	l := logicalOf(e)
	switch e.typ {
	case Boolean:
		return arrow.FixedWidthTypes.Boolean, convBits
	case Int32:
		return int32Type(e, l)
	case Int64:
		return int64Type(l)
	case Int96:
		return arrow.FixedWidthTypes.Timestamp_us, convInt96
	case Float:
		return arrow.PrimitiveTypes.Float32, convCopy
	case Double:
		return arrow.PrimitiveTypes.Float64, convCopy
	case ByteArray:
		switch l.kind {
		case logicalString, logicalEnum, logicalJSON:
			return arrow.BinaryTypes.String, convStrings
		case logicalDecimal:
			if t := decimalType(l); t != nil {
				return t, convBigVar
			}
		}
		return arrow.BinaryTypes.Binary, convStrings
	}
	switch {
	case l.kind == logicalDecimal && e.length <= 32:
		if t := decimalType(l); t != nil {
			return t, convBig
		}
	case l.kind == logicalFloat16 && e.length == 2:
		return arrow.FixedWidthTypes.Float16, convCopy
	}
	return &arrow.FixedSizeBinaryType{ByteWidth: int(e.length)}, convCopy
}

func int32Type(e schemaElement, l logicalType) (arrow.DataType, conversion) {
	switch l.kind {
	case logicalDate:
		return arrow.FixedWidthTypes.Date32, convCopy
	case logicalTime:
		if l.unit == unitMillis {
			return arrow.FixedWidthTypes.Time32ms, convCopy
		}
	case logicalDecimal:
		if t := decimalType(l); t != nil {
			return t, convWiden32
		}
	case logicalInteger:
		switch {
		case l.bits == 8 && l.signed:
			return arrow.PrimitiveTypes.Int8, convNarrow1
		case l.bits == 8:
			return arrow.PrimitiveTypes.Uint8, convNarrow1
		case l.bits == 16 && l.signed:
			return arrow.PrimitiveTypes.Int16, convNarrow2
		case l.bits == 16:
			return arrow.PrimitiveTypes.Uint16, convNarrow2
		case l.bits == 32 && !l.signed:
			return arrow.PrimitiveTypes.Uint32, convCopy
		}
	}
	return arrow.PrimitiveTypes.Int32, convCopy
}

func int64Type(l logicalType) (arrow.DataType, conversion) {
	switch l.kind {
	case logicalTime:
		switch l.unit {
		case unitMicros:
			return arrow.FixedWidthTypes.Time64us, convCopy
		case unitNanos:
			return arrow.FixedWidthTypes.Time64ns, convCopy
		}
	case logicalTimestamp:
		units := map[int16]arrow.TimeUnit{unitMillis: arrow.Millisecond, unitMicros: arrow.Microsecond, unitNanos: arrow.Nanosecond}
		if u, ok := units[l.unit]; ok {
			t := &arrow.TimestampType{Unit: u}
			if l.utc {
				t.TimeZone = "UTC"
			}
			return t, convCopy
		}
	case logicalDecimal:
		if t := decimalType(l); t != nil {
			return t, convWiden64
		}
	case logicalInteger:
		if l.bits == 64 && !l.signed {
			return arrow.PrimitiveTypes.Uint64, convCopy
		}
	}
	return arrow.PrimitiveTypes.Int64, convCopy
}

func decimalType(l logicalType) arrow.DataType {
	switch {
	case l.precision <= 0 || l.scale < 0 || l.scale > l.precision:
		return nil
	case l.precision <= 38:
		return &arrow.Decimal128Type{Precision: l.precision, Scale: l.scale}
	case l.precision <= 76:
		return &arrow.Decimal256Type{Precision: l.precision, Scale: l.scale}
	}
	return nil
}

// logicalOf gives the logical type of an element, from the older converted
// type where there is no newer one.
func logicalOf(e schemaElement) logicalType {
	if e.logical.kind != 0 {
		return e.logical
	}
	integer := func(bits int32, signed bool) logicalType {
		return logicalType{kind: logicalInteger, bits: bits, signed: signed}
	}
	switch e.converted {
	case convUTF8:
		return logicalType{kind: logicalString}
	case convEnum:
		return logicalType{kind: logicalEnum}
	case convJSON:
		return logicalType{kind: logicalJSON}
	case convDecimal:
		return logicalType{kind: logicalDecimal, precision: e.precision, scale: e.scale}
	case convDate:
		return logicalType{kind: logicalDate}
	case convTimeMillis:
		return logicalType{kind: logicalTime, utc: true, unit: unitMillis}
	case convTimeMicros:
		return logicalType{kind: logicalTime, utc: true, unit: unitMicros}
	case convTimestampMillis:
		return logicalType{kind: logicalTimestamp, utc: true, unit: unitMillis}
	case convTimestampMicros:
		return logicalType{kind: logicalTimestamp, utc: true, unit: unitMicros}
	case convUint8, convUint16, convUint32, convUint64:
		return integer(8<<(e.converted-convUint8), false)
	case convInt8, convInt16, convInt32, convInt64:
		return integer(8<<(e.converted-convInt8), true)
	}
	return logicalType{}
}
