// Package sqltext takes texts of SQL apart as far as quotation and comments go.
package sqltext

import "strings"

// Split takes a text of SQL statements apart at its semicolons. Empty
// statements are left out, as DuckDB does.
func Split(text string) []string {
	var all []string
	start := 0
	add := func(end int) {
		if s := text[start:end]; strings.TrimSpace(WithoutComments(s)) != "" {
			all = append(all, s)
		}
		start = end + 1
	}
	for i := 0; i < len(text); {
		if text[i] == ';' {
			add(i)
			i++
			continue
		}
		i += TokenLength(text[i:])
	}
	if start < len(text) {
		add(len(text))
	}
	return all
}

// TokenLength is the length of what stands at the beginning of a text: a quoted
// string or name, a comment, or one byte of anything else.
func TokenLength(text string) int {
	until := func(from int, end string) int {
		if i := strings.Index(text[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(text)
	}
	switch {
	case text[0] == '\'':
		return until(1, "'")
	case len(text) > 1 && (text[0] == 'e' || text[0] == 'E') && text[1] == '\'':
		return escapedLength(text)
	case text[0] == '"':
		return until(1, `"`)
	case strings.HasPrefix(text, "--"):
		return until(2, "\n")
	case strings.HasPrefix(text, "/*"):
		return until(2, "*/")
	case text[0] == '$':
		if end := strings.IndexByte(text[1:], '$'); end >= 0 && isTag(text[1:1+end]) {
			tag := text[:end+2]
			return until(len(tag), tag)
		}
	}
	return 1
}

// escapedLength is the length of a string like E'it\'s'.
func escapedLength(text string) int {
	for i := 2; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
		}
	}
	return len(text)
}

// isTag tells what may stand between the dollars of a quotation.
func isTag(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c != '_' && (c < '0' || c > '9' || i == 0) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return false
		}
	}
	return true
}

// WithoutComments leaves the comments of a statement out.
func WithoutComments(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		n := TokenLength(text)
		if !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "/*") {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}
