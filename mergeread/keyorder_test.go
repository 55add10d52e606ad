package mergeread

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestCompareKeys compares random keys of all short lengths, of few letters so
// that many share their beginnings, with bytes.Compare.
func TestCompareKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	key := func() []byte {
		k := make([]byte, r.IntN(20))
		for i := range k {
			k[i] = "a\xff"[btoi(r.IntN(6) == 0)]
		}
		return k
	}
	for range 200_000 {
		a, b := key(), key()
		if got, want := compareKeys(a, b), bytes.Compare(a, b); got != want {
			t.Fatalf("%x and %x: %d, want %d", a, b, got, want)
		}
	}
}

func BenchmarkCompareKeys(b *testing.B) {
	keys := [][]byte{[]byte("0000012345-1"), []byte("0000012345-2"), []byte("0000012346-1"), []byte("0000012346-2")}
	for _, f := range []struct {
		name string
		cmp  func(a, b []byte) int
	}{{"bytes", bytes.Compare}, {"keys", compareKeys}} {
		b.Run(f.name, func(b *testing.B) {
			for i := range b.N {
				if f.cmp(keys[i&3], keys[(i+1)&3]) > 1 {
					b.Fatal()
				}
			}
		})
	}
}
