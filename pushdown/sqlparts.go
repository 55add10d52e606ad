package pushdown

import (
	"slices"
	"strings"
)

// ParseSQLParts reads an SQL condition of which only parts may be understood:
// what its outer ANDs join is read one by one, and a part that is outside of
// the language of [ParseSQL] becomes a [Call] or [Opaque]. A text that can't be taken apart
// with certainty is opaque as a whole.
func ParseSQLParts(text string) And {
	if p, err := ParseSQL(text); err == nil {
		return Conjuncts(p)
	}
	var out And
	pieces := splitAnds(text)
	for _, piece := range pieces {
		if len(pieces) > 1 {
			out = append(out, ParseSQLParts(piece)...)
			continue
		}
		if inner, ok := unwrapped(piece); ok {
			return ParseSQLParts(inner)
		}
		if c, ok := parseCall(piece); ok {
			return And{c}
		}
		return And{Opaque{Text: strings.TrimSpace(text)}}
	}
	return out
}

// lexAll takes SQL text apart, whatever it is; false if it has comments or
// texts in forms of their own, which would be taken for something else.
func lexAll(text string) ([]lexed, bool) {
	if strings.Contains(text, "--") || strings.Contains(text, "/*") || strings.ContainsAny(text, `\$;#`) {
		return nil, false
	}
	var tokens []lexed
	for at := 0; at < len(text); {
		if c := text[at]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			at++
			continue
		}
		t, err := lexOne(text, at)
		if err != nil {
			if c := text[at]; c >= 0x80 || c == '\'' || c == '"' || c == '`' {
				return nil, false
			}
			t = lexed{token{kind: tokenSymbol, text: text[at : at+1], at: at}, at + 1}
		}
		tokens = append(tokens, t)
		at = t.end
	}
	return tokens, true
}

// splitAnds cuts a text at the ANDs outside of parentheses and CASE that belong
// to no BETWEEN; the text itself where an OR binds less.
func splitAnds(text string) []string {
	tokens, ok := lexAll(text)
	if !ok {
		return []string{text}
	}
	var pieces []string
	depth, between, start := 0, 0, 0
	for _, t := range tokens {
		switch {
		case t.kind == tokenSymbol && strings.Contains("([{", t.text), t.kind == tokenWord && t.upper == "CASE":
			depth++
		case t.kind == tokenSymbol && strings.Contains(")]}", t.text), t.kind == tokenWord && t.upper == "END":
			depth--
		case depth > 0 || t.kind != tokenWord:
		case t.upper == "BETWEEN":
			between++
		case t.upper == "OR":
			return []string{text}
		case t.upper == "AND" && between > 0:
			between--
		case t.upper == "AND":
			pieces = append(pieces, text[start:t.at])
			start = t.end
		}
	}
	pieces = append(pieces, text[start:])
	if depth != 0 || slices.ContainsFunc(pieces, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return []string{text}
	}
	return pieces
}

// unwrapped takes the parentheses around a whole text off.
func unwrapped(text string) (string, bool) {
	tokens, ok := lexAll(text)
	if !ok || len(tokens) < 3 || tokens[0].text != "(" || tokens[0].kind != tokenSymbol {
		return "", false
	}
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind != tokenSymbol:
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		}
		if depth == 0 && i < len(tokens)-1 {
			return "", false
		}
	}
	last := tokens[len(tokens)-1]
	return text[tokens[0].end:last.at], depth == 0 && last.text == ")"
}
