package mergeread

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// randomKeys are n keys of few letters behind a common beginning, so that many
// are equal, or share their first bytes, or are the beginning of others.
func randomKeys(r *rand.Rand, n int) [][]byte {
	shared := bytes.Repeat([]byte{'a'}, r.IntN(20))
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = slices.Clone(shared)
		for range r.IntN(20) {
			keys[i] = append(keys[i], "\x00a\xff"[r.IntN(3)])
		}
	}
	return keys
}

func keyColumn(t testing.TB, keys [][]byte) *byteColumn {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for _, k := range keys {
		b.BinaryBuilder.Append(k)
	}
	c, ok := newByteColumn(b.NewArray())
	if !ok {
		t.Fatal("no byte column")
	}
	return &c
}

// TestKeyCodes asks for the rows below random keys, those of the batch among
// them, and compares with a walk over the rows.
func TestKeyCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var codes keyCodes
	for range 3000 {
		keys := randomKeys(r, 1+r.IntN(300))
		slices.SortFunc(keys, bytes.Compare)
		sorted, distinct := codes.reset(keyColumn(t, keys), len(keys))
		if !sorted {
			t.Fatalf("%q: not sorted", keys)
		}
		equal := func(a, b []byte) bool { return bytes.Equal(a, b) }
		if want := len(slices.CompactFunc(slices.Clone(keys), equal)) == len(keys); distinct != want {
			t.Fatalf("%q: distinct is %t", keys, distinct)
		}
		limits := append(randomKeys(r, 20), keys[r.IntN(len(keys))], append(keys[0], 0), keys[0][:len(keys[0])/2])
		for _, limit := range limits {
			row, want := r.IntN(len(keys)), 0
			for row+want < len(keys) && bytes.Compare(keys[row+want], limit) < 0 {
				want++
			}
			compared := int64(0)
			got, met := codes.seek(row, limit, &compared)
			if has := row+want < len(keys) && bytes.Equal(keys[row+want], limit); got != want || met != has {
				t.Fatalf("%q from %d on below %q: %d rows, want %d; met %t, want %t", keys, row, limit, got, want, met, has)
			}
			if compared == 0 || compared > 40 {
				t.Fatalf("%d numbers compared", compared)
			}
		}
	}
}

// TestKeyCodesUnsorted moves one key of a sorted batch.
func TestKeyCodesUnsorted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var codes keyCodes
	for range 5000 {
		keys := randomKeys(r, 2+r.IntN(20))
		slices.SortFunc(keys, bytes.Compare)
		i, j := r.IntN(len(keys)), r.IntN(len(keys))
		keys[i], keys[j] = keys[j], keys[i]
		want := slices.IsSortedFunc(keys, bytes.Compare)
		if got, _ := codes.reset(keyColumn(t, keys), len(keys)); got != want {
			t.Fatalf("%q: sorted is %t", keys, got)
		}
	}
}

func BenchmarkKeyCodes(b *testing.B) {
	for _, form := range []string{"%010d-1", "%08x-73ab-4cde-9f01-0000"} {
		keys := make([][]byte, 16<<10)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, form, 1_000_000+i)
		}
		c := keyColumn(b, keys)
		var codes keyCodes
		b.Run(form, func(b *testing.B) {
			for b.Loop() {
				codes.reset(c, len(keys))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/key")
		})
	}
}
