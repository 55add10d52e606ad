// The part of DuckDB's C API that the table function core calls, as a table of
// function pointers. Who links DuckDB in fills the table from its symbols; a
// loadable extension fills it from the API struct that DuckDB hands over.
//
// Handles (types, vectors, infos) are void pointers, idx_t is uint64_t and
// enums are int, as DuckDB's ABI has them.

#ifndef HUDI_DUCKDB_CAPI_H
#define HUDI_DUCKDB_CAPI_H

#include <stdbool.h>
#include <stdint.h>

// duckdb_result
typedef struct {
	uint64_t columns, rows, changed;
	void *deprecated[2];
	void *internal;
} hudi_result;

typedef void (*hudi_delete_fn)(void *);
typedef void (*hudi_callback_fn)(void *info);
typedef void (*hudi_function_fn)(void *info, void *chunk);
typedef void (*hudi_scalar_fn)(void *info, void *input, void *output);
typedef void (*hudi_replacement_fn)(void *info, const char *table, void *data);

#define HUDI_DUCKDB_API(X) \
	X(void, free, (void *ptr)) \
	X(uint64_t, vector_size, (void)) \
	X(void *, create_logical_type, (int type)) \
	X(void *, create_decimal_type, (uint8_t width, uint8_t scale)) \
	X(void *, create_list_type, (void *child)) \
	X(void *, create_map_type, (void *key, void *value)) \
	X(void *, create_struct_type, (void **types, const char **names, uint64_t n)) \
	X(void, destroy_logical_type, (void **type)) \
	X(void *, create_table_function, (void)) \
	X(void, destroy_table_function, (void **fn)) \
	X(void, table_function_set_name, (void *fn, const char *name)) \
	X(void, table_function_add_parameter, (void *fn, void *type)) \
	X(void, table_function_add_named_parameter, (void *fn, const char *name, void *type)) \
	X(void, table_function_set_extra_info, (void *fn, void *extra, hudi_delete_fn del)) \
	X(void, table_function_set_bind, (void *fn, hudi_callback_fn bind)) \
	X(void, table_function_set_init, (void *fn, hudi_callback_fn init)) \
	X(void, table_function_set_local_init, (void *fn, hudi_callback_fn init)) \
	X(void, table_function_set_function, (void *fn, hudi_function_fn function)) \
	X(void, table_function_supports_projection_pushdown, (void *fn, bool pushdown)) \
	X(int, register_table_function, (void *connection, void *fn)) \
	X(void *, bind_get_extra_info, (void *info)) \
	X(void *, bind_get_parameter, (void *info, uint64_t index)) \
	X(void *, bind_get_named_parameter, (void *info, const char *name)) \
	X(void, bind_add_result_column, (void *info, const char *name, void *type)) \
	X(void, bind_set_bind_data, (void *info, void *data, hudi_delete_fn del)) \
	X(void, bind_set_cardinality, (void *info, uint64_t rows, bool exact)) \
	X(void, bind_set_error, (void *info, const char *message)) \
	X(char *, get_varchar, (void *value)) \
	X(bool, is_null_value, (void *value)) \
	X(uint64_t, get_map_size, (void *value)) \
	X(void *, get_map_key, (void *value, uint64_t index)) \
	X(void *, get_map_value, (void *value, uint64_t index)) \
	X(void *, create_varchar, (const char *text)) \
	X(void, destroy_value, (void **value)) \
	X(void *, init_get_bind_data, (void *info)) \
	X(void, init_set_init_data, (void *info, void *data, hudi_delete_fn del)) \
	X(uint64_t, init_get_column_count, (void *info)) \
	X(uint64_t, init_get_column_index, (void *info, uint64_t index)) \
	X(void, init_set_max_threads, (void *info, uint64_t threads)) \
	X(void, init_set_error, (void *info, const char *message)) \
	X(void *, function_get_init_data, (void *info)) \
	X(void *, function_get_local_init_data, (void *info)) \
	X(void, function_set_error, (void *info, const char *message)) \
	X(void *, data_chunk_get_vector, (void *chunk, uint64_t column)) \
	X(uint64_t, data_chunk_get_size, (void *chunk)) \
	X(uint64_t, data_chunk_get_column_count, (void *chunk)) \
	X(void, data_chunk_set_size, (void *chunk, uint64_t size)) \
	X(void *, vector_get_data, (void *vector)) \
	X(uint64_t *, vector_get_validity, (void *vector)) \
	X(void, vector_ensure_validity_writable, (void *vector)) \
	X(void *, list_vector_get_child, (void *vector)) \
	X(int, list_vector_set_size, (void *vector, uint64_t size)) \
	X(int, list_vector_reserve, (void *vector, uint64_t capacity)) \
	X(void *, struct_vector_get_child, (void *vector, uint64_t index)) \
	X(void *, create_scalar_function, (void)) \
	X(void, destroy_scalar_function, (void **fn)) \
	X(void, scalar_function_set_name, (void *fn, const char *name)) \
	X(void, scalar_function_set_varargs, (void *fn, void *type)) \
	X(void, scalar_function_set_special_handling, (void *fn)) \
	X(void, scalar_function_set_return_type, (void *fn, void *type)) \
	X(void, scalar_function_set_extra_info, (void *fn, void *extra, hudi_delete_fn del)) \
	X(void, scalar_function_set_function, (void *fn, hudi_scalar_fn function)) \
	X(void *, scalar_function_get_extra_info, (void *info)) \
	X(void, scalar_function_set_error, (void *info, const char *message)) \
	X(int, register_scalar_function, (void *connection, void *fn)) \
	X(void, add_replacement_scan, (void *db, hudi_replacement_fn scan, void *data, hudi_delete_fn del)) \
	X(void, replacement_scan_set_function_name, (void *info, const char *name)) \
	X(void, replacement_scan_add_parameter, (void *info, void *value)) \
	X(void, replacement_scan_set_error, (void *info, const char *message)) \
	X(const char *, library_version, (void)) \
	X(int, open, (const char *path, void **database)) \
	X(void, close, (void **database)) \
	X(int, connect, (void *database, void **connection)) \
	X(void, disconnect, (void **connection)) \
	X(int, query, (void *connection, const char *sql, hudi_result *result)) \
	X(const char *, result_error, (hudi_result *result)) \
	X(void, destroy_result, (hudi_result *result)) \
	X(void *, fetch_chunk, (hudi_result result)) \
	X(void, destroy_data_chunk, (void **chunk))

// These may be absent (null): they are younger than the stable extension API.
#define HUDI_DUCKDB_API_OPTIONAL(X) \
	X(void, table_function_get_client_context, (void *info, void **context)) \
	X(uint64_t, client_context_get_connection_id, (void *context)) \
	X(void, destroy_client_context, (void **context))

// assign_string stores bytes that are known to be what the vector's type asks
// for: duckdb_unsafe_vector_assign_string_element_len, or, in an older DuckDB,
// the variant that checks once more.
#define HUDI_DUCKDB_API_RENAMED(X) \
	X(void, assign_string, (void *vector, uint64_t index, const char *str, uint64_t len))

typedef struct {
#define X(ret, name, args) ret(*name) args;
	HUDI_DUCKDB_API(X)
	HUDI_DUCKDB_API_OPTIONAL(X)
	HUDI_DUCKDB_API_RENAMED(X)
#undef X
} hudi_duckdb_api;

extern hudi_duckdb_api hudi_api;

#endif
