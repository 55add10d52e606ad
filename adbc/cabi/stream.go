package cabi

// #include <errno.h>
// #include "cabi.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

// giveSchema puts a schema where C wants it.
func giveSchema(out *C.struct_ArrowSchema, f func() (*arrow.Schema, error)) error {
	if err := present(out, "the schema"); err != nil {
		return err
	}
	schema, err := f()
	if err == nil {
		exportSchema(schema, out)
	}
	return err
}

func exportSchema(schema *arrow.Schema, out *C.struct_ArrowSchema) {
	cdata.ExportArrowSchema(schema, (*cdata.CArrowSchema)(unsafe.Pointer(out)))
}

// export makes a stream of a reader, which it takes. Unlike cdata's own it tells
// the status and the details of errors.
func export(reader array.RecordReader, out *C.struct_ArrowArrayStream) {
	C.hudi_stream_make(out, C.uintptr_t(cgo.NewHandle(reader)))
}

// streaming runs a callback of a stream and keeps its error for who asks.
func streaming(private unsafe.Pointer, f func(r array.RecordReader) error) C.int {
	s := (*C.struct_hudi_stream)(private)
	err := protect(func() error { return f(cgo.Handle(s.handle).Value().(array.RecordReader)) })
	if err == nil {
		return 0
	}
	s.status = report(&s.error, err)
	return errno(adbc.Status(s.status))
}

func errno(status adbc.Status) C.int {
	switch status {
	case adbc.StatusCancelled:
		return C.ECANCELED
	case adbc.StatusTimeout:
		return C.ETIMEDOUT
	case adbc.StatusNotImplemented:
		return C.ENOSYS
	case adbc.StatusInvalidArgument, adbc.StatusInvalidState, adbc.StatusInvalidData:
		return C.EINVAL
	case adbc.StatusNotFound:
		return C.ENOENT
	case adbc.StatusUnauthenticated, adbc.StatusUnauthorized:
		return C.EACCES
	}
	return C.EIO
}

//export hudiStreamSchema
func hudiStreamSchema(private unsafe.Pointer, out *C.struct_ArrowSchema) C.int {
	return streaming(private, func(r array.RecordReader) error {
		schema := r.Schema()
		if schema == nil {
			if err := r.Err(); err != nil {
				return err
			}
			return failure(adbc.StatusInternal, "the stream has no schema")
		}
		exportSchema(schema, out)
		return nil
	})
}

//export hudiStreamNext
func hudiStreamNext(private unsafe.Pointer, out *C.struct_ArrowArray) C.int {
	return streaming(private, func(r array.RecordReader) error {
		if !r.Next() {
			return r.Err() // an array without release says that there are no more
		}
		batch := wholeStructs(r.RecordBatch())
		defer batch.Release()
		cdata.ExportArrowRecordBatch(batch, (*cdata.CArrowArray)(unsafe.Pointer(out)), nil)
		return nil
	})
}

//export hudiStreamRelease
func hudiStreamRelease(private unsafe.Pointer) {
	s := (*C.struct_hudi_stream)(private)
	streaming(private, func(r array.RecordReader) error {
		r.Release()
		return nil
	})
	cgo.Handle(s.handle).Delete()
}
