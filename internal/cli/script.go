package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hudi-go/hudi/internal/render"
)

// runScript runs a text of statements in which lines may be commands of the
// prompt, as they are when it is typed.
func (s *session) runScript(ctx context.Context, text string, out *output) (rows int64, err error) {
	pending := ""
	run := func() error {
		n, err := s.run(ctx, pending, out)
		rows, pending = rows+n, ""
		return err
	}
	for line := range strings.Lines(text) {
		words := commandOf(line)
		if words == nil || !between(pending) {
			pending += line
			continue
		}
		if err := run(); err != nil {
			return rows, err
		}
		if quit, err := s.dot(out, words); quit || err != nil {
			return rows, err
		}
	}
	return rows, run()
}

// commandOf takes a command of the prompt apart; nil if a line is none.
func commandOf(line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	switch word := strings.TrimSuffix(words[0], ";"); {
	case strings.HasPrefix(word, "."):
		return words
	case len(words) == 1 && (strings.EqualFold(word, "exit") || strings.EqualFold(word, "quit") || word == `\q`):
		return []string{".quit"}
	}
	return nil
}

// dot runs a command of the prompt itself and tells whether to leave.
func (s *session) dot(out *output, words []string) (quit bool, err error) {
	switch words[0] {
	case ".quit", ".exit", ".q":
		return true, nil
	case ".help":
		fmt.Fprint(s.env.Stderr, promptHelp)
	case ".tables":
		var rows [][]string
		for _, t := range s.tables.List() {
			rows = append(rows, []string{t.String(), t.Path})
		}
		return false, render.List(out.w, columns("table", "path"), rows, out.options)
	case ".output":
		if len(words) != 2 {
			s.env.notef("the form is %s", out.format)
			return false, nil
		}
		f, err := render.ParseFormat(words[1], render.Table, render.CSV, render.JSON)
		if err != nil {
			return false, err
		}
		out.format, out.results = f, 0
	default:
		return false, fmt.Errorf("%s is not known: .help lists what is", words[0])
	}
	return false, nil
}

// ended tells whether a text ends with a semicolon that ends a statement: not
// one in a string, a quoted name or a comment.
func ended(text string) bool {
	last, whole := lastOf(text)
	return whole && last == ';'
}

// between tells whether a text ends where no statement is under way.
func between(text string) bool {
	last, whole := lastOf(text)
	return whole && (last == ';' || last == 0)
}

// lastOf gives the last character of SQL outside of comments, 0 if there is
// none; whole is false within a string, a quoted name or a comment.
func lastOf(text string) (last byte, whole bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return 0, false
			}
			i += 1 + end
			last = c
		case strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return last, true
			}
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return 0, false
			}
			i += 3 + end
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			last = c
		}
	}
	return last, true
}

var showTables = regexp.MustCompile(`(?i)\bshow\s+tables\b`)

// noteSchemas names the tables that SHOW TABLES leaves out, as they are in
// schemas: those of folders in a folder.
func (s *session) noteSchemas(text string) {
	if !showTables.MatchString(text) {
		return
	}
	if names := s.tableNames(true); names != "" {
		s.env.notef("SHOW TABLES leaves out the tables of schemas: %s; SHOW ALL TABLES lists all", names)
	}
}

// mostNames is how many tables a message names.
const mostNames = 10

// tableNames lists the tables, or only those in schemas.
func (s *session) tableNames(inSchemas bool) string {
	var names []string
	for _, t := range s.tables.List() {
		if t.Schema != "" || !inSchemas {
			names = append(names, t.String())
		}
	}
	if more := len(names) - mostNames; more > 0 {
		names = append(names[:mostNames], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
