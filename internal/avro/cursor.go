package avro

import (
	"encoding/binary"
	"math/bits"
)

// A cursor reads primitive values of one record. The first fault is kept and
// moves the cursor to the end, so that what follows fails as well and callers
// need to look only where they loop.
type cursor struct {
	buf []byte
	pos int
	err error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.pos = len(c.buf)
}

var (
	errShort   = corruptf("record is cut off")
	errVarint  = corruptf("number is too long")
	errInt     = corruptf("int is out of range")
	errLength  = corruptf("length does not fit the record")
	errBranch  = corruptf("union has no such branch")
	errSymbol  = corruptf("enum has no such symbol")
	errBoolean = corruptf("boolean is neither 0 nor 1")
	errDecimal = corruptf("decimal does not fit 128 bits")
	errDeep    = corruptf("value is nested too deep")
	errEmpty   = corruptf("too many items without content")
)

// long reads a zigzag number.
func (c *cursor) long() int64 {
	if c.pos < len(c.buf) {
		if b := c.buf[c.pos]; b < 0x80 {
			c.pos++
			return int64(b>>1) ^ -int64(b&1)
		}
	}
	return c.longSlow()
}

// longSlow is long for numbers of more than one byte. Up to 8 bytes are taken
// as one word: loops over bytes guess wrong where each number ends.
func (c *cursor) longSlow() int64 {
	if len(c.buf)-c.pos >= 8 {
		w := binary.LittleEndian.Uint64(c.buf[c.pos:])
		if end := ^w & 0x8080808080808080; end != 0 {
			n := bits.TrailingZeros64(end) + 1
			c.pos += n >> 3
			v := join7(w & (1<<uint(n) - 1))
			return int64(v>>1) ^ -int64(v&1)
		}
	}
	v, n := binary.Uvarint(c.buf[c.pos:])
	if n <= 0 {
		if n < 0 {
			c.fail(errVarint)
		}
		c.fail(errShort)
		return 0
	}
	c.pos += n
	return int64(v>>1) ^ -int64(v&1)
}

// join5 is join7 for numbers of up to 5 bytes.
func join5(w uint64) uint64 {
	return w&0x7f | w>>1&0x3f80 | w>>2&0x1fc000 | w>>3&0xfe00000 | w>>4&0x7f0000000
}

// join7 joins the low 7 bits of the bytes of a word.
func join7(w uint64) uint64 {
	w &= 0x7f7f7f7f7f7f7f7f
	w = w&0x00ff00ff00ff00ff | w&0xff00ff00ff00ff00>>1
	w = w&0x0000ffff0000ffff | w&0xffff0000ffff0000>>2
	return w&0x00000000ffffffff | w&0xffffffff00000000>>4
}

func (c *cursor) int() int32 {
	v := c.long()
	if v != int64(int32(v)) {
		c.fail(errInt)
		return 0
	}
	return int32(v)
}

// take gives the next n bytes. Where they are not there it gives nil.
func (c *cursor) take(n int) []byte {
	if n > len(c.buf)-c.pos {
		c.fail(errShort)
		return nil
	}
	b := c.buf[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

// bytes reads a length and as many bytes.
func (c *cursor) bytes() []byte {
	// Most are short: the length is one byte, and even, which is positive.
	if c.pos < len(c.buf) && c.buf[c.pos]&0x81 == 0 {
		n := int(c.buf[c.pos] >> 1)
		c.pos++
		return c.take(n)
	}
	n := c.long()
	if n < 0 || n > int64(len(c.buf)-c.pos) {
		c.fail(errLength)
		return nil
	}
	return c.take(int(n))
}

// advance steps over n bytes.
func (c *cursor) advance(n int64) {
	if n < 0 || n > int64(len(c.buf)-c.pos) {
		c.fail(errLength)
		return
	}
	c.pos += int(n)
}

// maxEmptyItems bounds how many items of an array may come without any bytes
// of their own (nulls, empty records).
const maxEmptyItems = 1 << 12

// items reads the head of the next block of an array or map: the number of
// its items, each of minSize bytes at least. 0 ends the array. bytes is the
// block's length if it is noted, -1 otherwise.
func (c *cursor) items(minSize int64) (n, bytes int64) {
	n, bytes = c.long(), -1
	if n < 0 {
		n = -n
		if bytes = c.long(); bytes < 0 || bytes > int64(len(c.buf)-c.pos) {
			c.fail(errLength)
		}
	}
	switch {
	case minSize == 0 && n > maxEmptyItems:
		c.fail(errEmpty)
	case n < 0 || minSize > 0 && n > int64(len(c.buf)-c.pos)/minSize:
		c.fail(errLength)
	}
	if c.err != nil {
		return 0, -1
	}
	return n, bytes
}
