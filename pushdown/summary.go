package pushdown

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
)

// Facts are what statistics tell of a column of a container beyond what
// pruning needs.
type Facts struct {
	Stats
	Nulls int64 // -1 where the number is not known
	// MinOccurs and MaxOccurs say that the bound is a value of a row.
	MinOccurs, MaxOccurs bool
}

// Facts gives what the footer of a Parquet file proves about a column of the
// row group.
//
// Not taken for values that occur, though they are bounds: those of texts and
// binaries, which writers may have cut off without a word; zeros of floats,
// which stand for both zeros; and those of columns that are read as another
// type.
func (g *RowGroup) Facts(f *Field) Facts {
	c, absent, ok := g.chunk(f)
	switch {
	case absent:
		return Facts{Stats: Stats{AllNulls: true}, Nulls: g.group.Rows}
	case !ok || c.Values != g.group.Rows:
		return Facts{Nulls: -1}
	}
	s, ok := c.Statistics()
	if !ok {
		return Facts{Nulls: -1}
	}
	k := Facts{Stats: ParquetStats(s, c, g.noNaN), Nulls: -1}
	if s.HasNulls && s.Nulls >= 0 && s.Nulls <= c.Values {
		k.Nulls = s.Nulls
	}
	occurs := s.Exact && sameValues(c.Type, f.Type) && f.domain.order != orderText && f.domain.order != orderBinary
	k.MinOccurs = occurs && !isZeroFloat(k.Min)
	k.MaxOccurs = occurs && !isZeroFloat(k.Max)
	return k
}

func isZeroFloat(v Value) bool { return v.kind == KindFloat && v.float == 0 }

// Facts gives what the metadata table says of a column. It is right where the
// index is, and so an estimate.
func (s FileStats) Facts(f *Field) Facts {
	k := Facts{Stats: s.Stats(f), Nulls: -1}
	if c := s[f.Name()]; c != nil && c.HasCounts && !f.renamable {
		k.Nulls = c.NullCount
	}
	return k
}

// A Summary gathers the facts about a column over the containers that its rows
// are in.
type Summary struct {
	field    *Field
	nulls    int64
	inexact  bool // some rows of a container may not count, or others may
	noNulls  bool // the number of nulls is not known
	min, max end
}

// An end is the least or the greatest value so far.
type end struct {
	value  Value
	occurs bool
	lost   bool // of some container no bound is known
}

// NewSummary makes the summary of a column.
func NewSummary(f *Field) *Summary { return &Summary{field: f} }

// Add takes a container in. exact says that all of its rows count, as they are.
func (s *Summary) Add(k Facts, exact bool) {
	s.inexact = s.inexact || !exact
	s.noNulls = s.noNulls || k.Nulls < 0
	s.nulls += k.Nulls
	if k.AllNulls && !k.NoNulls {
		return
	}
	d := s.field.domain
	low, high := d.bounds(k.Stats)
	if d.order == orderFloat && !k.NoNaN {
		high = Value{} // NaN is above all numbers
	}
	s.min.add(low, exact && k.MinOccurs, func(order int) bool { return order < 0 })
	s.max.add(high, exact && k.MaxOccurs, func(order int) bool { return order > 0 })
}

func (e *end) add(v Value, occurs bool, beyond func(order int) bool) {
	if v.IsNull() {
		e.lost = true
		return
	}
	if e.value.IsNull() {
		e.value, e.occurs = v, occurs
		return
	}
	switch order, err := compareConstants(v, e.value); {
	case err != nil:
		e.lost = true
	case beyond(order):
		e.value, e.occurs = v, occurs
	case order == 0:
		e.occurs = e.occurs || occurs
	}
}

// Nulls gives the number of nulls, -1 if it is not known, and whether it is
// exact.
func (s *Summary) Nulls() (n int64, exact bool) {
	if s.noNulls {
		return -1, false
	}
	return s.nulls, !s.inexact
}

// Min gives the least value and whether it occurs; else no value is less. NULL
// is exact where there is no value, and says otherwise that no bound is known.
func (s *Summary) Min() (v Value, exact bool) { return s.min.result(s.inexact) }

// Max gives the greatest value, as Min does the least.
func (s *Summary) Max() (v Value, exact bool) { return s.max.result(s.inexact) }

func (e *end) result(inexact bool) (Value, bool) {
	switch {
	case e.lost:
		return Value{}, false
	case e.value.IsNull():
		return Value{}, !inexact
	}
	return e.value, e.occurs
}

// bounds gives the bounds of statistics as values of the column's type, NULL
// for those that say nothing.
func (d domain) bounds(s Stats) (low, high Value) {
	switch d.order {
	case orderText, orderBinary:
		a, b := d.textBound(s.Min), d.textBound(s.Max)
		if a != nil && b != nil && a.compare(*b) > 0 {
			return low, high
		}
		return valueOrNull(a, func(k textKey) Value { return d.valueOfText(string(k)) }), valueOrNull(b, func(k textKey) Value { return d.valueOfText(string(k)) })
	case orderDecimal:
		a, b := d.decimalBound(s.Min), d.decimalBound(s.Max)
		if a != nil && b != nil && a.compare(*b) > 0 {
			return low, high
		}
		return valueOrNull(a, d.valueOfDecimal), valueOrNull(b, d.valueOfDecimal)
	}
	a, b, ok := d.intBounds(s)
	if !ok {
		return low, high
	}
	return valueOrNull(a, d.valueOfInt), valueOrNull(b, d.valueOfInt)
}

func valueOrNull[T any](k *T, of func(T) Value) Value {
	if k == nil {
		return Value{}
	}
	return of(*k)
}

// FieldOf finds a column of a schema.
func FieldOf(c Column, s *arrow.Schema) (*Field, error) {
	b := binder{bound: &Bound{schema: s}}
	i, err := b.resolve(c)
	if err != nil {
		return nil, err
	}
	return b.bound.fields[i], nil
}

// Group is the row group itself.
func (g *RowGroup) Group() parquet.RowGroup { return g.group }
