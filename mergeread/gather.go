package mergeread

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// errTooLong is a column that would need more bytes than its offsets reach.
var errTooLong = errors.New("mergeread: column exceeds 2 GiB in one batch")

// maxOffset is the last offset of 32-bit columns; tests lower it.
var maxOffset int64 = math.MaxInt32

// A gatherer copies selected rows of several arrays of one type into a new
// array. Each array has a number, its source's; spans refer to these.
//
// A gatherer is bound to a working column (or to a child of one), so that the
// layout of an array is looked up once however many batches it takes part in.
type gatherer struct {
	dt       arrow.DataType
	mem      memory.Allocator
	width    int // bytes per value of fixed width types, 0 otherwise
	views    []view
	children []*gatherer
	full     bool      // every selected row has a source with the column
	scratch  []span    // of the children of lists
	child    selection // made of scratch
}

// A view is the layout of one array.
type view struct {
	arr    arrow.Array // nil: every row is null
	valid  []byte      // nil: no row is null
	off    int
	fixed  []byte
	off32  []int32
	off64  []int64
	data   []byte
	filled bool
}

func newGatherer(dt arrow.DataType, mem memory.Allocator) *gatherer {
	g := &gatherer{dt: dt, mem: mem}
	switch t := dt.(type) {
	case *arrow.StructType:
		for _, f := range t.Fields() {
			g.children = append(g.children, newGatherer(f.Type, mem))
		}
	case *arrow.ListType:
		g.children = []*gatherer{newGatherer(t.Elem(), mem)}
	case *arrow.MapType:
		g.children = []*gatherer{newGatherer(t.Elem(), mem)}
	case *arrow.BooleanType, *arrow.NullType, arrow.ExtensionType, *arrow.DictionaryType:
	case arrow.FixedWidthDataType:
		g.width = t.BitWidth() / 8
	}
	return g
}

// set makes arr the array of a source; nil for a source without the column.
func (g *gatherer) set(src int, arr arrow.Array) {
	for len(g.views) <= src {
		g.views = append(g.views, view{})
	}
	g.views[src] = view{arr: arr}
}

// view gives the layout of a source's array.
func (g *gatherer) view(src int32) *view {
	v := &g.views[src]
	if !v.filled {
		g.fill(v, int(src))
	}
	return v
}

func (g *gatherer) fill(v *view, src int) {
	v.filled = true
	if v.arr == nil {
		for _, c := range g.children {
			c.set(src, nil)
		}
		return
	}
	data := v.arr.Data()
	v.off = data.Offset()
	if v.arr.NullN() > 0 {
		v.valid = v.arr.NullBitmapBytes()
	}
	switch a := v.arr.(type) {
	case *array.Struct:
		for i, c := range g.children {
			c.set(src, a.Field(i))
		}
		return
	case *array.Map:
		v.off32 = offsets32(data)
		g.children[0].set(src, a.ListValues())
		return
	case *array.List:
		v.off32 = offsets32(data)
		g.children[0].set(src, a.ListValues())
		return
	}
	switch g.dt.ID() {
	case arrow.STRING, arrow.BINARY:
		v.off32, v.data = offsets32(data), bufferBytes(data, 2)
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		v.off64 = []int64{0}
		if data.Len() > 0 {
			v.off64 = arrow.Int64Traits.CastFromBytes(data.Buffers()[1].Bytes())[v.off : v.off+data.Len()+1]
		}
		v.data = bufferBytes(data, 2)
	case arrow.BOOL:
		v.fixed = bufferBytes(data, 1)
	default:
		if g.width > 0 {
			v.fixed = bufferBytes(data, 1)[v.off*g.width:]
		}
	}
}

func offsets32(data arrow.ArrayData) []int32 {
	if data.Len() == 0 {
		return []int32{0}
	}
	return arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
}

// gather copies the selected rows. A stretch of one array is not copied: it
// comes out as a slice.
func (g *gatherer) gather(sel *selection) (arrow.Array, error) {
	if len(sel.spans) == 1 && sel.spans[0].src >= 0 {
		if v := g.view(sel.spans[0].src); v.arr != nil {
			return array.NewSlice(v.arr, int64(sel.spans[0].row), int64(sel.spans[0].row)+int64(sel.n)), nil
		}
	}
	return g.copied(sel)
}

// copied is gather without the short cut.
func (g *gatherer) copied(sel *selection) (arrow.Array, error) {
	g.meet(sel)
	bufs, nulls := g.validity(sel)
	data, err := g.values(sel, bufs, nulls)
	if bufs != nil {
		bufs.Release()
	}
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// meet looks at the arrays that rows are selected of.
func (g *gatherer) meet(sel *selection) {
	g.full = !sel.absent
	for _, src := range sel.sources {
		g.full = g.view(src).arr != nil && g.full
	}
}

// values copies all but the validity bitmap.
func (g *gatherer) values(sel *selection, valid *memory.Buffer, nulls int) (*array.Data, error) {
	spans, n := sel.spans, sel.n
	switch g.dt.ID() {
	case arrow.NULL:
		return array.NewData(g.dt, n, []*memory.Buffer{nil}, nil, n, 0), nil
	case arrow.BOOL:
		return g.finish(n, nulls, nil, valid, g.bools(spans, n)), nil
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		offs, data, err := g.strings(sel)
		if err != nil {
			return nil, err
		}
		return g.finish(n, nulls, nil, valid, offs, data), nil
	case arrow.STRUCT:
		return g.structs(sel, valid, nulls)
	case arrow.LIST, arrow.MAP:
		return g.lists(spans, n, valid, nulls)
	}
	if g.width > 0 {
		return g.finish(n, nulls, nil, valid, g.fixed(sel)), nil
	}
	return g.concatenate(spans, n)
}

// finish makes array data of buffers, whose references it takes over but for
// that of valid.
func (g *gatherer) finish(n, nulls int, children []arrow.ArrayData, valid *memory.Buffer, bufs ...*memory.Buffer) *array.Data {
	data := array.NewData(g.dt, n, append([]*memory.Buffer{valid}, bufs...), children, nulls, 0)
	for _, b := range bufs {
		b.Release()
	}
	return data
}

// validity copies the validity bitmaps; nil if no row is null.
func (g *gatherer) validity(sel *selection) (*memory.Buffer, int) {
	spans, n := sel.spans, sel.n
	if g.dt.ID() == arrow.NULL {
		return nil, n
	}
	some := !g.full
	for _, src := range sel.sources {
		some = some || g.views[src].valid != nil
	}
	if !some {
		return nil, 0
	}
	buf := batch.NewBuffer(g.mem, int(bitutil.BytesForBits(int64(n))))
	bits := bitWriter{dst: buf.Bytes()}
	for _, s := range spans {
		if s.src < 0 {
			bits.repeat(false, int(s.n))
			continue
		}
		if v := &g.views[s.src]; v.valid != nil {
			bits.copy(v.valid, v.off+int(s.row), int(s.n))
		} else {
			bits.repeat(v.arr != nil, int(s.n))
		}
	}
	bits.flush()
	nulls := n - bitutil.CountSetBits(buf.Bytes(), 0, n)
	if nulls == 0 {
		buf.Release()
		return nil, 0
	}
	return buf, nulls
}

func (g *gatherer) structs(sel *selection, valid *memory.Buffer, nulls int) (*array.Data, error) {
	children := make([]arrow.ArrayData, 0, len(g.children))
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range g.children {
		arr, err := c.gather(sel)
		if err != nil {
			return nil, err
		}
		arr.Data().Retain()
		children = append(children, arr.Data())
		arr.Release()
	}
	return g.finish(sel.n, nulls, children, valid), nil
}

// lists copies lists and maps: their elements are spans of the child.
func (g *gatherer) lists(spans []span, n int, valid *memory.Buffer, nulls int) (*array.Data, error) {
	offs := batch.NewBuffer(g.mem, 4*(n+1))
	o := arrow.Int32Traits.CastFromBytes(offs.Bytes())
	g.scratch = g.scratch[:0]
	k, at := 0, int64(0)
	for _, s := range spans {
		if s.src < 0 || g.views[s.src].arr == nil {
			for range s.n {
				o[k] = int32(at)
				k++
			}
			continue
		}
		from := g.views[s.src].off32[s.row : s.row+s.n+1]
		for _, x := range from[:s.n] {
			o[k] = int32(at + int64(x-from[0]))
			k++
		}
		if m := from[s.n] - from[0]; m > 0 {
			g.scratch = append(g.scratch, span{s.src, from[0], m})
			at += int64(m)
		}
	}
	if at > maxOffset {
		offs.Release()
		return nil, errTooLong
	}
	o[n] = int32(at)
	gather := g.children[0].gather
	if g.dt.ID() == arrow.MAP { // array.Map looks past an offset of its entries
		gather = g.children[0].copied
	}
	g.child.reset(g.scratch, int(at), noRoom)
	child, err := gather(&g.child)
	if err != nil {
		offs.Release()
		return nil, err
	}
	defer child.Release()
	return g.finish(n, nulls, []arrow.ArrayData{child.Data()}, valid, offs), nil
}

// concatenate copies arrays of the types that have no kernel of their own.
func (g *gatherer) concatenate(spans []span, n int) (*array.Data, error) {
	var parts []arrow.Array
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	for _, s := range spans {
		if s.src < 0 || g.views[s.src].arr == nil {
			parts = append(parts, batch.Nulls(g.mem, g.dt, int(s.n)))
			continue
		}
		parts = append(parts, array.NewSlice(g.views[s.src].arr, int64(s.row), int64(s.row+s.n)))
	}
	if len(parts) == 0 {
		parts = append(parts, batch.Nulls(g.mem, g.dt, 0))
	}
	arr, err := array.Concatenate(parts, g.mem)
	if err != nil {
		return nil, fmt.Errorf("mergeread: copy rows of type %s: %w", g.dt, err)
	}
	defer arr.Release()
	data := arr.Data().(*array.Data)
	data.Retain()
	return data, nil
}
