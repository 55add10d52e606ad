package pushdown

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// A Selection marks rows of a batch, one bit each.
type Selection struct {
	words []uint64
	rows  int
	count int
}

func newSelection(rows int) Selection {
	return Selection{words: make([]uint64, (rows+63)/64), rows: rows}
}

// all marks every row.
func (s *Selection) fill() {
	for i := range s.words {
		s.words[i] = ^uint64(0)
	}
	s.trim()
}

// trim clears the bits behind the last row and counts.
func (s *Selection) trim() {
	if r := s.rows % 64; r != 0 {
		s.words[len(s.words)-1] &= 1<<r - 1
	}
	s.count = 0
	for _, w := range s.words {
		s.count += bits.OnesCount64(w)
	}
}

// Len is the number of rows, marked or not.
func (s Selection) Len() int { return s.rows }

// Count is the number of rows marked.
func (s Selection) Count() int { return s.count }

// All tells that every row is marked.
func (s Selection) All() bool { return s.count == s.rows }

// Has tells whether a row is marked.
func (s Selection) Has(row int) bool { return s.words[row/64]>>(row%64)&1 != 0 }

// Rows goes through the ordinals of the rows marked.
func (s Selection) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(i*64 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Ranges goes through the stretches of marked rows, end excluded.
func (s Selection) Ranges() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := s.next(0, 0); at < s.rows; {
			end := s.next(at, ^uint64(0))
			if !yield(at, end) {
				return
			}
			at = s.next(end, 0)
		}
	}
}

// next finds the first row from one on whose bit is 1, or 0 if flip is all
// ones.
func (s Selection) next(from int, flip uint64) int {
	for i := from / 64; i < len(s.words); i++ {
		w := s.words[i] ^ flip
		if i == from/64 {
			w &= ^uint64(0) << (from % 64)
		}
		if w != 0 {
			return min(i*64+bits.TrailingZeros64(w), s.rows)
		}
	}
	return s.rows
}

// bits64 gives 64 bits of a bitmap from a bit on; what lies behind its end is
// zero.
func bits64(bitmap []byte, at int) uint64 {
	b, shift := at/8, at%8
	if b+9 <= len(bitmap) {
		w := binary.LittleEndian.Uint64(bitmap[b:])
		if shift == 0 {
			return w
		}
		return w>>shift | uint64(bitmap[b+8])<<(64-shift)
	}
	var buf [9]byte
	if b < len(bitmap) {
		copy(buf[:], bitmap[b:])
	}
	w := binary.LittleEndian.Uint64(buf[:]) >> shift
	if shift != 0 {
		w |= uint64(buf[8]) << (64 - shift)
	}
	return w
}
