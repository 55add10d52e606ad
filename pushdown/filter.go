package pushdown

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Filter marks the rows of a batch for which the condition is true. The batch
// must have the columns that [Bound.Columns] names, with the types of the bound
// schema; others do not matter. Rows of which conditions that are not
// understood ask are marked.
func (b *Bound) Filter(batch arrow.RecordBatch) (Selection, error) {
	s := newSelection(int(batch.NumRows()))
	s.fill()
	if s.rows == 0 || len(b.conjuncts) == 0 {
		return s, nil
	}
	e := evaluator{bound: b, batch: batch}
	for _, c := range b.conjuncts {
		if err := e.and(c.root, s.words); err != nil {
			return Selection{}, err
		}
		if s.trim(); s.count == 0 {
			break
		}
	}
	return s, nil
}

// An evaluator answers a tree for the rows of a batch, as bitmaps of 64 rows a
// word.
type evaluator struct {
	bound *Bound
	batch arrow.RecordBatch
}

// and clears the bits of the rows for which a tree is not true.
func (e *evaluator) and(n node, words []uint64) error {
	switch n := n.(type) {
	case constNode:
		if !n {
			clear(words)
		}
		return nil
	case opaqueNode, callNode:
		return nil
	case andNode:
		for _, p := range n {
			if err := e.and(p, words); err != nil {
				return err
			}
		}
		return nil
	case orNode:
		return e.andOr(n, words)
	case *leaf:
		own := make([]uint64, len(words))
		if err := e.leaf(n, own); err != nil {
			return err
		}
		for i, w := range own {
			words[i] &= w
		}
		return nil
	}
	return fmt.Errorf("condition %s: a node of type %T", e.bound, n)
}

func (e *evaluator) andOr(parts orNode, words []uint64) error {
	some := make([]uint64, len(words))
	one := make([]uint64, len(words))
	for _, p := range parts {
		copy(one, words)
		if err := e.and(p, one); err != nil {
			return err
		}
		for i, w := range one {
			some[i] |= w
		}
	}
	copy(words, some)
	return nil
}

// leaf sets the bits of the rows for which a leaf is true.
func (e *evaluator) leaf(l *leaf, words []uint64) error {
	f := e.bound.fields[l.field]
	a, parents, err := e.column(f)
	if err != nil {
		return err
	}
	if err := l.kernel(a, f.domain, words); err != nil {
		return fmt.Errorf("column %s: %w", f.Path, err)
	}
	mask(words, a, l.null)
	for _, p := range parents {
		mask(words, p, l.null)
	}
	return nil
}

// column finds the array of a field, and those of the structs around it, whose
// nulls are nulls of the field.
func (e *evaluator) column(f *Field) (a arrow.Array, parents []arrow.Array, err error) {
	at := e.batch.Schema().FieldIndices(f.Path[0])
	if len(at) == 0 {
		return nil, nil, fmt.Errorf("condition %s: the batch has no column %s", e.bound, f.Path)
	}
	a = e.batch.Column(at[0])
	for depth := 1; depth < len(f.Path); depth++ {
		s, ok := a.(*array.Struct)
		if !ok {
			return nil, nil, fmt.Errorf("condition %s: column %s is %s", e.bound, f.Path[:depth], a.DataType())
		}
		i, ok := s.DataType().(*arrow.StructType).FieldIdx(f.Path[depth])
		if !ok {
			return nil, nil, fmt.Errorf("condition %s: the batch has no column %s", e.bound, f.Path)
		}
		parents = append(parents, a)
		a = s.Field(i)
	}
	if f.domain.order != orderNone && a.DataType().ID() != f.Type.ID() || f.domain.per != 0 && !arrow.TypeEqual(a.DataType(), f.Type) {
		return nil, nil, fmt.Errorf("condition %s: column %s is %s in the batch, %s in the table", e.bound, f.Path, a.DataType(), f.Type)
	}
	return a, parents, nil
}

// mask clears the bits of nulls, or sets them.
func mask(words []uint64, a arrow.Array, set bool) {
	if a.DataType().ID() == arrow.NULL {
		for i := range words {
			words[i] = 0
			if set {
				words[i] = ^uint64(0)
			}
		}
		return
	}
	bitmap := a.NullBitmapBytes()
	if len(bitmap) == 0 || a.NullN() == 0 {
		return
	}
	at := a.Data().Offset()
	for i := range words {
		valid := bits64(bitmap, at+64*i)
		if set {
			words[i] |= ^valid
		} else {
			words[i] &= valid
		}
	}
}

// kernel sets the bits of the values that are in the leaf's set, whatever
// stands in the slots of nulls.
func (l *leaf) kernel(a arrow.Array, d domain, words []uint64) error {
	switch {
	case l.like == nil && l.values.empty():
		return nil
	case l.like == nil && l.values.full():
		for i := range words {
			words[i] = ^uint64(0)
		}
		return nil
	}
	switch v := l.values.(type) {
	case set[textKey]:
		return l.textKernel(a, v, words)
	case set[decimalKey]:
		if a, ok := a.(*array.Decimal128); ok {
			decimalKernel(a.Values(), v, words)
			return nil
		}
	case set[intKey]:
		return intKernel(a, v, words)
	}
	return fmt.Errorf("no filter for %s", a.DataType())
}

func intKernel(a arrow.Array, s set[intKey], words []uint64) error {
	switch a := a.(type) {
	case *array.Boolean:
		booleanKernel(a, s, words)
	case *array.Int8:
		integers(a.Int8Values(), s, words)
	case *array.Int16:
		integers(a.Int16Values(), s, words)
	case *array.Int32:
		integers(a.Int32Values(), s, words)
	case *array.Int64:
		integers(a.Int64Values(), s, words)
	case *array.Uint8:
		integers(a.Uint8Values(), s, words)
	case *array.Uint16:
		integers(a.Uint16Values(), s, words)
	case *array.Uint32:
		integers(a.Uint32Values(), s, words)
	case *array.Uint64:
		unsigned(a.Uint64Values(), s, words)
	case *array.Date32:
		integers(a.Date32Values(), s, words)
	case *array.Time32:
		integers(a.Time32Values(), s, words)
	case *array.Time64:
		integers(a.Time64Values(), s, words)
	case *array.Timestamp:
		integers(a.TimestampValues(), s, words)
	case *array.Float32:
		floats(a.Float32Values(), s, words)
	case *array.Float64:
		floats(a.Float64Values(), s, words)
	default:
		return fmt.Errorf("no filter for %s", a.DataType())
	}
	return nil
}
