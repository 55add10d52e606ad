// Command extension is the loadable extension of DuckDB: a shared library whose
// entry point adds the functions of package functions to the database that
// loads it. `go run ./duckdb/build` builds it.
//
// The library asks for DuckDB's stable C API v1.2.0 and gets a struct of
// function pointers, which fills package capi's table: no symbol of DuckDB is
// linked, so one file serves DuckDB 1.2 and later.
package main

/*
#include <stdlib.h>
#include "../internal/capi/capi.h"
#include "slots.h"

struct hudi_access {
	void (*set_error)(void *info, const char *message);
	void **(*get_database)(void *info);
	const void *(*get_api)(void *info, const char *version);
};

static bool hudi_load(void *info, struct hudi_access *access, void **connection, void **database) {
	void *const *api = access->get_api(info, "v1.2.0");
	if (!api) return false;
#define X(slot, name) *(void **)&hudi_api.name = api[slot];
	HUDI_SLOTS(X)
#undef X
	*database = *access->get_database(info);
	return hudi_api.connect(*database, connection) == 0;
}

static void hudi_unload(void **connection) { hudi_api.disconnect(connection); }

static void hudi_fail(void *info, struct hudi_access *access, char *message) { access->set_error(info, message); }
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/hudi-go/hudi/duckdb/internal/functions"
	"github.com/hudi-go/hudi/internal/guard"
	_ "github.com/hudi-go/hudi/objectstore"
	"github.com/hudi-go/hudi/provider"
)

func main() {}

//export hudi_init_c_api
func hudi_init_c_api(info unsafe.Pointer, access unsafe.Pointer) C.bool {
	a := (*C.struct_hudi_access)(access)
	if err := load(info, a); err != nil {
		message := C.CString(err.Error())
		defer C.free(unsafe.Pointer(message))
		C.hudi_fail(info, a, message)
		return false
	}
	return true
}

// load adds the functions to the database. An error makes the whole database
// unusable, so there is none that could be done without.
func load(info unsafe.Pointer, a *C.struct_hudi_access) (err error) {
	defer guard.Recover(&err)
	var connection, database unsafe.Pointer
	if !C.hudi_load(info, a, &connection, &database) {
		return fmt.Errorf("hudi: this DuckDB does not offer the C API v1.2.0")
	}
	defer C.hudi_unload(&connection)
	f := functions.New(functions.Options{Query: provider.Query{Threads: runtime.GOMAXPROCS(0)}})
	f.AskStatements()
	if err := f.Register(connection); err != nil {
		return err
	}
	f.Replace(database)
	return nil
}
