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
	for ; n > 0 && off&7 != 0; n-- {
		setBit(dst, off, v)
		off++
	}
	whole := dst[off>>3 : off>>3+n>>3]
	for i := range whole {
		whole[i] = fill
	}
	off += n &^ 7
	for n &= 7; n > 0; n-- {
		setBit(dst, off, v)
		off++
	}
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
	for ; n > 0 && off&7 != 0; n-- {
		v := bitAt(src, at)
		setBit(dst, off, v)
		if v {
			ones++
		}
		off++
		at++
	}
	shift := uint(at & 7)
	for n >= 64 && at>>3+9 <= len(src) {
		p := at >> 3
		w := binary.LittleEndian.Uint64(src[p:]) >> shift
		if shift > 0 {
			w |= uint64(src[p+8]) << (64 - shift)
		}
		binary.LittleEndian.PutUint64(dst[off>>3:], w)
		ones += bits.OnesCount64(w)
		n, off, at = n-64, off+64, at+64
	}
	for ; n > 0; n-- {
		v := bitAt(src, at)
		setBit(dst, off, v)
		if v {
			ones++
		}
		off++
		at++
	}
	return ones
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
