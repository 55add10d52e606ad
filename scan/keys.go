package scan

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/schema"
)

// keys gives the record keys of batches: the stored column, or values computed
// from the key fields.
type keys struct {
	env    *Env
	stored int     // place of the column, -1 if computed
	fields [][]int // places of the fields, from the top level down
}

// newKeys plans the columns that keys come from; place adds one.
func newKeys(e *Env, place func(name string) int) (keys, error) {
	k := keys{env: e, stored: -1}
	if e.Config.PopulateMeta {
		k.stored = place(schema.RecordKeyColumn)
		return k, nil
	}
	for _, path := range e.Keys.KeyFields {
		parts := strings.Split(path, ".")
		at, ok := schema.Lookup(e.Job.Schema.Schema, parts[0])
		if !ok {
			return k, fmt.Errorf("table %s: record key field %q (hoodie.table.recordkey.fields) is no column", e.Job.URI, path)
		}
		f := e.Job.Schema.Field(at)
		places := []int{place(f.Name)}
		for _, name := range parts[1:] {
			s, ok := f.Type.(*arrow.StructType)
			if !ok {
				return k, fmt.Errorf("table %s: record key field %q: %s is no struct", e.Job.URI, path, f.Name)
			}
			i, ok := s.FieldIdx(name)
			if !ok {
				return k, fmt.Errorf("table %s: record key field %q is no column", e.Job.URI, path)
			}
			places, f = append(places, i), s.Field(i)
		}
		k.fields = append(k.fields, places)
	}
	return k, nil
}

// of gives the keys of a batch, which the caller owns.
func (k *keys) of(b arrow.RecordBatch) (*array.String, error) {
	var a arrow.Array
	if k.stored >= 0 {
		a = b.Column(k.stored)
		a.Retain()
	} else {
		fields := make([]arrow.Array, len(k.fields))
		for i, places := range k.fields {
			fields[i] = b.Column(places[0])
			for _, p := range places[1:] {
				fields[i] = fields[i].(*array.Struct).Field(p)
			}
		}
		var err error
		if a, err = k.env.Keys.RecordKeys(k.env.Allocator, fields, int(b.NumRows())); err != nil {
			return nil, err
		}
	}
	s, ok := a.(*array.String)
	if !ok {
		defer a.Release()
		return nil, fmt.Errorf("table %s: record keys are %s, not text", k.env.Job.URI, a.DataType())
	}
	return s, nil
}

// keyHash stands for a key. Two keys share 128 bits by chance less often than
// disks fail.
type keyHash [2]uint64

// hasher hashes keys and rows. The zero value is not usable.
type hasher struct{ seeds [2]maphash.Seed }

func newHasher() hasher { return hasher{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}} }

func (h *hasher) key(k string) keyHash {
	return keyHash{maphash.String(h.seeds[0], k), maphash.String(h.seeds[1], k)}
}

// row hashes the values of some columns of a row. Equal rows have equal hashes.
func (h *hasher) row(b arrow.RecordBatch, columns []int, row int) uint64 {
	var m maphash.Hash
	m.SetSeed(h.seeds[0])
	for _, c := range columns {
		hashValue(&m, b.Column(c), row)
	}
	return m.Sum64()
}

func hashValue(m *maphash.Hash, a arrow.Array, i int) {
	if a.IsNull(i) {
		m.WriteByte(0)
		return
	}
	m.WriteByte(1)
	switch a := a.(type) {
	case *array.String:
		hashText(m, a.Value(i))
	case *array.Binary:
		hashLength(m, len(a.Value(i)))
		m.Write(a.Value(i))
	case *array.Float32:
		hashLength(m, int(math.Float32bits(a.Value(i))))
	case *array.Float64:
		hashLength(m, int(math.Float64bits(a.Value(i))))
	case *array.Int32:
		hashLength(m, int(a.Value(i)))
	case *array.Int64:
		hashLength(m, int(a.Value(i)))
	case *array.Timestamp:
		hashLength(m, int(a.Value(i)))
	case *array.Struct:
		for f := range a.NumField() {
			hashValue(m, a.Field(f), i)
		}
	case *array.List:
		from, to := a.ValueOffsets(i)
		hashValues(m, a.ListValues(), from, to)
	case *array.Map:
		from, to := a.ValueOffsets(i)
		hashValues(m, a.Keys(), from, to)
		hashValues(m, a.Items(), from, to)
	default:
		hashText(m, a.ValueStr(i))
	}
}

func hashValues(m *maphash.Hash, a arrow.Array, from, to int64) {
	hashLength(m, int(to-from))
	for i := from; i < to; i++ {
		hashValue(m, a, int(i))
	}
}

func hashText(m *maphash.Hash, s string) {
	hashLength(m, len(s))
	m.WriteString(s)
}

func hashLength(m *maphash.Hash, n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	m.Write(b[:])
}
