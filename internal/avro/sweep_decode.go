package avro

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// decodingSweep gives the loop for a wanted field, and the size of its values
// where it needs that.
func decodingSweep[L lead](n *node) (fast func(*sweep, []byte, []uint32) int, size int) {
	switch n.op {
	case opInt:
		return sweepInts[L], 0
	case opLong:
		return sweepLongs[L], 0
	case opFloat:
		return sweepWords32[L], 0
	case opDouble:
		return sweepWords64[L], 0
	case opBoolean:
		return sweepBooleans[L], 0
	case opBytes:
		return sweepTexts[L], 0
	case opDecimalFixed:
		switch {
		case n.size > 16 || n.size == 0:
			return nil, 0
		case n.size > 8:
			return sweepWideDecimals[L], n.size
		}
		return sweepDecimals[L], n.size
	}
	return nil, 0
}

// A lead is what stands before a value: nothing, or the byte of a union's
// branch. The loops are compiled for either.
type lead interface{ [0]byte | [1]byte }

// longWord is the most that a number takes as a word.
const longWord = 8

// stopBits has a bit for each byte of a word that tells whether a number goes
// on behind it.
const stopBits = 0x8080808080808080

func sweepLongs[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.u64[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - longWord
	want, done := s.want, len(at)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		w := binary.LittleEndian.Uint64(buf[p+l : p+l+8])
		end := ^w & stopBits
		if end == 0 {
			done = i
			break
		}
		w &= end ^ (end - 1)
		v := join5(w)
		if w >= 1<<40 {
			v = join7(w)
		}
		dst[i] = v>>1 ^ -(v & 1)
		at[i] = uint32(p + l + (bits.TrailingZeros64(end)+1)>>3)
	}
	s.col.setValids(done)
	return done
}

func sweepInts[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.u32[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - longWord
	want, done := s.want, len(at)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		w := binary.LittleEndian.Uint64(buf[p+l : p+l+8])
		end := ^w & stopBits
		w &= end ^ (end - 1)
		v := join5(w)
		if w >= 1<<40 || v >= 1<<32 { // without an end w keeps all bytes
			done = i
			break
		}
		dst[i] = uint32(v>>1) ^ -uint32(v&1)
		at[i] = uint32(p + l + (bits.TrailingZeros64(end)+1)>>3)
	}
	s.col.setValids(done)
	return done
}

func sweepWords32[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.u32[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - 4
	want, step, done := s.want, uint32(l+4), len(at)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		dst[i] = binary.LittleEndian.Uint32(buf[p+l : p+l+4])
		at[i] = q + step
	}
	s.col.setValids(done)
	return done
}

func sweepWords64[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.u64[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - 8
	want, step, done := s.want, uint32(l+8), len(at)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		dst[i] = binary.LittleEndian.Uint64(buf[p+l : p+l+8])
		at[i] = q + step
	}
	s.col.setValids(done)
	return done
}

func sweepBooleans[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	n, dst := s.col.n, s.col.data
	l := len(*new(L))
	last := len(buf) - l - 1
	want, step, done := s.want, uint32(l+1), len(at)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want || buf[p+l] > 1 {
			done = i
			break
		}
		bit := (n + i) & 7
		b := &dst[(n+i)>>3]
		*b = *b&^(1<<bit) | buf[p+l]<<bit
		at[i] = q + step
	}
	s.col.setValids(done)
	return done
}

// sweepDecimals reads numbers of up to 8 bytes, the first one the highest.
func sweepDecimals[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.decimals[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - 8
	want, step, done := s.want, uint32(l+s.size), len(at)
	shift := uint(64 - 8*s.size)
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		v := int64(binary.BigEndian.Uint64(buf[p+l:p+l+8])) >> (shift & 63)
		dst[i] = decimal128.New(v>>63, uint64(v))
		at[i] = q + step
	}
	s.col.setValids(done)
	return done
}

// sweepWideDecimals reads numbers of 9 to 16 bytes.
func sweepWideDecimals[L lead](s *sweep, buf []byte, at []uint32) int {
	s.col.reserve(len(at))
	dst := s.col.decimals[s.col.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - 16
	want, step, done := s.want, uint32(l+s.size), len(at)
	shift := uint(128 - 8*s.size) // below 64
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != want {
			done = i
			break
		}
		hi, lo := binary.BigEndian.Uint64(buf[p+l:p+l+8]), binary.BigEndian.Uint64(buf[p+l+8:p+l+16])
		dst[i] = decimal128.New(int64(hi)>>(shift&63), hi<<1<<(63-shift&63)|lo>>(shift&63))
		at[i] = q + step
	}
	s.col.setValids(done)
	return done
}

// textWords is how many bytes of a string are copied at once; what is too many
// is overwritten by the next string. Strings of up to twice that have a length
// of one byte.
const textWords = 32

// headOfText tells how the bytes before a short string look, as a word of two:
// (head & mask) == want.
func (s *sweep) headOfText(lead int) (want, mask uint16) {
	if lead == 0 {
		return 0, 0x81 // a length below 64, and positive
	}
	return uint16(s.want), 0x81ff
}

func textLen(head uint16, lead int) int { return int(head>>(8*lead)&0xff) >> 1 }

func sweepTexts[L lead](s *sweep, buf []byte, at []uint32) int {
	c := s.col
	c.reserve(len(at))
	c.reserveBytes(min(c.used+len(at)*2*textWords, maxEnd))
	ends := c.offsets[c.n+1:][:len(at)]
	data, used, room := c.data, uint32(c.used), len(c.data)-2*textWords
	l := len(*new(L))
	last := len(buf) - l - (1 + 2*textWords)
	want, mask := s.headOfText(l)
	done := len(at)
	for i, q := range at {
		p, u := int(q), int(used)
		if p > last || u > room {
			done = i
			break
		}
		head := binary.LittleEndian.Uint16(buf[p : p+2])
		if head&mask != want {
			done = i
			break
		}
		n := textLen(head, l)
		from, to := buf[p+l+1:p+l+1+2*textWords], data[u:u+2*textWords]
		copyWords(to[:textWords], from[:textWords])
		if n > textWords {
			copyWords(to[textWords:], from[textWords:])
		}
		used += uint32(n)
		ends[i] = int32(used)
		at[i] = uint32(p + l + 1 + n)
	}
	c.used = int(used)
	c.setValids(done)
	return done
}

// copyWords copies textWords bytes.
func copyWords(to, from []byte) {
	_, _ = to[textWords-1], from[textWords-1]
	binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
	binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
	binary.LittleEndian.PutUint64(to[16:], binary.LittleEndian.Uint64(from[16:]))
	binary.LittleEndian.PutUint64(to[24:], binary.LittleEndian.Uint64(from[24:]))
}
