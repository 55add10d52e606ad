package parquet

import "github.com/hudi-go/hudi/internal/batch"

var _ batch.Owner = (*reader)(nil)

// Owned implements [batch.Owner]: values are copied out of the file, for twins
// too, and slices of a column's array are of different rows.
func (r *reader) Owned() bool { return true }
