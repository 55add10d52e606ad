package tablefunc

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// Nothing in DuckDB's C API tells a table function that its query was
// interrupted: DuckDB looks for that itself, between two chunks. A call that
// waits, say until the logs of a file slice are read, would hold the query up
// for as long. It can't come back with empty hands either, since an empty chunk
// is the end. So it comes back with a tick: a row that is none, which the
// statement around the function leaves out. DuckDB then stops, or calls again.

// patience is how long a call waits for rows.
const patience = 50 * time.Millisecond

// filterGuess makes up for the condition on the row column: DuckDB's optimizer
// thinks that it lets a fifth of the rows through.
const filterGuess = 5

// tick fills a chunk with a row that is none: NULL in all columns, false in the
// row column.
func (w *worker) tick(chunk unsafe.Pointer) error {
	for i, c := range w.e.columns {
		if c.source < 0 {
			c.mark(chunk, i, 1, false)
			continue
		}
		null := array.MakeArrayOfNull(memory.DefaultAllocator, c.typ, 1)
		err := w.writers[i].Write(capi.ChunkVector(chunk, i), null, 0, 1)
		null.Release()
		if err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	capi.SetChunkSize(chunk, 1)
	return nil
}

// mark fills the row column.
func (c column) mark(chunk unsafe.Pointer, at, rows int, value bool) {
	if c.source != rowColumn {
		return
	}
	marks := unsafe.Slice((*bool)(capi.ChunkVector(chunk, at).Data()), rows)
	for i := range marks {
		marks[i] = value
	}
}
