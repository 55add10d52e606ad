package pushdown

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/scalar"
)

// The evaluator below answers conditions row by row from the definitions of
// SQL. It shares nothing with the sets and kernels that it is the measure of.

type truth3 int

const (
	isFalse truth3 = iota
	isUnknown
	isTrue
)

func truthOf(b bool) truth3 {
	if b {
		return isTrue
	}
	return isFalse
}

func evalRow(p Predicate, batch arrow.RecordBatch, row int) truth3 {
	switch p := p.(type) {
	case Constant:
		if p.Value.IsNull() {
			return isUnknown
		}
		return truthOf(p.Value.num != 0)
	case And:
		out := isTrue
		for _, c := range p {
			out = min(out, evalRow(c, batch, row))
		}
		return out
	case Or:
		out := isFalse
		for _, c := range p {
			out = max(out, evalRow(c, batch, row))
		}
		return out
	case Not:
		return isTrue - evalRow(p.Of, batch, row)
	case IsNull:
		v, _ := rowValue(batch, p.Column, row)
		return truthOf(v.IsNull() != p.Not)
	case Compare:
		v, t := rowValue(batch, p.Column, row)
		return evalCompare(v, t, p.Op, p.Value)
	case In:
		v, t := rowValue(batch, p.Column, row)
		out := isFalse
		for _, x := range p.Values {
			out = max(out, evalCompare(v, t, Eq, naiveAmong(x, t, p.Values)))
		}
		if p.Not {
			return isTrue - out
		}
		return out
	case Like:
		v, _ := rowValue(batch, p.Column, row)
		if v.IsNull() {
			return isUnknown
		}
		return truthOf(naiveLike([]rune(v.text), []rune(p.Pattern), p.Escape) != p.Not)
	}
	panic(fmt.Sprintf("%T", p))
}

// naiveAmong makes a number of a list a float, if there is one among them and
// the column is none.
func naiveAmong(x Value, t arrow.DataType, list []Value) Value {
	exact := t != nil && (arrow.IsInteger(t.ID()) || arrow.IsDecimal(t.ID()))
	number := x.kind == KindInteger || x.kind == KindDecimal || x.kind == KindFloat
	floats, doubles := 0, 0
	for _, v := range list {
		if v.kind == KindFloat {
			floats++
			if !v.single {
				doubles++
			}
		}
	}
	switch {
	case !exact || !number || floats == 0 || doubles == 0 && x.kind == KindFloat:
		return x
	case doubles > 0:
		return Float(naiveFloat(x))
	}
	return Float32(float32(naiveFloat32(x)))
}

func naiveLike(s, p []rune, escape rune) bool {
	if len(p) == 0 {
		return len(s) == 0
	}
	switch {
	case escape != 0 && p[0] == escape:
		return len(p) > 1 && len(s) > 0 && s[0] == p[1] && naiveLike(s[1:], p[2:], escape)
	case p[0] == '%':
		for i := range len(s) + 1 {
			if naiveLike(s[i:], p[1:], escape) {
				return true
			}
		}
		return false
	}
	return len(s) > 0 && (p[0] == '_' || p[0] == s[0]) && naiveLike(s[1:], p[1:], escape)
}

func rowValue(batch arrow.RecordBatch, c Column, row int) (Value, arrow.DataType) {
	a := batch.Column(batch.Schema().FieldIndices(c[0])[0])
	for _, name := range c[1:] {
		if a.IsNull(row) {
			return Value{}, nil
		}
		s := a.(*array.Struct)
		i, _ := s.DataType().(*arrow.StructType).FieldIdx(name)
		a = s.Field(i)
	}
	if a.IsNull(row) {
		return Value{}, a.DataType()
	}
	switch a := a.(type) {
	case *array.Binary:
		return Binary(a.Value(row)), a.DataType()
	case *array.Struct:
		return Value{kind: kindInvalid}, a.DataType()
	case *array.FixedSizeBinary:
		return Binary(a.Value(row)), a.DataType()
	}
	v, err := scalar.GetScalar(a, row)
	if err != nil {
		panic(err)
	}
	out := ValueOf(v)
	if r, ok := v.(scalar.Releasable); ok {
		r.Release()
	}
	return out, a.DataType()
}

func evalCompare(v Value, t arrow.DataType, op Operator, x Value) truth3 {
	if v.IsNull() || x.IsNull() {
		switch op {
		case IsNotDistinct:
			return truthOf(v.IsNull() && x.IsNull())
		case IsDistinct:
			return truthOf(v.IsNull() != x.IsNull())
		}
		return isUnknown
	}
	return truthOf(op.holds(naiveOrder(v, t, x)))
}

func naiveOrder(v Value, t arrow.DataType, x Value) int {
	switch v.kind {
	case KindString, KindBinary:
		return strings.Compare(v.text, x.text)
	case KindBoolean:
		return int(v.num - x.num)
	case KindDate, KindTimestamp, KindTimestampTZ, KindTime:
		return naiveSeconds(v).Cmp(naiveSeconds(x))
	}
	if v.kind != KindFloat && x.kind != KindFloat {
		return naiveRat(v).Cmp(naiveRat(x))
	}
	a, b := naiveFloat(v), naiveFloat(x)
	if t.ID() == arrow.FLOAT32 && x.kind != KindFloat {
		b = naiveFloat32(x)
	}
	if v.kind != KindFloat && x.single {
		if v.kind == KindDecimal { // by way of float64
			a = float64(float32(a))
		} else {
			a = naiveFloat32(v)
		}
	}
	switch {
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	case b != b:
		return -1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func naiveRat(v Value) *big.Rat {
	if v.kind == KindInteger {
		return new(big.Rat).SetInt64(v.num)
	}
	return new(big.Rat).SetFrac(v.big, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.scale)), nil))
}

func naiveFloat(v Value) float64 {
	if v.kind == KindFloat {
		return v.float
	}
	f, _ := naiveRat(v).Float64()
	return f
}

func naiveFloat32(v Value) float64 {
	f, _ := naiveRat(v).Float32()
	return float64(f)
}

func naiveSeconds(v Value) *big.Rat {
	if v.kind == KindDate {
		return big.NewRat(v.num*86400, 1)
	}
	per := map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1000, arrow.Microsecond: 1000000, arrow.Nanosecond: 1000000000}
	return big.NewRat(v.num, per[v.unit])
}

// naiveRows lists the rows for which a condition is true.
func naiveRows(p Predicate, batch arrow.RecordBatch) []int {
	var out []int
	for row := range int(batch.NumRows()) {
		if evalRow(p, batch, row) == isTrue {
			out = append(out, row)
		}
	}
	return out
}

func filterRows(b *Bound, batch arrow.RecordBatch) ([]int, error) {
	s, err := b.Filter(batch)
	if err != nil {
		return nil, err
	}
	return slices.Collect(s.Rows()), nil
}
