package pushdown

import "math/bits"

// The two hash functions of Hadoop's Bloom filters. They follow Java in all
// that it does to bytes, which have a sign there.

// murmur is Hadoop's MurmurHash: MurmurHash2 for 32 bits, except that the last
// bytes of a key keep their sign.
func murmur(b []byte, seed int32) int32 {
	const m, r = 0x5bd1e995, 24
	h := uint32(seed) ^ uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(int32(int8(b[3])))<<24
		k *= m
		k ^= k >> r
		k *= m
		h *= m
		h ^= k
	}
	signed := func(i int) uint32 { return uint32(int32(int8(b[i]))) }
	if n := len(b); n != 0 {
		if n >= 3 {
			h ^= signed(n-3) << 16
		}
		if n >= 2 {
			h ^= signed(n-2) << 8
		}
		h ^= signed(n - 1)
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return int32(h)
}

// jenkins is Hadoop's JenkinsHash: lookup3.
func jenkins(key []byte, seed int32) int32 {
	a := 0xdeadbeef + uint32(len(key)) + uint32(seed)
	b, c := a, a
	word := func(p []byte) uint32 {
		return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
	}
	for ; len(key) > 12; key = key[12:] {
		a, b, c = a+word(key), b+word(key[4:]), c+word(key[8:])
		a = (a - c) ^ bits.RotateLeft32(c, 4)
		c += b
		b = (b - a) ^ bits.RotateLeft32(a, 6)
		a += c
		c = (c - b) ^ bits.RotateLeft32(b, 8)
		b += a
		a = (a - c) ^ bits.RotateLeft32(c, 16)
		c += b
		b = (b - a) ^ bits.RotateLeft32(a, 19)
		a += c
		c = (c - b) ^ bits.RotateLeft32(b, 4)
		b += a
	}
	if len(key) == 0 {
		return int32(c)
	}
	var last [12]byte
	copy(last[:], key)
	a, b, c = a+word(last[:]), b+word(last[4:]), c+word(last[8:])
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	c = (c ^ b) - bits.RotateLeft32(b, 24)
	return int32(c)
}
