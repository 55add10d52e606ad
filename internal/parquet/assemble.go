package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// An assembler reads one top-level column: its leaves side by side, and over
// them the arrays of structs, lists and maps.
type assembler struct {
	mem    memory.Allocator
	node   *node
	leaves []*leafReader // as node.leaves
}

var errLeavesDiffer = fmt.Errorf("%w: the columns below a nested field disagree about its shape", ErrCorrupt)

// read reads up to n rows from a row of a row group on, adding them to what
// was read since the last array.
func (a *assembler) read(group int, row int64, n, hint int) (rows int, err error) {
	for _, l := range a.leaves {
		if err := l.seek(group, row); err != nil {
			return 0, l.wrap(err)
		}
		if rows, err = l.read(n, hint); err != nil {
			return 0, l.wrap(err)
		}
	}
	return rows, nil
}

func (r *leafReader) wrap(err error) error {
	return fmt.Errorf("parquet: %s: column %q: %w", r.file.name, r.leaf.path, err)
}

// array gives the rows read so far.
func (a *assembler) array() (arrow.Array, error) {
	leaves := a.leaves
	data, err := a.build(a.node, &leaves)
	a.release()
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: column %q: %w", a.leaves[0].file.name, a.node.field.Name, err)
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

func (a *assembler) release() {
	for _, l := range a.leaves {
		l.out.release()
	}
}

// build makes the array of a node out of the outputs of its leaves, which it
// takes off the front of the list.
func (a *assembler) build(n *node, leaves *[]*leafReader) (arrow.ArrayData, error) {
	if n.kind == leafNode {
		out := &(*leaves)[0].out
		*leaves = (*leaves)[1:]
		return out.array()
	}
	first := &(*leaves)[0].out
	// The leaf's output forgets its levels when its array is taken.
	defs, reps := first.defs, first.reps
	shape := a.shape(n, defs, reps)
	defer shape.release()
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range n.children {
		d, err := a.build(c, leaves)
		if err != nil {
			return nil, err
		}
		children = append(children, d)
	}
	return shape.data(n, children)
}

// A shape is what the levels say about the array of a nested node.
type shape struct {
	slots    int
	nulls    int
	elements int
	valid    *memory.Buffer // nil if there are no nulls
	offsets  *memory.Buffer // of lists and maps
}

func (s *shape) release() {
	for _, b := range []*memory.Buffer{s.valid, s.offsets} {
		if b != nil {
			b.Release()
		}
	}
}

// shape reads the levels of the first leaf below the node.
func (a *assembler) shape(n *node, defs, reps []uint8) *shape {
	s := &shape{}
	if len(reps) == 0 {
		s.slots = len(defs)
	} else {
		for i, d := range defs {
			if reps[i] <= n.slotRep && d >= n.slotDef {
				s.slots++
			}
		}
	}
	s.valid = memory.NewResizableBuffer(a.mem)
	s.valid.Resize((s.slots + 7) / 8)
	if n.kind == structNode {
		s.structure(n, defs, reps)
	} else {
		s.offsets = memory.NewResizableBuffer(a.mem)
		s.offsets.Resize(4 * (s.slots + 1))
		s.lists(n, defs, reps)
	}
	if s.nulls == 0 {
		s.valid.Release()
		s.valid = nil
	}
	return s
}

func (s *shape) structure(n *node, defs, reps []uint8) {
	w := bitsFrom(s.valid.Bytes(), 0)
	for i, d := range defs {
		if len(reps) > 0 && reps[i] > n.slotRep || d < n.slotDef {
			continue
		}
		w.put(d >= n.def)
		if d < n.def {
			s.nulls++
		}
	}
	w.flush()
}

func (s *shape) lists(n *node, defs, reps []uint8) {
	w := bitsFrom(s.valid.Bytes(), 0)
	offsets := arrow.Int32Traits.CastFromBytes(s.offsets.Bytes())
	reps = reps[:len(defs)]
	for i, d := range defs {
		rep := reps[i]
		if rep > n.slotRep+1 || d < n.slotDef {
			continue
		}
		if rep <= n.slotRep {
			offsets[w.at] = int32(s.elements)
			w.put(d >= n.def)
			if d < n.def {
				s.nulls++
			}
		}
		if d >= n.elemDef {
			s.elements++
		}
	}
	offsets[w.at] = int32(s.elements)
	w.flush()
}

// data puts the array together, checking that the other leaves say the same.
func (s *shape) data(n *node, children []arrow.ArrayData) (arrow.ArrayData, error) {
	want := s.slots
	if n.kind != structNode {
		want = s.elements
	}
	for _, c := range children {
		if c.Len() != want {
			return nil, errLeavesDiffer
		}
	}
	switch n.kind {
	case structNode:
		return array.NewData(n.field.Type, s.slots, []*memory.Buffer{s.valid}, children, s.nulls, 0), nil
	case mapNode:
		if children[0].NullN() > 0 {
			return nil, fmt.Errorf("%w: map with a null key", ErrCorrupt)
		}
		entries := array.NewData(n.field.Type.(*arrow.MapType).Elem(), s.elements, []*memory.Buffer{nil}, children, 0, 0)
		defer entries.Release()
		return array.NewData(n.field.Type, s.slots, []*memory.Buffer{s.valid, s.offsets}, []arrow.ArrayData{entries}, s.nulls, 0), nil
	}
	return array.NewData(n.field.Type, s.slots, []*memory.Buffer{s.valid, s.offsets}, children, s.nulls, 0), nil
}
