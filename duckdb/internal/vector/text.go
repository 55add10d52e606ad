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

// heads and tails are the bits of a string_t's two words that belong to a
// string, by its length.
var heads, tails [inline + 1]uint64

func init() {
	for n := range heads {
		heads[n] = 1<<(8*min(n, 4)) - 1
		tails[n] = 1<<(8*max(n-4, 0)) - 1
	}
}

// inlined makes the string_t of data[start:end), at most inline bytes long.
func inlined(data []byte, start, end int) stringT {
	n := uint(end - start)
	if start+inline > len(data) {
		var pad [inline]byte
		copy(pad[:], data[start:end])
		data, start = pad[:], 0
	}
	at := (*[inline]byte)(data[start:])
	head := uint64(binary.LittleEndian.Uint32(at[:]))
	tail := binary.LittleEndian.Uint64(at[4:])
	return stringT{uint64(n) | head&heads[n]<<32, tail & tails[n]}
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
	if isText && !allUTF8(data, offsets) {
		return writeDoubtful(v, data, offsets, mask)
	}
	start, end := int(offsets[0]), int(offsets[n])
	if end-start > maxShared {
		return writeSingly(v, data, offsets, mask)
	}
	dst := target[stringT](v, n)
	var heap uintptr // where the bytes of data[start:end) lie in the vector's memory
	s := start
	for i := range dst {
		e := int(offsets[i+1])
		if e-s <= inline {
			dst[i] = inlined(data, s, e)
		} else {
			if heap == 0 {
				heap = share(v, dst, data[start:end])
			}
			dst[i] = pointing(data, s, e, heap+uintptr(s-start))
		}
		s = e
	}
	return nil
}

// share copies the bytes of all strings into the vector's memory by one call,
// as if they were the first row's, and tells where they lie.
func share(v capi.Vector, dst []stringT, all []byte) uintptr {
	first := dst[0]
	v.AssignString(0, all)
	heap := uintptr(dst[0][1])
	dst[0] = first
	return heap
}

// allUTF8 tells whether each string is valid UTF-8: all bytes together are, and
// none begins in the middle of a rune.
func allUTF8[O int32 | int64](data []byte, offsets []O) bool {
	end := offsets[len(offsets)-1]
	all := data[offsets[0]:end]
	if isASCII(all) {
		return true
	}
	if !utf8.Valid(all) {
		return false
	}
	for _, o := range offsets {
		if o < end && data[o]&0xC0 == 0x80 {
			return false
		}
	}
	return true
}

func isASCII(b []byte) bool {
	var bits uint64
	for ; len(b) >= 8; b = b[8:] {
		bits |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		bits |= uint64(c)
	}
	return bits&0x8080808080808080 == 0
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
