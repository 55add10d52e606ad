package vector

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// writeValidity writes which of the rows are NULL and gives the mask, nil if
// none is.
func writeValidity(v capi.Vector, a arrow.Array, off, n int, parent []uint64) []uint64 {
	bits, base := a.NullBitmapBytes(), a.Data().Offset()+off
	own := len(bits) > 0 && bitutil.CountSetBits(bits, base, n) != n
	if !own && parent == nil {
		return nil
	}
	mask := v.Validity(n)
	if own {
		dst := unsafe.Slice((*byte)(unsafe.Pointer(&mask[0])), 8*len(mask))
		bitutil.CopyBitmap(bits, base, n, dst, 0)
	}
	for i := range parent {
		mask[i] &= parent[i]
	}
	return mask
}

// valid reads a bit of a mask as writeValidity gives it.
func valid(mask []uint64, i int) bool {
	return mask == nil || mask[i>>6]>>(i&63)&1 != 0
}

// values gives the fixed-width values of the rows [off, off+n) of an array;
// nil if the array has no values at all, as one of NULLs only may.
func values[T any](a arrow.Array, off, n int) []T {
	buf := a.Data().Buffers()[1]
	if buf == nil || buf.Len() == 0 {
		return nil
	}
	base := a.Data().Offset() + off
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(buf.Bytes()))), base+n)[base:]
}

// target gives the memory of the first n values of a vector.
func target[T any](v capi.Vector, n int) []T {
	return unsafe.Slice((*T)(v.Data()), n)
}

type nulls struct{}

func (nulls) write(v capi.Vector, _ arrow.Array, _, n int, _ []uint64) error {
	clear(v.Validity(n))
	return nil
}

type booleans struct{}

func (booleans) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	writeValidity(v, a, off, n, parent)
	buf := a.Data().Buffers()[1]
	if buf == nil {
		return nil
	}
	dst, bits, base := target[byte](v, n), buf.Bytes(), a.Data().Offset()+off
	for i := range dst {
		dst[i] = bits[(base+i)>>3] >> ((base + i) & 7) & 1
	}
	return nil
}

type extension struct{ storage writer }

func (e extension) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	return e.storage.write(v, a.(array.ExtensionArray).Storage(), off, n, parent)
}

// same copies values whose representation is the same on both sides.
type same[T any] struct{}

func (same[T]) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	writeValidity(v, a, off, n, parent)
	copy(target[T](v, n), values[T](a, off, n))
	return nil
}

// converted converts value by value; f tells whether the value fits.
type converted[S, D any] struct {
	to string
	f  func(S) (D, bool)
}

func (c converted[S, D]) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	mask := writeValidity(v, a, off, n, parent)
	src, dst := values[S](a, off, n), target[D](v, n)
	for i := range src {
		d, ok := c.f(src[i])
		if !ok && valid(mask, i) {
			return fmt.Errorf("%s value %s does not fit into duckdb's %s", a.DataType(), a.ValueStr(off+i), c.to)
		}
		dst[i] = d
	}
	return nil
}

func newFixed(t arrow.DataType) (writer, error) {
	switch t := t.(type) {
	case *arrow.Int8Type, *arrow.Uint8Type:
		return same[uint8]{}, nil
	case *arrow.Int16Type, *arrow.Uint16Type:
		return same[uint16]{}, nil
	case *arrow.Int32Type, *arrow.Uint32Type, *arrow.Float32Type, *arrow.Date32Type:
		return same[uint32]{}, nil
	case *arrow.Int64Type, *arrow.Uint64Type, *arrow.Float64Type, *arrow.Time64Type:
		return same[uint64]{}, nil
	case *arrow.Float16Type:
		return converted[float16.Num, float32]{"FLOAT", func(f float16.Num) (float32, bool) { return f.Float32(), true }}, nil
	case *arrow.Date64Type:
		return converted[int64, int32]{"DATE", func(ms int64) (int32, bool) {
			days := ms / 86_400_000
			return int32(days), ms%86_400_000 == 0 && days == int64(int32(days))
		}}, nil
	case *arrow.Time32Type:
		unit := int64(1000)
		if t.Unit == arrow.Second {
			unit = 1_000_000
		}
		return converted[int32, int64]{"TIME", func(x int32) (int64, bool) { return int64(x) * unit, true }}, nil
	case *arrow.TimestampType:
		return newTimestamp(t), nil
	case *arrow.Decimal32Type:
		return newDecimal(t, func(x int32) (int64, uint64) { return int64(x) >> 63, uint64(int64(x)) })
	case *arrow.Decimal64Type:
		return newDecimal(t, func(x int64) (int64, uint64) { return x >> 63, uint64(x) })
	case *arrow.Decimal128Type:
		if t.Precision > 18 {
			return same[decimal128.Num]{}, checkDecimal(t)
		}
		return newDecimal(t, func(x decimal128.Num) (int64, uint64) { return x.HighBits(), x.LowBits() })
	}
	return nil, unsupported(t)
}

// newTimestamp keeps the unit, or brings instants (with a time zone) to
// microseconds, the only unit that DuckDB has for them.
func newTimestamp(t *arrow.TimestampType) writer {
	if t.TimeZone == "" || t.Unit == arrow.Microsecond {
		return same[uint64]{}
	}
	switch t.Unit {
	case arrow.Nanosecond:
		return converted[int64, int64]{"TIMESTAMPTZ (microseconds)", func(x int64) (int64, bool) { return x / 1000, x%1000 == 0 }}
	case arrow.Second:
		return converted[int64, int64]{"TIMESTAMPTZ", func(x int64) (int64, bool) { return times(x, 1_000_000) }}
	}
	return converted[int64, int64]{"TIMESTAMPTZ", func(x int64) (int64, bool) { return times(x, 1000) }}
}

func times(x, by int64) (int64, bool) {
	return x * by, x <= math.MaxInt64/by && x >= math.MinInt64/by
}

// newDecimal narrows or widens to the integer that DuckDB stores a DECIMAL of
// the precision in. wide gives a value's upper and lower 64 bits.
func newDecimal[S any](t arrow.DecimalType, wide func(S) (int64, uint64)) (writer, error) {
	if err := checkDecimal(t); err != nil {
		return nil, err
	}
	to := fmt.Sprintf("DECIMAL(%d,%d)", t.GetPrecision(), t.GetScale())
	switch p := t.GetPrecision(); {
	case p <= 4:
		return converted[S, int16]{to, narrow[int16](wide)}, nil
	case p <= 9:
		return converted[S, int32]{to, narrow[int32](wide)}, nil
	case p <= 18:
		return converted[S, int64]{to, narrow[int64](wide)}, nil
	}
	return converted[S, decimal128.Num]{to, func(x S) (decimal128.Num, bool) {
		return decimal128.New(wide(x)), true
	}}, nil
}

func narrow[D int16 | int32 | int64, S any](wide func(S) (int64, uint64)) func(S) (D, bool) {
	return func(x S) (D, bool) {
		high, low := wide(x)
		d := D(low)
		return d, int64(d) == int64(low) && high == int64(low)>>63
	}
}
