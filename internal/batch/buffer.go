package batch

import "github.com/apache/arrow-go/v18/arrow/memory"

// An UnclearedAllocator has memory whose contents are arbitrary, which costs
// less than cleared memory.
type UnclearedAllocator interface {
	memory.Allocator
	AllocateUncleared(n int) []byte
}

// NewBuffer gives a buffer of n bytes that the caller overwrites, all of them:
// their contents are arbitrary.
func NewBuffer(mem memory.Allocator, n int) *memory.Buffer {
	if u, ok := mem.(UnclearedAllocator); ok && n > 0 {
		return memory.NewBufferWithAllocator(u.AllocateUncleared(n), mem)
	}
	b := memory.NewResizableBuffer(mem)
	b.Resize(n)
	return b
}
