package avro

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// A layout is how a column keeps its values.
type layout uint8

const (
	layoutNull layout = iota
	layoutBits
	layout32
	layout64
	layoutDecimal
	layoutFixed  // width bytes a value
	layoutBytes  // offsets and bytes
	layoutList   // offsets and one child; maps have a struct as child
	layoutStruct // children as long as the column
)

// A column gathers the values of one Arrow field. Its buffers grow by doubling
// and are handed over whole when the batch is made.
//
// data, u32, u64, decimals, offsets and valid are views of the buffers at their full
// capacity, whose contents beyond the values are arbitrary. The validity bits
// exist from the first null on.
type column struct {
	mem    memory.Allocator
	typ    arrow.DataType
	layout layout
	width  int // of a value, where all have the same
	text   bool

	n     int // values
	room  int // values that the buffers can take, but for the bytes of strings
	nulls int
	used  int // layoutBytes: bytes in data

	// How much the batch will have, as far as that is known.
	likelyRows, likelyUsed int

	values, validity, ends *memory.Buffer
	data                   []byte
	u32                    []uint32
	u64                    []uint64
	decimals               []decimal128.Num
	valid                  []byte
	offsets                []int32

	children []*column
}

// newColumn makes the column, and its children, of a type made by
// [Schema.Arrow].
func newColumn(mem memory.Allocator, dt arrow.DataType) *column {
	c := &column{mem: mem, typ: dt}
	switch dt := dt.(type) {
	case *arrow.NullType:
	case *arrow.BooleanType:
		c.layout = layoutBits
	case *arrow.StringType, *arrow.BinaryType:
		c.layout = layoutBytes
		c.text = dt.ID() == arrow.STRING
	case *arrow.MapType:
		c.layout = layoutList
		c.children = []*column{newColumn(mem, dt.Elem())}
	case *arrow.ListType:
		c.layout = layoutList
		c.children = []*column{newColumn(mem, dt.Elem())}
	case *arrow.StructType:
		c.layout = layoutStruct
		for _, f := range dt.Fields() {
			c.children = append(c.children, newColumn(mem, f.Type))
		}
	case arrow.FixedWidthDataType:
		switch c.width = dt.Bytes(); {
		case dt.ID() == arrow.FIXED_SIZE_BINARY:
			c.layout = layoutFixed
		case c.width == 4:
			c.layout = layout32
		case c.width == 8:
			c.layout = layout64
		default:
			c.layout = layoutDecimal
		}
	}
	return c
}

// maxEnd is the largest offset of a string or list within a batch. Tests lower
// it.
var maxEnd = math.MaxInt32

// minRows is the capacity that a column begins with.
const minRows = 256

// reserve makes room for k more values (not for the bytes of strings).
func (c *column) reserve(k int) {
	if c.n+k > c.room {
		c.grow(k)
	}
}

func (c *column) grow(k int) {
	rows := (max(minRows, c.n+k, 2*c.n, c.likelyRows) + 63) &^ 63
	switch c.layout {
	case layoutBits:
		c.values = c.grown(c.values, (c.n+7)/8, rows/8)
		c.data = c.values.Bytes()
	case layout32:
		c.values = c.grown(c.values, c.n*4, rows*4)
		c.u32 = arrow.Uint32Traits.CastFromBytes(c.values.Bytes())
	case layout64:
		c.values = c.grown(c.values, c.n*8, rows*8)
		c.u64 = arrow.Uint64Traits.CastFromBytes(c.values.Bytes())
	case layoutDecimal:
		c.values = c.grown(c.values, c.n*16, rows*16)
		c.decimals = arrow.Decimal128Traits.CastFromBytes(c.values.Bytes())
	case layoutFixed:
		c.values = c.grown(c.values, c.n*c.width, rows*c.width)
		c.data = c.values.Bytes()
	case layoutBytes, layoutList:
		c.ends = c.grown(c.ends, (c.n+1)*4, (rows+1)*4)
		c.offsets = arrow.Int32Traits.CastFromBytes(c.ends.Bytes())
		c.offsets[0] = 0
	}
	if c.valid != nil {
		c.growValidity(rows)
	}
	c.room = rows
}

func (c *column) growValidity(rows int) {
	c.validity = c.grown(c.validity, (c.n+7)/8, rows/8)
	c.valid = c.validity.Bytes()
}

// grown gives a buffer of n bytes that begins with what b, if there is one,
// keeps; b is let go.
func (c *column) grown(b *memory.Buffer, keep, n int) *memory.Buffer {
	to := batch.NewBuffer(c.mem, n)
	if b != nil {
		copy(to.Bytes(), b.Bytes()[:keep])
		b.Release()
	}
	return to
}

const (
	// guessed bounds the bytes of strings that are reserved on a guess.
	guessed = 8 << 20
	// textSlack is what a sweep reserves beyond the bytes that it needs.
	textSlack = sweepRecords * 2 * textWords
)

// reserveBytes makes data end bytes long at least; it reports false if that is
// more than the column can have.
func (c *column) reserveBytes(end int) bool {
	switch {
	case end <= len(c.data):
		return true
	case end > maxEnd:
		return false
	}
	likely := c.likelyUsed
	if c.n > 0 && c.n < c.likelyRows {
		likely = min(c.used/c.n*c.likelyRows/8*9+textSlack, guessed)
	}
	c.values = c.grown(c.values, c.used, max(end, min(max(2*c.used, likely, minRows*8), maxEnd)))
	c.data = c.values.Bytes()
	return true
}

func (c *column) append32(v uint32) {
	c.reserve(1)
	c.u32[c.n] = v
	c.setValid()
}

func (c *column) append64(v uint64) {
	c.reserve(1)
	c.u64[c.n] = v
	c.setValid()
}

func (c *column) appendBit(v bool) {
	c.reserve(1)
	bitutil.SetBitTo(c.data, c.n, v)
	c.setValid()
}

// appendFixed appends a value of the column's width.
func (c *column) appendFixed(v []byte) {
	c.reserve(1)
	copy(c.data[c.n*c.width:], v)
	c.setValid()
}

// appendDecimal appends a 128-bit number.
func (c *column) appendDecimal(hi int64, lo uint64) {
	c.reserve(1)
	c.decimals[c.n] = decimal128.New(hi, lo)
	c.setValid()
}

// appendBytes appends a string or byte array; it reports false if the column
// is full.
func (c *column) appendBytes(v []byte) bool {
	end := c.used + len(v)
	if !c.reserveBytes(end) {
		return false
	}
	c.reserve(1)
	copy(c.data[c.used:], v)
	c.used = end
	c.offsets[c.n+1] = int32(end)
	c.setValid()
	return true
}

// appendStruct closes a struct whose children have their values.
func (c *column) appendStruct() {
	c.reserve(1)
	c.setValid()
}

// appendEnd closes a list that ends at the given offset; it reports false if
// the column is full.
func (c *column) appendEnd(end int) bool {
	if end > maxEnd {
		return false
	}
	c.reserve(1)
	c.offsets[c.n+1] = int32(end)
	c.setValid()
	return true
}

// endOf is the offset at which value n begins.
func (c *column) endOf(n int) int {
	if len(c.offsets) == 0 {
		return 0
	}
	return int(c.offsets[n])
}

// setValid counts a value that has been put in place.
func (c *column) setValid() {
	if c.valid != nil {
		bitutil.SetBit(c.valid, c.n)
	}
	c.n++
}

// setValids counts k values that have been put in place.
func (c *column) setValids(k int) {
	if c.valid != nil {
		bitutil.SetBitsTo(c.valid, int64(c.n), int64(k), true)
	}
	c.n += k
}

// appendNulls appends k nulls, with zeros in the place of values.
func (c *column) appendNulls(k int) {
	if c.layout == layoutNull {
		c.n += k
		c.nulls += k
		return
	}
	c.reserve(k)
	if c.valid == nil {
		c.growValidity(c.room)
		bitutil.SetBitsTo(c.valid, 0, int64(c.n), true)
	}
	bitutil.SetBitsTo(c.valid, int64(c.n), int64(k), false)
	c.putZeros(k)
	c.n += k
	c.nulls += k
}

// putZeros puts zeros, or empty values, in the next k places.
func (c *column) putZeros(k int) {
	from, to := c.n, c.n+k
	switch c.layout {
	case layoutBits:
		bitutil.SetBitsTo(c.data, int64(from), int64(k), false)
	case layout32:
		clear(c.u32[from:to])
	case layout64:
		clear(c.u64[from:to])
	case layoutDecimal:
		clear(c.decimals[from:to])
	case layoutFixed:
		clear(c.data[from*c.width : to*c.width])
	case layoutBytes, layoutList:
		for i := from; i < to; i++ {
			c.offsets[i+1] = c.offsets[i]
		}
	case layoutStruct:
		for _, child := range c.children {
			child.appendNulls(k)
		}
	}
}

// truncate takes the column back to n values, after a record that could not
// be decoded to its end. Children may have values that no parent counts yet.
func (c *column) truncate(n int) {
	if c.layout == layoutNull {
		c.nulls = n
	} else if c.valid != nil {
		for i := n; i < c.n; i++ {
			if !bitutil.BitIsSet(c.valid, i) {
				c.nulls--
			}
		}
	}
	c.n = n
	switch c.layout {
	case layoutBytes:
		c.used = c.endOf(n)
	case layoutList:
		n = c.endOf(n)
	}
	for _, child := range c.children {
		child.truncate(n)
	}
}

// size is the number of bytes that the column's values take.
func (c *column) size() int64 {
	size := int64(c.n)*c.rowSize() + int64(c.used)
	if c.layout == layoutBits {
		size = int64(c.n / 8)
	}
	for _, child := range c.children {
		size += child.size()
	}
	return size
}

// rowSize is the number of bytes that a value takes but for the bytes of
// strings and what is in children.
func (c *column) rowSize() int64 {
	switch c.layout {
	case layoutBytes, layoutList:
		return 4
	}
	return int64(c.width)
}

// finish gives the values gathered as Arrow data and empties the column. The
// caller owns the data.
func (c *column) finish() *array.Data {
	var buffers []*memory.Buffer
	var children []arrow.ArrayData
	c.repairText()
	switch c.layout {
	case layoutNull:
		buffers = []*memory.Buffer{nil}
	case layoutBits:
		buffers = []*memory.Buffer{c.validity, resized(c.values, (c.n+7)/8)}
	case layout32, layout64, layoutDecimal, layoutFixed:
		buffers = []*memory.Buffer{c.validity, resized(c.values, c.n*c.width)}
	case layoutBytes:
		buffers = []*memory.Buffer{c.validity, c.finishedEnds(), resized(c.values, c.used)}
	case layoutList:
		buffers = []*memory.Buffer{c.validity, c.finishedEnds()}
	case layoutStruct:
		buffers = []*memory.Buffer{c.validity}
	}
	if c.validity != nil {
		c.validity.ResizeNoShrink((c.n + 7) / 8)
	}
	for _, child := range c.children {
		children = append(children, child.finish())
	}
	data := array.NewData(c.typ, c.n, buffers, children, c.nulls, 0)
	for _, child := range children {
		child.Release()
	}
	c.release()
	return data
}

func resized(b *memory.Buffer, n int) *memory.Buffer {
	if b != nil {
		b.ResizeNoShrink(n)
	}
	return b
}

// finishedEnds gives the offsets; an empty column has one as well.
func (c *column) finishedEnds() *memory.Buffer {
	if c.ends == nil {
		c.grow(0)
	}
	return resized(c.ends, (c.n+1)*4)
}

// release gives the buffers back (their data may live on) and empties the
// column.
func (c *column) release() {
	releaseAll(c.values, c.validity, c.ends)
	for _, child := range c.children {
		child.release()
	}
	c.likelyRows, c.likelyUsed = c.n, c.used+textSlack // the next batch probably has as much
	c.values, c.validity, c.ends = nil, nil, nil
	c.data, c.u32, c.u64, c.decimals, c.valid, c.offsets = nil, nil, nil, nil, nil, nil
	c.n, c.room, c.nulls, c.used = 0, 0, 0, 0
}
