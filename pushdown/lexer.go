package pushdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tokenKind tells the tokens of SQL apart.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted // quoted identifier
	tokenString
	tokenNumber
	tokenSymbol
)

// A token of SQL text. Words keep their letters; upper is for keywords.
type token struct {
	kind        tokenKind
	text, upper string
	at          int
}

// reserved words are no identifiers unless quoted.
var reserved = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "IN": true, "IS": true, "LIKE": true, "ILIKE": true, "BETWEEN": true, "NULL": true,
	"TRUE": true, "FALSE": true, "CAST": true, "TRY_CAST": true, "ESCAPE": true, "DISTINCT": true, "FROM": true, "AS": true,
	"SELECT": true, "CASE": true, "WHEN": true, "THEN": true, "ELSE": true, "END": true, "EXISTS": true, "WHERE": true,
	"SIMILAR": true, "GLOB": true, "RLIKE": true, "INTERVAL": true, "ANY": true, "ALL": true, "SOME": true, "COLLATE": true,
}

func quoteIdentifier(s string) string {
	plain := s != "" && !reserved[strings.ToUpper(s)]
	for i, r := range s {
		plain = plain && r != utf8.RuneError && isWordRune(r, i == 0)
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

func isWordRune(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (r == '$' || unicode.IsDigit(r) || unicode.IsMark(r))
}

// lex takes SQL text apart.
func lex(text string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(text); {
		c := text[at]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			at++
			continue
		}
		t, err := lexOne(text, at)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t.token)
		at = t.end
	}
	return append(tokens, token{kind: tokenEnd, at: len(text)}), nil
}

type lexed struct {
	token
	end int
}

func lexOne(text string, at int) (lexed, error) {
	switch c := text[at]; {
	case c == '\'':
		s, end, ok := lexQuoted(text, at)
		if !ok {
			return lexed{}, &SyntaxError{text, at, "a text without its closing quote"}
		}
		return lexed{token{kind: tokenString, text: s, at: at}, end}, nil
	case c == '"' || c == '`':
		s, end, ok := lexQuoted(text, at)
		if !ok || s == "" {
			return lexed{}, &SyntaxError{text, at, "a quoted name without its closing quote or without a name"}
		}
		return lexed{token{kind: tokenQuoted, text: s, at: at}, end}, nil
	case c >= '0' && c <= '9', c == '.' && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9':
		end := lexNumber(text, at)
		return lexed{token{kind: tokenNumber, text: text[at:end], at: at}, end}, nil
	}
	if end := lexWord(text, at); end > at {
		w := text[at:end]
		return lexed{token{tokenWord, w, strings.ToUpper(w), at}, end}, nil
	}
	for _, s := range []string{"<=>", "<=", ">=", "<>", "!=", "==", "::", "<", ">", "=", "(", ")", ",", ".", "-", "+", "*"} {
		if strings.HasPrefix(text[at:], s) {
			return lexed{token{tokenSymbol, s, s, at}, at + len(s)}, nil
		}
	}
	return lexed{}, &SyntaxError{text, at, "a character that has no meaning in a condition"}
}

// lexQuoted reads up to the closing quote; a doubled quote stands for itself.
func lexQuoted(text string, at int) (string, int, bool) {
	quote := text[at]
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != quote {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", 0, false
}

func lexNumber(text string, at int) int {
	digits := func() {
		for at < len(text) && text[at] >= '0' && text[at] <= '9' {
			at++
		}
	}
	digits()
	if at < len(text) && text[at] == '.' {
		at++
		digits()
	}
	if at < len(text) && (text[at] == 'e' || text[at] == 'E') {
		exp := at + 1
		if exp < len(text) && (text[exp] == '+' || text[exp] == '-') {
			exp++
		}
		if exp < len(text) && text[exp] >= '0' && text[exp] <= '9' {
			at = exp
			digits()
		}
	}
	return at
}

func lexWord(text string, at int) int {
	for i, r := range text[at:] {
		if r == utf8.RuneError || !isWordRune(r, i == 0) {
			return at + i
		}
	}
	return len(text)
}
