package duckdb

/*
#include <stdlib.h>
#include "internal/capi/capi.h"

// DuckDB's own header is not on this package's include path; the list in capi.h
// says all that is called.
#define X(ret, name, args) extern ret duckdb_##name args;
HUDI_DUCKDB_API(X)
HUDI_DUCKDB_API_OPTIONAL(X)
#undef X
extern void duckdb_unsafe_vector_assign_string_element_len(void *vector, uint64_t index, const char *str, uint64_t len);

// hudi_duckdb_load is called before all else of DuckDB. A program that brings
// DuckDB in only when it is needed has one of its own (adbc/build).
__attribute__((weak)) char *hudi_duckdb_load(void) { return NULL; }

static void hudi_link(void) {
#define X(ret, name, args) hudi_api.name = duckdb_##name;
	HUDI_DUCKDB_API(X)
	HUDI_DUCKDB_API_OPTIONAL(X)
#undef X
	hudi_api.assign_string = duckdb_unsafe_vector_assign_string_element_len;
}
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	_ "github.com/duckdb/duckdb-go-bindings" // brings DuckDB's libraries into the program

	_ "github.com/hudi-go/hudi/duckdb/internal/capi"
)

// link fills package capi's table with the DuckDB that is linked in.
var link = sync.OnceValue(func() error {
	if problem := C.hudi_duckdb_load(); problem != nil {
		defer C.free(unsafe.Pointer(problem))
		return errors.New("duckdb: " + C.GoString(problem))
	}
	C.hudi_link()
	return nil
})
