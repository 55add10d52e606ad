package pushdown

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// supported ends the messages about conditions that are not understood.
const supported = "supported are: columns (a, \"a b\", a.b) compared with constants by = <> < <= > >= <=>, IN, BETWEEN, LIKE, " +
	"IS [NOT] NULL, IS [NOT] DISTINCT FROM, starts_with(a, 'x'), NOT, AND, OR, parentheses; constants: numbers, 'text', TRUE, FALSE, NULL, " +
	"DATE/TIME/TIMESTAMP/TIMESTAMPTZ '...', X'..', CAST(constant AS type), constant::type"

// A SyntaxError says where SQL text is no condition that is understood here.
type SyntaxError struct {
	Text    string // the whole condition
	At      int    // byte where it stops to fit
	Problem string // what stands there
}

func (e *SyntaxError) Error() string {
	near := e.Text[min(e.At, len(e.Text)):]
	if len(near) > 20 {
		near = near[:20] + "..."
	}
	where := fmt.Sprintf("at %q", near)
	if near == "" {
		where = "at the end"
	}
	return fmt.Sprintf("condition %q: %s: %s; %s", e.Text, where, e.Problem, supported)
}

// maxDepth bounds nesting, so that no text can exhaust the stack.
const maxDepth = 250

// ParseSQL reads an SQL condition. Texts outside of the language give a
// [SyntaxError].
func ParseSQL(text string) (Predicate, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &sqlParser{text: text, tokens: tokens}
	t, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, p.problem("more text than a condition")
	}
	return t.predicate(p)
}

// A term is a part of an expression: a condition, or a column or constant that
// may become one.
type term struct {
	condition Predicate
	column    Column
	value     *Value
	at        int
}

func (t term) predicate(p *sqlParser) (Predicate, error) {
	switch {
	case t.condition != nil:
		return t.condition, nil
	case t.column != nil:
		return Compare{t.column, Eq, Bool(true)}, nil
	case t.value.kind == KindBoolean || t.value.kind == KindNull:
		return Constant{*t.value}, nil
	}
	return nil, &SyntaxError{p.text, t.at, "a constant where a condition belongs"}
}

type sqlParser struct {
	text   string
	tokens []token
	next   int
	depth  int
	table  string // that may stand in front of columns
}

func (p *sqlParser) peek() token { return p.tokens[p.next] }

func (p *sqlParser) problem(what string) error { return &SyntaxError{p.text, p.peek().at, what} }

// word and symbol take the next token if it is the one.
func (p *sqlParser) word(w string) bool {
	t := p.peek()
	return t.kind == tokenWord && t.upper == w && p.advance()
}

func (p *sqlParser) symbol(s string) bool {
	t := p.peek()
	return t.kind == tokenSymbol && t.text == s && p.advance()
}

func (p *sqlParser) advance() bool {
	p.next++
	return true
}

func (p *sqlParser) need(ok bool, what string) error {
	if ok {
		return nil
	}
	return p.problem("missing " + what)
}

func (p *sqlParser) or() (term, error) {
	return p.chain("OR", p.and, func(parts []Predicate) Predicate { return Or(parts) })
}

func (p *sqlParser) and() (term, error) {
	return p.chain("AND", p.not, func(parts []Predicate) Predicate { return And(parts) })
}

func (p *sqlParser) chain(word string, operand func() (term, error), join func([]Predicate) Predicate) (term, error) {
	t, err := operand()
	if err != nil || p.peek().upper != word || p.peek().kind != tokenWord {
		return t, err
	}
	first, err := t.predicate(p)
	if err != nil {
		return t, err
	}
	parts := []Predicate{first}
	for p.word(word) {
		next, err := operand()
		if err != nil {
			return t, err
		}
		c, err := next.predicate(p)
		if err != nil {
			return t, err
		}
		parts = append(parts, c)
	}
	return term{condition: join(parts), at: t.at}, nil
}

func (p *sqlParser) not() (term, error) {
	at := p.peek().at
	if !p.word("NOT") {
		return p.comparison()
	}
	if p.depth++; p.depth > maxDepth {
		return term{}, p.problem("too deep a nesting")
	}
	defer func() { p.depth-- }()
	t, err := p.not()
	if err != nil {
		return t, err
	}
	c, err := t.predicate(p)
	return term{condition: Not{c}, at: at}, err
}

var operators = map[string]Operator{
	"=": Eq, "==": Eq, "<>": Ne, "!=": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge, "<=>": IsNotDistinct,
}

// comparison reads an operand and what is asked of it.
func (p *sqlParser) comparison() (term, error) {
	left, err := p.operand()
	if err != nil {
		return left, err
	}
	for {
		t := p.peek()
		op, isOperator := operators[t.text]
		var c Predicate
		switch {
		case t.kind == tokenSymbol && isOperator:
			p.advance()
			c, err = p.compared(left, op)
		case t.kind == tokenWord && t.upper == "IS":
			p.advance()
			c, err = p.is(left)
		case t.kind == tokenWord && (t.upper == "IN" || t.upper == "LIKE" || t.upper == "BETWEEN" || t.upper == "NOT"):
			not := p.word("NOT")
			c, err = p.suffix(left, not)
		default:
			return left, nil
		}
		if err != nil {
			return left, err
		}
		left = term{condition: c, at: left.at}
	}
}

func (p *sqlParser) compared(left term, op Operator) (Predicate, error) {
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	return p.compare(left, op, right)
}

func (p *sqlParser) compare(left term, op Operator, right term) (Predicate, error) {
	switch {
	case left.column != nil && right.value != nil:
		return Compare{left.column, op, *right.value}, nil
	case left.value != nil && right.column != nil:
		return Compare{right.column, op.mirrored(), *left.value}, nil
	case left.value != nil && right.value != nil:
		v, err := fold(*left.value, op, *right.value)
		if err != nil {
			return nil, &SyntaxError{p.text, left.at, err.Error()}
		}
		return Constant{v}, nil
	}
	return nil, &SyntaxError{p.text, right.at, "a comparison that is not one of a column with a constant"}
}

// column demands that an operand is a column.
func (p *sqlParser) column(t term, of string) (Column, error) {
	if t.column == nil {
		return nil, &SyntaxError{p.text, t.at, of + " of something that is not a column"}
	}
	return t.column, nil
}

// is reads what follows IS.
func (p *sqlParser) is(left term) (Predicate, error) {
	not := p.word("NOT")
	if p.word("DISTINCT") {
		if err := p.need(p.word("FROM"), "FROM"); err != nil {
			return nil, err
		}
		op := IsDistinct
		if not {
			op = IsNotDistinct
		}
		return p.compared(left, op)
	}
	if left.value != nil && p.word("NULL") {
		return Constant{Bool(left.value.IsNull() != not)}, nil
	}
	column, err := p.column(left, "IS")
	if err != nil {
		return nil, err
	}
	op := IsNotDistinct
	if not {
		op = IsDistinct
	}
	switch {
	case p.word("NULL"):
		return IsNull{Column: column, Not: not}, nil
	case p.word("TRUE"):
		return Compare{column, op, Bool(true)}, nil
	case p.word("FALSE"):
		return Compare{column, op, Bool(false)}, nil
	}
	return nil, p.problem("missing NULL, TRUE, FALSE or DISTINCT FROM after IS")
}

// suffix reads IN (...), LIKE ... and BETWEEN ... AND ....
func (p *sqlParser) suffix(left term, not bool) (Predicate, error) {
	switch {
	case p.word("BETWEEN"):
		return p.between(left, not)
	case p.word("IN"):
		column, err := p.column(left, "IN")
		if err != nil {
			return nil, err
		}
		values, err := p.list()
		return In{Column: column, Values: values, Not: not}, err
	case p.word("LIKE"):
		column, err := p.column(left, "LIKE")
		if err != nil {
			return nil, err
		}
		return p.like(column, not)
	}
	return nil, p.problem("missing IN, LIKE or BETWEEN after NOT")
}

func (p *sqlParser) between(left term, not bool) (Predicate, error) {
	low, err := p.operand()
	if err != nil {
		return nil, err
	}
	if err := p.need(p.word("AND"), "AND of BETWEEN"); err != nil {
		return nil, err
	}
	high, err := p.operand()
	if err != nil {
		return nil, err
	}
	from, err := p.compare(left, Ge, low)
	if err != nil {
		return nil, err
	}
	to, err := p.compare(left, Le, high)
	if err != nil {
		return nil, err
	}
	if not {
		return Not{And{from, to}}, nil
	}
	return And{from, to}, nil
}

func (p *sqlParser) list() ([]Value, error) {
	if err := p.need(p.symbol("("), "( of the list"); err != nil {
		return nil, err
	}
	var values []Value
	for {
		t, err := p.operand()
		if err != nil {
			return nil, err
		}
		if t.value == nil {
			return nil, &SyntaxError{p.text, t.at, "something in a list that is not a constant"}
		}
		values = append(values, *t.value)
		if p.symbol(")") {
			return values, nil
		}
		if err := p.need(p.symbol(","), ", or ) of the list"); err != nil {
			return nil, err
		}
	}
}

func (p *sqlParser) like(column Column, not bool) (Predicate, error) {
	pattern, err := p.literalText("pattern of LIKE")
	if err != nil {
		return nil, err
	}
	like := Like{Column: column, Pattern: pattern, Not: not}
	if p.word("ESCAPE") {
		at := p.peek().at
		e, err := p.literalText("escape character")
		if err != nil {
			return nil, err
		}
		r, n := utf8.DecodeRuneInString(e)
		if n != len(e) || e != "" && r == utf8.RuneError {
			return nil, &SyntaxError{p.text, at, "an escape that is not one character"}
		}
		if e != "" {
			like.Escape = r
		}
	}
	return like, nil
}

func (p *sqlParser) literalText(what string) (string, error) {
	t := p.peek()
	if t.kind != tokenString {
		return "", p.problem("missing the text in quotes: " + what)
	}
	p.advance()
	return t.text, nil
}

// operand reads a column, a constant, a function or an expression in
// parentheses, and the casts behind it.
func (p *sqlParser) operand() (term, error) {
	if p.depth++; p.depth > maxDepth {
		return term{}, p.problem("too deep a nesting")
	}
	defer func() { p.depth-- }()
	t, err := p.primary()
	if err == nil && t.column != nil && p.symbol(".") { // (a).b
		var inner term
		inner, err = p.path()
		t.column = append(t.column[:len(t.column):len(t.column)], inner.column...)
	}
	for err == nil && p.symbol("::") {
		t, err = p.castTo(t)
	}
	return t, err
}

func (p *sqlParser) primary() (term, error) {
	t := p.peek()
	switch t.kind {
	case tokenNumber, tokenString:
		p.advance()
		if t.kind == tokenString {
			return constant(String(t.text), t.at), nil
		}
		return p.number(t, false)
	case tokenQuoted:
		return p.path()
	case tokenSymbol:
		return p.signed()
	case tokenWord:
		return p.wordOperand()
	}
	return term{}, p.problem("a condition that is not complete")
}

func constant(v Value, at int) term { return term{value: &v, at: at} }

func (p *sqlParser) number(t token, negative bool) (term, error) {
	v, err := parseNumber(t.text, negative)
	if err != nil {
		return term{}, &SyntaxError{p.text, t.at, err.Error()}
	}
	return constant(v, t.at), nil
}

// signed reads a number with a sign, or an expression in parentheses.
func (p *sqlParser) signed() (term, error) {
	at := p.peek().at
	switch {
	case p.symbol("("):
		t, err := p.or()
		if err != nil {
			return t, err
		}
		return t, p.need(p.symbol(")"), ")")
	case p.peek().text == "-" || p.peek().text == "+":
		negative := p.symbol("-")
		if !negative {
			p.advance()
		}
		if t := p.peek(); t.kind == tokenNumber {
			p.advance()
			return p.number(token{text: t.text, at: at}, negative)
		}
		return term{}, p.problem("arithmetic")
	}
	return term{}, p.problem("a symbol where a column or a constant belongs")
}

// typedLiterals are the words before a text that make it a constant of a type.
var typedLiterals = map[string]string{"DATE": "DATE", "TIME": "TIME", "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMPTZ", "TIMESTAMP_NTZ": "TIMESTAMP", "TIMESTAMP_LTZ": "TIMESTAMPTZ"}

func (p *sqlParser) wordOperand() (term, error) {
	t := p.peek()
	following := p.tokens[p.next+1]
	switch {
	case t.upper == "TRUE" || t.upper == "FALSE":
		p.advance()
		return constant(Bool(t.upper == "TRUE"), t.at), nil
	case t.upper == "NULL":
		p.advance()
		return constant(Value{}, t.at), nil
	case t.upper == "CAST":
		return p.cast()
	case t.upper == "X" && following.kind == tokenString && following.at == t.at+1:
		p.next += 2
		b, err := hex.DecodeString(following.text)
		if err != nil {
			return term{}, &SyntaxError{p.text, t.at, "X'..' without hexadecimal digits in pairs"}
		}
		return constant(Binary(b), t.at), nil
	case typedLiterals[t.upper] != "" && following.kind == tokenString:
		p.next += 2
		return p.converted(String(following.text), sqlType{name: typedLiterals[t.upper]}, t.at)
	case t.upper == "TIMESTAMP" && following.upper == "WITH":
		typ, err := p.typeName()
		if err != nil {
			return term{}, err
		}
		text, err := p.literalText("timestamp")
		if err != nil {
			return term{}, err
		}
		return p.converted(String(text), typ, t.at)
	case reserved[t.upper]:
		return term{}, p.problem("the word " + t.upper + " where a column or a constant belongs (names that are SQL words need quotes)")
	case following.kind == tokenSymbol && following.text == "(":
		return p.function()
	}
	return p.path()
}

// path reads a.b.c.
func (p *sqlParser) path() (term, error) {
	at := p.peek().at
	var path Column
	for {
		t := p.peek()
		if t.kind != tokenWord && t.kind != tokenQuoted {
			return term{}, p.problem("missing a name")
		}
		p.advance()
		path = append(path, t.text)
		if !p.symbol(".") {
			return term{column: p.unqualified(path), at: at}, nil
		}
	}
}

// function reads starts_with(column, 'text'), the only one.
func (p *sqlParser) function() (term, error) {
	name := p.peek()
	switch strings.ToLower(name.text) {
	case "starts_with", "startswith", "prefix":
	default:
		return term{}, p.problem("the function " + name.text)
	}
	p.next += 2
	t, err := p.operand()
	if err != nil {
		return t, err
	}
	column, err := p.column(t, name.text)
	if err != nil {
		return t, err
	}
	if err := p.need(p.symbol(","), ","); err != nil {
		return t, err
	}
	prefix, err := p.literalText("prefix")
	if err != nil {
		return t, err
	}
	return term{condition: column.StartsWith(prefix), at: name.at}, p.need(p.symbol(")"), ")")
}
