package pushdown

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/hudi-go/hudi/internal/javatext"
)

var nan = math.NaN()

// intBounds reads the bounds of statistics as keys of the column. Values that
// the file stores in another type are promoted as package schema promotes
// them, where that keeps the order; otherwise they say nothing. Bounds in
// which NaN may hide, or that contradict each other, are dropped: ok is false.
// Floats between zero and zero are what writers leave that lost the bounds.
func (d domain) intBounds(s Stats) (low, high *intKey, ok bool) {
	if d.order == orderFloat && (isNaN(s.Min) || isNaN(s.Max) || zeroOrNone(s.Min) && zeroOrNone(s.Max)) {
		return nil, nil, false
	}
	low, high = d.intBound(s.Min), d.intBound(s.Max)
	if low != nil && high != nil && *low > *high {
		return nil, nil, false
	}
	return low, high, true
}

func isNaN(v Value) bool { return v.kind == KindFloat && v.float != v.float }

func zeroOrNone(v Value) bool { return v.IsNull() || v.kind == KindFloat && v.float == 0 }

func (d domain) intBound(v Value) *intKey {
	var k intKey
	switch d.order {
	case orderBoolean:
		if v.kind != KindBoolean {
			return nil
		}
		k = intKey(v.num)
	case orderSigned:
		if v.kind != KindInteger {
			return nil
		}
		k = intKey(v.num)
	case orderUnsigned:
		switch {
		case v.kind == KindInteger && v.num >= 0:
			k = unsignedKey(uint64(v.num))
		case v.kind == KindDecimal && v.scale == 0 && v.big.IsUint64():
			k = unsignedKey(v.big.Uint64())
		default:
			return nil
		}
	case orderFloat:
		f, ok := d.floatBound(v)
		if !ok {
			return nil
		}
		k = floatKey(f)
	case orderDate, orderTime, orderInstant:
		n, ok := d.temporalBound(v)
		if !ok {
			return nil
		}
		k = intKey(n)
	default:
		return nil
	}
	return &k
}

// floatBound promotes integers and floats of 32 bits, the latter by way of
// their text as the rows are.
func (d domain) floatBound(v Value) (float64, bool) {
	switch {
	case v.kind == KindInteger && d.single:
		return float64(float32(v.num)), true
	case v.kind == KindInteger:
		return float64(v.num), true
	case v.kind != KindFloat, d.single && !v.single:
		return 0, false
	case v.single && !d.single:
		return javatext.Widen(float32(v.float)), true
	}
	return v.float, true
}

// temporalBound takes numbers of the same unit, plain integers (the type was
// not known to the writer), and coarser units. Microseconds in a column of
// milliseconds are a wrong label: the number stands for milliseconds.
func (d domain) temporalBound(v Value) (int64, bool) {
	switch {
	case v.kind == KindInteger:
		return v.num, true
	case d.order == orderDate:
		return v.num, v.kind == KindDate
	case d.order == orderTime && v.kind != KindTime:
		return 0, false
	case d.order == orderInstant && v.kind != KindTimestamp && v.kind != KindTimestampTZ:
		return 0, false
	}
	per := perSecond(v.unit)
	switch {
	case per == d.per, v.unit == arrow.Microsecond && d.per == 1e3 && d.order == orderInstant:
		return v.num, true
	case per > d.per:
		return 0, false
	}
	mul := d.per / per
	if v.num > math.MaxInt64/mul || v.num < math.MinInt64/mul {
		return 0, false
	}
	return v.num * mul, true
}

func (d domain) textBound(v Value) *textKey {
	if v.kind != KindString && v.kind != KindBinary {
		return nil
	}
	k := textKey(v.text)
	return &k
}

func (d domain) decimalBound(v Value) *decimalKey {
	var n *big.Int
	switch {
	case v.kind == KindInteger:
		n = new(big.Int).Mul(big.NewInt(v.num), pow10(d.scale))
	case v.kind == KindDecimal && v.scale <= d.scale:
		n = new(big.Int).Mul(v.big, pow10(d.scale-v.scale))
	default:
		return nil
	}
	if n.CmpAbs(maxDecimal) >= 0 {
		return nil
	}
	k := decimalKey(decimal128.FromBigInt(n))
	return &k
}

func nextDecimal(k decimalKey) (decimalKey, bool) {
	return decimalKey(decimal128.Num(k).Add(decimal128.FromI64(1))), decimal128.Num(k) != decimal128.MaxDecimal128
}

// valueOfInt gives a key as a constant of the column's type.
func (d domain) valueOfInt(k intKey) Value {
	switch d.order {
	case orderBoolean:
		return Bool(k != 0)
	case orderUnsigned:
		return Uint(uint64(k) ^ 1<<63)
	case orderFloat:
		if d.single {
			return Float32(float32(floatOfKey(k)))
		}
		return Float(floatOfKey(k))
	case orderDate:
		return Date(int32(k))
	}
	switch t := d.typ.(type) {
	case *arrow.Time32Type:
		return Time(int64(k), t.Unit)
	case *arrow.Time64Type:
		return Time(int64(k), t.Unit)
	case *arrow.TimestampType:
		if d.zoned {
			return TimestampTZ(int64(k), t.Unit)
		}
		return Timestamp(int64(k), t.Unit)
	}
	return Int(int64(k))
}

func (d domain) valueOfText(s string) Value {
	if d.order == orderBinary {
		return Binary([]byte(s))
	}
	return String(s)
}

func (d domain) valueOfDecimal(k decimalKey) Value {
	return Decimal(decimal128.Num(k).BigInt(), d.scale)
}
