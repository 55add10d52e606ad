package mergeread

import "encoding/binary"

// A bitWriter appends bits to a bitmap in words: most stretches are shorter
// than what a copy of bytes pays for.
type bitWriter struct {
	dst  []byte
	at   int    // next byte
	word uint64 // bits that wait
	n    uint   // how many
}

// put appends the low n bits of v, at most 32; the others must be 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.word |= v << w.n
	if w.n += n; w.n < 32 {
		return
	}
	// Half words keep v << w.n within 64 bits.
	binary.LittleEndian.PutUint32(w.dst[w.at:], uint32(w.word))
	w.at += 4
	w.word >>= 32
	w.n -= 32
}

// repeat appends n times the same bit.
func (w *bitWriter) repeat(bit bool, n int) {
	v := uint64(0)
	if bit {
		v = 1<<32 - 1
	}
	for ; n > 32; n -= 32 {
		w.put(v, 32)
	}
	w.put(v&(1<<uint(n)-1), uint(n))
}

// copy appends n bits of a bitmap from a bit offset on.
func (w *bitWriter) copy(src []byte, off, n int) {
	for n > 0 {
		k := min(n, 32)
		w.put(bitsAt(src, off, k), uint(k))
		off += k
		n -= k
	}
}

// bitsAt reads at most 32 bits.
func bitsAt(src []byte, off, n int) uint64 {
	src = src[off>>3:]
	shift := uint(off & 7)
	var v uint64
	if len(src) >= 8 {
		v = binary.LittleEndian.Uint64(src)
	} else {
		for i, b := range src {
			v |= uint64(b) << (8 * i)
		}
	}
	return v >> shift & (1<<uint(n) - 1)
}

// flush writes the bits that wait.
func (w *bitWriter) flush() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.dst[w.at] = byte(w.word)
		w.word >>= 8
		w.at++
	}
}
