package capi

/*
#include <stdlib.h>
#include <string.h>
#include "capi.h"

static const char *hudi_library_version(void) { return hudi_api.library_version(); }
static bool hudi_open(void **database, void **connection) {
	if (hudi_api.open(NULL, database) != 0) return false;
	if (hudi_api.connect(*database, connection) == 0) return true;
	hudi_api.close(database);
	return false;
}
static void hudi_close(void *database, void *connection) {
	hudi_api.disconnect(&connection);
	hudi_api.close(&database);
}
// hudi_query gives an error's text to be freed, NULL for none.
static char *hudi_query(void *connection, char *sql, hudi_result *result) {
	memset(result, 0, sizeof *result);
	if (hudi_api.query(connection, sql, result) == 0) return NULL;
	const char *message = hudi_api.result_error(result);
	return strdup(message ? message : "unknown error");
}
static void *hudi_fetch(hudi_result *result) { return hudi_api.fetch_chunk(*result); }
static void hudi_destroy_result(hudi_result *result) { hudi_api.destroy_result(result); }
static void hudi_destroy_chunk(void *chunk) { hudi_api.destroy_data_chunk(&chunk); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// LibraryVersion is the version of DuckDB, as v1.5.5.
func LibraryVersion() string { return C.GoString(C.hudi_library_version()) }

// A Database is an empty database in memory with one connection, apart from
// all others of the process. It is not safe for concurrent use.
type Database struct{ database, connection unsafe.Pointer }

// OpenDatabase opens one, which the caller closes.
func OpenDatabase() (*Database, error) {
	d := &Database{}
	if !C.hudi_open(&d.database, &d.connection) {
		return nil, errors.New("duckdb can't open a database in memory")
	}
	return d, nil
}

// Close ends the database.
func (d *Database) Close() { C.hudi_close(d.database, d.connection) }

// Texts runs a statement and gives the texts of its first column, which must be
// a VARCHAR if there are rows. NULLs are left out.
func (d *Database) Texts(sql string) ([]string, error) {
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	result := (*C.hudi_result)(C.malloc(C.sizeof_hudi_result))
	defer C.free(unsafe.Pointer(result))
	message := C.hudi_query(d.connection, text, result)
	defer C.hudi_destroy_result(result)
	if message != nil {
		defer C.free(unsafe.Pointer(message))
		return nil, errors.New(C.GoString(message))
	}
	var all []string
	for {
		chunk := C.hudi_fetch(result)
		if chunk == nil {
			return all, nil
		}
		for row := range ChunkSize(chunk) {
			if s, ok := ChunkVector(chunk, 0).Text(row); ok {
				all = append(all, s)
			}
		}
		C.hudi_destroy_chunk(chunk)
	}
}
