package parquet

import (
	"math/bits"
	"sync"

	"github.com/hudi-go/hudi/internal/batch"
)

// A Recycler is an allocator that keeps the memory of released arrays for the
// next ones. A scan whose batches are released soon spends less time: no fresh
// memory is faulted in and collected.
//
// It calls for strict ownership: what is read from an array after its last
// Release (a string that [array.String] gave, say) changes under the reader's
// hands, where the Go heap would forgive. Arrays that are never released are
// left to the garbage collector.
type Recycler struct {
	mu    sync.Mutex
	limit int // most bytes kept
	kept  int
	free  [classes][][]byte // by the binary logarithm of the capacity
}

const (
	classes    = 32
	minRecycle = 64 // the alignment of Arrow buffers; smaller sizes are rounded up
)

// NewRecycler gives an allocator that keeps up to limit bytes of free memory.
func NewRecycler(limit int) *Recycler { return &Recycler{limit: limit} }

var _ batch.UnclearedAllocator = (*Recycler)(nil)

// Allocate gives cleared memory: Arrow's own functions count on it.
func (r *Recycler) Allocate(n int) []byte {
	b, fresh := r.allocate(n)
	if !fresh {
		clear(b)
	}
	return b
}

// AllocateUncleared gives memory that its user overwrites.
func (r *Recycler) AllocateUncleared(n int) []byte {
	b, _ := r.allocate(n)
	return b
}

func (r *Recycler) allocate(n int) (b []byte, fresh bool) {
	c := bits.Len(uint(max(n, minRecycle) - 1))
	if c >= classes {
		return make([]byte, n), true
	}
	if b := r.take(c); b != nil {
		return b[:n], false
	}
	return make([]byte, n, 1<<c), true
}

func (r *Recycler) take(c int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.free[c]
	if len(l) == 0 {
		return nil
	}
	b := l[len(l)-1]
	l[len(l)-1] = nil
	r.free[c] = l[:len(l)-1]
	r.kept -= cap(b)
	return b
}

// Free takes memory back.
func (r *Recycler) Free(b []byte) {
	c := bits.Len(uint(cap(b))) - 1
	if cap(b) < minRecycle || c >= classes || cap(b) != 1<<c {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept+cap(b) <= r.limit {
		r.free[c] = append(r.free[c], b[:0])
		r.kept += cap(b)
	}
}

// Reallocate changes the size of memory, keeping its contents.
func (r *Recycler) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		if old := len(b); n > old {
			clear(b[old:n])
		}
		return b[:n]
	}
	grown := r.Allocate(n)
	copy(grown, b)
	r.Free(b)
	return grown
}
