package avro

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

var replacement = []byte(string(utf8.RuneError))

// repairText replaces bytes that are no UTF-8, as Java does when it reads
// them: consumers of Arrow rely on valid text. Good text, the rule, is checked
// in one go over all values.
func (c *column) repairText() {
	if !c.text || c.validText() {
		return
	}
	old, values := c.data, c.values
	c.values, c.data, c.used, c.likelyRows = nil, nil, 0, 0
	for i := range c.n {
		// offsets[i] is overwritten only after value i has been taken.
		v := bytes.ToValidUTF8(old[c.offsets[i]:c.offsets[i+1]], replacement)
		c.offsets[i] = int32(c.used)
		if end := c.used + len(v); end > len(c.data) {
			if end > maxEnd {
				v = nil
			}
			c.reserveBytes(c.used + len(v))
		}
		c.used += copy(c.data[c.used:], v)
	}
	c.offsets[c.n] = int32(c.used)
	releaseAll(values)
}

// validText tells whether all values are UTF-8: all bytes together must be,
// and each value must begin where a character begins.
func (c *column) validText() bool {
	text := c.data[:c.used]
	if isASCII(text) {
		return true
	}
	if !utf8.Valid(text) {
		return false
	}
	for i := 1; i < c.n; i++ {
		if at := c.offsets[i]; int(at) < len(text) && !utf8.RuneStart(text[at]) {
			return false
		}
	}
	return true
}

func isASCII(b []byte) bool {
	for ; len(b) >= 32; b = b[32:] {
		w := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if w&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, x := range b {
		if x >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func releaseAll(buffers ...*memory.Buffer) {
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
}
