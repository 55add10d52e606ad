package hudilog

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// maxPositions bounds how many positions one block may have: runs of a
// damaged bitmap stand for any number of them.
const maxPositions = 1 << 26

// Positions decodes the RECORD_POSITIONS header of an inline block: the row
// positions of its records in the base file, ascending, a 64-bit Roaring bitmap
// in the portable format.
func Positions(header string) ([]int64, error) {
	raw, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, corruptf("record positions: %v", err)
	}
	b := bitmap{rest: raw, values: []int64{}}
	buckets := b.uint64()
	last := int64(-1)
	for i := uint64(0); i < buckets && b.err == nil; i++ {
		high := b.uint32()
		if int64(high) <= last {
			b.fail("buckets out of order")
		}
		if high > math.MaxInt32 {
			b.fail("number is no position")
		}
		last = int64(high)
		b.bucket(int64(high) << 32)
	}
	if len(b.rest) > 0 {
		b.fail("bytes are left at the end")
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.values, nil
}

// Cookies and limits of the 32-bit Roaring format.
const (
	cookieNoRuns  = 12346
	cookieRuns    = 12347
	noOffsets     = 4    // with runs, fewer containers than this have no offsets
	maxArray      = 4096 // larger containers are bitmaps
	bitmapSize    = 8192
	maxContainers = 1 << 16
)

// A bitmap reads one bitmap. The first fault is kept.
type bitmap struct {
	rest   []byte
	values []int64
	err    error
}

func (b *bitmap) fail(what string) {
	if b.err == nil {
		b.err = corruptf("record positions: %s", what)
	}
	b.rest = nil
}

func (b *bitmap) take(n int) []byte {
	if n > len(b.rest) {
		b.fail("bitmap is cut off")
		return make([]byte, min(n, bitmapSize))
	}
	v := b.rest[:n]
	b.rest = b.rest[n:]
	return v
}

func (b *bitmap) uint16() uint16 { return binary.LittleEndian.Uint16(b.take(2)) }
func (b *bitmap) uint32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }
func (b *bitmap) uint64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

// bucket reads the 32-bit bitmap of the values that share their high half.
func (b *bitmap) bucket(high int64) {
	cookie, n := b.uint32(), 0
	var runs []byte
	switch {
	case cookie == cookieNoRuns:
		count := b.uint32()
		if count > maxContainers {
			b.fail("too many containers")
			return
		}
		n = int(count)
	case cookie&0xffff == cookieRuns:
		n = int(cookie>>16) + 1
		runs = b.take((n + 7) / 8)
	default:
		b.fail("no Roaring bitmap")
	}
	if n*4 > len(b.rest) {
		b.fail("bitmap is cut off")
		return
	}
	descriptions := b.take(n * 4)
	if runs == nil || n >= noOffsets {
		b.take(n * 4) // containers follow one another, so offsets say nothing new
	}
	b.values = slices.Grow(b.values, min(positions(descriptions), 8*len(b.rest))) // beyond that: runs
	last := -1
	for i := 0; i < n && b.err == nil; i++ {
		key := int(binary.LittleEndian.Uint16(descriptions[4*i:]))
		count := int(binary.LittleEndian.Uint16(descriptions[4*i+2:])) + 1
		if key <= last {
			b.fail("containers out of order")
		}
		last = key
		b.container(high|int64(key)<<16, count, runs != nil && runs[i/8]>>(i%8)&1 == 1)
	}
}

// positions is the sum of what containers say that they have.
func positions(descriptions []byte) int {
	n := 0
	for ; len(descriptions) >= 4; descriptions = descriptions[4:] {
		n += int(binary.LittleEndian.Uint16(descriptions[2:])) + 1
	}
	return n
}

// container reads the values that share all but their low 16 bits.
func (b *bitmap) container(high int64, count int, runs bool) {
	if len(b.values)+count > maxPositions {
		b.fail("too many positions")
		return
	}
	before := len(b.values)
	switch {
	case runs:
		b.runs(high)
	case count > maxArray:
		b.bits(high)
	default:
		b.array(high, count)
	}
	if len(b.values)-before != count {
		b.fail("container has another number of positions than it says")
	}
}

func (b *bitmap) bits(high int64) {
	words, values := b.take(bitmapSize), b.values
	for i := 0; i < bitmapSize; i += 8 {
		for w := binary.LittleEndian.Uint64(words[i:]); w != 0; w &= w - 1 {
			values = append(values, high|int64(i*8+bits.TrailingZeros64(w)))
		}
	}
	b.values = values
}

func (b *bitmap) array(high int64, count int) {
	list, values, last := b.take(2*count), b.values, -1
	for ; len(list) >= 2; list = list[2:] {
		v := int(binary.LittleEndian.Uint16(list))
		if v <= last {
			b.fail("positions out of order")
			return
		}
		last = v
		values = append(values, high|int64(v))
	}
	b.values = values
}

func (b *bitmap) runs(high int64) {
	last := -1
	for range b.uint16() {
		start, length := int(b.uint16()), int(b.uint16())
		if b.err != nil || start <= last || start+length > 0xffff {
			b.fail("runs out of order")
			return
		}
		last = start + length
		for v := start; v <= last; v++ {
			b.values = append(b.values, high|int64(v))
		}
	}
}

// NativePositions decodes the RECORD_POSITIONS entry of a native log file: the
// position of each row of the file, in file order.
func NativePositions(header string) ([]int64, error) {
	raw, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, corruptf("record positions: %v", err)
	}
	if len(raw) < 4 {
		return nil, corruptf("record positions of %d bytes", len(raw))
	}
	n, raw := int64(int32(binary.BigEndian.Uint32(raw))), raw[4:]
	if n < 0 || n > int64(len(raw)) {
		return nil, corruptf("record positions: %d in %d bytes", n, len(raw))
	}
	values := make([]int64, n)
	for i := range values {
		v, size := binary.Uvarint(raw)
		if size <= 0 || v > 1<<63-1 {
			return nil, corruptf("record positions: number %d is no position", i)
		}
		values[i], raw = int64(v), raw[size:]
	}
	if len(raw) > 0 {
		return nil, corruptf("record positions: %d bytes are left", len(raw))
	}
	return values, nil
}
