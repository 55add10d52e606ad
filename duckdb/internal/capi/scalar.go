package capi

/*
#include <stdlib.h>
#include "capi.h"

static void *hudi_scalar_extra(void *info) { return hudi_api.scalar_function_get_extra_info(info); }
static void hudi_scalar_error(void *info, char *m) { hudi_api.scalar_function_set_error(info, m); }
static uint64_t hudi_chunk_size(void *c) { return hudi_api.data_chunk_get_size(c); }
static uint64_t hudi_chunk_columns(void *c) { return hudi_api.data_chunk_get_column_count(c); }
static uint64_t *hudi_validity(void *v) { return hudi_api.vector_get_validity(v); }
static void hudi_replace(void *info, char *function, char *parameter) {
	void *v = hudi_api.create_varchar(parameter);
	hudi_api.replacement_scan_set_function_name(info, function);
	hudi_api.replacement_scan_add_parameter(info, v);
	hudi_api.destroy_value(&v);
}
static void hudi_replacement_error(void *info, char *m) { hudi_api.replacement_scan_set_error(info, m); }
*/
import "C"

import "unsafe"

// ScalarInfo is what DuckDB hands to a scalar function.
type ScalarInfo struct{ Ptr unsafe.Pointer }

// Extra gives what was set as the function's extra info.
func (s ScalarInfo) Extra() unsafe.Pointer { return C.hudi_scalar_extra(s.Ptr) }

// SetError makes the query fail.
func (s ScalarInfo) SetError(message string) {
	m := C.CString(message)
	defer C.free(unsafe.Pointer(m))
	C.hudi_scalar_error(s.Ptr, m)
}

// ReplacementInfo is what DuckDB hands to a replacement scan.
type ReplacementInfo struct{ Ptr unsafe.Pointer }

// Replace puts a table function with one VARCHAR argument in a table's place.
func (r ReplacementInfo) Replace(function, parameter string) {
	f, p := C.CString(function), C.CString(parameter)
	defer C.free(unsafe.Pointer(f))
	defer C.free(unsafe.Pointer(p))
	C.hudi_replace(r.Ptr, f, p)
}

// SetError makes the query fail.
func (r ReplacementInfo) SetError(message string) {
	m := C.CString(message)
	defer C.free(unsafe.Pointer(m))
	C.hudi_replacement_error(r.Ptr, m)
}

// ChunkSize is the number of rows of a chunk.
func ChunkSize(chunk unsafe.Pointer) int { return int(C.hudi_chunk_size(chunk)) }

// ChunkColumns is the number of columns of a chunk.
func ChunkColumns(chunk unsafe.Pointer) int { return int(C.hudi_chunk_columns(chunk)) }

// VectorOf is the vector behind a duckdb_vector.
func VectorOf(p unsafe.Pointer) Vector { return Vector{p} }

// Text gives a value of a flat VARCHAR vector; false if it is NULL.
func (v Vector) Text(row int) (string, bool) {
	if mask := C.hudi_validity(v.ptr); mask != nil {
		word := *(*uint64)(unsafe.Add(unsafe.Pointer(mask), row/64*8))
		if word>>(row%64)&1 == 0 {
			return "", false
		}
	}
	// duckdb_string_t: the length, then up to 12 bytes in place, or 4 and a pointer.
	s := unsafe.Add(v.Data(), 16*row)
	n := *(*uint32)(s)
	if n <= 12 {
		return C.GoStringN((*C.char)(unsafe.Add(s, 4)), C.int(n)), true
	}
	return C.GoStringN(*(**C.char)(unsafe.Add(s, 8)), C.int(n)), true
}
