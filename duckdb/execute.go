package duckdb

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/hudi-go/hudi/duckdb/internal/hints"
	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
)

// DuckDB plans a prepared query once, when nothing is known of its parameters,
// and EXECUTE only puts values in. So that the values reach the scans, EXECUTE
// of a query with constants runs the query with these written in, each cast to
// its own type, which is how DuckDB takes it.

const nameOrQuoted = `("(?:[^"]|"")+"|\w+)`

var (
	preparing    = regexp.MustCompile(`(?is)^\s*prepare\s+` + nameOrQuoted + `\s+as\s+(.*?)\s*;?\s*$`)
	executing    = regexp.MustCompile(`(?is)^\s*execute\s+` + nameOrQuoted + `\s*(?:\((.*)\))?\s*;?\s*$`)
	deallocating = regexp.MustCompile(`(?is)^\s*deallocate\s+(?:prepare\s+)?` + nameOrQuoted + `\s*;?\s*$`)
	naming       = regexp.MustCompile(`(?s)^\s*(\w+)\s*:=\s*(.*)$`)
	constant     = regexp.MustCompile(`(?is)^\s*(?:[-+]?(?:\d[\d_]*)?\.?\d+(?:e[-+]?\d+)?|(?:(?:date|time|timestamp|timestamptz|interval)\s*)?'(?:[^']|'')*'|null|true|false)(?:\s*::\s*\w+(?:\s*\(\s*\d+\s*(?:,\s*\d+\s*)?\))?)?\s*$`)
)

// prepares notes a statement that was run, if it prepares another or forgets it.
func (c *Conn) prepares(text string) {
	text = sqltext.WithoutComments(text)
	if m := preparing.FindStringSubmatch(text); m != nil {
		if c.prepared == nil {
			c.prepared = map[string]string{}
		}
		c.prepared[strings.ToLower(m[1])] = m[2]
	} else if m := deallocating.FindStringSubmatch(text); m != nil {
		delete(c.prepared, strings.ToLower(m[1]))
	}
}

// errNotWritten is an EXECUTE that DuckDB has to run itself.
var errNotWritten = errors.New("duckdb: not a query with constants")

// writtenOut gives the query that an EXECUTE stands for, "" where it is none, or
// none with constants.
func (c *Conn) writtenOut(text string) string {
	if len(c.prepared) == 0 {
		return ""
	}
	m := executing.FindStringSubmatch(sqltext.WithoutComments(text))
	if m == nil {
		return ""
	}
	body, ok := hints.Query(c.prepared[strings.ToLower(m[1])])
	if !ok {
		return ""
	}
	inOrder, named := arguments(m[2])
	query, n, err := SubstituteParameters(body, func(at int, name string) (string, error) {
		value, ok := named[strings.ToLower(name)]
		if name == "" && at < len(inOrder) {
			value, ok = inOrder[at], true
		}
		if !ok || !constant.MatchString(value) {
			return "", errNotWritten
		}
		types, err := c.texts("SELECT typeof(" + value + ")")
		if err != nil || len(types) != 1 {
			return "", errNotWritten
		}
		if strings.Contains(types[0], "NULL") {
			return "NULL", nil
		}
		return "CAST(" + value + " AS " + types[0] + ")", nil
	})
	if err != nil || n != len(inOrder)+len(named) {
		return ""
	}
	return query
}

// arguments takes the values of EXECUTE apart, those in order and those with a
// name.
func arguments(text string) (inOrder []string, named map[string]string) {
	named = map[string]string{}
	add := func(value string) {
		if m := naming.FindStringSubmatch(value); m != nil {
			named[strings.ToLower(m[1])] = m[2]
		} else if strings.TrimSpace(value) != "" {
			inOrder = append(inOrder, value)
		}
	}
	depth, from := 0, 0
	for at := 0; at < len(text); {
		switch text[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(text[from:at])
				from = at + 1
			}
		}
		at += sqltext.TokenLength(text[at:])
	}
	add(text[from:])
	return inOrder, named
}

// bindWritten binds the query that an EXECUTE stands for; nil where there is
// none, or where DuckDB does not take it.
func (c *Conn) bindWritten(ctx context.Context, text string) *Result {
	query := c.writtenOut(text)
	if query == "" {
		return nil
	}
	r, err := c.bindOne(ctx, query)
	if err != nil {
		return nil
	}
	return r
}
