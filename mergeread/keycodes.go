package mergeread

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// keyCodes are numbers that order the keys of one sorted batch: the eight bytes
// behind the beginning that all keys of the batch share. Neighbours in key order
// share most of their bytes, so that few keys have equal codes; these are told
// apart by their bytes.
type keyCodes struct {
	keys   *byteColumn
	shared []byte   // the common beginning
	codes  []uint64 // by row
	head   uint64   // the first eight bytes of shared, in the low bytes
}

// reset makes them the codes of n > 0 other keys. It tells whether these are
// sorted, and whether no two of them are equal; otherwise the codes are of no use.
func (k *keyCodes) reset(keys *byteColumn, n int) (sorted, distinct bool) {
	first, last := keys.at(0), keys.at(n-1)
	k.keys, k.shared = keys, first[:sharedPrefix(first, last)]
	k.head = k.headOf(first)
	if cap(k.codes) < n {
		k.codes = make([]uint64, n)
	}
	k.codes = k.codes[:n]
	for i := k.short(); i < n; i++ {
		key := keys.at(i)
		if !k.shares(key) { // it can't lie between the first and the last
			return false, false
		}
		k.codes[i] = k.codeOf(key)
	}
	return k.order()
}

// short fills in the codes of the keys that have 8 bytes at least, share 8 at
// most, and have 8 others at most, as neighbours mostly do, up to the first key
// that is another or does not share the beginning. It gives the number of codes.
func (k *keyCodes) short() int {
	n := len(k.shared)
	if k.keys.off32 == nil || n > 8 {
		return 0
	}
	be, head, drop, offs := binary.BigEndian, k.head, 64-8*n, k.keys.off32[:len(k.codes)+1]
	from := offs[0]
	for i := range k.codes {
		key := k.keys.data[from:offs[i+1]]
		rest := len(key) - n
		if len(key) < 8 || rest > 8 || be.Uint64(key)>>drop != head {
			return i
		}
		k.codes[i] = be.Uint64(key[len(key)-8:]) << (8 * (8 - rest))
		from = offs[i+1]
	}
	return len(k.codes)
}

// order tells whether the keys are sorted and distinct.
func (k *keyCodes) order() (sorted, distinct bool) {
	distinct = true
	before := k.codes[0]
	for i, code := range k.codes[1:] {
		if code <= before {
			switch order := bytes.Compare(k.keys.at(i), k.keys.at(i+1)); {
			case order > 0:
				return false, false
			case order == 0:
				distinct = false
			}
		}
		before = code
	}
	return true, distinct
}

// sharedPrefix is the number of bytes with which both keys begin.
func sharedPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// headOf is the number of the first bytes of a key, as many as the keys share
// but no more than eight.
func (k *keyCodes) headOf(key []byte) uint64 {
	n := min(len(k.shared), 8)
	return keyPrefix(key) >> (64 - 8*n)
}

// shares tells whether a key begins as all keys of the batch do.
func (k *keyCodes) shares(key []byte) bool {
	n := len(k.shared)
	if len(key) < n || k.headOf(key) != k.head {
		return false
	}
	return n <= 8 || bytes.Equal(key[8:n], k.shared[8:])
}

// codeOf is the code of a key with the common beginning.
func (k *keyCodes) codeOf(key []byte) uint64 {
	rest := len(key) - len(k.shared)
	switch {
	case rest >= 8:
		return binary.BigEndian.Uint64(key[len(k.shared):])
	case len(key) >= 8: // what is before the rest falls off at the front
		return binary.BigEndian.Uint64(key[len(key)-8:]) << (8 * (8 - rest))
	}
	return keyPrefix(key[len(k.shared):])
}

// seek gives the number of rows, from row on, whose keys are less than one, and
// tells whether the next row has that key. compared counts the numbers and keys
// looked at.
func (k *keyCodes) seek(row int, key []byte, compared *int64) (n int, met bool) {
	if !k.shares(key) {
		*compared++
		if bytes.Compare(key, k.shared) > 0 {
			n = len(k.codes) - row
		}
		return n, false
	}
	code := k.codeOf(key)
	n = codesBelow(k.codes[row:], code, compared)
	equal := k.codes[row+n:]
	order := func(i int) int { // of a row of equal and the key
		*compared++
		if equal[i] != code {
			return 1
		}
		return bytes.Compare(k.keys.at(row+n+i), key)
	}
	if len(equal) == 0 {
		return n, false
	}
	if first := order(0); first >= 0 { // as good as always
		return n, first == 0
	}
	more := 1 + sort.Search(len(equal)-1, func(i int) bool { return order(i+1) >= 0 })
	return n + more, more < len(equal) && order(more) == 0
}

// codesBelow is the number of leading codes that are less than one: first by
// fours, as the next key is near in most merges, then by doubling steps, then by
// halving.
func codesBelow(codes []uint64, code uint64, compared *int64) int {
	const near = 32
	*compared++
	if len(codes) == 0 || codes[0] >= code {
		return 0
	}
	i := 0
	for ; i < near && i+4 <= len(codes); i += 4 {
		*compared++
		if codes[i+3] < code {
			continue
		}
		*compared += 2
		if codes[i+1] < code {
			i += 2
		}
		if codes[i] < code {
			i++
		}
		return i
	}
	step := near
	for i+step < len(codes) && codes[i+step] < code {
		i += step
		step *= 2
		*compared++
	}
	rest := codes[i:min(i+step, len(codes))]
	return i + sort.Search(len(rest), func(j int) bool {
		*compared++
		return rest[j] >= code
	})
}
