package mergeread

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// numbered reads rows key-0000, key-0001 and so on with one number in all.
func numbered(mem memory.Allocator, schema *arrow.Schema, rows, n int) batch.Reader {
	var recs []arrow.RecordBatch
	for from := 0; from < rows; from += 1000 {
		b := array.NewRecordBuilder(mem, schema)
		for i := from; i < min(rows, from+1000); i++ {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("key-%04d", i))
			b.Field(1).(*array.Int64Builder).Append(int64(n))
		}
		recs = append(recs, b.NewRecordBatch())
		b.Release()
	}
	return batch.FromSlice(schema, recs)
}
