package duckdb

/*
#include <stdlib.h>
#include <stdint.h>

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};
struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
extern void *duckdb_to_arrow_schema(void *options, void **types, const char **names, uint64_t n, struct ArrowSchema *out);
extern void *duckdb_data_chunk_to_arrow(void *options, void *chunk, struct ArrowArray *out);

static void *hudi_to_schema(void *options, void **types, char **names, uint64_t n, struct ArrowSchema *out) {
	return duckdb_to_arrow_schema(options, types, (const char **)names, n, out);
}
*/
import "C"

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/internal/batch"
)

// A Result is the stream of a statement's rows. It is a batch.Reader: Next
// gives batches that the caller releases, io.EOF comes after the last.
type Result struct {
	conn    *Conn
	ctx     context.Context
	cancel  context.CancelFunc
	stmt    bindings.PreparedStatement
	res     bindings.Result
	options bindings.ArrowOptions
	schema  *arrow.Schema
	err     error // of reading; io.EOF at the end

	prepared  bool   // bound, and not executed yet
	hasRes    bool   // res must be destroyed
	streaming bool   // the statement was started
	hints     string // the number of the statement's hints, "" for none
}

var _ batch.Reader = (*Result)(nil)

// start executes a bound statement.
func (r *Result) start() error {
	r.prepared, r.hasRes = false, true
	if bindings.ExecutePreparedStreaming(r.stmt, &r.res) == bindings.StateError {
		return newError(bindings.ResultError(&r.res))
	}
	r.streaming = true
	if r.options.Ptr != nil { // DuckDB binds anew where a table is not what it was
		bindings.DestroyArrowOptions(&r.options)
	}
	r.options = bindings.ResultGetArrowOptions(&r.res)
	schema, err := r.arrowSchema(bindings.ColumnCount(&r.res), func(i bindings.IdxT) (bindings.LogicalType, string) {
		return bindings.ColumnLogicalType(&r.res, i), bindings.ColumnName(&r.res, i)
	})
	if err == nil && r.schema != nil && !r.schema.Equal(schema) {
		err = fmt.Errorf("duckdb: the columns have changed since the statement was prepared, from %s to %s: prepare it again", fieldsText(r.schema), fieldsText(schema))
	}
	r.schema = schema
	return err
}

func fieldsText(s *arrow.Schema) string {
	var all []string
	for _, f := range s.Fields() {
		all = append(all, f.Name+" "+f.Type.String())
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// arrowSchema asks DuckDB for the schema of columns.
func (r *Result) arrowSchema(n bindings.IdxT, column func(bindings.IdxT) (bindings.LogicalType, string)) (*arrow.Schema, error) {
	size := max(C.size_t(n)*C.size_t(unsafe.Sizeof(uintptr(0))), 1)
	ctypes, cnames := (*unsafe.Pointer)(C.malloc(size)), (**C.char)(C.malloc(size))
	defer C.free(unsafe.Pointer(ctypes))
	defer C.free(unsafe.Pointer(cnames))
	types, names := unsafe.Slice(ctypes, n), unsafe.Slice(cnames, n)
	for i := range n {
		t, name := column(i)
		defer bindings.DestroyLogicalType(&t)
		types[i], names[i] = t.Ptr, C.CString(name)
		defer C.free(unsafe.Pointer(names[i]))
	}
	out := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(out))
	if err := takeError(C.hudi_to_schema(r.options.Ptr, ctypes, cnames, C.uint64_t(n), out)); err != nil {
		return nil, err
	}
	return cdata.ImportCArrowSchema((*cdata.CArrowSchema)(unsafe.Pointer(out)))
}

// Schema is the result's schema. A statement that gives no rows (CREATE, SET)
// has one all the same, see [Result.HasRows].
func (r *Result) Schema() *arrow.Schema { return r.schema }

// HasRows tells whether the statement is one that gives rows, if only zero.
func (r *Result) HasRows() bool {
	return bindings.ResultReturnType(r.res) == bindings.ResultTypeQueryResult
}

// Next gives the next batch.
func (r *Result) Next() (arrow.RecordBatch, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := r.ctx.Err(); err != nil {
		return nil, r.fail(err)
	}
	var chunk bindings.DataChunk
	var err error
	r.interruptible(func() {
		if r.prepared {
			err = r.start()
		}
		if err == nil {
			chunk = bindings.FetchChunk(r.res)
		}
	})
	if err != nil {
		return nil, r.fail(err)
	}
	if chunk.Ptr == nil {
		if message := bindings.ResultError(&r.res); message != "" {
			return nil, r.fail(newError(message))
		}
		r.err = io.EOF
		return nil, r.err
	}
	defer bindings.DestroyDataChunk(&chunk)
	b, err := r.toArrow(chunk)
	if err != nil {
		return nil, r.fail(err)
	}
	return b, nil
}

func (r *Result) toArrow(chunk bindings.DataChunk) (arrow.RecordBatch, error) {
	out := (*C.struct_ArrowArray)(C.calloc(1, C.sizeof_struct_ArrowArray))
	defer C.free(unsafe.Pointer(out))
	if err := takeError(C.duckdb_data_chunk_to_arrow(r.options.Ptr, chunk.Ptr, out)); err != nil {
		return nil, err
	}
	return cdata.ImportCRecordBatchWithSchema((*cdata.CArrowArray)(unsafe.Pointer(out)), r.schema)
}

func (r *Result) fail(err error) error {
	r.err = r.cause(err)
	return r.err
}

// drain runs the statement to its end and closes the result.
func (r *Result) drain() error {
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.Release()
	}
}

// Close stops the statement and frees the result. Batches that were given out
// live on.
func (r *Result) Close() error {
	if r.conn == nil {
		return nil
	}
	r.cancel()
	r.abandon()
	if r.options.Ptr != nil {
		bindings.DestroyArrowOptions(&r.options)
	}
	if r.hasRes {
		bindings.DestroyResult(&r.res)
	}
	bindings.DestroyPrepare(&r.stmt)
	r.conn.engine.running.Delete(r.conn.id)
	if r.hints != "" { // the engine's own statements run while the shadow is locked
		r.conn.engine.shadow.forget(r.hints)
	}
	r.conn.open = nil
	r.conn = nil
	if r.err == nil {
		r.err = ErrClosed
	}
	return nil
}

// abandon makes DuckDB give up the rest of the rows. Without it, the query and
// its scans would stay open until the connection's next statement.
func (r *Result) abandon() {
	if !r.streaming || r.err != nil {
		return
	}
	r.interruptible(func() {
		for {
			chunk := bindings.FetchChunk(r.res)
			if chunk.Ptr == nil {
				return
			}
			bindings.DestroyDataChunk(&chunk)
		}
	})
}

// takeError turns a duckdb_error_data into an error and destroys it.
func takeError(data unsafe.Pointer) error {
	e := bindings.ErrorData{Ptr: data}
	if data == nil {
		return nil
	}
	defer bindings.DestroyErrorData(&e)
	if !bindings.ErrorDataHasError(e) {
		return nil
	}
	return newError(bindings.ErrorDataMessage(e))
}
