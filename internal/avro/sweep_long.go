package avro

import (
	"encoding/binary"
	"math/bits"
)

// lengthySweep gives the loop that goes on where the loop for a field stopped
// because a value is long.
func lengthySweep[L lead](n *node, wanted bool) func(*sweep, []byte, []uint32) int {
	switch {
	case wanted && n.op == opLong:
		return sweepLongLongs[L]
	case wanted && n.op == opBytes:
		return sweepLongTexts[L]
	case wanted || n.known:
		return nil
	case n.op == opLong:
		return skipLongLongs[L]
	case n.op == opBytes || n.op == opDecimalBytes:
		return skipLongTexts[L]
	}
	return nil
}

// sweepLongLongs reads numbers of 9 and 10 bytes.
func sweepLongLongs[L lead](s *sweep, buf []byte, at []uint32) int {
	c := s.col
	c.reserve(len(at))
	dst := c.u64[c.n:][:len(at)]
	l := len(*new(L))
	last := len(buf) - l - longWord - 2
	done := 0
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != s.want {
			break
		}
		w := binary.LittleEndian.Uint64(buf[p+l : p+l+8])
		tail, n := tailOfLong(buf[p+l+8], buf[p+l+9])
		if w&stopBits != stopBits || n == 0 {
			break
		}
		v := join7(w) | tail<<56
		dst[i] = v>>1 ^ -(v & 1)
		at[i] = uint32(p + l + longWord + n)
		done++
	}
	c.setValids(done)
	return done
}

// skipLongLongs steps over numbers of any length.
func skipLongLongs[L lead](s *sweep, buf []byte, at []uint32) int {
	l := len(*new(L))
	last := len(buf) - l - longWord - 2
	for i, p := range at {
		for range s.count {
			v := int(p)
			if v > last {
				return i
			}
			if l > 0 && buf[v] != s.want {
				if int(buf[v]) != s.null {
					return i
				}
				p++
				continue
			}
			n := longWord
			if end := ^binary.LittleEndian.Uint64(buf[v+l:v+l+8]) & stopBits; end != 0 {
				n = (bits.TrailingZeros64(end) + 1) >> 3
			} else if _, more := tailOfLong(buf[v+l+8], buf[v+l+9]); more > 0 {
				n += more
			} else {
				return i
			}
			p += uint32(l + n)
		}
		at[i] = p
	}
	return len(at)
}

// tailOfLong reads the bytes behind the 8 bytes of a number that goes on: its
// value and the number of bytes, 0 if that is no number.
func tailOfLong(b0, b1 byte) (v uint64, n int) {
	switch {
	case b0 < 0x80:
		return uint64(b0), 1
	case b1 <= 1:
		return uint64(b0&0x7f) | uint64(b1)<<7, 2
	}
	return 0, 0
}

// sweepLongTexts reads strings whose length takes two bytes.
func sweepLongTexts[L lead](s *sweep, buf []byte, at []uint32) int {
	c := s.col
	c.reserve(len(at))
	l := len(*new(L))
	last := len(buf) - l - 2
	done := 0
	for i, q := range at {
		p := int(q)
		if p > last || l > 0 && buf[p] != s.want {
			break
		}
		from, to := p+l+2, endOfLong(buf, p+l)
		if to < 0 || !c.reserveBytes(c.used+to-from) {
			break
		}
		c.used += copy(c.data[c.used:], buf[from:to])
		c.offsets[c.n+i+1] = int32(c.used)
		at[i] = uint32(to)
		done++
	}
	c.setValids(done)
	return done
}

// skipLongTexts steps over strings whose length takes one byte or two.
func skipLongTexts[L lead](s *sweep, buf []byte, at []uint32) int {
	l := len(*new(L))
	last := len(buf) - l - 2
	for i, p := range at {
		for range s.count {
			v := int(p)
			if v > last {
				return i
			}
			if l > 0 && buf[v] != s.want {
				if int(buf[v]) != s.null {
					return i
				}
				p++
				continue
			}
			to := v + l + 1 + int(buf[v+l]>>1)
			if buf[v+l]&0x81 != 0 {
				if to = endOfLong(buf, v+l); to < 0 {
					return i
				}
			}
			p = uint32(to)
		}
		at[i] = p
	}
	return len(at)
}

// endOfLong gives the place behind a string whose length takes two bytes, which
// are at hand; -1 if it is none such.
func endOfLong(buf []byte, at int) int {
	head := binary.LittleEndian.Uint16(buf[at : at+2])
	to := at + 2 + int(head&0x7f|head>>8<<7)>>1
	if head&0x8081 != 0x80 || to > len(buf) {
		return -1
	}
	return to
}
