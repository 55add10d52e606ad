package pushdown

import (
	"fmt"
	"math"
	"strings"
)

// A Select asks what a scan answers by itself: columns of those rows of one
// table for which a condition is true.
type Select struct {
	Table   []string  // the name's parts: table, schema and table, or catalog, schema and table
	Columns []Output  // in order; nil means all of the table's
	Where   Predicate // nil means all rows
	Offset  int64     // rows to leave out
	Limit   int64     // the most rows to give after that; < 0 means all
}

// An Output is a column of a Select's rows and its name there.
type Output struct{ Column, Name string }

// ParseSelect reads a statement of the form
//
//	SELECT columns | * FROM table [WHERE condition] [LIMIT n] [OFFSET n]
//
// where columns may have the table's name in front and another name behind AS,
// and the condition is in the language of [ParseSQL]. Other statements give a
// [SyntaxError].
func ParseSelect(text string) (*Select, error) {
	tokens, err := lex(strings.TrimRight(text, " \t\r\n;"))
	if err != nil {
		return nil, err
	}
	p := &sqlParser{text: text, tokens: tokens}
	s, err := p.selection()
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, p.problem("more text than a plain SELECT")
	}
	return s, nil
}

func (p *sqlParser) selection() (*Select, error) {
	s := &Select{Limit: -1}
	if err := p.need(p.word("SELECT"), "SELECT"); err != nil {
		return nil, err
	}
	paths, err := p.outputs(s)
	if err != nil {
		return nil, err
	}
	if err := p.need(p.word("FROM"), "FROM"); err != nil {
		return nil, err
	}
	if s.Table, err = p.names(); err != nil {
		return nil, err
	}
	if len(s.Table) > 3 {
		return nil, p.problem("a table's name of more than three parts")
	}
	p.table = s.Table[len(s.Table)-1]
	if p.word("AS") {
		alias, err := p.names()
		if err != nil || len(alias) > 1 {
			return nil, p.problem("a name of more than one part")
		}
		p.table = alias[0]
	}
	for i, path := range paths {
		if path = p.unqualified(path); len(path) > 1 {
			return nil, &SyntaxError{p.text, 0, fmt.Sprintf("the column %s, of another table or a part of a column", Column(path))}
		}
		s.Columns[i].Column = path[0]
	}
	return s, p.rest(s)
}

// outputs reads the list of columns; the tables in front are known later.
func (p *sqlParser) outputs(s *Select) (paths [][]string, err error) {
	if p.symbol("*") {
		return nil, nil
	}
	for {
		path, err := p.names()
		if err != nil {
			return nil, err
		}
		name := path[len(path)-1]
		if p.word("AS") {
			alias, err := p.names()
			if err != nil || len(alias) > 1 {
				return nil, p.problem("a name of more than one part")
			}
			name = alias[0]
		}
		paths, s.Columns = append(paths, path), append(s.Columns, Output{Name: name})
		if !p.symbol(",") {
			return paths, nil
		}
	}
}

// names reads a, or a.b.c.
func (p *sqlParser) names() ([]string, error) {
	if t := p.peek(); t.kind == tokenWord && reserved[t.upper] {
		return nil, p.problem("the word " + t.upper + " where a name belongs")
	}
	t, err := p.path()
	return t.column, err
}

// rest reads what follows the table.
func (p *sqlParser) rest(s *Select) error {
	if p.word("WHERE") {
		t, err := p.or()
		if err != nil {
			return err
		}
		if s.Where, err = t.predicate(p); err != nil {
			return err
		}
	}
	limited, skipped := false, false
	for {
		var err error
		switch {
		case !limited && p.word("LIMIT"):
			limited = true
			s.Limit, err = p.count()
		case !skipped && p.word("OFFSET"):
			skipped = true
			s.Offset, err = p.count()
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// count reads a number of rows.
func (p *sqlParser) count() (int64, error) {
	at := p.peek().at
	t, err := p.operand()
	if err != nil {
		return 0, err
	}
	if t.value == nil || t.value.kind != KindInteger || t.value.num < 0 || t.value.num == math.MaxInt64 {
		return 0, &SyntaxError{p.text, at, "something that is no number of rows"}
	}
	return t.value.num, nil
}

// unqualified takes the table off a column's path.
func (p *sqlParser) unqualified(path []string) []string {
	if p.table != "" && len(path) > 1 && strings.EqualFold(path[0], p.table) {
		return path[1:]
	}
	return path
}
