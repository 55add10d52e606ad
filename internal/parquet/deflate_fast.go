package parquet

import "encoding/binary"

// Margins that the fast loop keeps from the ends: the bytes that a refill
// reads, and the most that one turn writes: literals, a match, and what copying
// by words writes behind it.
const (
	fastInput  = 2 * 8
	fastOutput = 3 + 258 + 32
)

// fast decodes symbols while it is far from the ends of input and output. It
// tells whether the block is done.
func (z *inflater) fast(dst []byte, n int, b *bitReader) (int, bool, error) {
	const litMask, distMask = 1<<litBits - 1, 1<<distBits - 1
	src, pos, buf, have := b.src, b.pos, b.buf, b.bits
	lit, dist := &z.lit, &z.dist
	done := false
	var err error
	// An entry is looked up before the match in front of it is copied: memory
	// answers meanwhile.
	e := uint32(0)
	if pos <= len(src)-fastInput {
		buf, pos, have = topUp(buf, pos, have, src)
		e = lit[buf&litMask]
	}
	for pos <= len(src)-fastInput && n <= len(dst)-fastOutput {
		if e&entryLiteral != 0 {
			// Three literals use up 33 bits at most, and a look-up needs 11.
			buf >>= e & 63
			have -= uint(e & 63)
			dst[n] = byte(e >> 16)
			n++
			e = lit[buf&litMask]
			if e&entryLiteral != 0 {
				buf >>= e & 63
				have -= uint(e & 63)
				dst[n] = byte(e >> 16)
				n++
				e = lit[buf&litMask]
				if e&entryLiteral != 0 {
					buf >>= e & 63
					have -= uint(e & 63)
					dst[n] = byte(e >> 16)
					n++
					buf, pos, have = topUp(buf, pos, have, src)
					e = lit[buf&litMask]
					continue
				}
			}
			buf, pos, have = topUp(buf, pos, have, src)
		}
		if e&entrySpecial != 0 {
			if e&(entryEnd|entryBad) == 0 {
				buf >>= litBits
				have -= litBits
				e = lit[(uint64(e>>16&entryBase)+buf&(1<<(e>>8&15)-1))&(litEntries-1)]
				if e&entryLiteral != 0 {
					buf >>= e & 63
					have -= uint(e & 63)
					dst[n] = byte(e >> 16)
					n++
					buf, pos, have = topUp(buf, pos, have, src)
					e = lit[buf&litMask]
					continue
				}
			}
			if e&entrySpecial != 0 {
				buf >>= e & 63
				have -= uint(e & 63)
				if done = e&entryEnd != 0; !done {
					err = errDeflate
				}
				break
			}
		}
		// A length uses up 20 bits at most, a distance 28.
		size := int(e>>16&entryBase) + int(buf&(1<<(e&63)-1)>>(e>>8&63))
		buf >>= e & 63
		have -= uint(e & 63)
		d := dist[buf&distMask]
		if d&distSpecial != 0 {
			if d&distBad == 0 {
				buf >>= distBits
				have -= distBits
				d = dist[(uint64(d>>16&distBase)+buf&(1<<(d>>8&15)-1))&(distEntries-1)]
			}
			if d&distSpecial != 0 {
				err = errDeflate
				break
			}
		}
		back := int(d>>16&distBase) + int(buf&(1<<(d&63)-1)>>(d>>8&63))
		buf >>= d & 63
		have -= uint(d & 63)
		if back > n {
			err = errDeflate
			break
		}
		buf, pos, have = topUp(buf, pos, have, src)
		e = lit[buf&litMask]
		if back >= 8 && size <= 16 { // as most are
			to, from := dst[n:n+16], dst[n-back:n-back+16]
			*(*[8]byte)(to) = *(*[8]byte)(from)
			*(*[8]byte)(to[8:]) = *(*[8]byte)(from[8:])
		} else {
			copyMatch(dst, n, back, size)
		}
		n += size
	}
	b.pos, b.buf, b.bits = pos, buf&(1<<(have&63)-1), have
	return n, done, err
}

// topUp makes at least 56 bits available.
func topUp(buf uint64, pos int, have uint, src []byte) (uint64, int, uint) {
	return buf | binary.LittleEndian.Uint64(src[pos:])<<(have&63), pos + int((63-have)>>3), have | 56
}

// copyMatch repeats size bytes from back bytes before n. It may write up to 32
// bytes more, which the next symbols overwrite.
func copyMatch(dst []byte, n, back, size int) {
	from, end := n-back, n+size
	switch {
	case back >= 16:
		for {
			*(*[16]byte)(dst[n:]) = *(*[16]byte)(dst[from:])
			n += 16
			from += 16
			if n >= end {
				return
			}
		}
	case back >= 8:
		for ; n < end; n, from = n+8, from+8 {
			*(*[8]byte)(dst[n:]) = *(*[8]byte)(dst[from:])
		}
	case back == 1:
		word := uint64(dst[from]) * 0x0101010101010101
		for ; n < end; n += 8 {
			binary.LittleEndian.PutUint64(dst[n:], word)
		}
	default:
		for ; n < end; n, from = n+1, from+1 {
			dst[n] = dst[from]
		}
	}
}
