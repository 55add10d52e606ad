package mergeread

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// keyPrefix is a number that orders keys by their first eight bytes.
func keyPrefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// compareKeys is [bytes.Compare] for keys, which mostly differ in their first
// eight bytes, or are of one length below 16: neighbours in key order.
func compareKeys(a, b []byte) int {
	m, n := len(a), len(b)
	if m < 8 || n < 8 {
		return bytes.Compare(a, b)
	}
	be := binary.BigEndian
	x, y := be.Uint64(a), be.Uint64(b)
	switch {
	case x != y:
		return cmp.Compare(x, y)
	case m == n && n <= 16: // the last eight bytes and the first ones are all
		return cmp.Compare(be.Uint64(a[m-8:]), be.Uint64(b[n-8:]))
	}
	return bytes.Compare(a[8:], b[8:])
}
