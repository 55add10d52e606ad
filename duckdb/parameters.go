package duckdb

import (
	"strings"
	"unicode/utf8"

	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
)

// SubstituteParameters writes values into a statement: value gives the SQL of
// the parameter with a place, from 0 in the order of first mention, and a name,
// "" for parameters that are numbered. It tells how many parameters there are.
func SubstituteParameters(sql string, value func(at int, name string) (string, error)) (text string, n int, err error) {
	var b strings.Builder
	unnamed := 0
	places := map[string]int{} // of names
	for len(sql) > 0 {
		if size := wordLength(sql); size > 0 {
			b.WriteString(sql[:size])
			sql = sql[size:]
			continue
		}
		size, at, name := parameter(sql, unnamed)
		if size == 0 {
			size = sqltext.TokenLength(sql)
			b.WriteString(sql[:size])
			sql = sql[size:]
			continue
		}
		if name != "" {
			known, ok := places[name]
			if !ok {
				known = len(places)
				places[name] = known
			}
			at = known
		} else if sql[0] == '?' && size == 1 {
			unnamed++
		}
		n = max(n, at+1)
		literal, err := value(at, name)
		if err != nil {
			return "", 0, err
		}
		b.WriteString(literal)
		sql = sql[size:]
	}
	return b.String(), n, nil
}

// parameter reads ?, ?1, $1 or $name at the beginning of a text; size 0 is
// none.
func parameter(sql string, unnamed int) (size, at int, name string) {
	if sql[0] != '?' && sql[0] != '$' {
		return 0, 0, ""
	}
	number, size := 0, 1
	for size < len(sql) && sql[size] >= '0' && sql[size] <= '9' && number < 1<<20 {
		number, size = number*10+int(sql[size]-'0'), size+1
	}
	switch {
	case number > 0:
		return size, number - 1, ""
	case sql[0] == '?':
		return 1, unnamed, ""
	}
	if size = 1 + wordLength(sql[1:]); size == 1 || strings.ContainsRune(sql[1:size], '$') { // $tag$text$tag$
		return 0, 0, ""
	}
	return size, 0, sql[1:size]
}

// wordLength is the length of a word at the beginning of a text: a number, or a
// name that is not quoted; 0 for none.
func wordLength(text string) int {
	if len(text) > 1 && (text[0] == 'e' || text[0] == 'E') && text[1] == '\'' {
		return 0 // a string with escapes
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
		if !letter && (i == 0 || c != '$') {
			return i
		}
	}
	return len(text)
}
