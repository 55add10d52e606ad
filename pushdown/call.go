package pushdown

import (
	"slices"
	"strconv"
	"strings"
)

// A Call asks whether a function of a column is one of some constants. Scans do
// not compute functions: such a condition is left to the caller, but prunes
// where an expression index holds the values of the function.
type Call struct {
	Function string // lower, upper, length or substring
	Column   Column
	Args     []Value // whole numbers
	Values   []Value // no NULL
}

func (Call) precedence() int { return precedenceLeaf }

// String is the condition in SQL.
func (p Call) String() string {
	args := []string{p.Column.String()}
	for _, a := range p.Args {
		args = append(args, a.String())
	}
	text := p.Function + "(" + strings.Join(args, ", ") + ")"
	if len(p.Values) == 1 {
		return text + " = " + p.Values[0].String()
	}
	values := make([]string, len(p.Values))
	for i, v := range p.Values {
		values[i] = v.String()
	}
	return text + " IN (" + strings.Join(values, ", ") + ")"
}

// calls are functions by the names that engines know them by, with the number
// of their arguments.
var calls = map[string]struct {
	name string
	args int
}{
	"LOWER": {"lower", 0}, "LCASE": {"lower", 0}, "UPPER": {"upper", 0}, "UCASE": {"upper", 0}, "LENGTH": {"length", 0},
	"SUBSTRING": {"substring", 2}, "SUBSTR": {"substring", 2},
}

// parseCall reads function(column, ...) = constant, or IN.
func parseCall(text string) (Call, bool) {
	tokens, err := lex(text)
	if err != nil {
		return Call{}, false
	}
	p := &sqlParser{text: text, tokens: tokens}
	f, ok := calls[p.peek().upper]
	if !ok || p.peek().kind != tokenWord || !p.advance() || !p.symbol("(") {
		return Call{}, false
	}
	of, err := p.operand()
	if err != nil || of.column == nil {
		return Call{}, false
	}
	c := Call{Function: f.name, Column: of.column}
	for p.symbol(",") {
		arg, err := p.operand()
		if err != nil || arg.value == nil || arg.value.kind != KindInteger {
			return Call{}, false
		}
		c.Args = append(c.Args, *arg.value)
	}
	if !p.symbol(")") || len(c.Args) != f.args {
		return Call{}, false
	}
	switch {
	case p.word("IN"):
		c.Values, err = p.list()
	case p.symbol("=") || p.symbol("=="):
		var right term
		if right, err = p.operand(); err == nil && right.value != nil {
			c.Values = []Value{*right.value}
		}
	}
	isNull := func(v Value) bool { return v.IsNull() }
	return c, err == nil && len(c.Values) > 0 && !slices.ContainsFunc(c.Values, isNull) && p.peek().kind == tokenEnd
}

// A callNode is true of the rows for which a call is, and of others as far as
// scans know.
type callNode struct {
	field int
	call  Call
}

// call binds a condition that only prunes.
func (b *binder) call(p Call) (node, error) {
	if !b.options.Lenient {
		return nil, &BindError{p, errOpaque}
	}
	f, err := b.resolve(p.Column)
	if err != nil || b.bound.fields[f].domain.order != orderText {
		return opaqueNode{}, nil
	}
	return callNode{f, p}, nil
}

// A CallExcluder is a container that knows the values of a function of a column.
type CallExcluder interface {
	// ExcludesCall tells that the condition is true of no row.
	ExcludesCall(f *Field, c Call) bool
}

func (n callNode) answer(f *Field, c Container) Answer {
	if e, ok := c.(CallExcluder); ok && e.ExcludesCall(f, n.call) {
		return No
	}
	return Unknown
}

// ExcludesCall tells that the function has none of the constants as its value.
func (c expressed) ExcludesCall(f *Field, call Call) bool {
	if f.renamable || f.Name() != c.column || c.function != call.Function || !c.sameArgs(call.Args) {
		return false
	}
	for _, v := range call.Values {
		if !sameInEngines(call.Function, v) || !c.lacks(v) {
			return false
		}
	}
	return true
}

// sameArgs tells that the index was made with the arguments of a call.
func (e *ExpressionIndex) sameArgs(args []Value) bool {
	if e.function != "substring" {
		return len(args) == 0
	}
	pos, err := strconv.Atoi(e.options["pos"])
	length, alsoErr := strconv.Atoi(e.options["len"])
	// Where a text begins is 1 everywhere; 0 is not the same to all engines.
	return err == nil && alsoErr == nil && pos > 0 && len(args) == 2 && args[0].num == int64(pos) && args[1].num == int64(length)
}

// sameInEngines tells that whatever text has a value by the engine that applies
// the condition has it by Spark, too. Letters beyond ASCII change their case by
// different rules: İ becomes i for one and two characters for the other.
func sameInEngines(function string, v Value) bool {
	switch function {
	case "lower":
		return v.kind == KindString && isASCII(v.text) && !strings.Contains(v.text, "i")
	case "upper", "substring":
		return v.kind == KindString && isASCII(v.text)
	}
	return v.kind == KindInteger
}

// lacks tells that no row has a value of the function.
func (c expressed) lacks(v Value) bool {
	if c.filter != nil {
		return v.kind == KindString && isASCII(v.text) && !c.filter.Has(v.text)
	}
	return c.stats != nil && beyond(v, c.stats)
}
