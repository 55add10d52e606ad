package pushdown

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/schema"
)

// A BindError says why a condition can't be asked of a schema.
type BindError struct {
	Predicate Predicate // the part that does not fit
	Err       error     // an [UnknownColumnError], or what is wrong with types
}

func (e *BindError) Error() string { return fmt.Sprintf("condition %s: %v", e.Predicate, e.Err) }

func (e *BindError) Unwrap() error { return e.Err }

// An UnknownColumnError says that a table has no such column.
type UnknownColumnError struct {
	Column Column
	Have   []string // the columns at the level where the name is missing
}

func (e *UnknownColumnError) Error() string {
	return fmt.Sprintf("no column %s; there are %s", e.Column, strings.Join(e.Have, ", "))
}

var errOpaque = errors.New("not understood")

// BindOptions change how a condition is understood.
type BindOptions struct {
	// Zone is the session's time zone, which decides where timestamps with
	// and without zone are compared; nil means UTC.
	Zone *time.Location
	// Lenient takes what does not fit for a condition that may be anything:
	// such conditions prune less, and [Bound.Support] tells which.
	Lenient bool
}

// A Field is a column that a condition asks of, in the bound schema.
type Field struct {
	Path  Column // names as the schema has them
	Index []int  // ordinals from the top level on
	Type  arrow.DataType

	domain domain
	// renamable: the table knows its columns by id, so that a name may stand
	// for another column in older files.
	renamable bool
}

// Name is the name of the field in Hudi's metadata.
func (f *Field) Name() string { return f.Path.Name() }

// Flat tells that the field is a top-level column.
func (f *Field) Flat() bool { return len(f.Index) == 1 }

// Renamable tells that the table knows the column by an id, so that indexes by
// name may be about another one.
func (f *Field) Renamable() bool { return f.renamable }

// A Bound is a condition that has been bound to a schema. It is immutable and
// safe for concurrent use.
type Bound struct {
	predicate Predicate
	schema    *arrow.Schema
	fields    []*Field
	conjuncts []Conjunct
	support   []Support
}

// A Conjunct is a part of the condition that must be true by itself. Parts on
// the same column are one.
type Conjunct struct {
	Text   string // as SQL
	Fields []int  // ordinals in Fields()

	parts And // of the condition as it was
	root  node
}

// Support tells how much of a condition is understood.
type Support uint8

// The degrees of support.
const (
	Unsupported Support = iota // rows and containers are kept whatever they hold
	Inexact                    // kept rows may have to be filtered again
	Exact                      // kept rows are those for which it is true
)

// String is the name of the degree.
func (s Support) String() string {
	return [...]string{"unsupported", "inexact", "exact"}[min(s, Exact)]
}

// Bind binds a condition to a schema. A nil predicate is TRUE.
func Bind(p Predicate, s *arrow.Schema, o BindOptions) (*Bound, error) {
	if p == nil {
		p = And{}
	}
	b := &Bound{predicate: p, schema: s}
	binder := &binder{bound: b, options: o}
	var parts []Conjunct
	for _, c := range Conjuncts(p) {
		n, err := binder.bind(c, false)
		if err != nil {
			return nil, err
		}
		b.support = append(b.support, supportOf(n))
		parts = append(parts, Conjunct{Text: c.String(), parts: And{c}, root: n})
	}
	b.conjuncts = mergeConjuncts(parts)
	for i := range b.conjuncts {
		b.conjuncts[i].Fields = fieldsOf(b.conjuncts[i].root, nil)
		prepare(b.conjuncts[i].root)
	}
	return b, nil
}

// Predicate is the condition as it was before binding.
func (b *Bound) Predicate() Predicate { return b.predicate }

// String is the condition in SQL.
func (b *Bound) String() string { return b.predicate.String() }

// Schema is the schema that the condition is bound to.
func (b *Bound) Schema() *arrow.Schema { return b.schema }

// Fields lists the columns that the condition asks of.
func (b *Bound) Fields() []*Field { return b.fields }

// Columns lists the top-level columns that the condition reads.
func (b *Bound) Columns() []string {
	var names []string
	for _, c := range b.conjuncts {
		for _, f := range c.Fields {
			if name := b.fields[f].Path[0]; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Conjuncts lists the parts that must be true each.
func (b *Bound) Conjuncts() []Conjunct { return b.conjuncts }

// Support tells for each of [Conjuncts] of the condition how far it is
// understood.
func (b *Bound) Support() []Support { return b.support }

// Always answers Yes if the condition is true of every row, and No if of none.
func (b *Bound) Always() Answer {
	answer := Yes
	for _, c := range b.conjuncts {
		if k, ok := c.root.(constNode); ok {
			if !k {
				return No
			}
			continue
		}
		answer = Unknown
	}
	return answer
}

// Only gives the condition that consists of the conjuncts chosen.
func (b *Bound) Only(keep func(Conjunct) bool) *Bound {
	part := &Bound{schema: b.schema, fields: b.fields}
	var parts And
	for _, c := range b.conjuncts {
		if keep(c) {
			part.conjuncts = append(part.conjuncts, c)
			part.support = append(part.support, supportOf(c.root))
			parts = append(parts, c.parts...)
		}
	}
	part.predicate = b.predicate
	if len(part.conjuncts) != len(b.conjuncts) {
		part.predicate = parts
	}
	return part
}

// mergeConjuncts joins parts on one column each and drops those that say
// nothing.
func mergeConjuncts(parts []Conjunct) []Conjunct {
	var all []Conjunct
	byField := map[int]int{}
	for _, p := range parts {
		l, ok := p.root.(*leaf)
		if !ok || l.like != nil {
			if k, isConst := p.root.(constNode); isConst && !bool(k) {
				return []Conjunct{p}
			} else if isConst {
				continue
			}
			all = append(all, p)
			continue
		}
		at, seen := byField[l.field]
		if !seen {
			byField[l.field] = len(all)
			all = append(all, p)
			continue
		}
		merged := simplified(all[at].root.(*leaf).combine(l, true))
		all[at] = Conjunct{Text: all[at].Text + " AND " + p.Text, parts: append(all[at].parts, p.parts...), root: merged}
		if k, isConst := merged.(constNode); isConst && !bool(k) {
			return []Conjunct{all[at]}
		}
	}
	return all
}

// resolve finds or adds the field of a column.
func (b *binder) resolve(c Column) (int, error) {
	fields := b.bound.schema.Fields()
	f := &Field{}
	for depth, name := range c {
		i, ok := schema.Lookup(arrow.NewSchema(fields, nil), name)
		if !ok {
			e := &UnknownColumnError{Column: c}
			for _, have := range fields {
				e.Have = append(e.Have, have.Name)
			}
			return 0, e
		}
		if _, ok := fields[i].Metadata.GetValue(idKey); ok && !schema.IsMeta(fields[i].Name) {
			f.renamable = true
		}
		f.Path, f.Index, f.Type = append(f.Path, fields[i].Name), append(f.Index, i), fields[i].Type
		if depth+1 < len(c) {
			st, isStruct := fields[i].Type.(*arrow.StructType)
			if !isStruct {
				return 0, fmt.Errorf("column %s is %s, which has no field %s", f.Path, fields[i].Type, quoteIdentifier(c[depth+1]))
			}
			fields = st.Fields()
		}
	}
	if f.Type == nil {
		return 0, errors.New("a column without a name")
	}
	for i, have := range b.bound.fields {
		if slices.Equal(have.Index, f.Index) {
			return i, nil
		}
	}
	f.domain = domainOf(f.Type, b.options.Zone)
	b.bound.fields = append(b.bound.fields, f)
	return len(b.bound.fields) - 1, nil
}

// prepare makes the tables of leaves that list many texts.
func prepare(n node) {
	switch n := n.(type) {
	case *leaf:
		if s, ok := n.values.(set[textKey]); ok && n.like == nil {
			n.listed = listTexts(s)
		}
	case andNode:
		for _, p := range n {
			prepare(p)
		}
	case orNode:
		for _, p := range n {
			prepare(p)
		}
	}
}
