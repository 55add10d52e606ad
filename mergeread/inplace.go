package mergeread

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Merging in place
//
// Most rows of a merge are base rows that go on unchanged. Where the base batch
// belongs to the merge alone, they stay where they were decoded: rows after
// deleted ones move towards the front, and updated ones are overwritten. That
// leaves out nearly all copying of columns of a fixed width, and of strings
// where the new values are as long as the old ones, as they are in columns that
// an update does not change.

// fitsInPlace tells whether the column of a selection can be made in the memory
// of the base batch. It changes nothing.
func (g *gatherer) fitsInPlace(sel *selection) bool {
	if !sel.inPlace {
		return false
	}
	v := g.view(sel.room.src)
	if v.arr == nil {
		return false
	}
	g.meet(sel)
	switch g.dt.ID() {
	case arrow.STRING, arrow.BINARY:
		return g.sameLengths(sel, v)
	}
	return g.width > 0
}

// A text is the strings of one source; without offsets all are null.
type text struct {
	offs []int32
	data []byte
}

// texts gives the strings of all sources by patch.from.
func (g *gatherer) texts(sel *selection, few []text) []text {
	all := append(few, text{})
	for _, src := range sel.sources {
		all = append(all, text{g.views[src].off32, g.views[src].data})
	}
	return all
}

// at is a string, empty for null.
func (t *text) at(row int32) []byte {
	if t.offs == nil {
		return nil
	}
	return t.data[t.offs[row]:t.offs[row+1]]
}

// sameLengths tells whether every patch is as long as what it overwrites.
func (g *gatherer) sameLengths(sel *selection, base *view) bool {
	var few [1 + manySources]text
	texts, rest := g.texts(sel, few[:0]), sel.patches
	for _, b := range sel.bulk {
		shift := b.row - b.at
		for len(rest) > 0 && rest[0].at < b.at+b.n {
			p := rest[0]
			rest = rest[1:]
			row := p.at + shift
			if int(base.off32[row+1]-base.off32[row]) != len(texts[p.from].at(p.row)) {
				return false
			}
		}
	}
	return true
}

// inPlace makes a column of which fitsInPlace has just said that it can be. The
// base batch can't be used any more for the rows of the room.
func (g *gatherer) inPlace(sel *selection) arrow.Array {
	valid, nulls := g.validity(sel)
	v := g.view(sel.room.src)
	at, buffers := int(sel.room.first), v.arr.Data().Buffers()
	var data *array.Data
	if g.width > 0 {
		g.fixedInPlace(sel, v.fixed[at*g.width:])
		values := memory.SliceBuffer(buffers[1], (v.off+at)*g.width, sel.n*g.width)
		data = g.finish(sel.n, nulls, nil, valid, values)
	} else {
		g.stringsInPlace(sel, v)
		offsets := memory.SliceBuffer(buffers[1], (v.off+at)*4, (sel.n+1)*4)
		buffers[2].Retain()
		data = g.finish(sel.n, nulls, nil, valid, offsets, buffers[2])
	}
	if valid != nil {
		valid.Release()
	}
	defer data.Release()
	return array.MakeFromData(data)
}

// fixedInPlace moves and overwrites values of a fixed number of bytes; room is
// where the rows of the selection go.
func (g *gatherer) fixedInPlace(sel *selection, room []byte) {
	switch g.width {
	case 4:
		valuesInPlace[uint32](g, sel, room)
	case 8:
		valuesInPlace[uint64](g, sel, room)
	case 16:
		valuesInPlace[[2]uint64](g, sel, room)
	default:
		g.bytesInPlace(sel, room)
	}
}

func valuesInPlace[T fixedValue](g *gatherer, sel *selection, room []byte) {
	dst, first := valuesOf[T](room), sel.room.first
	for _, b := range sel.bulk {
		if from := b.row - first; from != b.at {
			copy(dst[b.at:b.at+b.n], dst[from:from+b.n])
		}
	}
	patchFixed(g, sel, dst)
}

// bytesInPlace is valuesInPlace for other widths.
func (g *gatherer) bytesInPlace(sel *selection, dst []byte) {
	w, first := g.width, int(sel.room.first)
	for _, b := range sel.bulk {
		at, from, n := int(b.at)*w, (int(b.row)-first)*w, int(b.n)*w
		copy(dst[at:at+n], dst[from:from+n])
	}
	for _, p := range sel.patches {
		cell := dst[int(p.at)*w : (int(p.at)+1)*w]
		if p.from == 0 || g.views[sel.sources[p.from-1]].arr == nil {
			clear(cell)
			continue
		}
		copy(cell, g.views[sel.sources[p.from-1]].fixed[int(p.row)*w:])
	}
}

// stringsInPlace moves strings together and overwrites some by others of the
// same length.
func (g *gatherer) stringsInPlace(sel *selection, base *view) {
	first := sel.room.first
	offs, data := base.off32[first:], base.data
	end, moved := offs[0], false
	for _, b := range sel.bulk {
		from := b.row - first
		if b.n == 0 || from == b.at {
			end = offs[from+b.n]
			continue
		}
		moved = true
		start, stop := offs[from], offs[from+b.n]
		copy(data[end:], data[start:stop])
		delta := start - end
		skip := int32(0)
		if b.at == 0 {
			skip = 1 // the end of a row before the room, which somebody may read now
		}
		to := offs[b.at+skip : b.at+b.n]
		for i, x := range offs[from+skip : from+b.n] {
			to[i] = x - delta
		}
		end += stop - start
	}
	if moved { // if not, it is the beginning of a row behind the room
		offs[sel.n] = end
	}
	var few [1 + manySources]text
	texts := g.texts(sel, few[:0])
	for _, p := range sel.patches {
		overwrite(data[offs[p.at]:], texts[p.from].at(p.row))
	}
}

// overwrite copies a short string without touching what is behind it.
func overwrite(dst, src []byte) {
	le := binary.LittleEndian
	switch n := len(src); {
	case n > 16:
		copy(dst, src)
	case n >= 8:
		a, b := le.Uint64(src), le.Uint64(src[n-8:])
		le.PutUint64(dst, a)
		le.PutUint64(dst[n-8:], b)
	case n >= 4:
		a, b := le.Uint32(src), le.Uint32(src[n-4:])
		le.PutUint32(dst, a)
		le.PutUint32(dst[n-4:], b)
	case n == 1: // flags, of which there are many
		dst[0] = src[0]
	default:
		copy(dst, src)
	}
}
