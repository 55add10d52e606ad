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
			return unfit(a, off+i, c.to)
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
		return newDecimal(t, func(x int32) decimal128.Num { return decimal128.FromI64(int64(x)) })
	case *arrow.Decimal64Type:
		return newDecimal(t, func(x int64) decimal128.Num { return decimal128.FromI64(x) })
	case *arrow.Decimal128Type:
		return newNarrow(t)
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

// newDecimal widens or narrows the rare decimals of 32 and 64 bits to the
// integer that DuckDB stores a DECIMAL of the precision in.
func newDecimal[S any](t arrow.DecimalType, wide func(S) decimal128.Num) (writer, error) {
	if err := checkDecimal(t); err != nil {
		return nil, err
	}
	to := decimalName(t)
	switch p := t.GetPrecision(); {
	case p <= 4:
		return converted[S, int16]{to, func(x S) (int16, bool) { return narrow[int16](wide(x)) }}, nil
	case p <= 9:
		return converted[S, int32]{to, func(x S) (int32, bool) { return narrow[int32](wide(x)) }}, nil
	case p <= 18:
		return converted[S, int64]{to, func(x S) (int64, bool) { return narrow[int64](wide(x)) }}, nil
	}
	return converted[S, decimal128.Num]{to, func(x S) (decimal128.Num, bool) { return wide(x), true }}, nil
}

func decimalName(t arrow.DecimalType) string {
	return fmt.Sprintf("DECIMAL(%d,%d)", t.GetPrecision(), t.GetScale())
}

// integer is what DuckDB stores decimals of up to 18 digits in.
type integer interface{ int16 | int32 | int64 }

func narrow[D integer](x decimal128.Num) (D, bool) {
	low := int64(x.LowBits())
	d := D(low)
	return d, int64(d) == low && x.HighBits() == low>>63
}

func newNarrow(t *arrow.Decimal128Type) (writer, error) {
	if err := checkDecimal(t); err != nil {
		return nil, err
	}
	switch p := t.Precision; {
	case p <= 4:
		return narrowed[int16]{decimalName(t)}, nil
	case p <= 9:
		return narrowed[int32]{decimalName(t)}, nil
	case p <= 18:
		return narrowed[int64]{decimalName(t)}, nil
	}
	return same[decimal128.Num]{}, nil
}

// narrowed writes decimals of 128 bits as shorter integers.
type narrowed[D integer] struct{ to string }

func (w narrowed[D]) write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error {
	mask := writeValidity(v, a, off, n, parent)
	src := values[decimal128.Num](a, off, n)
	dst := target[D](v, n)[:len(src)]
	// Whether all fit is asked once: a branch for each would double the time.
	var lost int64
	for i, x := range src {
		low := int64(x.LowBits())
		d := D(low)
		dst[i] = d
		lost |= int64(d) ^ low | x.HighBits() ^ low>>63
	}
	if lost == 0 {
		return nil
	}
	for i, x := range src {
		if _, ok := narrow[D](x); !ok && valid(mask, i) {
			return unfit(a, off+i, w.to)
		}
	}
	return nil
}

func unfit(a arrow.Array, row int, to string) error {
	return fmt.Errorf("%s value %s does not fit into duckdb's %s", a.DataType(), a.ValueStr(row), to)
}
