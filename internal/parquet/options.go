package parquet

import "github.com/apache/arrow-go/v18/arrow/memory"

// PositionColumn is the name of the column that [ReadOptions].Position adds.
const PositionColumn = "_pos"

// DefaultBatchSize is the number of rows per batch where none is asked for.
const DefaultBatchSize = 16 << 10

// A RowRange is a range of row ordinals of a file, End excluded.
type RowRange struct{ Start, End int64 }

// ReadOptions say what of a file is read and how. The zero value reads all of
// it in the calling goroutine.
type ReadOptions struct {
	// Columns are names of top-level columns, in the order wanted; nil means
	// all, an empty list none (batches then have rows but no columns).
	Columns []string
	// Rows are the ordinals wanted, sorted and disjoint; nil means all.
	Rows []RowRange
	// BatchSize is the most rows of a batch; 0 means DefaultBatchSize. Batches
	// may be smaller, where rows are wide.
	BatchSize int
	// Allocator of the batches; nil means the Go heap.
	Allocator memory.Allocator
	// Threads that decode at the same time. Up to 1, everything happens in the
	// goroutine that calls Next.
	Threads int
	// Position appends the column PositionColumn: int64, the ordinal of the
	// row in the file.
	Position bool
}
