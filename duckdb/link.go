package duckdb

/*
#include "internal/capi/capi.h"

// DuckDB's own header is not on this package's include path; the list in capi.h
// says all that is called.
#define X(ret, name, args) extern ret duckdb_##name args;
HUDI_DUCKDB_API(X)
HUDI_DUCKDB_API_OPTIONAL(X)
#undef X
extern void duckdb_unsafe_vector_assign_string_element_len(void *vector, uint64_t index, const char *str, uint64_t len);

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
	"sync"

	_ "github.com/duckdb/duckdb-go-bindings" // brings DuckDB's libraries into the program

	_ "github.com/hudi-go/hudi/duckdb/internal/capi"
)

// link fills package capi's table with the DuckDB that is linked in.
var link = sync.OnceFunc(func() { C.hudi_link() })
