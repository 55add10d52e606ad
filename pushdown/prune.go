package pushdown

// An Answer is what is known about all rows of a container.
type Answer uint8

// The answers. Unknown keeps a container.
const (
	Unknown Answer = iota
	No             // the condition is true of no row
	Yes            // the condition is true of every row
)

// String is the name of the answer.
func (a Answer) String() string { return [...]string{"unknown", "no", "yes"}[min(a, Yes)] }

// Stats are what is known for certain about the values of one column in a
// container; the zero value is to know nothing. Every way to get at them
// proves each part or leaves it out.
type Stats struct {
	// Min and Max bound the values that are not null; NULL where no bound is
	// known. They need not occur.
	Min, Max Value
	// OneOf, unless empty, lists all values that may occur besides null, in
	// place of bounds.
	OneOf    []Value
	NoNulls  bool // there is no null
	AllNulls bool // there is nothing but nulls
	// NoNaN: NaN is within the bounds, too. Floats without it may have NaN
	// whatever Max says, since writers leave it out of their statistics.
	NoNaN bool
	// From and To, where they are not NULL, say that Min and Max bound only
	// the values from one to the other: those outside of them may be any.
	From, To Value
}

// A Container knows something about the columns of a set of rows.
type Container interface {
	// Stats tells what is known about a column.
	Stats(f *Field) Stats
}

// An Excluder is a container that knows of single values that they are not in
// a column: a Bloom filter, a dictionary, an index of keys.
type Excluder interface {
	// Excludes tells that the column of no row has the value, which is of
	// the column's type.
	Excludes(f *Field, v Value) bool
}

// A Verdict is the answer for a container and what it rests on.
type Verdict struct {
	Answer   Answer
	Conjunct string // as SQL, the part of the condition that says No
	Excluded bool   // No rests on single values, not on bounds
}

// Prune asks whether a container may have rows of which the condition is true.
func (b *Bound) Prune(c Container) Verdict {
	return b.judge(func(n node, excluded *bool) Answer { return b.answer(n, c, excluded) })
}

func (b *Bound) judge(ask func(n node, excluded *bool) Answer) Verdict {
	v := Verdict{Answer: Yes}
	for _, c := range b.conjuncts {
		excluded := false
		switch ask(c.root, &excluded) {
		case No:
			return Verdict{Answer: No, Conjunct: c.Text, Excluded: excluded}
		case Unknown:
			v.Answer = Unknown
		}
	}
	return v
}

func (b *Bound) answer(n node, c Container, excluded *bool) Answer {
	return fold3(n, func(n node) Answer { return b.ask(n, c, excluded) })
}

// ask asks a container about a node without parts.
func (b *Bound) ask(n node, c Container, excluded *bool) Answer {
	switch n := n.(type) {
	case *leaf:
		return n.answer(b.fields[n.field], c, excluded)
	case callNode:
		return n.answer(b.fields[n.field], c)
	}
	return Unknown
}

// fold3 answers for a tree from the answers for its leaves.
func fold3(n node, ask func(node) Answer) Answer {
	switch n := n.(type) {
	case constNode:
		if n {
			return Yes
		}
		return No
	case *leaf, callNode:
		return ask(n)
	case andNode:
		all := Yes
		for _, p := range n {
			switch fold3(p, ask) {
			case No:
				return No
			case Unknown:
				all = Unknown
			}
		}
		return all
	case orNode:
		all := No
		for _, p := range n {
			switch fold3(p, ask) {
			case Yes:
				return Yes
			case Unknown:
				all = Unknown
			}
		}
		return all
	}
	return Unknown
}

// answer asks a container about a leaf.
func (l *leaf) answer(f *Field, c Container, excluded *bool) Answer {
	s := c.Stats(f)
	present := Unknown // for the values that are not null
	if !s.AllNulls {
		present = l.covers(f, s)
	}
	switch {
	case s.AllNulls && s.NoNulls:
		return Unknown // a contradiction: nothing is known
	case s.AllNulls && l.null:
		return Yes
	case s.AllNulls:
		return No
	case present == No && (!l.null || s.NoNulls):
		return No
	case present == Yes && (l.null || s.NoNulls):
		return Yes
	}
	if e, ok := c.(Excluder); ok && (!l.null || s.NoNulls) && l.excluded(f, e) {
		*excluded = true
		return No
	}
	return Unknown
}

// covers relates the values of a container that are not null to those of the
// leaf.
func (l *leaf) covers(f *Field, s Stats) Answer {
	a := Unknown
	for i, v := range s.OneOf {
		one := l.covers(f, Stats{Min: v, Max: v, NoNaN: s.NoNaN})
		if one == Unknown || i > 0 && one != a {
			return Unknown
		}
		a = one
	}
	if len(s.OneOf) > 0 {
		return a
	}
	switch v := l.values.(type) {
	case set[intKey]:
		a = coversInts(v, f.domain, s)
	case set[textKey]:
		a = coversTexts(v, f.domain, s)
	case set[decimalKey]:
		a = coversDecimals(v, f.domain, s)
	}
	if l.like != nil && a == Yes || !l.same(f, a, s) {
		return Unknown
	}
	return a
}

// same tells whether an answer also holds for the values that bounds are not
// about.
func (l *leaf) same(f *Field, a Answer, s Stats) bool {
	if a == Unknown {
		return true
	}
	return (s.From.IsNull() || l.covers(f, Stats{Max: s.From}) == a) && (s.To.IsNull() || l.covers(f, Stats{Min: s.To}) == a)
}

func coversInts(v set[intKey], d domain, s Stats) Answer {
	low, high, ok := d.intBounds(s)
	if !ok {
		low, high = nil, nil
	}
	a := v.covers(low, high)
	if d.order != orderFloat || s.NoNaN || a == Unknown {
		return a
	}
	if v.contains(floatKey(nan)) != (a == Yes) {
		return Unknown
	}
	return a
}

func coversTexts(v set[textKey], d domain, s Stats) Answer {
	low, high := d.textBound(s.Min), d.textBound(s.Max)
	if low != nil && high != nil && low.compare(*high) > 0 {
		low, high = nil, nil
	}
	return v.covers(low, high)
}

func coversDecimals(v set[decimalKey], d domain, s Stats) Answer {
	low, high := d.decimalBound(s.Min), d.decimalBound(s.Max)
	if low != nil && high != nil && low.compare(*high) > 0 {
		low, high = nil, nil
	}
	return v.covers(low, high)
}

// excluded tells that the leaf stands for single values only and that the
// container has none of them.
func (l *leaf) excluded(f *Field, e Excluder) bool {
	points, ok := l.points(f.domain)
	if !ok || len(points) == 0 {
		return false
	}
	for _, p := range points {
		if !e.Excludes(f, p) {
			return false
		}
	}
	return true
}

// points lists the values of a leaf that is no more than a list of values, as
// values of the column's type.
func (l *leaf) points(d domain) ([]Value, bool) {
	var out []Value
	switch v := l.values.(type) {
	case set[intKey]:
		keys, ok := v.singles(func(k intKey) (intKey, bool) { return k + 1, k < d.high })
		for _, k := range keys {
			out = append(out, d.valueOfInt(k))
		}
		return out, ok && d.order != orderNone
	case set[textKey]:
		keys, ok := v.singles(func(k textKey) (textKey, bool) { return k + "\x00", true })
		for _, k := range keys {
			out = append(out, d.valueOfText(string(k)))
		}
		return out, ok
	case set[decimalKey]:
		keys, ok := v.singles(nextDecimal)
		for _, k := range keys {
			out = append(out, d.valueOfDecimal(k))
		}
		return out, ok
	}
	return nil, false
}

// Points lists the values that a column must have one of for the condition to
// be true, as equality and IN ask; ok is false where it is no such list. name
// is the column as in [Field.Name].
func (b *Bound) Points(name string) (points []Value, ok bool) {
	for _, c := range b.conjuncts {
		l, isLeaf := c.root.(*leaf)
		if !isLeaf || l.null || b.fields[l.field].Name() != name {
			continue
		}
		if points, ok = l.points(b.fields[l.field].domain); ok {
			return points, true
		}
	}
	return nil, false
}
