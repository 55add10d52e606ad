package mergeread

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrdinalSet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, space := range []int64{1, 63, 64, 65, 1000, chunkRows, chunkRows + 1, 20 * chunkRows, 1<<32 - 1} {
		var s ordinalSet
		seen := map[int64]bool{}
		for range 3 {
			list := []int64{0, space - 1}
			for range rnd.IntN(2000) {
				list = append(list, rnd.Int64N(space))
			}
			for _, o := range list {
				seen[o] = true
			}
			s.add(list)
		}
		var want []int64
		for o := range seen {
			want = append(want, o)
		}
		slices.Sort(want)
		if n := s.seal(); n != len(want) {
			t.Fatalf("%d ordinals of %d in %d", n, len(want), space)
		}
		c := s.first()
		for e, o := range want {
			if got := s.entry(o); got != e || !c.ok || c.ordinal != o || c.entry != e {
				t.Fatalf("ordinal %d is entry %d, cursor at %+v; want %d", o, got, c.ordinal, e)
			}
			c.next()
		}
		if c.ok {
			t.Errorf("cursor goes on to %d", c.ordinal)
		}
	}
	var empty ordinalSet
	if c := empty.first(); c.ok || empty.seal() != 0 {
		t.Error("empty set has an ordinal")
	}
}

func TestSparseOrdinals(t *testing.T) {
	var far, near ordinalSet
	far.add([]int64{0, 1<<32 - 1})
	for i := range int64(2000) {
		far.add([]int64{i * chunkRows})
		near.add([]int64{i})
	}
	if !far.sparse() || near.sparse() {
		t.Error(far.sparse(), near.sparse())
	}
}
