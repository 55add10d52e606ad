package pushdown

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// rational gives a number exactly; floats that are none have no answer.
func (v Value) rational() (*big.Rat, bool) {
	switch v.kind {
	case KindInteger:
		return new(big.Rat).SetInt64(v.num), true
	case KindDecimal:
		return new(big.Rat).SetFrac(v.big, pow10(v.scale)), true
	case KindFloat:
		r := new(big.Rat).SetFloat64(v.float)
		return r, r != nil
	}
	return nil, false
}

// asFloat gives a number rounded to the nearest float64.
func (v Value) asFloat() (float64, bool) {
	if v.kind == KindFloat {
		return v.float, true
	}
	r, ok := v.rational()
	if !ok {
		return 0, false
	}
	f, _ := r.Float64()
	return f, true
}

// asFloat32 gives a number rounded to the nearest float32.
func (v Value) asFloat32() (float32, bool) {
	if v.kind == KindFloat {
		return float32(v.float), true
	}
	r, ok := v.rational()
	if !ok {
		return 0, false
	}
	f, _ := r.Float32()
	return f, true
}

// compareFloats orders floats with NaN equal to itself and above all others.
func compareFloats(a, b float64) int {
	switch aNaN, bNaN := math.IsNaN(a), math.IsNaN(b); {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	case bNaN:
		return -1
	}
	return cmp.Compare(a, b)
}

// compareConstants orders two constants that are not null.
func compareConstants(a, b Value) (int, error) {
	switch {
	case a.kind == KindFloat || b.kind == KindFloat:
		x, ok := a.asFloat()
		y, also := b.asFloat()
		if ok && also {
			return compareFloats(x, y), nil
		}
	case a.kind == KindString && b.kind == KindString, a.kind == KindBinary && b.kind == KindBinary:
		return strings.Compare(a.text, b.text), nil
	case a.kind == b.kind && (a.kind == KindBoolean || a.kind == KindDate):
		return cmp.Compare(a.num, b.num), nil
	case a.kind == b.kind && (a.kind == KindTime || a.kind == KindTimestamp || a.kind == KindTimestampTZ):
		return ticks(a).Cmp(ticks(b)), nil
	}
	x, ok := a.rational()
	y, also := b.rational()
	if !ok || !also {
		return 0, fmt.Errorf("a comparison of %s with %s", a.kind, b.kind)
	}
	return x.Cmp(y), nil
}

// ticks gives a time exactly, in seconds.
func ticks(v Value) *big.Rat { return big.NewRat(v.num, perSecond(v.unit)) }

// fold compares two constants.
func fold(a Value, op Operator, b Value) (Value, error) {
	if a.IsNull() || b.IsNull() {
		switch op {
		case IsNotDistinct:
			return Bool(a.IsNull() && b.IsNull()), nil
		case IsDistinct:
			return Bool(a.IsNull() != b.IsNull()), nil
		}
		return Value{}, nil
	}
	c, err := compareConstants(a, b)
	if err != nil {
		return Value{}, err
	}
	return Bool(op.holds(c)), nil
}

// holds tells whether an operator is true of two values in an order.
func (o Operator) holds(order int) bool {
	switch o {
	case Eq, IsNotDistinct:
		return order == 0
	case Ne, IsDistinct:
		return order != 0
	case Lt:
		return order < 0
	case Le:
		return order <= 0
	case Gt:
		return order > 0
	}
	return order >= 0
}
