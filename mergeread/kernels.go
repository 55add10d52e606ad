package mergeread

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// fixed copies values of a fixed number of bytes.
func (g *gatherer) fixed(sel *selection) *memory.Buffer {
	buf := batch.NewBuffer(g.mem, sel.n*g.width)
	dst := buf.Bytes()
	switch g.width {
	case 4:
		copyFixed[uint32](g, dst, sel)
	case 8:
		copyFixed[uint64](g, dst, sel)
	case 16:
		copyFixed[[2]uint64](g, dst, sel)
	default:
		g.copyBytes(dst, sel.spans)
	}
	return buf
}

// copyFixed copies values of a type T of the column's width.
func copyFixed[T fixedValue](g *gatherer, to []byte, sel *selection) {
	dst := valuesOf[T](to)
	if !g.full {
		for _, s := range sel.spans {
			if s.src < 0 || g.views[s.src].fixed == nil {
				clear(dst[:s.n])
			} else {
				copyValues(dst, valuesOf[T](g.views[s.src].fixed)[s.row:], int(s.n))
			}
			dst = dst[s.n:]
		}
		return
	}
	for _, b := range sel.bulk {
		if b.n == 0 {
			continue
		}
		copyValues(dst[b.at:], valuesOf[T](g.views[b.src].fixed)[b.row:], int(b.n))
	}
	patchFixed(g, sel, dst)
}

// manySources is the number of sources of a selection beyond which looking
// them up takes memory.
const manySources = 15

// patchFixed overwrites values by those of the patches.
func patchFixed[T fixedValue](g *gatherer, sel *selection, dst []T) {
	var few [1 + manySources][]T
	values := few[:1] // by patch.from; nil = null
	for _, src := range sel.sources {
		var v []T
		if g.views[src].arr != nil {
			v = valuesOf[T](g.views[src].fixed)
		}
		values = append(values, v)
	}
	for _, p := range sel.patches {
		var value T
		if v := values[p.from]; v != nil {
			value = v[p.row]
		}
		dst[p.at] = value
	}
}

// copyValues copies n values.
func copyValues[T fixedValue](dst, src []T, n int) {
	if n >= 16 {
		copy(dst[:n], src[:n])
		return
	}
	for i := range n { // a call of copy costs more than so few values
		dst[i] = src[i]
	}
}

// fixedValue are types to copy values by.
type fixedValue interface{ uint32 | uint64 | [2]uint64 }

// valuesOf is arrow's CastFromBytes in a form that the compiler can inline.
func valuesOf[T fixedValue](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

func (g *gatherer) copyBytes(dst []byte, spans []span) {
	w, k := g.width, 0
	for _, s := range spans {
		n := int(s.n) * w
		if s.src < 0 || g.views[s.src].fixed == nil {
			clear(dst[k : k+n])
		} else {
			copy(dst[k:k+n], g.views[s.src].fixed[int(s.row)*w:])
		}
		k += n
	}
}

func (g *gatherer) bools(spans []span, n int) *memory.Buffer {
	buf := batch.NewBuffer(g.mem, int(bitutil.BytesForBits(int64(n))))
	bits := bitWriter{dst: buf.Bytes()}
	for _, s := range spans {
		if s.src < 0 || g.views[s.src].fixed == nil {
			bits.repeat(false, int(s.n))
			continue
		}
		v := &g.views[s.src]
		bits.copy(v.fixed, v.off+int(s.row), int(s.n))
	}
	bits.flush()
	return buf
}

// strings copies values of any number of bytes.
func (g *gatherer) strings(sel *selection) (offs, data *memory.Buffer, err error) {
	switch g.dt.ID() {
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return copyStrings(g, sel, off64s, math.MaxInt64)
	}
	return copyStrings(g, sel, off32s, maxOffset)
}

// off32s and off64s are the offsets of a view, for copyStrings.
func off32s(v *view) []int32 { return v.off32 }
func off64s(v *view) []int64 { return v.off64 }

// copyStrings copies values of as many bytes as the offsets of say. most is the
// last offset that there may be.
func copyStrings[T int32 | int64](g *gatherer, sel *selection, of func(*view) []T, most int64) (offs, data *memory.Buffer, err error) {
	size := int64(0)
	for _, s := range sel.spans {
		if s.src >= 0 {
			if v := &g.views[s.src]; v.arr != nil {
				from := of(v)
				size += int64(from[s.row+s.n]) - int64(from[s.row])
			}
		}
	}
	if size > most {
		return nil, nil, errTooLong
	}
	offs, data = batch.NewBuffer(g.mem, int(unsafe.Sizeof(T(0)))*(sel.n+1)), batch.NewBuffer(g.mem, int(size))
	o, d := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(offs.Bytes()))), sel.n+1), data.Bytes()
	k, at := 0, T(0)
	for _, s := range sel.spans {
		if s.src < 0 || g.views[s.src].arr == nil {
			for range s.n {
				o[k] = at
				k++
			}
			continue
		}
		v := &g.views[s.src]
		from := of(v)[s.row : s.row+s.n+1]
		delta := at - from[0]
		for i, x := range from[:s.n] {
			o[k+i] = x + delta
		}
		k += int(s.n)
		at += T(copyText(d[at:], v.data[from[0]:], int(from[s.n]-from[0])))
	}
	o[sel.n] = at
	return offs, data, nil
}

// copyText copies n bytes. Short ones, which most are, go as two words where
// there is room.
func copyText(dst, src []byte, n int) int {
	if n <= 16 && len(dst) >= 16 && len(src) >= 16 {
		le := binary.LittleEndian
		le.PutUint64(dst, le.Uint64(src))
		le.PutUint64(dst[8:], le.Uint64(src[8:]))
		return n
	}
	return copy(dst, src[:n])
}
