package avro

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A layout is how a column keeps its values.
type layout uint8

const (
	layoutNull layout = iota
	layoutBits
	layout32
	layout64
	layoutFixed  // width bytes a value
	layoutBytes  // offsets and bytes
	layoutList   // offsets and one child; maps have a struct as child
	layoutStruct // children as long as the column
)

// A column gathers the values of one Arrow field. Its buffers are grown by
// doubling and handed over whole when the batch is made.
//
// data, u32, u64 and offsets are views of the buffers at their full capacity.
// The validity bits exist from the first null on.
type column struct {
	mem    memory.Allocator
	typ    arrow.DataType
	layout layout
	width  int // layoutFixed
	text   bool

	n     int // values
	nulls int
	used  int // layoutBytes: bytes in data

	// How much the last batch had: the next one probably has as much.
	lastRows, lastUsed int

	values, validity, ends *memory.Buffer
	data                   []byte
	u32                    []uint32
	u64                    []uint64
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
			c.layout = layoutFixed // decimal128
		}
	}
	return c
}

// maxEnd is the largest offset of a string or list within a batch. Tests lower
// it.
var maxEnd = math.MaxInt32

// minRows is the capacity that a column begins with.
const minRows = 256

// grow makes room for another value (not for the bytes of strings).
func (c *column) grow() {
	rows := max(minRows, 2*c.n, c.lastRows)
	switch c.layout {
	case layoutBits:
		c.reserve(rows / 8)
	case layout32:
		c.reserve(rows * 4)
		c.u32 = arrow.Uint32Traits.CastFromBytes(c.data)
	case layout64:
		c.reserve(rows * 8)
		c.u64 = arrow.Uint64Traits.CastFromBytes(c.data)
	case layoutFixed:
		c.reserve(rows * c.width)
	case layoutBytes, layoutList:
		if c.ends == nil {
			c.ends = memory.NewResizableBuffer(c.mem)
		}
		c.ends.Reserve((rows + 1) * 4)
		c.offsets = arrow.Int32Traits.CastFromBytes(c.ends.Buf())
		c.offsets[0] = 0
	}
}

// reserve makes data at least n bytes long.
func (c *column) reserve(n int) {
	if c.values == nil {
		c.values = memory.NewResizableBuffer(c.mem)
	}
	c.values.Reserve(n)
	c.data = c.values.Buf()
	if c.layout == layoutBytes {
		c.data = c.data[:min(len(c.data), maxEnd)] // buffers are rounded up
	}
}

func (c *column) append32(v uint32) {
	if c.n == len(c.u32) {
		c.grow()
	}
	c.u32[c.n] = v
	c.setValid()
}

func (c *column) append64(v uint64) {
	if c.n == len(c.u64) {
		c.grow()
	}
	c.u64[c.n] = v
	c.setValid()
}

func (c *column) appendBit(v bool) {
	if c.n == len(c.data)*8 {
		c.grow()
	}
	bitutil.SetBitTo(c.data, c.n, v)
	c.setValid()
}

// appendFixed appends a value of the column's width.
func (c *column) appendFixed(v []byte) {
	if (c.n+1)*c.width > len(c.data) {
		c.grow()
	}
	copy(c.data[c.n*c.width:], v)
	c.setValid()
}

// appendDecimal appends a 128-bit number, low half first.
func (c *column) appendDecimal(lo, hi uint64) {
	at := c.n * 16
	if at+16 > len(c.data) {
		c.grow()
	}
	binary.LittleEndian.PutUint64(c.data[at:], lo)
	binary.LittleEndian.PutUint64(c.data[at+8:], hi)
	c.setValid()
}

// appendBytes appends a string or byte array; it reports false if the column
// is full.
func (c *column) appendBytes(v []byte) bool {
	end := c.used + len(v)
	if (end > len(c.data) || c.n+1 >= len(c.offsets)) && !c.growBytes(end) {
		return false
	}
	copy(c.data[c.used:], v)
	c.used = end
	c.offsets[c.n+1] = int32(end)
	c.setValid()
	return true
}

// growBytes makes room for another value that ends at end.
func (c *column) growBytes(end int) bool {
	if end > maxEnd {
		return false
	}
	if end > len(c.data) {
		c.reserve(max(end, min(2*c.used, maxEnd), c.lastUsed, minRows*8))
	}
	if c.n+1 >= len(c.offsets) {
		c.grow()
	}
	return true
}

// appendEnd closes a list, or a string, that ends at the given offset.
func (c *column) appendEnd(end int) bool {
	if !c.putEnd(end) {
		return false
	}
	c.setValid()
	return true
}

func (c *column) putEnd(end int) bool {
	if end > maxEnd {
		return false
	}
	if c.n+1 >= len(c.offsets) {
		c.grow()
	}
	c.offsets[c.n+1] = int32(end)
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
		c.setBit(true)
	}
	c.n++
}

// appendNull appends a null, with zeros in the place of a value; it reports
// false if the column is full.
func (c *column) appendNull() bool {
	if c.layout != layoutNull {
		if !c.putZero() {
			return false
		}
		if c.valid == nil {
			c.startValidity()
		}
		c.setBit(false)
	}
	c.n++
	c.nulls++
	return true
}

// putZero puts zeros, or an empty value, in the next place.
func (c *column) putZero() bool {
	switch c.layout {
	case layoutBits:
		if c.n == len(c.data)*8 {
			c.grow()
		}
		bitutil.ClearBit(c.data, c.n)
	case layout32:
		if c.n == len(c.u32) {
			c.grow()
		}
		c.u32[c.n] = 0
	case layout64:
		if c.n == len(c.u64) {
			c.grow()
		}
		c.u64[c.n] = 0
	case layoutFixed:
		if (c.n+1)*c.width > len(c.data) {
			c.grow()
		}
		clear(c.data[c.n*c.width : (c.n+1)*c.width])
	case layoutBytes:
		return c.putEnd(c.used)
	case layoutList:
		return c.putEnd(c.children[0].n)
	case layoutStruct:
		for _, child := range c.children {
			if !child.appendNull() {
				return false
			}
		}
	}
	return true
}

// startValidity marks all values so far as valid.
func (c *column) startValidity() {
	c.validity = memory.NewResizableBuffer(c.mem)
	c.validity.Reserve(max(minRows/8, c.n/8+1, c.lastRows/8))
	c.valid = c.validity.Buf()
	bitutil.SetBitsTo(c.valid, 0, int64(c.n), true)
}

func (c *column) setBit(v bool) {
	if c.n == len(c.valid)*8 {
		c.validity.Reserve(2 * len(c.valid))
		c.valid = c.validity.Buf()
	}
	bitutil.SetBitTo(c.valid, c.n, v)
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
	if c.layout == layoutBytes || c.layout == layoutList {
		n = c.endOf(n)
		c.used = n
	}
	for _, child := range c.children {
		child.truncate(n)
	}
}

// size is the number of bytes that the column's values take.
func (c *column) size() int64 {
	var size int64
	switch c.layout {
	case layoutBits:
		size = int64(c.n / 8)
	case layout32, layout64, layoutFixed:
		size = int64(c.n) * int64(c.width)
	case layoutBytes:
		size = int64(c.used) + int64(c.n)*4
	case layoutList:
		size = int64(c.n) * 4
	}
	for _, child := range c.children {
		size += child.size()
	}
	return size
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
	case layout32, layout64, layoutFixed:
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
		c.grow()
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
	c.lastRows, c.lastUsed = (c.n+63)/64*64, c.used
	c.values, c.validity, c.ends = nil, nil, nil
	c.data, c.u32, c.u64, c.valid, c.offsets = nil, nil, nil, nil, nil
	c.n, c.nulls, c.used = 0, 0, 0
}
