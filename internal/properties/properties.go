// Package properties reads the text form of Java's Properties, which Hudi uses
// for hoodie.properties and for partition metafiles.
//
// The text is ISO-8859-1: each byte is one character, anything else comes as a
// \uXXXX escape. What is parsed is plain Go strings (UTF-8).
package properties

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Parse gives the pairs of a properties text. Of a key that occurs more than
// once the last value counts. The only error is a malformed \u escape, as in
// Java.
func Parse(data []byte) (map[string]string, error) {
	p := parser{data: data, line: 1}
	pairs := make(map[string]string)
	for p.next() {
		key, err := p.text(true)
		if err != nil {
			return nil, err
		}
		p.separator()
		value, err := p.text(false)
		if err != nil {
			return nil, err
		}
		pairs[key] = value
	}
	return pairs, nil
}

// parser walks the text; pos is always at the next unread byte.
type parser struct {
	data []byte
	pos  int
	line int
}

// next moves to the first character of the next pair: over blank lines,
// comments and leading white space.
func (p *parser) next() bool {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case blank(c) || newline(c):
			p.advance()
		case c == '#' || c == '!':
			for p.pos < len(p.data) && !newline(p.data[p.pos]) {
				p.pos++
			}
		default:
			return true
		}
	}
	return false
}

// separator moves over what stands between key and value: white space with at
// most one '=' or ':' in it.
func (p *parser) separator() {
	seen := false
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		switch {
		case blank(c):
		case (c == '=' || c == ':') && !seen:
			seen = true
		case c == '\\' && p.continued():
			continue
		default:
			return
		}
		p.pos++
	}
}

// text reads a key (up to a separator) or a value (up to the end of the line).
func (p *parser) text(key bool) (string, error) {
	var b strings.Builder
	var high rune // first half of a surrogate pair
	flush := func() {
		if high != 0 {
			b.WriteRune(utf8.RuneError)
			high = 0
		}
	}
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		if newline(c) || key && (blank(c) || c == '=' || c == ':') {
			break
		}
		r, unit := rune(c), false
		if c == '\\' {
			if p.continued() {
				continue
			}
			var ok bool
			var err error
			if r, unit, ok, err = p.escape(); err != nil {
				return "", err
			} else if !ok {
				break // a backslash at the very end stands for nothing
			}
		} else {
			p.pos++
		}
		if !unit || !utf16.IsSurrogate(r) {
			flush()
			b.WriteRune(r)
			continue
		}
		if high != 0 {
			if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
				b.WriteRune(pair)
				high = 0
				continue
			}
		}
		flush()
		high = r
	}
	flush()
	return b.String(), nil
}

// continued moves over a backslash that ends a line, and the white space that
// begins the next one. Otherwise it does nothing and gives false.
func (p *parser) continued() bool {
	if p.pos+1 >= len(p.data) || !newline(p.data[p.pos+1]) {
		return false
	}
	p.pos++
	if p.data[p.pos] == '\r' && p.pos+1 < len(p.data) && p.data[p.pos+1] == '\n' {
		p.pos++
	}
	p.advance()
	for p.pos < len(p.data) && blank(p.data[p.pos]) {
		p.pos++
	}
	return true
}

// escape reads a backslash and what it escapes. unit is true for a \u escape,
// which is one UTF-16 unit.
func (p *parser) escape() (r rune, unit, ok bool, err error) {
	p.pos++
	if p.pos >= len(p.data) {
		return 0, false, false, nil
	}
	c := p.data[p.pos]
	p.pos++
	switch c {
	case 't':
		return '\t', false, true, nil
	case 'n':
		return '\n', false, true, nil
	case 'r':
		return '\r', false, true, nil
	case 'f':
		return '\f', false, true, nil
	case 'u':
		if p.pos+4 > len(p.data) {
			return 0, false, false, fmt.Errorf("properties: line %d: \\u escape cut short", p.line)
		}
		for _, h := range p.data[p.pos : p.pos+4] {
			d := strings.IndexByte("0123456789abcdef", h|0x20)
			if d < 0 || h < '0' {
				return 0, false, false, fmt.Errorf("properties: line %d: malformed \\u escape %q", p.line, p.data[p.pos:p.pos+4])
			}
			r = r<<4 | rune(d)
		}
		p.pos += 4
		return r, true, true, nil
	}
	return rune(c), false, true, nil
}

// advance moves over one byte, counting lines.
func (p *parser) advance() {
	if p.data[p.pos] == '\n' {
		p.line++
	}
	p.pos++
}

func blank(c byte) bool   { return c == ' ' || c == '\t' || c == '\f' }
func newline(c byte) bool { return c == '\n' || c == '\r' }
