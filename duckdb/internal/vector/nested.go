package vector

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// listEntry is duckdb_list_entry: where a row's elements lie in the child.
type listEntry struct{ offset, length uint64 }

var errListMemory = errors.New("duckdb has no memory for the elements of a list")

func newNested(t arrow.DataType) (writer, error) {
	switch t := t.(type) {
	case *arrow.StructType:
		return newStruct(t)
	case *arrow.MapType:
		return newList(t.Elem(), false, 0)
	case *arrow.ListType:
		return newList(t.Elem(), false, 0)
	case *arrow.LargeListType:
		return newList(t.Elem(), true, 0)
	case *arrow.FixedSizeListType:
		return newList(t.Elem(), false, int(t.Len()))
	}
	return nil, unsupported(t)
}

// list writes lists of all kinds, and maps, which both Arrow and DuckDB hold as
// lists of (key, value) structs.
type list struct {
	elem  writer
	large bool
	fixed int // elements per row of a fixed size list, else 0
}

func newList(elem arrow.DataType, large bool, fixed int) (writer, error) {
	w, err := newWriter(elem)
	return &list{w, large, fixed}, err
}

func (l *list) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	writeValidity(v, a, off, n, parent)
	entries := target[listEntry](v, n)
	var start, end int
	switch {
	case a.DataType().ID() == arrow.FIXED_SIZE_LIST:
		start = (a.Data().Offset() + off) * l.fixed
		end = start + n*l.fixed
		for i := range entries {
			entries[i] = listEntry{uint64(i * l.fixed), uint64(l.fixed)}
		}
	case l.large:
		start, end = writeEntries(entries, values[int64](a, off, n+1))
	default:
		start, end = writeEntries(entries, values[int32](a, off, n+1))
	}
	if end == start {
		return nil
	}
	child, ok := v.ListChild(end - start)
	if !ok {
		return errListMemory
	}
	return l.elem.write(child, a.(array.ListLike).ListValues(), start, end-start, nil)
}

// writeEntries brings the rows' offsets to the child's beginning and gives the
// range of child values that they cover.
func writeEntries[O int32 | int64](entries []listEntry, offsets []O) (start, end int) {
	if len(offsets) == 0 {
		clear(entries)
		return 0, 0
	}
	first := offsets[0]
	for i := range entries {
		entries[i] = listEntry{uint64(offsets[i] - first), uint64(offsets[i+1] - offsets[i])}
	}
	return int(first), int(offsets[len(entries)])
}

// record writes structs.
type record struct {
	names  []string
	fields []writer
}

func newStruct(t *arrow.StructType) (writer, error) {
	r := &record{}
	for _, f := range t.Fields() {
		w, err := newWriter(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		r.names, r.fields = append(r.names, f.Name), append(r.fields, w)
	}
	return r, nil
}

func (r *record) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	mask := writeValidity(v, a, off, n, parent)
	s := a.(*array.Struct)
	for i, w := range r.fields {
		if err := w.write(v.StructChild(i), s.Field(i), off, n, mask); err != nil {
			return fmt.Errorf("field %q: %w", r.names[i], err)
		}
	}
	return nil
}
