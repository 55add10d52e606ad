package pushdown

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// Apply gives the rows of a batch that a selection marks. Where they are one
// stretch nothing is copied. The caller owns the answer; the batch stays the
// caller's.
func Apply(mem memory.Allocator, batch arrow.RecordBatch, s Selection) (arrow.RecordBatch, error) {
	if s.rows != int(batch.NumRows()) {
		return nil, fmt.Errorf("a selection of %d rows for a batch of %d", s.rows, batch.NumRows())
	}
	if s.All() {
		batch.Retain()
		return batch, nil
	}
	first := s.next(0, 0)
	if first+s.count == s.next(first, ^uint64(0)) {
		return batch.NewSlice(int64(first), int64(first+s.count)), nil
	}
	columns := make([]arrow.Array, 0, batch.NumCols())
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i, c := range batch.Columns() {
		data, err := take(mem, c.Data(), s)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", batch.ColumnName(i), err)
		}
		columns = append(columns, array.MakeFromData(data))
		data.Release()
	}
	return array.NewRecordBatch(batch.Schema(), columns, int64(s.count)), nil
}

// take copies the marked slots of an array.
func take(mem memory.Allocator, a arrow.ArrayData, s Selection) (arrow.ArrayData, error) {
	t := taker{mem: mem, sel: s}
	defer t.release()
	if s.count == 0 {
		none := batch.Nulls(mem, a.DataType(), 0)
		defer none.Release()
		none.Data().Retain()
		return none.Data(), nil
	}
	if a.DataType().ID() == arrow.NULL {
		return array.NewData(a.DataType(), s.count, []*memory.Buffer{nil}, nil, s.count, 0), nil
	}
	valid, nulls := t.validity(a)
	bufs := []*memory.Buffer{valid}
	var children []arrow.ArrayData
	switch typ := a.DataType().(type) {
	case *arrow.BooleanType:
		bufs = append(bufs, t.bits(a.Buffers()[1], a.Offset()))
	case *arrow.StringType, *arrow.BinaryType:
		bufs = append(bufs, takeTexts[int32](&t, a)...)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		bufs = append(bufs, takeTexts[int64](&t, a)...)
	case *arrow.StructType:
		for _, c := range a.Children() {
			part := array.NewSliceData(c, int64(a.Offset()), int64(a.Offset()+a.Len()))
			taken, err := take(mem, part, s)
			part.Release()
			if err != nil {
				return nil, err
			}
			children = append(children, t.child(taken))
		}
	case *arrow.ListType, *arrow.MapType:
		offsets, inner := t.lists(a)
		taken, err := take(mem, a.Children()[0], inner)
		if err != nil {
			return nil, err
		}
		bufs, children = append(bufs, offsets), append(children, t.child(taken))
	case arrow.FixedWidthDataType:
		bufs = append(bufs, t.fixed(a.Buffers()[1], a.Offset(), typ.BitWidth()/8))
	default:
		return nil, fmt.Errorf("rows of %s can't be picked", a.DataType())
	}
	if d, ok := a.DataType().(*arrow.DictionaryType); ok {
		return array.NewDataWithDictionary(d, s.count, bufs, nulls, 0, a.Dictionary().(*array.Data)), nil
	}
	return array.NewData(a.DataType(), s.count, bufs, children, nulls, 0), nil
}

// A taker makes the buffers of the answer and holds them until it is made.
type taker struct {
	mem      memory.Allocator
	sel      Selection
	buffers  []*memory.Buffer
	children []arrow.ArrayData
}

func (t *taker) release() {
	for _, b := range t.buffers {
		b.Release()
	}
	for _, c := range t.children {
		c.Release()
	}
}

func (t *taker) child(c arrow.ArrayData) arrow.ArrayData {
	t.children = append(t.children, c)
	return c
}

func (t *taker) buffer(size int) *memory.Buffer {
	b := memory.NewResizableBuffer(t.mem)
	b.Resize(size)
	t.buffers = append(t.buffers, b)
	return b
}

func (t *taker) validity(a arrow.ArrayData) (*memory.Buffer, int) {
	if a.NullN() == 0 || a.Buffers()[0] == nil {
		return nil, 0
	}
	b := t.bits(a.Buffers()[0], a.Offset())
	return b, t.sel.count - bitutil.CountSetBits(b.Bytes(), 0, t.sel.count)
}

// bits packs the marked bits together, a word at a time.
func (t *taker) bits(src *memory.Buffer, offset int) *memory.Buffer {
	out := t.buffer(int(bitutil.BytesForBits(int64(t.sel.count))))
	to := out.Bytes()
	clear(to)
	at := 0
	for from, end := range t.sel.Ranges() {
		if end-from >= 64 {
			bitutil.CopyBitmap(src.Bytes(), offset+from, end-from, to, at)
			at += end - from
			continue
		}
		w := bits64(src.Bytes(), offset+from)
		for i := range end - from {
			to[at/8] |= byte(w>>i&1) << (at % 8)
			at++
		}
	}
	return out
}

func (t *taker) fixed(src *memory.Buffer, offset, width int) *memory.Buffer {
	out := t.buffer(t.sel.count * width)
	switch width {
	case 1:
		copySlots[uint8](t.sel, src, offset, out)
	case 2:
		copySlots[uint16](t.sel, src, offset, out)
	case 4:
		copySlots[uint32](t.sel, src, offset, out)
	case 8:
		copySlots[uint64](t.sel, src, offset, out)
	case 16:
		copySlots[[2]uint64](t.sel, src, offset, out)
	default:
		to, from := out.Bytes(), src.Bytes()[offset*width:]
		for row, end := range t.sel.Ranges() {
			to = to[copy(to, from[row*width:end*width]):]
		}
	}
	return out
}

func copySlots[T any](s Selection, src *memory.Buffer, offset int, out *memory.Buffer) {
	from := slots[T](src.Bytes(), offset, s.rows)
	to := slots[T](out.Bytes(), 0, s.count)
	n := 0
	for i, w := range s.words {
		if w == ^uint64(0) {
			n += copy(to[n:], from[i*64:i*64+64])
			continue
		}
		for ; w != 0; w &= w - 1 {
			to[n] = from[i*64+bits.TrailingZeros64(w)]
			n++
		}
	}
}

// offsetsOf views the offsets of a column of texts or lists; an empty one may
// have none.
func offsetsOf[O int32 | int64](a arrow.ArrayData) []O {
	if a.Len() == 0 || a.Buffers()[1] == nil || a.Buffers()[1].Len() == 0 {
		return []O{0}
	}
	return slots[O](a.Buffers()[1].Bytes(), a.Offset(), a.Len()+1)
}

func takeTexts[O int32 | int64](t *taker, a arrow.ArrayData) []*memory.Buffer {
	src := offsetsOf[O](a)
	ends := t.buffer((t.sel.count + 1) * int(unsafe.Sizeof(src[0])))
	to := slots[O](ends.Bytes(), 0, t.sel.count+1)
	to[0] = 0
	n, at := 1, O(0)
	for i, w := range t.sel.words {
		for ; w != 0; w &= w - 1 {
			row := i*64 + bits.TrailingZeros64(w)
			at += src[row+1] - src[row]
			to[n] = at
			n++
		}
	}
	text := t.buffer(int(at))
	if at > 0 {
		copyTexts(text.Bytes(), a.Buffers()[2].Bytes(), src, t.sel)
	}
	return []*memory.Buffer{ends, text}
}

// copyTexts copies the texts of marked rows, neighbours in one go.
func copyTexts[O int32 | int64](to, from []byte, ends []O, s Selection) {
	start, end := O(0), O(0)
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			row := i*64 + bits.TrailingZeros64(w)
			if ends[row] != end {
				to = to[copy(to, from[start:end]):]
				start = ends[row]
			}
			end = ends[row+1]
		}
	}
	copy(to, from[start:end])
}

// lists gives the offsets of the marked lists and marks their elements.
func (t *taker) lists(a arrow.ArrayData) (*memory.Buffer, Selection) {
	src := offsetsOf[int32](a)
	inner := newSelection(a.Children()[0].Len())
	ends := t.buffer((t.sel.count + 1) * 4)
	to := slots[int32](ends.Bytes(), 0, t.sel.count+1)
	to[0] = 0
	n := 0
	for row := range t.sel.Rows() {
		to[n+1] = to[n] + src[row+1] - src[row]
		n++
		for i := src[row]; i < src[row+1]; i++ {
			inner.words[i/64] |= 1 << (i % 64)
		}
	}
	inner.trim()
	return ends, inner
}
