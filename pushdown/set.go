package pushdown

import (
	"cmp"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// A key is a value of a column in a form whose order is that of the column.
type key[T any] interface {
	compare(T) int
}

// intKey orders everything that fits 64 bits: integers, dates, times, booleans
// as themselves, unsigned integers and floats by order-preserving maps.
type intKey int64

func (a intKey) compare(b intKey) int { return cmp.Compare(a, b) }

// textKey orders texts and binaries by their bytes.
type textKey string

func (a textKey) compare(b textKey) int { return cmp.Compare(a, b) }

// decimalKey orders decimals of one scale.
type decimalKey decimal128.Num

func (a decimalKey) compare(b decimalKey) int { return decimal128.Num(a).Cmp(decimal128.Num(b)) }

// A set holds values of an ordered type as cuts: going up, membership begins
// as start and changes at each cut, which lies before its value. Every value
// has a next one (for texts, the text and a zero byte), so that cuts before
// values express open and closed ends alike.
type set[T key[T]] struct {
	start bool
	cuts  []T
}

// values is a set whatever its type. The sets of one column have one type.
type values interface {
	not() values
	and(values) values
	or(values) values
	empty() bool
	full() bool
}

func (s set[T]) empty() bool { return !s.start && len(s.cuts) == 0 }
func (s set[T]) full() bool  { return s.start && len(s.cuts) == 0 }
func (s set[T]) not() values { return set[T]{!s.start, s.cuts} }

func (s set[T]) and(o values) values {
	return s.merge(o.(set[T]), func(a, b bool) bool { return a && b })
}

func (s set[T]) or(o values) values {
	return s.merge(o.(set[T]), func(a, b bool) bool { return a || b })
}

// merge walks up both sets and keeps the cuts where the combination changes.
func (s set[T]) merge(o set[T], op func(a, b bool) bool) set[T] {
	a, b := s.start, o.start
	out := set[T]{start: op(a, b)}
	state := out.start
	for i, j := 0, 0; i < len(s.cuts) || j < len(o.cuts); {
		order := -1
		switch {
		case i == len(s.cuts):
			order = 1
		case j < len(o.cuts):
			order = s.cuts[i].compare(o.cuts[j])
		}
		var at T
		if order <= 0 {
			at, a = s.cuts[i], !a
			i++
		}
		if order >= 0 {
			at, b = o.cuts[j], !b
			j++
		}
		if next := op(a, b); next != state {
			out.cuts, state = append(out.cuts, at), next
		}
	}
	return out
}

// rank is the number of cuts at or below x; its parity tells membership.
func (s set[T]) rank(x T) int {
	n, found := slices.BinarySearchFunc(s.cuts, x, func(c, x T) int { return c.compare(x) })
	if found {
		n++
	}
	return n
}

func (s set[T]) contains(x T) bool { return s.start != (s.rank(x)%2 == 1) }

// covers relates the values from low to high, both included, to the set: all
// in it, none, or not known. A nil end is open.
func (s set[T]) covers(low, high *T) Answer {
	from, to := 0, len(s.cuts)
	if low != nil {
		from = s.rank(*low)
	}
	if high != nil {
		to = s.rank(*high)
	}
	switch {
	case from != to:
		return Unknown
	case s.start != (from%2 == 1):
		return Yes
	}
	return No
}

// A cut is a place in the order of a column: before a value, or beyond all
// values on one side.
type cut[T any] struct {
	at   T
	side int // -1 below everything, 1 above everything
}

// newSet makes a set of rising cuts.
func newSet[T key[T]](start bool, cuts ...cut[T]) set[T] {
	s := set[T]{start: start}
	for _, c := range cuts {
		switch n := len(s.cuts); {
		case c.side < 0:
			s.start = !s.start
		case c.side > 0:
		case n > 0 && s.cuts[n-1].compare(c.at) == 0:
			s.cuts = s.cuts[:n-1]
		default:
			s.cuts = append(s.cuts, c.at)
		}
	}
	return s
}

// compared is the set of the values that an operator holds for, given the cuts
// before and after the constant.
func compared[T key[T]](op Operator, before, after cut[T]) set[T] {
	switch op {
	case Lt:
		return newSet(true, before)
	case Le:
		return newSet(true, after)
	case Gt:
		return newSet(false, after)
	case Ge:
		return newSet(false, before)
	case Ne, IsDistinct:
		return newSet(true, before, after)
	}
	return newSet(false, before, after)
}

// singles lists the values of a set that is no more than a list of values,
// given the value after each.
func (s set[T]) singles(next func(T) (T, bool)) ([]T, bool) {
	if s.start {
		return nil, false
	}
	var all []T
	for i := 0; i < len(s.cuts); i += 2 {
		after, ok := next(s.cuts[i])
		last := i+1 == len(s.cuts)
		if ok == last || ok && after.compare(s.cuts[i+1]) != 0 {
			return nil, false
		}
		all = append(all, s.cuts[i])
	}
	return all, true
}
