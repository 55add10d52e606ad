package avro

import (
	"encoding/binary"
	"math/bits"
)

// skippingSweep gives the loop for fields to step over, whose values n reads,
// and the size of the values where that is known.
func skippingSweep[L lead](n *node) (fast func(*sweep, []byte, []uint32) int, size int) {
	switch {
	case n.known && n.size <= maxStep:
		return skipSized[L], n.size
	case n.known:
	case n.op == opInt || n.op == opLong || n.op == opEnum:
		return skipNumbers[L], 0
	case n.op == opBytes || n.op == opDecimalBytes:
		return skipTexts[L], 0
	}
	return nil, 0
}

// maxStep bounds the known sizes that loops step over without a look at the end
// of the record.
const maxStep = 1 << 16

func skipSized[L lead](s *sweep, buf []byte, at []uint32) int {
	l := len(*new(L))
	last := len(buf) - l
	want, step, count := s.want, uint32(l+s.size), s.count
	for i, p := range at {
		for range count {
			if int(p) > last {
				return i
			}
			if l > 0 && buf[p] != want {
				if int(buf[p]) != s.null {
					return i
				}
				p++
				continue
			}
			p += step
		}
		at[i] = p
	}
	return len(at)
}

func skipNumbers[L lead](s *sweep, buf []byte, at []uint32) int {
	l := len(*new(L))
	last := len(buf) - l - longWord
	want, count := s.want, s.count
	for i, p := range at {
		for range count {
			v := int(p)
			if v > last {
				return i
			}
			if l > 0 && buf[v] != want {
				if int(buf[v]) != s.null {
					return i
				}
				p++
				continue
			}
			end := ^binary.LittleEndian.Uint64(buf[v+l:v+l+8]) & stopBits
			if end == 0 {
				return i
			}
			p += uint32(l + (bits.TrailingZeros64(end)+1)>>3)
		}
		at[i] = p
	}
	return len(at)
}

func skipTexts[L lead](s *sweep, buf []byte, at []uint32) int {
	l := len(*new(L))
	last := len(buf) - 2
	want, mask := s.headOfText(l)
	count := s.count
	for i, p := range at {
		for range count {
			v := int(p)
			if v > last {
				return i
			}
			head := binary.LittleEndian.Uint16(buf[v : v+2])
			if head&mask != want {
				if l == 0 || int(buf[v]) != s.null {
					return i
				}
				p++
				continue
			}
			p += uint32(l + 1 + textLen(head, l))
		}
		at[i] = p
	}
	return len(at)
}
