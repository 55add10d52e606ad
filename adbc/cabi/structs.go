package cabi

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// wholeStructs gives a batch in which no struct has an offset. cdata of
// arrow-go v18.8 exports a struct's own offset and children that are cut by it
// already: whoever reads them would skip twice, to the values of other rows.
// The caller releases the batch.
func wholeStructs(b arrow.RecordBatch) arrow.RecordBatch {
	columns := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		d := whole(c.Data())
		columns[i] = array.MakeFromData(d)
		d.Release()
	}
	out := array.NewRecordBatch(b.Schema(), columns, b.NumRows())
	for _, c := range columns {
		c.Release()
	}
	return out
}

// whole gives the data with its structs at offset 0, however deep they are; the
// caller releases it.
func whole(d arrow.ArrayData) arrow.ArrayData {
	if len(d.Children()) == 0 {
		d.Retain()
		return d
	}
	buffers, offset := d.Buffers(), d.Offset()
	cut := d.DataType().ID() == arrow.STRUCT && offset != 0
	children := make([]arrow.ArrayData, len(d.Children()))
	changed := cut
	for i, c := range d.Children() {
		if cut {
			c = array.NewSliceData(c, int64(offset), int64(offset+d.Len()))
		} else {
			c.Retain()
		}
		children[i] = whole(c)
		changed = changed || children[i] != c
		c.Release()
	}
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	if !changed {
		d.Retain()
		return d
	}
	if cut {
		offset = 0
		buffers = []*memory.Buffer{cutBits(d)}
		if buffers[0] != nil {
			defer buffers[0].Release()
		}
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), offset)
}

// cutBits copies the bits that say what is not null.
func cutBits(d arrow.ArrayData) *memory.Buffer {
	bits := d.Buffers()[0]
	if bits == nil || bits.Len() == 0 {
		return nil
	}
	to := make([]byte, bitutil.BytesForBits(int64(d.Len())))
	bitutil.CopyBitmap(bits.Bytes(), d.Offset(), d.Len(), to, 0)
	return memory.NewBufferBytes(to)
}
