package vector

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

const (
	// inline is the length up to which a string_t holds the string itself.
	inline = 12
	// maxShared bounds the bytes that go into a vector as one string.
	maxShared = 1 << 30
)

// stringT is duckdb_string_t as two words: the length, the first four bytes,
// and then either the next eight bytes, zero padded, or a pointer to all.
type stringT [2]uint64

// inlined makes the string_t of data[start:end), at most inline bytes long.
func inlined(data []byte, start, end int) stringT {
	n := end - start
	if start+inline > len(data) {
		var pad [inline]byte
		copy(pad[:], data[start:end])
		return stringT{uint64(n) | uint64(binary.LittleEndian.Uint32(pad[:]))<<32, binary.LittleEndian.Uint64(pad[4:])}
	}
	head := uint64(binary.LittleEndian.Uint32(data[start:]))
	tail := binary.LittleEndian.Uint64(data[start+4:])
	if n < 4 {
		head, tail = head&(1<<(8*n)-1), 0
	} else {
		tail &= 1<<(8*(n-4)) - 1
	}
	return stringT{uint64(n) | head<<32, tail}
}

// pointing makes the string_t of data[start:end), longer than inline bytes, of
// which a copy lies at heap.
func pointing(data []byte, start, end int, heap uintptr) stringT {
	return stringT{uint64(end-start) | uint64(binary.LittleEndian.Uint32(data[start:]))<<32, uint64(heap)}
}

// text writes strings and blobs with offsets.
type text struct{ utf8, large bool }

func (t *text) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	mask := writeValidity(v, a, off, n, parent)
	var data []byte
	if buf := a.Data().Buffers()[2]; buf != nil {
		data = buf.Bytes()
	}
	if t.large {
		return writeText(v, data, values[int64](a, off, n+1), mask, t.utf8)
	}
	return writeText(v, data, values[int32](a, off, n+1), mask, t.utf8)
}

// writeText writes the strings data[offsets[i]:offsets[i+1]).
func writeText[O int32 | int64](v capi.Vector, data []byte, offsets []O, mask []uint64, isText bool) error {
	n := len(offsets) - 1
	if n < 0 {
		return nil
	}
	start, end := int(offsets[0]), int(offsets[n])
	if isText && !allUTF8(data, offsets) {
		return writeDoubtful(v, data, offsets, mask)
	}
	if end-start > maxShared {
		return writeSingly(v, data, offsets, mask)
	}
	dst := target[stringT](v, n)
	heap := share(v, dst, data[start:end], longest(offsets))
	data = data[start:end]
	for i := range dst {
		s, e := int(offsets[i])-start, int(offsets[i+1])-start
		if e-s <= inline {
			dst[i] = inlined(data, s, e)
		} else {
			dst[i] = pointing(data, s, e, heap+uintptr(s))
		}
	}
	return nil
}

// share copies the bytes of all strings into the vector's memory by one call,
// as if they were the first row's, and tells where they lie. Nothing is copied
// if all strings fit into their string_t.
func share(v capi.Vector, dst []stringT, all []byte, longest int) uintptr {
	if longest <= inline {
		return 0
	}
	v.AssignString(0, all)
	return uintptr(dst[0][1])
}

func longest[O int32 | int64](offsets []O) int {
	var most O
	for i := 1; i < len(offsets); i++ {
		most = max(most, offsets[i]-offsets[i-1])
	}
	return int(most)
}

// allUTF8 tells whether each string is valid UTF-8: all bytes together are, and
// none begins in the middle of a rune.
func allUTF8[O int32 | int64](data []byte, offsets []O) bool {
	end := offsets[len(offsets)-1]
	if !utf8.Valid(data[offsets[0]:end]) {
		return false
	}
	for _, o := range offsets {
		if o < end && data[o]&0xC0 == 0x80 {
			return false
		}
	}
	return true
}

// writeDoubtful handles strings of which some are not valid UTF-8, which is an
// error unless they only stand behind NULLs.
func writeDoubtful[O int32 | int64](v capi.Vector, data []byte, offsets []O, mask []uint64) error {
	for i := range len(offsets) - 1 {
		s := data[offsets[i]:offsets[i+1]]
		if valid(mask, i) && !utf8.Valid(s) {
			return fmt.Errorf("string %q is not valid UTF-8, which duckdb's VARCHAR must be", s[:min(len(s), 40)])
		}
	}
	return writeSingly(v, data, offsets, mask)
}

// writeSingly stores string by string.
func writeSingly[O int32 | int64](v capi.Vector, data []byte, offsets []O, mask []uint64) error {
	for i := range len(offsets) - 1 {
		if valid(mask, i) {
			v.AssignString(i, data[offsets[i]:offsets[i+1]])
		}
	}
	return nil
}

// fixedBinary writes blobs of one width.
type fixedBinary struct {
	width   int
	offsets []int32
}

func (f *fixedBinary) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	mask := writeValidity(v, a, off, n, parent)
	buf := a.Data().Buffers()[1]
	if buf == nil {
		return nil
	}
	for len(f.offsets) <= n {
		f.offsets = append(f.offsets, int32(len(f.offsets)*f.width))
	}
	return writeText(v, buf.Bytes()[(a.Data().Offset()+off)*f.width:], f.offsets[:n+1], mask, false)
}

// assert the size that stringT must have.
var _ [16]byte = [unsafe.Sizeof(stringT{})]byte{}
