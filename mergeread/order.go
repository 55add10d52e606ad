package mergeread

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// An orderKind says how the values of an ordering column compare.
type orderKind uint8

const (
	orderAbsent orderKind = iota // no value in any row
	orderBool
	orderInt8
	orderInt16
	orderInt32 // the one whose 0 is the "no ordering value" of Hudi
	orderDay   // int32 as well, but never that 0
	orderInt64
	orderUint8
	orderUint16
	orderUint32
	orderUint64
	orderFloat32
	orderFloat64
	orderDecimal
	orderBytes
	orderSeq // "file.position" of a MySQL binlog
)

// An orderColumn reads one ordering field of the rows of one source, without
// an interface call per row.
type orderColumn struct {
	kind  orderKind
	valid []bitmap // of the column and the structs around it
	bit   bitmap
	i8    []int8
	i16   []int16
	i32   []int32
	i64   []int64
	u8    []uint8
	u16   []uint16
	u32   []uint32
	u64   []uint64
	f32   []float32
	f64   []float64
	dec   []decimal128.Num
	str   byteColumn
}

// A bitmap is one that starts in the middle of a byte.
type bitmap struct {
	bits []byte
	off  int
}

func (b bitmap) at(i int) bool { return bitutil.BitIsSet(b.bits, b.off+i) }

// validity is the bitmap of an array, false if no row is null.
func validity(arr arrow.Array) (bitmap, bool) {
	if arr.NullN() == 0 || len(arr.NullBitmapBytes()) == 0 {
		return bitmap{}, false
	}
	return bitmap{arr.NullBitmapBytes(), arr.Data().Offset()}, true
}

// A byteColumn reads strings or binary values as bytes.
type byteColumn struct {
	off32 []int32
	off64 []int64
	data  []byte
	width int // of fixed size values
}

func (c *byteColumn) at(i int) []byte {
	switch {
	case c.off32 != nil:
		return c.data[c.off32[i]:c.off32[i+1]]
	case c.off64 != nil:
		return c.data[c.off64[i]:c.off64[i+1]]
	}
	return c.data[i*c.width : (i+1)*c.width]
}

// newByteColumn gives access to an array of strings or binary values.
func newByteColumn(arr arrow.Array) (byteColumn, bool) {
	data := arr.Data()
	var c byteColumn
	switch dt := arr.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		c.off32 = []int32{0}
		if data.Len() > 0 {
			c.off32 = arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
		}
		c.data = bufferBytes(data, 2)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		c.off64 = []int64{0}
		if data.Len() > 0 {
			c.off64 = arrow.Int64Traits.CastFromBytes(data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
		}
		c.data = bufferBytes(data, 2)
	case *arrow.FixedSizeBinaryType:
		c.width = dt.ByteWidth
		c.data = bufferBytes(data, 1)[data.Offset()*c.width:]
	default:
		return c, false
	}
	return c, true
}

func bufferBytes(data arrow.ArrayData, i int) []byte {
	if b := data.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// newOrderColumn follows a dotted path from a top-level column down.
func newOrderColumn(arr arrow.Array, path string, seq bool) (orderColumn, error) {
	var c orderColumn
	for {
		if v, ok := validity(arr); ok {
			c.valid = append(c.valid, v)
		}
		_, rest, nested := strings.Cut(path, ".")
		if !nested {
			break
		}
		s, ok := arr.(*array.Struct)
		if !ok {
			return c, fmt.Errorf("mergeread: ordering field: %s is a %s, not a record", path, arr.DataType())
		}
		i, ok := s.DataType().(*arrow.StructType).FieldIdx(top(rest))
		if !ok {
			return orderColumn{}, nil
		}
		arr, path = s.Field(i), rest
	}
	err := c.bind(arr, seq)
	return c, err
}

func (c *orderColumn) bind(arr arrow.Array, seq bool) error {
	switch a := arr.(type) {
	case *array.Boolean:
		c.kind, c.bit = orderBool, bitmap{bufferBytes(a.Data(), 1), a.Data().Offset()}
	case *array.Int8:
		c.kind, c.i8 = orderInt8, a.Int8Values()
	case *array.Int16:
		c.kind, c.i16 = orderInt16, a.Int16Values()
	case *array.Int32:
		c.kind, c.i32 = orderInt32, a.Int32Values()
	case *array.Date32:
		c.kind, c.i32 = orderDay, arrow.Int32Traits.CastFromBytes(arrow.Date32Traits.CastToBytes(a.Date32Values()))
	case *array.Time32:
		c.kind, c.i32 = orderDay, arrow.Int32Traits.CastFromBytes(arrow.Time32Traits.CastToBytes(a.Time32Values()))
	case *array.Int64:
		c.kind, c.i64 = orderInt64, a.Int64Values()
	case *array.Timestamp:
		c.kind, c.i64 = orderInt64, arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues()))
	case *array.Time64:
		c.kind, c.i64 = orderInt64, arrow.Int64Traits.CastFromBytes(arrow.Time64Traits.CastToBytes(a.Time64Values()))
	case *array.Date64:
		c.kind, c.i64 = orderInt64, arrow.Int64Traits.CastFromBytes(arrow.Date64Traits.CastToBytes(a.Date64Values()))
	case *array.Uint8:
		c.kind, c.u8 = orderUint8, a.Uint8Values()
	case *array.Uint16:
		c.kind, c.u16 = orderUint16, a.Uint16Values()
	case *array.Uint32:
		c.kind, c.u32 = orderUint32, a.Uint32Values()
	case *array.Uint64:
		c.kind, c.u64 = orderUint64, a.Uint64Values()
	case *array.Float32:
		c.kind, c.f32 = orderFloat32, a.Float32Values()
	case *array.Float64:
		c.kind, c.f64 = orderFloat64, a.Float64Values()
	case *array.Decimal128:
		c.kind, c.dec = orderDecimal, a.Values()
	case *array.Null:
		c.kind = orderAbsent
	default:
		str, ok := newByteColumn(arr)
		if !ok {
			return fmt.Errorf("mergeread: ordering by a column of type %s is not supported", arr.DataType())
		}
		c.kind, c.str = orderBytes, str
		if seq {
			c.kind = orderSeq
		}
	}
	return nil
}

// null says that the row has no ordering value.
func (c *orderColumn) null(i int) bool {
	if c.kind == orderAbsent {
		return true
	}
	for _, v := range c.valid {
		if !v.at(i) {
			return true
		}
	}
	return false
}

// int is the value of a kind that fits an int64; a null is 0, Hudi's default.
func (c *orderColumn) int(i int) int64 {
	if c.null(i) {
		return 0
	}
	switch c.kind {
	case orderBool:
		return int64(btoi(c.bit.at(i)))
	case orderInt8:
		return int64(c.i8[i])
	case orderInt16:
		return int64(c.i16[i])
	case orderInt32, orderDay:
		return int64(c.i32[i])
	case orderInt64:
		return c.i64[i]
	case orderUint8:
		return int64(c.u8[i])
	case orderUint16:
		return int64(c.u16[i])
	case orderUint32:
		return int64(c.u32[i])
	}
	return 0
}

func (c *orderColumn) float(i int) float64 {
	switch {
	case c.null(i):
		return 0
	case c.kind == orderFloat32:
		return float64(c.f32[i])
	}
	return c.f64[i]
}

// compareOrder compares two values of one ordering field. A missing value
// compares as 0 among numbers and before everything among strings.
func compareOrder(a *orderColumn, i int, b *orderColumn, j int) int {
	kind := max(a.kind, b.kind) // one of them may be absent
	switch kind {
	case orderAbsent:
		return 0
	case orderUint64:
		return cmp.Compare(a.uint(i), b.uint(j))
	case orderFloat32, orderFloat64:
		return compareFloat(a.float(i), b.float(j))
	case orderDecimal:
		return a.decimal(i).Cmp(b.decimal(j))
	case orderBytes, orderSeq:
		an, bn := a.null(i), b.null(j)
		if an || bn {
			return cmp.Compare(btoi(bn), btoi(an))
		}
		if kind == orderSeq {
			return compareSeq(a.str.at(i), b.str.at(j))
		}
		return bytes.Compare(a.str.at(i), b.str.at(j))
	}
	return cmp.Compare(a.int(i), b.int(j))
}

func (c *orderColumn) uint(i int) uint64 {
	if c.null(i) {
		return 0
	}
	return c.u64[i]
}

func (c *orderColumn) decimal(i int) decimal128.Num {
	if c.null(i) {
		return decimal128.Num{}
	}
	return c.dec[i]
}

// compareFloat orders as Java does: -0 before 0, NaN last.
func compareFloat(a, b float64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return cmp.Compare(floatRank(a), floatRank(b))
}

func floatRank(f float64) int64 {
	switch {
	case f != f:
		return math.MaxInt64
	case f == 0 && math.Signbit(f):
		return -1
	case f == 0:
		return 0
	}
	return 1
}

// compareSeq compares positions in a binlog: "<file number>.<offset>". What
// does not parse comes first.
func compareSeq(a, b []byte) int {
	af, ap := parseSeq(a)
	bf, bp := parseSeq(b)
	return cmp.Or(cmp.Compare(af, bf), cmp.Compare(ap, bp))
}

func parseSeq(b []byte) (file, pos int64) {
	f, p, _ := strings.Cut(string(b), ".")
	file, err := strconv.ParseInt(f, 10, 64)
	if err != nil {
		return -1, -1
	}
	pos, err = strconv.ParseInt(p, 10, 64)
	if err != nil {
		return -1, -1
	}
	return file, pos
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
