package vector

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// dictionary decodes dictionary-encoded arrays.
type dictionary struct {
	values  writer
	text    *text // set if the values are strings or blobs, which are gathered here
	scratch []byte
	offsets []int64
}

func newDictionary(t *arrow.DictionaryType) (writer, error) {
	w, err := newWriter(t.ValueType)
	if err != nil {
		return nil, err
	}
	d := &dictionary{values: w}
	d.text, _ = w.(*text)
	return d, nil
}

func (d *dictionary) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	dict := a.(*array.Dictionary)
	if d.text != nil {
		return d.writeText(v, dict, off, n, parent)
	}
	index := array.NewSlice(dict.Indices(), int64(off), int64(off+n))
	defer index.Release()
	taken, err := compute.TakeArray(context.Background(), dict.Dictionary(), index)
	if err != nil {
		return fmt.Errorf("decode a dictionary: %w", err)
	}
	defer taken.Release()
	return d.values.write(v, taken, 0, n, parent)
}

// writeText gathers the strings of a chunk and writes them like plain ones.
func (d *dictionary) writeText(v capi.Vector, dict *array.Dictionary, off, n int, parent []uint64) error {
	d.scratch, d.offsets = d.scratch[:0], append(d.offsets[:0], 0)
	values := dict.Dictionary()
	get := bytesOf(values)
	indices := dict.Indices()
	nullValues := values.NullN() > 0
	mask := writeValidity(v, indices, off, n, parent)
	for i := range n {
		if valid(mask, i) {
			k := dict.GetValueIndex(off + i)
			if k < 0 || k >= values.Len() {
				return fmt.Errorf("dictionary index %d of %d values", k, values.Len())
			}
			if nullValues && values.IsNull(k) {
				mask = v.Validity(n)
				mask[i>>6] &^= 1 << (i & 63)
			} else {
				d.scratch = append(d.scratch, get(k)...)
			}
		}
		d.offsets = append(d.offsets, int64(len(d.scratch)))
	}
	return writeText(v, d.scratch, d.offsets, mask, d.text.utf8)
}

// bytesOf gives access to the bytes of the values of a string or blob array.
func bytesOf(a arrow.Array) func(int) []byte {
	data := a.Data().Buffers()[2]
	if data == nil {
		return func(int) []byte { return nil }
	}
	bytes := data.Bytes()
	if id := a.DataType().ID(); id == arrow.LARGE_STRING || id == arrow.LARGE_BINARY {
		offsets := values[int64](a, 0, a.Len()+1)
		return func(i int) []byte { return bytes[offsets[i]:offsets[i+1]] }
	}
	offsets := values[int32](a, 0, a.Len()+1)
	return func(i int) []byte { return bytes[offsets[i]:offsets[i+1]] }
}
