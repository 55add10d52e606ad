package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// An output collects the slots of one leaf for the next array: values straight
// into Arrow buffers, and the levels if arrays above the leaf need them.
//
// The values of a page are decoded without gaps and then moved apart to leave
// room for nulls: most pages have none.
type output struct {
	leaf  *leaf
	mem   memory.Allocator
	slots int
	nulls int
	valid *memory.Buffer // one bit per slot
	cells *memory.Buffer // values, or the offsets of strings
	text  stringBytes
	defs  []uint8 // of all entries; kept for nested columns
	reps  []uint8
}

// room makes space for n more slots; hint is the expected total.
func (o *output) room(n, hint int) {
	if o.cells == nil {
		o.begin(max(o.slots+n, hint))
		return
	}
	total := o.slots + n
	if o.cellSize(total) <= o.cells.Len() {
		return
	}
	if o.slots > 0 {
		total += total / 2
	}
	o.cells.Resize(o.cellSize(total))
	if o.leaf.maxDef > 0 {
		o.valid.Resize((total + 7) / 8)
	}
}

// begin makes the buffers of an array.
func (o *output) begin(total int) {
	o.text.mem = o.mem
	o.valid = memory.NewResizableBuffer(o.mem)
	if o.leaf.maxDef > 0 {
		o.valid.Resize((total + 7) / 8)
	}
	if o.leaf.conv == convBits { // put together bit by bit
		o.cells = memory.NewResizableBuffer(o.mem)
		o.cells.Resize(o.cellSize(total))
		return
	}
	o.cells = batch.NewBuffer(o.mem, o.cellSize(total))
	if o.leaf.conv == convStrings {
		clear(o.cells.Bytes()[:4])
	}
}

// cellSize is the size of the buffer of values for n slots.
func (o *output) cellSize(n int) int {
	switch o.leaf.conv {
	case convBits:
		return (n + 7) / 8
	case convStrings:
		return 4 * (n + 1)
	}
	return n * o.leaf.width
}

// take decodes the values of the next k slots, of which the last bits of valid
// (k of them, from slot number slots on) tell which have one.
func (o *output) take(v *values, k, ones int) error {
	at := o.slots
	o.slots += k
	o.nulls += k - ones
	var mask []byte
	if ones < k {
		mask = o.valid.Bytes()
	}
	cells := o.cells.Bytes()
	switch o.leaf.conv {
	case convBits:
		if err := v.bits(cells, at, ones); err != nil {
			return err
		}
		spreadBits(cells, mask, at, k, ones)
	case convStrings:
		offsets := arrow.Int32Traits.CastFromBytes(cells)
		if err := v.strings(&o.text, offsets[at+1:at+1+ones]); err != nil {
			return err
		}
		spreadOffsets(offsets, mask, at, k, ones)
	default:
		w := o.leaf.width
		if err := v.fixed(cells[at*w:(at+ones)*w], ones); err != nil {
			return err
		}
		spread(cells[at*w:(at+k)*w], w, mask, at, k, ones)
	}
	return nil
}

// array gives what was collected and begins anew.
func (o *output) array() (arrow.ArrayData, error) {
	o.room(0, 0)
	if o.nulls == 0 {
		o.valid.Release()
		o.valid = nil
	} else {
		o.valid.ResizeNoShrink((o.slots + 7) / 8)
	}
	o.cells.ResizeNoShrink(o.cellSize(o.slots))
	buffers := []*memory.Buffer{o.valid, o.cells}
	if o.leaf.conv == convStrings {
		buffers = append(buffers, o.text.take())
	}
	data := array.NewData(o.leaf.typ, o.slots, buffers, nil, o.nulls, 0)
	o.valid, o.cells = nil, nil
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	o.clear()
	return data, nil
}

func (o *output) clear() {
	o.slots, o.nulls = 0, 0
	o.defs, o.reps = o.defs[:0], o.reps[:0]
}

// release gives up what was collected.
func (o *output) release() {
	for _, b := range []*memory.Buffer{o.valid, o.cells, o.text.buf} {
		if b != nil {
			b.Release()
		}
	}
	o.valid, o.cells, o.text.buf, o.text.used = nil, nil, nil, 0
	o.clear()
}

// maxEntries bounds the entries of one nested column in one batch. Run-length
// encoded levels can claim billions of them in a few bytes.
const maxEntries = 1 << 26

// keepLevels notes levels for the arrays above the leaf.
func (o *output) keepLevels(defs, reps []uint8) error {
	if len(o.defs)+len(defs) > maxEntries {
		return fmt.Errorf("%w: more than %d list elements in one batch: read with a smaller batch size", ErrUnsupported, maxEntries)
	}
	o.defs = append(o.defs, defs...)
	o.reps = append(o.reps, reps...)
	return nil
}

// validBits writes a bit for each entry that opens a slot of the leaf, and
// counts slots and ones.
func (o *output) validBits(defs []uint8, slotDef uint8) (slots, ones int) {
	w := bitsFrom(o.valid.Bytes(), o.slots)
	limit := o.leaf.maxDef
	for _, d := range defs {
		if d < slotDef {
			continue
		}
		w.put(d == limit)
		if d == limit {
			ones++
		}
	}
	w.flush()
	return w.at - o.slots, ones
}
