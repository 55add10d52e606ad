package tablefunc

/*
#include <stdlib.h>
#include "../capi/capi.h"

void hudiDelete(uintptr_t handle);
void hudiScalar(void *info, void *input, void *output);
void hudiReplace(void *info, char *table, uintptr_t handle);

static void hudi_delete_scalar(void *p) { hudiDelete((uintptr_t)p); }
static void hudi_replacement(void *info, const char *table, void *data) { hudiReplace(info, (char *)table, (uintptr_t)data); }

static int hudi_register_scalar(void *connection, char *name, void *text, uintptr_t h) {
	void *fn = hudi_api.create_scalar_function();
	hudi_api.scalar_function_set_name(fn, name);
	hudi_api.scalar_function_set_varargs(fn, text);
	hudi_api.scalar_function_set_return_type(fn, text);
	hudi_api.scalar_function_set_special_handling(fn);
	hudi_api.scalar_function_set_extra_info(fn, (void *)h, hudi_delete_scalar);
	hudi_api.scalar_function_set_function(fn, hudiScalar);
	int state = hudi_api.register_scalar_function(connection, fn);
	hudi_api.destroy_scalar_function(&fn);
	return state;
}
static void hudi_add_replacement(void *db, uintptr_t h) {
	hudi_api.add_replacement_scan(db, hudi_replacement, (void *)h, hudi_delete_scalar);
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// A Scalar is a function of texts, NULLs left out, that gives a text.
type Scalar struct {
	Call    func(arguments []string) (string, error)
	Dropped func() // called when the database forgets the function; may be nil
}

func (s Scalar) close() {
	if s.Dropped != nil {
		s.Dropped()
	}
}

// RegisterScalar adds a scalar function of any number of VARCHAR arguments. It
// counts as one without side effects: DuckDB calls it when it binds a query if
// its arguments are constants.
func RegisterScalar(connection unsafe.Pointer, name string, f Scalar) error {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	text := capi.NewType(capi.Varchar)
	defer text.Destroy()
	if C.hudi_register_scalar(connection, cname, text.Pointer(), C.uintptr_t(cgo.NewHandle(f))) != 0 {
		return fmt.Errorf("duckdb refuses the function %s", name)
	}
	return nil
}

//export hudiScalar
func hudiScalar(info, input, output unsafe.Pointer) {
	s := capi.ScalarInfo{Ptr: info}
	guarded(s.SetError, func() error {
		f, out := object[Scalar](s.Extra()), capi.VectorOf(output)
		columns := capi.ChunkColumns(input)
		for row := range capi.ChunkSize(input) {
			var arguments []string
			for c := range columns {
				if text, ok := capi.ChunkVector(input, c).Text(row); ok {
					arguments = append(arguments, text)
				}
			}
			text, err := f.Call(arguments)
			if err != nil {
				return err
			}
			out.AssignString(row, []byte(text))
		}
		return nil
	})
}

// A Replacement gives the query to be read in the place of a table that DuckDB
// does not know; false leaves the name to others.
type Replacement func(table string) (sql string, ok bool, err error)

// AddReplacement makes a replacement known to a duckdb_database.
func AddReplacement(database unsafe.Pointer, r Replacement) {
	C.hudi_add_replacement(database, C.uintptr_t(cgo.NewHandle(r)))
}

//export hudiReplace
func hudiReplace(info unsafe.Pointer, table *C.char, handle C.uintptr_t) {
	i := capi.ReplacementInfo{Ptr: info}
	guarded(i.SetError, func() error {
		sql, ok, err := cgo.Handle(handle).Value().(Replacement)(C.GoString(table))
		if ok && err == nil {
			i.Replace("query", sql)
		}
		return err
	})
}
