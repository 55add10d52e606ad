package pushdown

import (
	"strings"
)

// A Predicate is a condition over the columns of a table that is true, false
// or unknown (null) for a row. It is one of [Constant], [And], [Or], [Not],
// [Compare], [In], [IsNull], [Like], [Call] and [Opaque]. String gives it as
// SQL.
type Predicate interface {
	String() string
	precedence() int
}

// A Column names a column by the names from the root; more than one below
// structs.
type Column []string

// String is the column as an SQL identifier.
func (c Column) String() string {
	parts := make([]string, len(c))
	for i, p := range c {
		parts[i] = quoteIdentifier(p)
	}
	return strings.Join(parts, ".")
}

// Name is the column as Hudi's metadata names it: the parts joined by dots.
func (c Column) Name() string { return strings.Join(c, ".") }

// An Operator compares a column with a constant.
type Operator uint8

// The operators. The last two never answer unknown: null equals null.
const (
	Eq Operator = iota
	Ne
	Lt
	Le
	Gt
	Ge
	IsNotDistinct
	IsDistinct
)

var operatorTexts = [...]string{"=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM", "IS DISTINCT FROM"}

// String is the operator in SQL.
func (o Operator) String() string { return operatorTexts[o] }

// mirrored is the operator with its sides exchanged.
func (o Operator) mirrored() Operator {
	switch o {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return o
}

// A Constant is TRUE, FALSE or NULL whatever the row.
type Constant struct{ Value Value }

// And is true when all of its parts are.
type And []Predicate

// Or is true when one of its parts is.
type Or []Predicate

// Not is true when its part is false.
type Not struct{ Of Predicate }

// Compare compares a column with a constant.
type Compare struct {
	Column Column
	Op     Operator
	Value  Value
}

// In asks whether a column is one of some constants. A NULL among them makes
// the answer unknown where it is not true.
type In struct {
	Column Column
	Values []Value
	Not    bool
}

// IsNull asks whether a column is null.
type IsNull struct {
	Column Column
	Not    bool
}

// Like matches a text column with a pattern: % stands for any text, _ for one
// character, and Escape, unless 0, takes the meaning of the one that follows.
type Like struct {
	Column  Column
	Pattern string
	Escape  rune
	Not     bool
}

// Opaque is a condition that is not understood: it may be anything for any
// row.
type Opaque struct{ Text string }

// Col begins a condition on a column: Col("a").Gt(1), Col("a", "b").IsNull().
func Col(path ...string) Column { return path }

// Eq is column = x.
func (c Column) Eq(x any) Predicate { return Compare{c, Eq, ValueOf(x)} }

// Ne is column <> x.
func (c Column) Ne(x any) Predicate { return Compare{c, Ne, ValueOf(x)} }

// Lt is column < x.
func (c Column) Lt(x any) Predicate { return Compare{c, Lt, ValueOf(x)} }

// Le is column <= x.
func (c Column) Le(x any) Predicate { return Compare{c, Le, ValueOf(x)} }

// Gt is column > x.
func (c Column) Gt(x any) Predicate { return Compare{c, Gt, ValueOf(x)} }

// Ge is column >= x.
func (c Column) Ge(x any) Predicate { return Compare{c, Ge, ValueOf(x)} }

// Same is column IS NOT DISTINCT FROM x: null equals null.
func (c Column) Same(x any) Predicate { return Compare{c, IsNotDistinct, ValueOf(x)} }

// Between is column BETWEEN low AND high.
func (c Column) Between(low, high any) Predicate { return And{c.Ge(low), c.Le(high)} }

// In is column IN (values...).
func (c Column) In(values ...any) Predicate { return In{Column: c, Values: valuesOf(values)} }

// NotIn is column NOT IN (values...).
func (c Column) NotIn(values ...any) Predicate {
	return In{Column: c, Values: valuesOf(values), Not: true}
}

// IsNull is column IS NULL.
func (c Column) IsNull() Predicate { return IsNull{Column: c} }

// IsNotNull is column IS NOT NULL.
func (c Column) IsNotNull() Predicate { return IsNull{Column: c, Not: true} }

// Like is column LIKE pattern, without an escape character.
func (c Column) Like(pattern string) Predicate { return Like{Column: c, Pattern: pattern} }

// StartsWith asks whether a text column begins with a prefix.
func (c Column) StartsWith(prefix string) Predicate {
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(prefix)
	if escaped == prefix {
		return Like{Column: c, Pattern: prefix + "%"}
	}
	return Like{Column: c, Pattern: escaped + "%", Escape: '\\'}
}

func valuesOf(xs []any) []Value {
	values := make([]Value, len(xs))
	for i, x := range xs {
		values[i] = ValueOf(x)
	}
	return values
}

// Conjuncts takes a condition apart at its outer ANDs.
func Conjuncts(p Predicate) []Predicate {
	and, ok := p.(And)
	if !ok {
		return []Predicate{p}
	}
	var all []Predicate
	for _, part := range and {
		all = append(all, Conjuncts(part)...)
	}
	return all
}

const (
	precedenceOr = iota
	precedenceAnd
	precedenceNot
	precedenceLeaf
)

func (Or) precedence() int       { return precedenceOr }
func (And) precedence() int      { return precedenceAnd }
func (Not) precedence() int      { return precedenceNot }
func (Constant) precedence() int { return precedenceLeaf }
func (Compare) precedence() int  { return precedenceLeaf }
func (In) precedence() int       { return precedenceLeaf }
func (IsNull) precedence() int   { return precedenceLeaf }
func (Like) precedence() int     { return precedenceLeaf }
func (Opaque) precedence() int   { return precedenceLeaf }

// within gives p as part of an expression, in parentheses where it binds less
// than precedence.
func within(p Predicate, precedence int) string {
	if p.precedence() < precedence {
		return "(" + p.String() + ")"
	}
	return p.String()
}

func joined(parts []Predicate, word, none string, precedence int) string {
	switch len(parts) {
	case 0:
		return none
	case 1:
		return parts[0].String()
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = within(p, precedence)
	}
	return strings.Join(texts, word)
}

// String is the condition in SQL.
func (p And) String() string { return joined(p, " AND ", "TRUE", precedenceAnd) }

// String is the condition in SQL.
func (p Or) String() string { return joined(p, " OR ", "FALSE", precedenceOr) }

// String is the condition in SQL.
func (p Not) String() string { return "NOT " + within(p.Of, precedenceNot) }

// String is the condition in SQL.
func (p Constant) String() string { return p.Value.String() }

// String is the condition in SQL.
func (p Compare) String() string {
	return p.Column.String() + " " + p.Op.String() + " " + p.Value.String()
}

// String is the condition in SQL.
func (p In) String() string {
	if len(p.Values) == 0 {
		return Bool(p.Not).String()
	}
	values := make([]string, len(p.Values))
	for i, v := range p.Values {
		values[i] = v.String()
	}
	return p.Column.String() + negation(p.Not) + " IN (" + strings.Join(values, ", ") + ")"
}

// String is the condition in SQL.
func (p IsNull) String() string { return p.Column.String() + " IS" + negation(p.Not) + " NULL" }

// String is the condition in SQL.
func (p Like) String() string {
	text := p.Column.String() + negation(p.Not) + " LIKE " + quoteText(p.Pattern)
	if p.Escape != 0 {
		text += " ESCAPE " + quoteText(string(p.Escape))
	}
	return text
}

// String is the text that was not understood.
func (p Opaque) String() string { return "<" + p.Text + ">" }

func negation(not bool) string {
	if not {
		return " NOT"
	}
	return ""
}
