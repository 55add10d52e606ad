package pushdown

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// An order is how the values of a column compare, and so which key they have.
type order uint8

const (
	orderNone     order = iota // lists, maps, ...: only null or not
	orderBoolean               // intKey 0 and 1
	orderSigned                // intKey
	orderUnsigned              // intKey of the number less 2^63
	orderFloat                 // intKey by floatKey
	orderDate                  // intKey in units of the type
	orderTime                  // intKey in units of the type
	orderInstant               // intKey in units of the type
	orderDecimal               // decimalKey
	orderText                  // textKey
	orderBinary                // textKey
)

// A domain is the ordered type of a column.
type domain struct {
	order  order
	typ    arrow.DataType
	per    int64 // units per second of times and timestamps
	zoned  bool
	scale  int32
	single bool   // float of 32 bits
	low    intKey // of intKey orders: the least and greatest value
	high   intKey //
	zone   *time.Location
}

func domainOf(t arrow.DataType, zone *time.Location) domain {
	d := domain{typ: t, low: math.MinInt64, high: math.MaxInt64, zone: zone}
	switch t := t.(type) {
	case *arrow.BooleanType:
		d.order, d.low, d.high = orderBoolean, 0, 1
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		d.order = orderSigned
		bits := t.(arrow.FixedWidthDataType).BitWidth()
		d.low, d.high = -1<<(bits-1), 1<<(bits-1)-1
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type:
		d.order = orderSigned
		d.low, d.high = 0, 1<<t.(arrow.FixedWidthDataType).BitWidth()-1
	case *arrow.Uint64Type:
		d.order = orderUnsigned
	case *arrow.Float32Type:
		d.order, d.single = orderFloat, true
	case *arrow.Float64Type:
		d.order = orderFloat
	case *arrow.Date32Type:
		d.order, d.low, d.high = orderDate, math.MinInt32, math.MaxInt32
	case *arrow.Time32Type:
		d.order, d.per = orderTime, perSecond(t.Unit)
	case *arrow.Time64Type:
		d.order, d.per = orderTime, perSecond(t.Unit)
	case *arrow.TimestampType:
		d.order, d.per, d.zoned = orderInstant, perSecond(t.Unit), t.TimeZone != ""
	case *arrow.Decimal128Type:
		d.order, d.scale = orderDecimal, t.Scale
	case *arrow.StringType, *arrow.LargeStringType:
		d.order = orderText
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType:
		d.order = orderBinary
	}
	return d
}

// floatKey maps floats to integers of the same order, with NaN on top and both
// zeros as one.
func floatKey(f float64) intKey {
	if f == 0 {
		return 0
	}
	if f != f {
		return math.MaxInt64
	}
	b := int64(math.Float64bits(f))
	return intKey(b ^ b>>63&math.MaxInt64)
}

// floatOfKey undoes floatKey.
func floatOfKey(k intKey) float64 {
	if k == math.MaxInt64 {
		return math.NaN()
	}
	return math.Float64frombits(uint64(int64(k) ^ int64(k)>>63&math.MaxInt64))
}

func unsignedKey(u uint64) intKey { return intKey(u ^ 1<<63) }

// none is the set without values; it fits the other sets of the column.
func (d domain) none() values {
	switch d.order {
	case orderDecimal:
		return set[decimalKey]{}
	case orderText, orderBinary:
		return set[textKey]{}
	}
	return set[intKey]{}
}

// compare gives the values for which an operator holds against a constant that
// is not null.
func (d domain) compare(op Operator, v Value) (values, error) {
	v, err := d.adopt(v)
	if err != nil {
		return nil, err
	}
	switch d.order {
	case orderText, orderBinary:
		k := textKey(v.text)
		return compared(op, cut[textKey]{at: k}, cut[textKey]{at: k + "\x00"}), nil
	case orderDecimal:
		before, after := d.decimalCuts(v)
		return compared(op, before, after), nil
	}
	before, after := d.intCuts(v)
	return compared(op, d.clip(before), d.clip(after)), nil
}

// clip drops cuts that no value of the column's type lies below or above.
func (d domain) clip(c cut[intKey]) cut[intKey] {
	switch {
	case c.side != 0:
	case c.at <= d.low:
		c.side = -1
	case c.at > d.high:
		c.side = 1
	}
	return c
}

// adopt checks that a constant can be compared with the column, and reads
// texts as the column's type.
func (d domain) adopt(v Value) (Value, error) {
	fail := func() (Value, error) {
		if v.kind == kindInvalid {
			return v, fmt.Errorf("a Go value of type %s is no constant", v.text)
		}
		return v, fmt.Errorf("%s can't be compared with %s (%s)", d.typ, v.kind, v)
	}
	if v.kind == KindString && d.order != orderText && d.order != orderBinary {
		read, err := d.read(v.text)
		if err != nil {
			return v, err
		}
		v = read
	}
	ok := false
	switch d.order {
	case orderBoolean:
		ok = v.kind == KindBoolean
	case orderSigned, orderUnsigned, orderFloat, orderDecimal:
		ok = v.kind == KindInteger || v.kind == KindDecimal || v.kind == KindFloat
	case orderDate, orderInstant:
		ok = v.kind == KindDate || v.kind == KindTimestamp || v.kind == KindTimestampTZ
	case orderTime:
		ok = v.kind == KindTime
	case orderText:
		ok = v.kind == KindString || v.kind == KindBinary
	case orderBinary:
		ok = v.kind == KindBinary || v.kind == KindString && !strings.Contains(v.text, `\`)
	}
	if !ok {
		return fail()
	}
	return v, nil
}

// read reads a text as a constant of the column's type, as engines do with
// texts beside typed columns.
func (d domain) read(text string) (Value, error) {
	to := sqlType{scale: d.scale}
	switch d.order {
	case orderBoolean:
		to.name = "BOOLEAN"
	case orderSigned, orderUnsigned:
		to.name = "INTEGER"
	case orderFloat:
		to.name = "DOUBLE"
		if d.single {
			to.name = "FLOAT"
		}
	case orderDecimal:
		to.name = "DECIMAL"
	case orderDate:
		if _, ok := parseDate(text); ok {
			to.name = "DATE"
		} else {
			to.name = "TIMESTAMP"
		}
	case orderTime:
		to.name = "TIME"
	case orderInstant:
		to.name = "TIMESTAMP"
	default:
		return Value{}, fmt.Errorf("%s can't be compared with a text", d.typ)
	}
	v, err := convertLiteral(String(text), to)
	if err != nil {
		return v, fmt.Errorf("%q is no %s", text, d.typ)
	}
	return v, nil
}

// intCuts places a constant among intKeys.
func (d domain) intCuts(v Value) (before, after cut[intKey]) {
	switch d.order {
	case orderFloat:
		f, _ := v.asFloat()
		if d.single && (v.kind != KindFloat || v.single) {
			f32, _ := v.asFloat32()
			f = float64(f32)
		}
		k := floatKey(f)
		if k == math.MaxInt64 {
			return cut[intKey]{at: k}, cut[intKey]{side: 1}
		}
		return cut[intKey]{at: k}, cut[intKey]{at: k + 1}
	case orderBoolean:
		return cut[intKey]{at: intKey(v.num)}, cut[intKey]{at: intKey(v.num) + 1}
	case orderSigned, orderUnsigned:
		if v.kind == KindFloat {
			return d.floatCuts(v)
		}
	}
	ceiling, floor := roundBoth(d.number(v))
	return d.bigCut(ceiling), d.bigCut(floor.Add(floor, big.NewInt(1)))
}

// number gives a constant exactly in the units of the column.
func (d domain) number(v Value) *big.Rat {
	switch v.kind {
	case KindDate:
		v = Value{kind: KindTimestamp, num: v.num * daySeconds}
	}
	if v.kind != KindTime && v.kind != KindTimestamp && v.kind != KindTimestampTZ {
		r, _ := v.rational()
		return r
	}
	r := ticks(v)
	if v.kind != KindTime {
		r.Sub(r, new(big.Rat).SetInt64(d.shift(v, r)))
	}
	if d.order == orderDate {
		return r.Quo(r, new(big.Rat).SetInt64(daySeconds))
	}
	return r.Mul(r, new(big.Rat).SetInt64(d.per))
}

// shift is what has to be taken from a constant's seconds: the offset of the
// zone where one of column and constant is a wall clock and the other an
// instant.
func (d domain) shift(v Value, seconds *big.Rat) int64 {
	if d.zone == nil || v.kind == KindTimestampTZ == d.zoned {
		return 0
	}
	_, floor := roundBoth(seconds)
	t := time.Unix(floor.Int64(), 0).UTC()
	if d.zoned { // a wall clock beside instants
		_, offset := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, d.zone).Zone()
		return int64(offset)
	}
	_, offset := t.In(d.zone).Zone()
	return -int64(offset)
}

func roundBoth(r *big.Rat) (ceiling, floor *big.Int) {
	floor = new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: floor, as the denominator is positive
	ceiling = new(big.Int).Set(floor)
	if !r.IsInt() {
		ceiling.Add(ceiling, big.NewInt(1))
	}
	return ceiling, floor
}

func (d domain) bigCut(n *big.Int) cut[intKey] {
	switch {
	case d.order == orderUnsigned && n.IsUint64():
		return cut[intKey]{at: unsignedKey(n.Uint64())}
	case d.order != orderUnsigned && n.IsInt64():
		return cut[intKey]{at: intKey(n.Int64())}
	}
	side := 1
	if n.Sign() < 0 {
		side = -1
	}
	return cut[intKey]{side: side}
}

// floatCuts places a float among integers as SQL compares them: the integers
// become floats, several of which may be one.
func (d domain) floatCuts(v Value) (before, after cut[intKey]) {
	asFloat := func(k intKey) float64 {
		if d.order == orderUnsigned {
			u := uint64(k) ^ 1<<63
			if v.single {
				return float64(float32(u))
			}
			return float64(u)
		}
		if v.single {
			return float64(float32(k))
		}
		return float64(k)
	}
	find := func(least int) cut[intKey] { // the first key that compares at least so
		low, high := d.low, d.high
		if compareFloats(asFloat(high), v.float) < least {
			return cut[intKey]{side: 1}
		}
		for low < high {
			mid := low + intKey(uint64(high-low)/2)
			if compareFloats(asFloat(mid), v.float) >= least {
				high = mid
			} else {
				low = mid + 1
			}
		}
		return cut[intKey]{at: low}
	}
	return find(0), find(1)
}

var (
	maxDecimal = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
	minDecimal = new(big.Int).Neg(maxDecimal)
)

// decimalCuts places a constant among decimals of the column's scale: numbers
// exactly, floats as SQL compares them, by making floats of the decimals.
func (d domain) decimalCuts(v Value) (before, after cut[decimalKey]) {
	unit := new(big.Rat).SetInt(pow10(d.scale))
	if v.kind != KindFloat {
		r, _ := v.rational()
		ceiling, floor := roundBoth(r.Mul(r, unit))
		return decimalCut(ceiling), decimalCut(floor.Add(floor, big.NewInt(1)))
	}
	find := func(least int) cut[decimalKey] {
		low, high := new(big.Int).Set(minDecimal), new(big.Int).Set(maxDecimal)
		holds := func(n *big.Int) bool {
			f, _ := new(big.Rat).Quo(new(big.Rat).SetInt(n), unit).Float64()
			if v.single {
				f = float64(float32(f))
			}
			return compareFloats(f, v.float) >= least
		}
		if !holds(high) {
			return cut[decimalKey]{side: 1}
		}
		for low.Cmp(high) < 0 {
			mid := new(big.Int).Add(low, high)
			mid.Rsh(mid, 1)
			if holds(mid) {
				high = mid
			} else {
				low = mid.Add(mid, big.NewInt(1))
			}
		}
		return decimalCut(low)
	}
	return find(0), find(1)
}

func decimalCut(n *big.Int) cut[decimalKey] {
	switch {
	case n.Cmp(maxDecimal) > 0:
		return cut[decimalKey]{side: 1}
	case n.Cmp(minDecimal) <= 0:
		return cut[decimalKey]{side: -1}
	}
	return cut[decimalKey]{at: decimalKey(decimal128.FromBigInt(n))}
}

// prefix is the set of the texts that begin with a prefix.
func prefixSet(prefix string) set[textKey] {
	if prefix == "" {
		return set[textKey]{start: true}
	}
	if end, ok := prefixEnd(prefix); ok {
		return newSet(false, cut[textKey]{at: textKey(prefix)}, cut[textKey]{at: textKey(end)})
	}
	return newSet(false, cut[textKey]{at: textKey(prefix)})
}

// prefixEnd is the first text after all that begin with a prefix.
func prefixEnd(prefix string) (string, bool) {
	end := prefix
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if end == "" {
		return "", false
	}
	return end[:len(end)-1] + string([]byte{end[len(end)-1] + 1}), true
}
