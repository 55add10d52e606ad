package pushdown

import (
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// The kernels below set one bit per value. Inner loops run over 64 values and
// build a word without branches; what the set looks like is decided outside.

// A stretch is a set of keys that is one range, or all but one range.
type stretch struct {
	low, high intKey // both included
	invert    bool
}

// asStretch recognizes the sets that most conditions make.
func asStretch(s set[intKey]) (stretch, bool) {
	switch {
	case len(s.cuts) == 1 && s.start:
		return stretch{low: math.MinInt64, high: s.cuts[0] - 1}, true
	case len(s.cuts) == 1:
		return stretch{low: s.cuts[0], high: math.MaxInt64}, true
	case len(s.cuts) == 2:
		return stretch{low: s.cuts[0], high: s.cuts[1] - 1, invert: s.start}, true
	}
	return stretch{}, false
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func integers[T integer](values []T, s set[intKey], words []uint64) {
	r, ok := asStretch(s)
	if !ok {
		cuts(values, s, words, func(v T) intKey { return intKey(v) })
		return
	}
	low, span, flip := uint64(r.low), uint64(r.high-r.low), -bit(r.invert)
	for w := range words {
		part := values[w*64 : min(w*64+64, len(values))]
		var out uint64
		for i, v := range part {
			out |= bit(uint64(int64(v))-low <= span) << (i & 63)
		}
		words[w] = out ^ flip
	}
}

func unsigned(values []uint64, s set[intKey], words []uint64) {
	r, ok := asStretch(s)
	if !ok {
		cuts(values, s, words, unsignedKey)
		return
	}
	low, span, flip := uint64(r.low)^1<<63, uint64(r.high-r.low), -bit(r.invert)
	for w := range words {
		part := values[w*64 : min(w*64+64, len(values))]
		var out uint64
		for i, v := range part {
			out |= bit(v-low <= span) << (i & 63)
		}
		words[w] = out ^ flip
	}
}

// each is the slow way: a call per value.
func each[T any](values []T, words []uint64, in func(T) bool) {
	for w := range words {
		var out uint64
		for i, v := range values[w*64 : min(w*64+64, len(values))] {
			out |= bit(in(v)) << (i & 63)
		}
		words[w] = out
	}
}

// cuts tests values against a set of any form: few cuts one after the other,
// many by halving.
func cuts[T any](values []T, s set[intKey], words []uint64, keyOf func(T) intKey) {
	const few = 24
	var keys [64]intKey
	for w := range words {
		part := values[w*64 : min(w*64+64, len(values))]
		for i, v := range part {
			keys[i] = keyOf(v)
		}
		out := -bit(s.start)
		if len(s.cuts) <= few {
			for _, c := range s.cuts {
				for i, k := range keys[:len(part)] {
					out ^= bit(k >= c) << (i & 63)
				}
			}
		} else {
			for i, k := range keys[:len(part)] {
				out ^= uint64(rank(s.cuts, k)&1) << (i & 63)
			}
		}
		words[w] = out
	}
}

// rank is the number of cuts at or below a key.
func rank(cuts []intKey, k intKey) int {
	low, n := 0, len(cuts)
	for n > 0 {
		half := n / 2
		if cuts[low+half] <= k {
			low += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return low
}

var infinityKey = floatKey(math.Inf(1))

func floats[T float32 | float64](values []T, s set[intKey], words []uint64) {
	r, ok := asStretch(s)
	if !ok || r.low > infinityKey { // the latter: NaN alone
		cuts(values, s, words, func(v T) intKey { return floatKey(float64(v)) })
		return
	}
	low, flip := math.Inf(-1), -bit(r.invert)
	if r.low > math.MinInt64 {
		low = floatOfKey(r.low)
	}
	if r.high == math.MaxInt64 { // NaN is in it
		for w := range words {
			var out uint64
			for i, v := range values[w*64 : min(w*64+64, len(values))] {
				out |= bit(!(float64(v) < low)) << (i & 63)
			}
			words[w] = out ^ flip
		}
		return
	}
	top := min(r.high, infinityKey)
	if top == -1 { // would be -0.0, which is 0
		top = -2
	}
	high := floatOfKey(top)
	for w := range words {
		var out uint64
		for i, v := range values[w*64 : min(w*64+64, len(values))] {
			out |= bit(float64(v) >= low) & bit(float64(v) <= high) << (i & 63)
		}
		words[w] = out ^ flip
	}
}

func booleanKernel(a *array.Boolean, s set[intKey], words []uint64) {
	bitmap, at := a.Data().Buffers()[1].Bytes(), a.Data().Offset()
	onTrue, onFalse := -bit(s.contains(1)), -bit(s.contains(0))
	for w := range words {
		v := bits64(bitmap, at+64*w)
		words[w] = v&onTrue | ^v&onFalse
	}
}

func decimalKernel(values []decimal128.Num, s set[decimalKey], words []uint64) {
	var low, span decimal128.Num
	switch {
	case len(s.cuts) == 1:
		low = decimal128.Num(s.cuts[0])
		each(values, words, func(v decimal128.Num) bool { return v.Cmp(low) >= 0 != s.start })
	case len(s.cuts) == 2:
		low = decimal128.Num(s.cuts[0])
		span = decimal128.Num(s.cuts[1]).Sub(low)
		each(values, words, func(v decimal128.Num) bool { return below(v.Sub(low), span) != s.start })
	default:
		each(values, words, func(v decimal128.Num) bool { return s.contains(decimalKey(v)) })
	}
}

// below compares as unsigned numbers.
func below(a, b decimal128.Num) bool {
	_, borrow := bits.Sub64(a.LowBits(), b.LowBits(), 0)
	_, borrow = bits.Sub64(uint64(a.HighBits()), uint64(b.HighBits()), borrow)
	return borrow != 0
}

// textKernel chooses the test and the layout of the texts.
func (l *leaf) textKernel(a arrow.Array, s set[textKey], words []uint64) error {
	in := l.textTest(s)
	data := a.Data()
	one := l.like == nil && len(s.cuts) == 2 && s.cuts[1] == s.cuts[0]+"\x00"
	switch a := a.(type) {
	case *array.String:
		if one {
			same[int32](data, words, string(s.cuts[0]), s.start)
			return nil
		}
		return texts[int32](data, words, in)
	case *array.Binary:
		return texts[int32](data, words, in)
	case *array.LargeString, *array.LargeBinary:
		return texts[int64](data, words, in)
	case *array.FixedSizeBinary:
		for row := range a.Len() {
			words[row/64] |= bit(in(view(a.Value(row)))) << (row & 63)
		}
	}
	return nil
}

// textTest gives the cheapest test for membership.
func (l *leaf) textTest(s set[textKey]) func(string) bool {
	if p := l.like; p != nil {
		return func(v string) bool { return p.matches(v) != l.negated }
	}
	if l.listed != nil {
		return func(v string) bool { _, ok := l.listed[v]; return ok != s.start }
	}
	if len(s.cuts) == 1 {
		at := string(s.cuts[0])
		return func(v string) bool { return v >= at != s.start }
	}
	if len(s.cuts) == 2 {
		low, high := string(s.cuts[0]), string(s.cuts[1])
		if high == low+"\x00" {
			return func(v string) bool { return v == low != s.start }
		}
		if end, ok := prefixEnd(low); ok && high == end {
			return func(v string) bool { return strings.HasPrefix(v, low) != s.start }
		}
		return func(v string) bool { return (v >= low && v < high) != s.start }
	}
	return func(v string) bool { return s.contains(textKey(v)) }
}

// listTexts makes a table of a set that lists single texts, or all but those,
// where it is long enough to be worth it.
func listTexts(s set[textKey]) map[string]struct{} {
	const worth = 6
	if len(s.cuts) < 2*worth || len(s.cuts)%2 != 0 {
		return nil
	}
	all := make(map[string]struct{}, len(s.cuts)/2)
	for i := 0; i < len(s.cuts); i += 2 {
		if s.cuts[i+1] != s.cuts[i]+"\x00" {
			return nil
		}
		all[string(s.cuts[i])] = struct{}{}
	}
	return all
}

func texts[O int32 | int64](data arrow.ArrayData, words []uint64, in func(string) bool) error {
	offsets, text := textsOf[O](data)
	n := len(offsets) - 1
	if n == 0 {
		return nil
	}
	for w := range words {
		part := offsets[w*64 : min(w*64+65, n+1)]
		var out uint64
		for i := range len(part) - 1 {
			out |= bit(in(view(text[part[i]:part[i+1]]))) << (i & 63)
		}
		words[w] = out
	}
	return nil
}

// textsOf gives the offsets and the bytes of a column of texts.
func textsOf[O int32 | int64](data arrow.ArrayData) (offsets []O, text []byte) {
	if bufs := data.Buffers(); len(bufs) > 2 && bufs[2] != nil {
		text = bufs[2].Bytes()
	}
	return offsetsOf[O](data), text
}

// same tests texts for equality, or its contrary.
func same[O int32 | int64](data arrow.ArrayData, words []uint64, with string, invert bool) {
	offsets, text := textsOf[O](data)
	n, flip := len(offsets)-1, -bit(invert)
	for w := range words {
		part := offsets[w*64 : min(w*64+65, n+1)]
		var out uint64
		for i := range len(part) - 1 {
			if from, to := part[i], part[i+1]; int(to-from) == len(with) {
				out |= bit(string(text[from:to]) == with) << (i & 63)
			}
		}
		words[w] = out ^ flip
	}
}

// slots views n values of a buffer from one on.
func slots[T any](b []byte, from, n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	b = b[from*size : (from+n)*size]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// view is the bytes as a string, without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
