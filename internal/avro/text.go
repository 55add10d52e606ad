package avro

import (
	"bytes"
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
	c.values, c.data, c.used = nil, nil, 0
	for i := range c.n {
		// offsets[i] is overwritten only after value i has been taken.
		v := bytes.ToValidUTF8(old[c.offsets[i]:c.offsets[i+1]], replacement)
		c.offsets[i] = int32(c.used)
		if end := c.used + len(v); end > len(c.data) {
			if end > maxEnd {
				v = nil
			}
			c.reserve(max(c.used+len(v), min(2*c.used, maxEnd)))
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

func releaseAll(buffers ...*memory.Buffer) {
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
}
