package schema

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/javatext"
)

// cast gives the promotion of one flat type to another, nil where Hudi has
// none (HoodieSchemaCompatibility for evolution on write, SchemaChangeUtils for
// schema on read, which allows more; a file that needs the latter is read the
// same way without it).
func cast(from, to arrow.DataType) converter {
	switch f := from.(type) {
	case *arrow.Int32Type:
		return castInteger[int32](from, to)
	case *arrow.Int64Type:
		return castInteger[int64](from, to)
	case *arrow.Float32Type:
		return castFloat(to, 32, func(a arrow.Array) []float32 { return a.(*array.Float32).Values() })
	case *arrow.Float64Type:
		return castFloat(to, 64, func(a arrow.Array) []float64 { return a.(*array.Float64).Values() })
	case *arrow.Decimal128Type:
		return castDecimal(f, to)
	case *arrow.StringType:
		return castString(to)
	case *arrow.BinaryType:
		if to.ID() == arrow.STRING {
			return sameBuffers(to)
		}
	case *arrow.FixedSizeBinaryType:
		if to.ID() == arrow.BINARY || to.ID() == arrow.STRING {
			return toText(to, func(a arrow.Array, i int, b []byte) []byte {
				return append(b, a.(*array.FixedSizeBinary).Value(i)...)
			})
		}
	case *arrow.Date32Type:
		if to.ID() == arrow.STRING {
			return toText(to, func(a arrow.Array, i int, b []byte) []byte {
				return javatext.AppendDate(b, int32(a.(*array.Date32).Value(i)))
			})
		}
	case *arrow.TimestampType:
		if t, ok := to.(*arrow.TimestampType); ok {
			return castTimestamp(f, t)
		}
	case *arrow.Time32Type:
		if t, ok := to.(*arrow.Time64Type); ok && t.Unit == arrow.Microsecond && f.Unit == arrow.Millisecond {
			return numeric(to, func(a arrow.Array) []arrow.Time32 { return a.(*array.Time32).Values() }, arrow.Time64Traits.BytesRequired,
				func(v arrow.Time32) arrow.Time64 { return arrow.Time64(v) * 1000 })
		}
	}
	return nil
}

func castInteger[T int32 | int64](from, to arrow.DataType) converter {
	values := func(a arrow.Array) []T {
		if from.ID() == arrow.INT32 {
			return any(a.(*array.Int32).Values()).([]T)
		}
		return any(a.(*array.Int64).Values()).([]T)
	}
	switch t := to.(type) {
	case *arrow.Int64Type:
		return numeric(to, values, arrow.Int64Traits.BytesRequired, func(v T) int64 { return int64(v) })
	case *arrow.Float32Type:
		return numeric(to, values, arrow.Float32Traits.BytesRequired, func(v T) float32 { return float32(v) })
	case *arrow.Float64Type:
		return numeric(to, values, arrow.Float64Traits.BytesRequired, func(v T) float64 { return float64(v) })
	case *arrow.StringType:
		return toText(to, func(a arrow.Array, i int, b []byte) []byte { return strconv.AppendInt(b, int64(values(a)[i]), 10) })
	case *arrow.Decimal128Type:
		return toDecimal(t, func(a arrow.Array, i int) *big.Rat { return new(big.Rat).SetInt64(int64(values(a)[i])) })
	case *arrow.TimestampType, *arrow.Time64Type:
		if from.ID() == arrow.INT64 { // written before the writer knew the logical type: the number is right
			return sameBuffers(to)
		}
	case *arrow.Date32Type, *arrow.Time32Type:
		if from.ID() == arrow.INT32 {
			return sameBuffers(to)
		}
	}
	return nil
}

func castFloat[T float32 | float64](to arrow.DataType, bits int, values func(arrow.Array) []T) converter {
	switch t := to.(type) {
	case *arrow.Float64Type: // only floats come here
		return numeric(to, values, arrow.Float64Traits.BytesRequired, func(v T) float64 { return javatext.Widen(float32(v)) })
	case *arrow.StringType:
		return toText(to, func(a arrow.Array, i int, b []byte) []byte {
			return javatext.AppendFloat(b, float64(values(a)[i]), bits)
		})
	case *arrow.Decimal128Type:
		return toDecimal(t, func(a arrow.Array, i int) *big.Rat {
			v := float64(values(a)[i])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
			r, _ := new(big.Rat).SetString(string(javatext.AppendFloat(nil, v, bits)))
			return r
		})
	}
	return nil
}

func castDecimal(from *arrow.Decimal128Type, to arrow.DataType) converter {
	switch t := to.(type) {
	case *arrow.Decimal128Type:
		if t.Scale < from.Scale {
			return nil
		}
		if t.Scale == from.Scale {
			return sameBuffers(to)
		}
		grow := t.Scale - from.Scale
		return numeric(to, func(a arrow.Array) []decimal128.Num { return a.(*array.Decimal128).Values() }, arrow.Decimal128Traits.BytesRequired,
			func(v decimal128.Num) decimal128.Num { return v.IncreaseScaleBy(grow) })
	case *arrow.StringType:
		return toText(to, func(a arrow.Array, i int, b []byte) []byte {
			return append(b, a.(*array.Decimal128).Value(i).ToString(from.Scale)...)
		})
	}
	return nil
}

func castString(to arrow.DataType) converter {
	switch t := to.(type) {
	case *arrow.BinaryType:
		return sameBuffers(to)
	case *arrow.Date32Type:
		return fromText(to, func(s string) (arrow.Date32, bool) {
			d, err := time.Parse(time.DateOnly, s)
			return arrow.Date32FromTime(d), err == nil
		})
	case *arrow.Decimal128Type:
		return toDecimal(t, func(a arrow.Array, i int) *big.Rat {
			text := a.(*array.String).Value(i)
			if strings.Trim(text, "+-.0123456789eE") != "" { // SetString takes fractions and other bases, too
				return nil
			}
			r, ok := new(big.Rat).SetString(text)
			if !ok {
				return nil
			}
			return r
		})
	}
	return nil
}

// castTimestamp converts units. A file that says micros where the table says
// millis was written by releases that put the wrong label on millis: the
// number stays (Hudi's SchemaRepair).
func castTimestamp(from, to *arrow.TimestampType) converter {
	if (from.TimeZone == "") != (to.TimeZone == "") {
		return nil
	}
	if from.Unit == to.Unit || from.Unit == arrow.Microsecond && to.Unit == arrow.Millisecond {
		return sameBuffers(to)
	}
	mul := int64(from.Unit.Multiplier() / to.Unit.Multiplier())
	div := int64(1)
	if mul == 0 {
		mul, div = 1, int64(to.Unit.Multiplier()/from.Unit.Multiplier())
	}
	return numeric(to, func(a arrow.Array) []arrow.Timestamp { return a.(*array.Timestamp).Values() }, arrow.TimestampTraits.BytesRequired,
		func(v arrow.Timestamp) arrow.Timestamp {
			if div > 1 {
				return arrow.Timestamp(floorDiv(int64(v), div))
			}
			return v * arrow.Timestamp(mul)
		})
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sameBuffers gives the array's buffers under another type of the same layout.
func sameBuffers(to arrow.DataType) converter {
	return func(_ memory.Allocator, a arrow.Array) (arrow.Array, error) { return relabel(a, to, nil), nil }
}

// validity gives a's validity bits from bit 0 on, nil without nulls. The
// caller owns the buffer.
func validity(mem memory.Allocator, a arrow.Array) *memory.Buffer {
	if a.NullN() == 0 {
		return nil
	}
	b := memory.NewResizableBuffer(mem)
	b.Resize(int(bitutil.BytesForBits(int64(a.Len()))))
	bitutil.CopyBitmap(a.NullBitmapBytes(), a.Data().Offset(), a.Len(), b.Bytes(), 0)
	return b
}

// numeric converts fixed-width values one by one, null slots included.
func numeric[F, T any](to arrow.DataType, values func(arrow.Array) []F, bytes func(int) int, fn func(F) T) converter {
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		buf := memory.NewResizableBuffer(mem)
		defer buf.Release()
		buf.Resize(bytes(a.Len()))
		out := viewAs[T](buf.Bytes(), a.Len())
		for i, v := range values(a) {
			out[i] = fn(v)
		}
		return fromBuffers(mem, a, to, buf), nil
	}
}

// fromBuffers makes an array of data buffers with the validity of another.
func fromBuffers(mem memory.Allocator, like arrow.Array, t arrow.DataType, bufs ...*memory.Buffer) arrow.Array {
	valid := validity(mem, like)
	if valid != nil {
		defer valid.Release()
	}
	nd := array.NewData(t, like.Len(), append([]*memory.Buffer{valid}, bufs...), nil, like.NullN(), 0)
	defer nd.Release()
	return array.MakeFromData(nd)
}

// toText converts values to strings or binaries by appending to one buffer.
func toText(to arrow.DataType, add func(a arrow.Array, i int, b []byte) []byte) converter {
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		offsets := memory.NewResizableBuffer(mem)
		defer offsets.Release()
		offsets.Resize(arrow.Int32Traits.BytesRequired(a.Len() + 1))
		ends := viewAs[int32](offsets.Bytes(), a.Len()+1)
		ends[0] = 0
		var text []byte
		for i := range a.Len() {
			if a.IsValid(i) {
				text = add(a, i, text)
			}
			if len(text) > math.MaxInt32 {
				return nil, fmt.Errorf("more than 2 GiB of text in one batch")
			}
			ends[i+1] = int32(len(text))
		}
		data := memory.NewResizableBuffer(mem)
		defer data.Release()
		data.Resize(len(text))
		copy(data.Bytes(), text)
		return fromBuffers(mem, a, to, offsets, data), nil
	}
}

// fromText parses strings into fixed-width values; a text that does not parse
// is an error that shows it.
func fromText[T any](to arrow.DataType, parse func(string) (T, bool)) converter {
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		s := a.(*array.String)
		var zero T
		buf := memory.NewResizableBuffer(mem)
		defer buf.Release()
		buf.Resize(s.Len() * int(unsafe.Sizeof(zero)))
		out := viewAs[T](buf.Bytes(), s.Len())
		for i := range out {
			out[i] = zero
			if s.IsNull(i) {
				continue
			}
			v, ok := parse(s.Value(i))
			if !ok {
				return nil, fmt.Errorf("%q is no %s", s.Value(i), to)
			}
			out[i] = v
		}
		return fromBuffers(mem, a, to, buf), nil
	}
}

// toDecimal converts values by way of exact rationals, rounding halves away
// from zero. A value without a rational (NaN) or out of range becomes null, as
// in Spark.
func toDecimal(to *arrow.Decimal128Type, value func(a arrow.Array, i int) *big.Rat) converter {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(to.Scale)), nil)
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		b := array.NewDecimal128Builder(mem, to)
		defer b.Release()
		b.Reserve(a.Len())
		for i := range a.Len() {
			if a.IsNull(i) {
				b.AppendNull()
				continue
			}
			r := value(a, i)
			if r == nil {
				b.AppendNull()
				continue
			}
			n := roundRat(r.Mul(r, new(big.Rat).SetInt(scale)))
			if len(new(big.Int).Abs(n).String()) > int(to.Precision) {
				b.AppendNull()
				continue
			}
			b.Append(decimal128.FromBigInt(n))
		}
		return b.NewArray(), nil
	}
}

func roundRat(r *big.Rat) *big.Int {
	two := big.NewInt(2)
	num := new(big.Int).Mul(new(big.Int).Abs(r.Num()), two)
	num.Add(num, r.Denom())
	n := num.Quo(num, new(big.Int).Mul(r.Denom(), two))
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}
