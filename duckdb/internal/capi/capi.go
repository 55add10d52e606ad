// Package capi is the door to DuckDB's C API for code that must run both where
// DuckDB is linked into the program and where the program is a library that
// DuckDB loads: calls go through a table of function pointers (see capi.h),
// which whoever knows DuckDB's addresses has filled before the first call.
//
// Only the calls that the table function core needs are here: types, the table
// function life cycle, and raw access to vectors.
package capi

/*
#include <stdlib.h>
#include "capi.h"

#cgo noescape  hudi_vector_get_data
#cgo nocallback hudi_vector_get_data
#cgo noescape  hudi_data_chunk_get_vector
#cgo nocallback hudi_data_chunk_get_vector
#cgo noescape  hudi_writable_validity
#cgo nocallback hudi_writable_validity
#cgo noescape  hudi_assign_string
#cgo nocallback hudi_assign_string

static void *hudi_vector_get_data(void *v) { return hudi_api.vector_get_data(v); }
static void *hudi_data_chunk_get_vector(void *c, uint64_t i) { return hudi_api.data_chunk_get_vector(c, i); }
static uint64_t *hudi_writable_validity(void *v) {
	hudi_api.vector_ensure_validity_writable(v);
	return hudi_api.vector_get_validity(v);
}
static void hudi_assign_string(void *v, uint64_t i, const char *s, uint64_t n) { hudi_api.assign_string(v, i, s, n); }
static void *hudi_list_child(void *v, uint64_t size) {
	if (hudi_api.list_vector_reserve(v, size) != 0) return NULL;
	if (hudi_api.list_vector_set_size(v, size) != 0) return NULL;
	return hudi_api.list_vector_get_child(v);
}
static void *hudi_struct_child(void *v, uint64_t i) { return hudi_api.struct_vector_get_child(v, i); }
static uint64_t hudi_vector_size(void) { return hudi_api.vector_size(); }
static void hudi_data_chunk_set_size(void *c, uint64_t n) { hudi_api.data_chunk_set_size(c, n); }

static void *hudi_create_logical_type(int t) { return hudi_api.create_logical_type(t); }
static void *hudi_create_decimal_type(uint8_t w, uint8_t s) { return hudi_api.create_decimal_type(w, s); }
static void *hudi_create_list_type(void *c) { return hudi_api.create_list_type(c); }
static void *hudi_create_map_type(void *k, void *v) { return hudi_api.create_map_type(k, v); }
static void *hudi_create_struct_type(void **t, char **n, uint64_t c) { return hudi_api.create_struct_type(t, (const char **)n, c); }
static void hudi_destroy_logical_type(void *t) { hudi_api.destroy_logical_type(&t); }
*/
import "C"

import "unsafe"

// Type is the number of a DuckDB type (the enum DUCKDB_TYPE).
type Type int

// The DuckDB types that Arrow types map to.
const (
	Boolean     Type = 1
	TinyInt     Type = 2
	SmallInt    Type = 3
	Integer     Type = 4
	BigInt      Type = 5
	UTinyInt    Type = 6
	USmallInt   Type = 7
	UInteger    Type = 8
	UBigInt     Type = 9
	Float       Type = 10
	Double      Type = 11
	Timestamp   Type = 12
	Date        Type = 13
	Time        Type = 14
	Varchar     Type = 17
	Blob        Type = 18
	TimestampS  Type = 20
	TimestampMS Type = 21
	TimestampNS Type = 22
	TimestampTZ Type = 31
	SQLNull     Type = 36
	TimeNS      Type = 39
)

// LogicalType is a duckdb_logical_type. Whoever created it destroys it.
type LogicalType struct{ ptr unsafe.Pointer }

// Vector is a duckdb_vector; DuckDB owns it.
type Vector struct{ ptr unsafe.Pointer }

// NewType creates a type that has no parameters.
func NewType(t Type) LogicalType {
	return LogicalType{C.hudi_create_logical_type(C.int(t))}
}

// NewDecimal creates DECIMAL(width, scale).
func NewDecimal(width, scale uint8) LogicalType {
	return LogicalType{C.hudi_create_decimal_type(C.uint8_t(width), C.uint8_t(scale))}
}

// NewList creates a list type; the child stays the caller's.
func NewList(child LogicalType) LogicalType {
	return LogicalType{C.hudi_create_list_type(child.ptr)}
}

// NewMap creates a map type; key and value stay the caller's.
func NewMap(key, value LogicalType) LogicalType {
	return LogicalType{C.hudi_create_map_type(key.ptr, value.ptr)}
}

// NewStruct creates a struct type; the field types stay the caller's.
func NewStruct(types []LogicalType, names []string) LogicalType {
	n := len(types)
	size := C.size_t(n) * C.size_t(unsafe.Sizeof(uintptr(0)))
	ctypes := (*unsafe.Pointer)(C.malloc(max(size, 1)))
	cnames := (**C.char)(C.malloc(max(size, 1)))
	defer C.free(unsafe.Pointer(ctypes))
	defer C.free(unsafe.Pointer(cnames))
	typeSlice, nameSlice := unsafe.Slice(ctypes, n), unsafe.Slice(cnames, n)
	for i := range types {
		typeSlice[i] = types[i].ptr
		nameSlice[i] = C.CString(names[i])
	}
	t := C.hudi_create_struct_type(ctypes, cnames, C.uint64_t(n))
	for _, name := range nameSlice {
		C.free(unsafe.Pointer(name))
	}
	return LogicalType{t}
}

// Pointer gives the duckdb_logical_type.
func (t LogicalType) Pointer() unsafe.Pointer { return t.ptr }

// Destroy frees a type.
func (t LogicalType) Destroy() { C.hudi_destroy_logical_type(t.ptr) }

// VectorSize is the number of rows that a data chunk can hold.
func VectorSize() int { return int(C.hudi_vector_size()) }

// ChunkVector gives a column of a data chunk.
func ChunkVector(chunk unsafe.Pointer, column int) Vector {
	return Vector{C.hudi_data_chunk_get_vector(chunk, C.uint64_t(column))}
}

// SetChunkSize tells how many rows of a data chunk are filled.
func SetChunkSize(chunk unsafe.Pointer, rows int) {
	C.hudi_data_chunk_set_size(chunk, C.uint64_t(rows))
}

// Data gives the vector's values.
func (v Vector) Data() unsafe.Pointer { return C.hudi_vector_get_data(v.ptr) }

// Validity gives the vector's validity mask, bit set = value present, for
// writing rows [0, n). All bits were set if nobody wrote before.
func (v Vector) Validity(n int) []uint64 {
	return unsafe.Slice((*uint64)(C.hudi_writable_validity(v.ptr)), (n+63)/64)
}

// AssignString copies bytes into the vector's own memory as the value of one
// row. For a VARCHAR they must be valid UTF-8.
func (v Vector) AssignString(row int, s []byte) {
	C.hudi_assign_string(v.ptr, C.uint64_t(row), (*C.char)(unsafe.Pointer(unsafe.SliceData(s))), C.uint64_t(len(s)))
}

// ListChild makes room for size elements and gives the vector of elements;
// false if DuckDB has no memory for them. Pointers taken earlier from the child
// are void.
func (v Vector) ListChild(size int) (Vector, bool) {
	child := C.hudi_list_child(v.ptr, C.uint64_t(size))
	return Vector{child}, child != nil
}

// StructChild gives the vector of a struct's field.
func (v Vector) StructChild(field int) Vector {
	return Vector{C.hudi_struct_child(v.ptr, C.uint64_t(field))}
}
