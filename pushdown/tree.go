package pushdown

import (
	"fmt"
	"slices"
)

// A node is a part of a bound condition. It is true or not: what is unknown
// counts as not true, which is the same where there are no negations.
type node interface{}

type (
	constNode bool
	// opaqueNode may be true of any row.
	opaqueNode struct{}
	andNode    []node
	orNode     []node
)

// A leaf is true of the rows whose column is in a set of values, or is null
// and null counts.
type leaf struct {
	field  int
	values values
	null   bool
	// A leaf with a pattern is true of the values which match, or do not match
	// if negated; values then holds no more than a frame around them.
	like    *pattern
	negated bool
	// listed holds the texts of a long list, for looking up.
	listed map[string]struct{}
}

// combine merges two leaves without patterns on one column.
func (l *leaf) combine(o *leaf, and bool) *leaf {
	if and {
		return &leaf{field: l.field, values: l.values.and(o.values), null: l.null && o.null}
	}
	return &leaf{field: l.field, values: l.values.or(o.values), null: l.null || o.null}
}

// simplified turns leaves that hold for nothing or everything into constants.
func simplified(l *leaf) node {
	switch {
	case l.values.empty() && !l.null:
		return constNode(false)
	case l.like == nil && l.values.full() && l.null:
		return constNode(true)
	}
	return l
}

// fieldsOf lists the fields of a tree.
func fieldsOf(n node, have []int) []int {
	switch n := n.(type) {
	case *leaf:
		if !slices.Contains(have, n.field) {
			have = append(have, n.field)
		}
	case callNode:
		if !slices.Contains(have, n.field) {
			have = append(have, n.field)
		}
	case andNode:
		for _, p := range n {
			have = fieldsOf(p, have)
		}
	case orNode:
		for _, p := range n {
			have = fieldsOf(p, have)
		}
	}
	return have
}

func hasOpaque(n node) bool {
	switch n := n.(type) {
	case opaqueNode, callNode:
		return true
	case andNode:
		return slices.ContainsFunc(n, hasOpaque)
	case orNode:
		return slices.ContainsFunc(n, hasOpaque)
	}
	return false
}

func supportOf(n node) Support {
	switch n.(type) {
	case opaqueNode, callNode:
		return Unsupported
	}
	if hasOpaque(n) {
		return Inexact
	}
	return Exact
}

// A binder turns predicates into trees.
type binder struct {
	bound   *Bound
	options BindOptions
}

// bind binds a predicate or, if negate is set, its negation.
func (b *binder) bind(p Predicate, negate bool) (node, error) {
	switch p := p.(type) {
	case Constant:
		if p.Value.kind != KindBoolean && p.Value.kind != KindNull {
			return b.failed(p, fmt.Errorf("%s is no condition", p.Value.kind))
		}
		return constNode(p.Value.kind == KindBoolean && (p.Value.num != 0) != negate), nil
	case Not:
		return b.bind(p.Of, !negate)
	case And:
		return b.group(p, negate, !negate)
	case Or:
		return b.group(p, negate, negate)
	case Opaque:
		return b.failed(p, errOpaque)
	case Call:
		if negate {
			return b.failed(p, errOpaque)
		}
		return b.call(p)
	case nil:
		return b.failed(Opaque{}, errOpaque)
	}
	t, err := b.truth(p)
	if err != nil {
		return b.failed(p, err)
	}
	if negate {
		return simplified(t.isFalse), nil
	}
	return simplified(t.isTrue), nil
}

func (b *binder) failed(p Predicate, err error) (node, error) {
	if b.options.Lenient {
		return opaqueNode{}, nil
	}
	return nil, &BindError{p, err}
}

// group binds the parts of an AND (and true) or an OR, and merges leaves on
// one column.
func (b *binder) group(parts []Predicate, negate, and bool) (node, error) {
	var out []node
	for _, p := range parts {
		n, err := b.bind(p, negate)
		if err != nil {
			return nil, err
		}
		switch n := n.(type) {
		case constNode:
			if bool(n) != and {
				return n, nil
			}
			continue
		case andNode:
			if and {
				out = append(out, n...)
				continue
			}
		case orNode:
			if !and {
				out = append(out, n...)
				continue
			}
		}
		out = append(out, n)
	}
	return joinNodes(out, and), nil
}

func joinNodes(parts []node, and bool) node {
	var out []node
	byField := map[int]int{}
	for _, n := range parts {
		l, ok := n.(*leaf)
		if !ok || l.like != nil {
			out = append(out, n)
			continue
		}
		if at, seen := byField[l.field]; seen {
			out[at] = out[at].(*leaf).combine(l, and)
			continue
		}
		byField[l.field] = len(out)
		out = append(out, l)
	}
	kept := out[:0]
	for _, n := range out {
		if l, ok := n.(*leaf); ok {
			n = simplified(l)
		}
		if c, ok := n.(constNode); ok {
			if bool(c) != and {
				return c
			}
			continue
		}
		kept = append(kept, n)
	}
	switch {
	case len(kept) == 0:
		return constNode(and)
	case len(kept) == 1:
		return kept[0]
	case and:
		return andNode(kept)
	}
	return orNode(kept)
}

// A truth says where a condition on one column is true and where it is false;
// elsewhere it is unknown. Negation exchanges the two.
type truth struct{ isTrue, isFalse *leaf }

// truth binds a predicate on one column.
func (b *binder) truth(p Predicate) (truth, error) {
	switch p := p.(type) {
	case Compare:
		return b.compare(p)
	case In:
		return b.in(p)
	case IsNull:
		f, none, err := b.column(p.Column)
		if err != nil {
			return truth{}, err
		}
		return truth{
			isTrue:  &leaf{field: f, values: none, null: true},
			isFalse: &leaf{field: f, values: none.not()},
		}.negatedIf(p.Not), nil
	case Like:
		return b.like(p)
	}
	return truth{}, errOpaque
}

func (t truth) negatedIf(not bool) truth {
	if not {
		return truth{t.isFalse, t.isTrue}
	}
	return t
}

// column resolves a column and gives its empty set.
func (b *binder) column(c Column) (int, values, error) {
	f, err := b.resolve(c)
	if err != nil {
		return 0, nil, err
	}
	return f, b.bound.fields[f].domain.none(), nil
}

func (b *binder) compare(p Compare) (truth, error) {
	f, none, err := b.column(p.Column)
	if err != nil {
		return truth{}, err
	}
	safe := p.Op == IsNotDistinct || p.Op == IsDistinct
	if p.Value.IsNull() {
		if safe {
			return truth{
				isTrue:  &leaf{field: f, values: none, null: true},
				isFalse: &leaf{field: f, values: none.not()},
			}.negatedIf(p.Op == IsDistinct), nil
		}
		nowhere := &leaf{field: f, values: none}
		return truth{nowhere, nowhere}, nil
	}
	s, err := b.bound.fields[f].domain.compare(p.Op, p.Value)
	if err != nil {
		return truth{}, err
	}
	return truth{
		isTrue:  &leaf{field: f, values: s, null: p.Op == IsDistinct},
		isFalse: &leaf{field: f, values: s.not(), null: p.Op == IsNotDistinct},
	}, nil
}

func (b *binder) in(p In) (truth, error) {
	f, none, err := b.column(p.Column)
	if err != nil {
		return truth{}, err
	}
	var found []values
	withNull := false
	for _, v := range sameKind(p.Values, b.bound.fields[f].domain) {
		if v.IsNull() {
			withNull = true
			continue
		}
		s, err := b.bound.fields[f].domain.compare(Eq, v)
		if err != nil {
			return truth{}, err
		}
		found = append(found, s)
	}
	listed := unionAll(found, none)
	t := truth{&leaf{field: f, values: listed}, &leaf{field: f, values: listed.not()}}
	switch {
	case len(p.Values) == 0:
		t.isFalse.null = true
	case withNull: // what is not listed may still equal the NULL
		t.isFalse.values = none
	}
	return t.negatedIf(p.Not), nil
}

// sameKind gives the constants of a list the type that SQL compares all of them
// in: with one float among numbers, all are floats.
func sameKind(values []Value, d domain) []Value {
	isNumber := d.order == orderSigned || d.order == orderUnsigned || d.order == orderDecimal
	if !isNumber || !slices.ContainsFunc(values, func(v Value) bool { return v.kind == KindFloat }) {
		return values
	}
	double := slices.ContainsFunc(values, func(v Value) bool { return v.kind == KindFloat && !v.single })
	out := slices.Clone(values)
	for i, v := range out {
		switch f, ok := v.asFloat(); {
		case ok && double:
			out[i] = Float(f)
		case ok && v.kind != KindFloat:
			single, _ := v.asFloat32()
			out[i] = Float32(single)
		}
	}
	return out
}

// unionAll unites sets pairwise, so that long lists take n log n steps.
func unionAll(sets []values, none values) values {
	switch len(sets) {
	case 0:
		return none
	case 1:
		return sets[0]
	}
	mid := len(sets) / 2
	return unionAll(sets[:mid], none).or(unionAll(sets[mid:], none))
}

func (b *binder) like(p Like) (truth, error) {
	f, none, err := b.column(p.Column)
	if err != nil {
		return truth{}, err
	}
	d := b.bound.fields[f].domain
	if d.order != orderText {
		return truth{}, fmt.Errorf("%s can't be matched with LIKE", d.typ)
	}
	pat, err := compilePattern(p.Pattern, p.Escape)
	if err != nil {
		return truth{}, err
	}
	t := truth{&leaf{field: f}, &leaf{field: f}}
	switch equal, prefix := pat.exact(); {
	case equal:
		if t.isTrue.values, err = d.compare(Eq, String(pat.pieces[0].text)); err != nil {
			return t, err
		}
		t.isFalse.values = t.isTrue.values.not()
	case prefix:
		t.isTrue.values = prefixSet(pat.pieces[0].text)
		t.isFalse.values = t.isTrue.values.not()
	default:
		t.isTrue.values, t.isTrue.like = prefixSet(pat.prefix()), pat
		t.isFalse.values, t.isFalse.like, t.isFalse.negated = none.not(), pat, true
	}
	return t.negatedIf(p.Not), nil
}
