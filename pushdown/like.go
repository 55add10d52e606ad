package pushdown

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A pattern is a LIKE pattern taken apart at its percent signs.
type pattern struct {
	pieces []piece // between percent signs; at least one
}

// A piece is a run of characters, each given or any.
type piece struct {
	text string // the characters, with any ones as `_`
	any  []bool // by byte of text: this byte is an any character; nil without
}

// compilePattern reads a pattern.
func compilePattern(text string, escape rune) (*pattern, error) {
	p := &pattern{}
	var cur piece
	flush := func() {
		p.pieces = append(p.pieces, cur)
		cur = piece{}
	}
	escaped := false
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		switch {
		case escaped:
			escaped = false
			cur.add(text[i:i+n], false)
		case escape != 0 && r == escape:
			escaped = true
		case r == '%':
			flush()
		case r == '_':
			cur.add("_", true)
		default:
			cur.add(text[i:i+n], false)
		}
	}
	if escaped {
		return nil, fmt.Errorf("the pattern %q ends with its escape character", text)
	}
	flush()
	return p, nil
}

func (p *piece) add(text string, anyChar bool) {
	if anyChar && p.any == nil {
		p.any = make([]bool, len(p.text), len(p.text)+8)
	}
	p.text += text
	if p.any != nil {
		for range len(text) {
			p.any = append(p.any, anyChar)
		}
	}
}

// prefix is the text that every match begins with.
func (p *pattern) prefix() string {
	first := p.pieces[0]
	for i, a := range first.any {
		if a {
			return first.text[:i]
		}
	}
	return first.text
}

// exact tells whether the pattern is a plain text (equality), or a plain text
// and one percent sign (a prefix).
func (p *pattern) exact() (equal, prefix bool) {
	if p.pieces[0].any != nil {
		return false, false
	}
	return len(p.pieces) == 1, len(p.pieces) == 2 && p.pieces[1].text == ""
}

// matchAt matches a piece at the start of s and tells how many bytes it took.
func (p *piece) matchAt(s string) (int, bool) {
	if p.any == nil {
		return len(p.text), strings.HasPrefix(s, p.text)
	}
	at := 0
	for i := 0; i < len(p.text); i++ {
		if at == len(s) {
			return 0, false
		}
		if p.any[i] {
			n := 1
			if s[at] >= utf8.RuneSelf {
				_, n = utf8.DecodeRuneInString(s[at:])
			}
			at += n
			continue
		}
		if s[at] != p.text[i] {
			return 0, false
		}
		at++
	}
	return at, true
}

// matches tells whether a text as a whole fits the pattern.
func (p *pattern) matches(s string) bool {
	n, ok := p.pieces[0].matchAt(s)
	if !ok || len(p.pieces) == 1 {
		return ok && n == len(s)
	}
	s = s[n:]
	last := len(p.pieces) - 1
	for i := 1; i < last; i++ {
		if s, ok = p.pieces[i].after(s); !ok {
			return false
		}
	}
	return p.pieces[last].ends(s)
}

// after finds the piece at its first place in s and gives what follows.
func (p *piece) after(s string) (string, bool) {
	if p.any == nil {
		i := strings.Index(s, p.text)
		if i < 0 {
			return "", false
		}
		return s[i+len(p.text):], true
	}
	for {
		if n, ok := p.matchAt(s); ok {
			return s[n:], true
		}
		if s == "" {
			return "", false
		}
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
}

// ends tells whether s ends with the piece. Its characters are counted back
// from the end.
func (p *piece) ends(s string) bool {
	if p.any == nil {
		return strings.HasSuffix(s, p.text)
	}
	at := len(s)
	for range utf8.RuneCountInString(p.text) {
		if at == 0 {
			return false
		}
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	n, ok := p.matchAt(s[at:])
	return ok && at+n == len(s)
}
