package mergeread

import "math/bits"

// An ordinalSet numbers the base rows that a log side has records for, in
// their order: a bitmap, and by word of it how many rows come before. Ordinals
// are below 1<<32.
type ordinalSet struct {
	chunks []*ordinalChunk // by ordinal / chunkRows; nil where there are none
	added  int
}

const (
	chunkRows  = 1 << 16
	chunkWords = chunkRows / 64
)

type ordinalChunk struct {
	words  [chunkWords]uint64
	before [chunkWords]uint32
}

// add puts ordinals into the set.
func (s *ordinalSet) add(ordinals []int64) {
	s.added += len(ordinals)
	for _, o := range ordinals {
		c := int(o / chunkRows)
		for c >= len(s.chunks) {
			s.chunks = append(s.chunks, nil)
		}
		if s.chunks[c] == nil {
			s.chunks[c] = new(ordinalChunk)
		}
		s.chunks[c].words[o/64%chunkWords] |= 1 << (o % 64)
	}
}

// sparse says that the ordinals lie so far apart in a large file that the set
// would take more memory than they are worth.
func (s *ordinalSet) sparse() bool {
	if len(s.chunks) < 1024 {
		return false
	}
	used := 0
	for _, c := range s.chunks {
		if c != nil {
			used++
		}
	}
	return used*32 > s.added
}

// seal numbers the ordinals and tells how many there are.
func (s *ordinalSet) seal() int {
	n := uint32(0)
	for _, c := range s.chunks {
		if c == nil {
			continue
		}
		for i, w := range c.words {
			c.before[i] = n
			n += uint32(bits.OnesCount64(w))
		}
	}
	return int(n)
}

// entry is the number of an ordinal of the sealed set.
func (s *ordinalSet) entry(o int64) int {
	c, i := s.chunks[o/chunkRows], o/64%chunkWords
	return int(c.before[i]) + bits.OnesCount64(c.words[i]&(1<<(o%64)-1))
}

// first gives a cursor at the first ordinal.
func (s *ordinalSet) first() ordinalCursor {
	c := ordinalCursor{set: s, entry: -1, at: -1}
	c.next()
	return c
}

// An ordinalCursor walks the ordinals of a set.
type ordinalCursor struct {
	ok      bool
	ordinal int64
	entry   int

	set  *ordinalSet
	at   int    // number of the current word
	rest uint64 // its bits from here on
}

// next goes on to the next ordinal; ok tells whether there is one.
func (c *ordinalCursor) next() {
	for c.rest == 0 {
		c.at++
		chunk := c.at / chunkWords
		if chunk >= len(c.set.chunks) {
			c.ok = false
			return
		}
		if c.set.chunks[chunk] == nil {
			c.at += chunkWords - 1
			continue
		}
		c.rest = c.set.chunks[chunk].words[c.at%chunkWords]
	}
	c.ok = true
	c.entry++
	c.ordinal = int64(c.at)*64 + int64(bits.TrailingZeros64(c.rest))
	c.rest &= c.rest - 1
}
