package mergeread

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func stringArray(mem memory.Allocator, values ...string) *array.String {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewStringArray()
}

// TestInPlace shows what is merged in the memory of the base and what is not.
func TestInPlace(t *testing.T) {
	const log = 1
	base := []string{"x", "bb", "cc", "de", "fghij"}
	logs := []string{"BB", "ZZ", "longer"}
	for _, c := range []struct {
		name    string
		first   int
		end     int
		spans   []span
		inPlace bool
		want    string
	}{
		{"nothing changes", 0, 5, []span{{0, 0, 5}}, true, "[x bb cc de fghij]"},
		{"deleted", 0, 5, []span{{0, 0, 1}, {0, 2, 1}, {0, 4, 1}}, true, "[x cc fghij]"},
		{"updated", 0, 5, []span{{0, 0, 1}, {log, 0, 1}, {0, 2, 3}}, true, "[x BB cc de fghij]"},
		{"first updated, last deleted", 1, 5, []span{{log, 0, 1}, {0, 2, 2}}, true, "[BB cc de]"},
		{"all updated", 1, 4, []span{{log, 0, 2}, {log, 1, 1}}, true, "[BB ZZ ZZ]"},
		{"updated after a deleted one", 0, 5, []span{{0, 1, 2}, {log, 1, 1}, {0, 4, 1}}, true, "[bb cc ZZ fghij]"},
		{"updated by a longer one", 0, 5, []span{{0, 0, 1}, {log, 2, 1}, {0, 2, 3}}, false, "[x longer cc de fghij]"},
		{"inserted", 0, 5, []span{{0, 0, 2}, {log, 1, 1}, {0, 2, 3}}, false, "[x bb ZZ cc de fghij]"},
		{"inserted into the gap of a deleted one", 0, 5, []span{{0, 1, 2}, {log, 1, 1}, {0, 3, 2}}, false, "[bb cc ZZ de fghij]"},
		{"inserted at the end of what is used up", 0, 2, []span{{0, 0, 2}, {log, 1, 1}}, false, "[x bb ZZ]"},
		{"the wrong way round", 0, 5, []span{{0, 3, 1}, {0, 1, 1}}, false, "[de bb]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			own, other := stringArray(mem, base...), stringArray(mem, logs...)
			defer own.Release()
			defer other.Release()
			g := newGatherer(arrow.BinaryTypes.String, mem)
			g.set(0, own)
			g.set(log, other)
			n := 0
			for _, s := range c.spans {
				n += int(s.n)
			}
			var sel selection
			sel.reset(c.spans, n, room{src: 0, first: int32(c.first), end: int32(c.end), rows: 5, owned: true})
			fits := g.fitsInPlace(&sel)
			if fits != c.inPlace {
				t.Errorf("fits in place: %v", fits)
			}
			var got arrow.Array
			var err error
			if fits {
				got = g.inPlace(&sel)
			} else if got, err = g.gather(&sel); err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			s := got.(*array.String)
			values := make([]string, s.Len())
			for i := range values {
				values[i] = s.Value(i)
			}
			if fmt.Sprint(values) != c.want {
				t.Errorf("got %v, want %s", values, c.want)
			}
		})
	}
}
