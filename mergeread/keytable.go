package mergeread

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// A keyTable finds the entry of a record key: open addressing over 8-byte
// slots, each a 32-bit piece of the hash and the number of the entry. Keys
// stay in the Arrow columns that they came in: an entry's head row has it.
type keyTable struct {
	slots []uint64
	mask  uint32
	used  int
}

var hashSeed = maphash.MakeSeed()

// hashKey hashes a key to the 32 bits that the table works with; the high
// half of the hash is left to the partitions of a spilled merge.
func hashKey(key []byte) uint64 { return maphash.Bytes(hashSeed, key) }

// minSlots keeps the first growths out of small merges.
const minSlots = 1024

// grow makes room for one more entry at a load of at most one half.
func (t *keyTable) grow() {
	if 2*(t.used+1) <= len(t.slots) {
		return
	}
	old := t.slots
	n := max(minSlots, 2*len(old))
	t.slots, t.mask = make([]uint64, n), uint32(n-1)
	for _, s := range old {
		if s != 0 {
			t.place(s)
		}
	}
}

func (t *keyTable) place(slot uint64) {
	for i := uint32(slot>>32) & t.mask; ; i = (i + 1) & t.mask {
		if t.slots[i] == 0 {
			t.slots[i] = slot
			return
		}
	}
}

// insert adds an entry whose key is not in the table.
func (t *keyTable) insert(tag uint32, entry int) {
	t.grow()
	t.place(uint64(tag)<<32 | uint64(entry+1))
	t.used++
}

// find gives the entry of a key, -1 if absent.
func (m *fold) find(tag uint32, key []byte) int {
	t := &m.table
	if t.used == 0 {
		return -1
	}
	for i := tag & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s == 0 {
			return -1
		}
		if uint32(s>>32) != tag {
			continue
		}
		e := int(uint32(s)) - 1
		m.compared++
		if bytes.Equal(m.key(e), key) {
			return e
		}
	}
}

// A tagFilter has a bit set for each tag of a table. It is small enough for
// the caches where the table is not, and most base rows end there: a probe of
// the table alone takes three times as long, for its misses and for branches
// that can't be guessed.
type tagFilter struct {
	bits  []uint64
	shift uint32
}

// filterBits is the filter's size in bits per slot of the table. Of a table
// that is a quarter to a half full it leaves 1 row in 16 to 1 in 8.
const filterBits = 4

func newTagFilter(t *keyTable) tagFilter {
	n := len(t.slots) * filterBits
	f := tagFilter{bits: make([]uint64, n/64), shift: uint32(32 - bits.Len(uint(n-1)))}
	for _, s := range t.slots {
		if s != 0 {
			b := uint32(s>>32) >> f.shift
			f.bits[b>>6] |= 1 << (b & 63)
		}
	}
	return f
}

// pass lists the rows whose tags may be in the table. It has no branches to
// guess wrong.
func (f *tagFilter) pass(rows []int32, tags []uint32) []int32 {
	rows = slices.Grow(rows[:0], len(tags))[:len(tags)]
	n := 0
	for i, tag := range tags {
		b := tag >> f.shift
		rows[n] = int32(i)
		n += int(f.bits[b>>6] >> (b & 63) & 1)
	}
	return rows[:n]
}

// candidates finds, for the tags of a batch that the table has, the first
// entry with it.
func (t *keyTable) candidates(to []candidate, tags []uint32, rows []int32) []candidate {
	slots, mask := t.slots, t.mask
	for _, row := range rows {
		tag := tags[row]
		for i := tag & mask; ; i = (i + 1) & mask {
			s := slots[i]
			if uint32(s>>32) == tag && s != 0 {
				to = append(to, candidate{row: row, entry: int32(uint32(s)) - 1})
				break
			}
			if s == 0 {
				break
			}
		}
	}
	return to
}
