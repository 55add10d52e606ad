package parquet

import (
	"encoding/binary"
	"math/bits"
)

// setBits sets n bits of a bitmap from bit off on.
func setBits(dst []byte, off, n int, v bool) {
	fill := byte(0)
	if v {
		fill = 0xff
	}
	if off&7 != 0 && n > 0 {
		k := min(n, 8-off&7)
		putBits(dst, off, k, fill)
		off += k
		n -= k
	}
	whole := dst[off>>3 : off>>3+n>>3]
	for i := range whole {
		whole[i] = fill
	}
	if n&7 != 0 {
		putBits(dst, off+n&^7, n&7, fill)
	}
}

// putBits writes the lowest k bits of v, all within one byte of dst.
func putBits(dst []byte, off, k int, v byte) {
	mask := byte(1<<k-1) << (off & 7)
	p := &dst[off>>3]
	*p = *p&^mask | v<<(off&7)&mask
}

func setBit(dst []byte, i int, v bool) {
	if v {
		dst[i>>3] |= 1 << (i & 7)
	} else {
		dst[i>>3] &^= 1 << (i & 7)
	}
}

func bitAt(src []byte, i int) bool { return src[i>>3]>>(i&7)&1 != 0 }

// copyBits copies n bits and counts the ones among them.
func copyBits(dst []byte, off int, src []byte, at, n int) (ones int) {
	if off&7 != 0 && n > 0 {
		k := min(n, 8-off&7)
		ones += copyFew(dst, off, src, at, k)
		off, at, n = off+k, at+k, n-k
	}
	shift := uint(at & 7)
	for n >= 64 && at>>3+9 <= len(src) {
		p := at >> 3
		w := binary.LittleEndian.Uint64(src[p:])>>shift | uint64(src[p+8])<<(64-shift)
		binary.LittleEndian.PutUint64(dst[off>>3:], w)
		ones += bits.OnesCount64(w)
		n, off, at = n-64, off+64, at+64
	}
	for n > 0 {
		k := min(n, 8)
		ones += copyFew(dst, off, src, at, k)
		off, at, n = off+k, at+k, n-k
	}
	return ones
}

// copyFew copies up to eight bits that lie within one byte of dst.
func copyFew(dst []byte, off int, src []byte, at, k int) int {
	p := at >> 3
	v := uint16(src[p])
	if p+1 < len(src) {
		v |= uint16(src[p+1]) << 8
	}
	b := byte(v>>(at&7)) & byte(1<<k-1)
	putBits(dst, off, k, b)
	return bits.OnesCount8(b)
}

// A bitWriter appends single bits to a bitmap; flush writes the last ones.
type bitWriter struct {
	dst []byte
	at  int
	cur byte // bits of the byte that at lies in
}

// bitsFrom begins at a bit of a bitmap, keeping those before it.
func bitsFrom(dst []byte, at int) bitWriter {
	w := bitWriter{dst: dst, at: at}
	if at&7 != 0 {
		w.cur = dst[at>>3] & (1<<(at&7) - 1)
	}
	return w
}

func (w *bitWriter) put(v bool) {
	if v {
		w.cur |= 1 << (w.at & 7)
	}
	if w.at++; w.at&7 == 0 {
		w.dst[w.at>>3-1] = w.cur
		w.cur = 0
	}
}

func (w *bitWriter) flush() {
	if w.at&7 != 0 {
		w.dst[w.at>>3] = w.cur
	}
}

// countBits counts the ones among n bits.
func countBits(src []byte, at, n int) (ones int) {
	for ; n > 0 && at&7 != 0; n-- {
		if bitAt(src, at) {
			ones++
		}
		at++
	}
	p := at >> 3
	for ; n >= 64; n -= 64 {
		ones += bits.OnesCount64(binary.LittleEndian.Uint64(src[p:]))
		p += 8
	}
	for i := range n {
		if bitAt(src, p<<3+i) {
			ones++
		}
	}
	return ones
}
