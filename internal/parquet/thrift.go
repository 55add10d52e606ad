package parquet

import (
	"encoding/binary"
	"errors"
	"math"
)

// Errors of the thrift decoder. The file that was being read is named by the
// caller.
var (
	errThriftShort = errors.New("thrift: unexpected end of data")
	errThriftType  = errors.New("thrift: field has an unexpected type")
	errThriftDepth = errors.New("thrift: structures nested too deeply")
)

// Types of the thrift compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12

	maxThriftDepth = 32
)

// thriftReader decodes the compact protocol from a byte slice. Nothing is
// allocated on the word of the input: lists grow as their items are read. The
// first error sticks, and everything after it reads as zero, so that the
// decoders of structures need not check each step.
//
// Byte slices and strings that it gives alias the input.
type thriftReader struct {
	data  []byte
	pos   int
	depth int
	err   error
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.pos = len(r.data)
	}
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.data) {
		r.fail(errThriftShort)
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data[r.pos:])
	if n <= 0 {
		r.fail(errThriftShort)
		return 0
	}
	r.pos += n
	return v
}

func (r *thriftReader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *thriftReader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.data)-r.pos) {
		r.fail(errThriftShort)
		return nil
	}
	b := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// structure calls field for each field of a structure; field must consume the
// value, by one of the typed readers or by skip.
func (r *thriftReader) structure(field func(id int16, typ byte)) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail(errThriftDepth)
	}
	id := int16(0)
	for r.err == nil {
		b := r.byte()
		typ := b & 0x0f
		if typ == thriftStop {
			break
		}
		if delta := b >> 4; delta != 0 {
			id += int16(delta)
		} else {
			id = int16(r.varint())
		}
		field(id, typ)
	}
	r.depth--
}

// list calls item for each item of a list of the wanted type.
func (r *thriftReader) list(typ, want byte, item func()) {
	if typ != thriftList && typ != thriftSet {
		r.fail(errThriftType)
		return
	}
	n, elem := r.listHeader()
	if n > 0 && elem != want && !(want == thriftTrue && elem == thriftFalse) {
		r.fail(errThriftType)
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		item()
	}
}

func (r *thriftReader) listHeader() (n uint64, elem byte) {
	b := r.byte()
	n = uint64(b >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	// Every item takes at least a byte.
	if n > uint64(len(r.data)-r.pos) {
		r.fail(errThriftShort)
		return 0, 0
	}
	return n, b & 0x0f
}

func (r *thriftReader) bool(typ byte) bool {
	if typ != thriftTrue && typ != thriftFalse {
		r.fail(errThriftType)
	}
	return typ == thriftTrue
}

func (r *thriftReader) i32(typ byte) int32 {
	v := r.i64(typ)
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.fail(errThriftType)
		return 0
	}
	return int32(v)
}

func (r *thriftReader) i64(typ byte) int64 {
	switch typ {
	case thriftByte:
		return int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		return r.varint()
	}
	r.fail(errThriftType)
	return 0
}

func (r *thriftReader) binary(typ byte) []byte {
	if typ != thriftBinary {
		r.fail(errThriftType)
		return nil
	}
	return r.bytes()
}

func (r *thriftReader) string(typ byte) string { return string(r.binary(typ)) }

// union reads a structure of which at most one field is set and gives that
// field's id, leaving its contents to field (nil to skip them).
func (r *thriftReader) union(typ byte, field func(id int16, typ byte)) (set int16) {
	if typ != thriftStruct {
		r.fail(errThriftType)
		return 0
	}
	r.structure(func(id int16, typ byte) {
		set = id
		if field == nil {
			r.skip(typ)
			return
		}
		field(id, typ)
	})
	return set
}

// skip reads over a value of any type.
func (r *thriftReader) skip(typ byte) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail(errThriftDepth)
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		if len(r.data)-r.pos < 8 {
			r.fail(errThriftShort)
		} else {
			r.pos += 8
		}
	case thriftBinary:
		r.bytes()
	case thriftList, thriftSet:
		n, elem := r.listHeader()
		r.skipItems(n, elem)
	case thriftMap:
		r.skipMap()
	case thriftStruct:
		r.structure(func(_ int16, typ byte) { r.skip(typ) })
	default:
		r.fail(errThriftType)
	}
	r.depth--
}

func (r *thriftReader) skipItems(n uint64, elem byte) {
	for ; n > 0 && r.err == nil; n-- {
		if elem == thriftTrue || elem == thriftFalse {
			r.byte() // outside of structures a boolean has a byte of its own
		} else {
			r.skip(elem)
		}
	}
}

func (r *thriftReader) skipMap() {
	n := r.uvarint()
	if n == 0 {
		return
	}
	types := r.byte()
	for ; n > 0 && r.err == nil; n-- {
		r.skipItems(1, types>>4)
		r.skipItems(1, types&0x0f)
	}
}
