package parquet

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// poisoned spoils memory as it is freed, so that a read of a freed buffer
// shows.
type poisoned struct{ *Recycler }

func (p poisoned) Free(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xdb
	}
	p.Recycler.Free(b)
}

func (p poisoned) Reallocate(n int, b []byte) []byte {
	grown := p.Allocate(n)
	copy(grown, b)
	p.Free(b)
	return grown
}

func TestRecycler(t *testing.T) {
	r := NewRecycler(1 << 20)
	a := r.Allocate(1000)
	if len(a) != 1000 || cap(a) != 1024 {
		t.Fatalf("%d bytes of %d", len(a), cap(a))
	}
	a[0] = 1
	a = r.Reallocate(1024, a)
	a = r.Reallocate(5000, a)
	if len(a) != 5000 || a[0] != 1 {
		t.Fatal("contents lost")
	}
	r.Free(a)
	if b := r.Allocate(4097); &b[0] != &a[0] {
		t.Error("memory is not used again")
	}
	r.Free(make([]byte, 100)) // not a size of ours
	r.Free(make([]byte, 2<<20))
	if r.kept > 1<<20 {
		t.Errorf("%d bytes kept", r.kept)
	}
}

// TestReadRecycled reads a file again and again into the same, spoiled memory.
func TestReadRecycled(t *testing.T) {
	f := openBytes(t, generate(t, genOptions{rows: 3000, pageSize: 1 << 10, nulls: 0.3, dict: true, index: true}))
	want := readAll(t, f, ReadOptions{})
	defer want.Release()
	mem := memory.NewCheckedAllocator(poisoned{NewRecycler(64 << 20)})
	for _, threads := range []int{1, 2, 3} {
		for _, size := range []int{100, 999, 5000} {
			got := readAll(t, f, ReadOptions{Allocator: mem, Threads: threads, BatchSize: size})
			compare(t, got, want)
			got.Release()
		}
	}
	mem.AssertSize(t, 0)
}
