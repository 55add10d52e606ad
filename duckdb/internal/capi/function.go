package capi

/*
#include <stdlib.h>
#include "capi.h"

static void *hudi_bind_extra(void *info) { return hudi_api.bind_get_extra_info(info); }
// hudi_text gives a value as text and destroys it; NULL for none.
static char *hudi_text(void *v) {
	if (!v) return NULL;
	char *s = hudi_api.is_null_value(v) ? NULL : hudi_api.get_varchar(v);
	hudi_api.destroy_value(&v);
	return s;
}
static char *hudi_bind_parameter(void *info, uint64_t i) { return hudi_text(hudi_api.bind_get_parameter(info, i)); }
static char *hudi_bind_named(void *info, char *name) { return hudi_text(hudi_api.bind_get_named_parameter(info, name)); }
static void *hudi_bind_map(void *info, char *name, uint64_t *size) {
	void *v = hudi_api.bind_get_named_parameter(info, name);
	*size = v && !hudi_api.is_null_value(v) ? hudi_api.get_map_size(v) : 0;
	return v;
}
static char *hudi_map_key(void *map, uint64_t i) { return hudi_text(hudi_api.get_map_key(map, i)); }
static char *hudi_map_value(void *map, uint64_t i) { return hudi_text(hudi_api.get_map_value(map, i)); }
static void hudi_destroy_value(void *v) { if (v) hudi_api.destroy_value(&v); }
static void hudi_free(void *p) { hudi_api.free(p); }
static void hudi_bind_column(void *info, char *name, void *type) { hudi_api.bind_add_result_column(info, name, type); }
static void hudi_bind_cardinality(void *info, uint64_t n, bool exact) { hudi_api.bind_set_cardinality(info, n, exact); }
static void hudi_bind_error(void *info, char *m) { hudi_api.bind_set_error(info, m); }
static uint64_t hudi_bind_connection(void *info, bool *ok) {
	void *ctx = NULL;
	*ok = false;
	if (!hudi_api.table_function_get_client_context) return 0;
	hudi_api.table_function_get_client_context(info, &ctx);
	if (!ctx) return 0;
	uint64_t id = hudi_api.client_context_get_connection_id(ctx);
	hudi_api.destroy_client_context(&ctx);
	*ok = true;
	return id;
}
static void *hudi_init_bind_data(void *info) { return hudi_api.init_get_bind_data(info); }
static uint64_t hudi_init_column_count(void *info) { return hudi_api.init_get_column_count(info); }
static uint64_t hudi_init_column_index(void *info, uint64_t i) { return hudi_api.init_get_column_index(info, i); }
static void hudi_init_threads(void *info, uint64_t n) { hudi_api.init_set_max_threads(info, n); }
static void hudi_init_error(void *info, char *m) { hudi_api.init_set_error(info, m); }
static void *hudi_function_global(void *info) { return hudi_api.function_get_init_data(info); }
static void *hudi_function_local(void *info) { return hudi_api.function_get_local_init_data(info); }
static void hudi_function_error(void *info, char *m) { hudi_api.function_set_error(info, m); }
*/
import "C"

import "unsafe"

// BindInfo, InitInfo and FunctionInfo are what DuckDB hands to the callbacks of
// a table function. They live as long as the callback runs.
type (
	BindInfo     struct{ Ptr unsafe.Pointer }
	InitInfo     struct{ Ptr unsafe.Pointer }
	FunctionInfo struct{ Ptr unsafe.Pointer }
)

// Extra gives what was set as the function's extra info.
func (b BindInfo) Extra() unsafe.Pointer { return C.hudi_bind_extra(b.Ptr) }

// Parameter gives a positional argument as text; false if it is NULL.
func (b BindInfo) Parameter(i int) (string, bool) {
	return takeText(C.hudi_bind_parameter(b.Ptr, C.uint64_t(i)))
}

// Named gives a named argument as text; false if it is NULL or not given.
func (b BindInfo) Named(name string) (string, bool) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return takeText(C.hudi_bind_named(b.Ptr, s))
}

// NamedMap gives a named argument that is a map; nil if it is empty, NULL or
// not given.
func (b BindInfo) NamedMap(name string) map[string]string {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	var n C.uint64_t
	v := C.hudi_bind_map(b.Ptr, s, &n)
	defer C.hudi_destroy_value(v)
	if n == 0 {
		return nil
	}
	m := make(map[string]string, n)
	for i := range n {
		key, _ := takeText(C.hudi_map_key(v, i))
		m[key], _ = takeText(C.hudi_map_value(v, i))
	}
	return m
}

// takeText copies a string of DuckDB's and frees it; false if there is none.
func takeText(s *C.char) (string, bool) {
	if s == nil {
		return "", false
	}
	defer C.hudi_free(unsafe.Pointer(s))
	return C.GoString(s), true
}

// AddColumn adds a column to the function's result.
func (b BindInfo) AddColumn(name string, t LogicalType) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	C.hudi_bind_column(b.Ptr, s, t.ptr)
}

// SetCardinality tells the optimizer how many rows to expect.
func (b BindInfo) SetCardinality(rows int64, exact bool) {
	C.hudi_bind_cardinality(b.Ptr, C.uint64_t(rows), C.bool(exact))
}

// ConnectionID tells which connection binds; false where DuckDB is too old to
// tell.
func (b BindInfo) ConnectionID() (uint64, bool) {
	var ok C.bool
	id := C.hudi_bind_connection(b.Ptr, &ok)
	return uint64(id), bool(ok)
}

// SetError makes binding fail.
func (b BindInfo) SetError(message string) {
	s := C.CString(message)
	defer C.free(unsafe.Pointer(s))
	C.hudi_bind_error(b.Ptr, s)
}

// BindData gives what the bind callback stored.
func (i InitInfo) BindData() unsafe.Pointer { return C.hudi_init_bind_data(i.Ptr) }

// Columns gives the indexes of the columns that the query needs, in the order
// of the chunk's vectors.
func (i InitInfo) Columns() []uint64 {
	columns := make([]uint64, C.hudi_init_column_count(i.Ptr))
	for k := range columns {
		columns[k] = uint64(C.hudi_init_column_index(i.Ptr, C.uint64_t(k)))
	}
	return columns
}

// SetMaxThreads tells how many threads may call the function at once.
func (i InitInfo) SetMaxThreads(n int) { C.hudi_init_threads(i.Ptr, C.uint64_t(n)) }

// SetError makes the query fail.
func (i InitInfo) SetError(message string) {
	s := C.CString(message)
	defer C.free(unsafe.Pointer(s))
	C.hudi_init_error(i.Ptr, s)
}

// Global gives what the init callback stored.
func (f FunctionInfo) Global() unsafe.Pointer { return C.hudi_function_global(f.Ptr) }

// Local gives what the local init callback stored for this thread.
func (f FunctionInfo) Local() unsafe.Pointer { return C.hudi_function_local(f.Ptr) }

// SetError makes the query fail.
func (f FunctionInfo) SetError(message string) {
	s := C.CString(message)
	defer C.free(unsafe.Pointer(s))
	C.hudi_function_error(f.Ptr, s)
}
