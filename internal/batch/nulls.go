package batch

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Nulls gives an array of n nulls. Arrow's own function for it takes fresh
// memory for cleared, which an allocator that recycles does not give.
func Nulls(mem memory.Allocator, t arrow.DataType, n int) arrow.Array {
	b := array.NewBuilder(mem, t)
	defer b.Release()
	b.AppendNulls(n)
	return b.NewArray()
}
