package tablefunc

/*
#include <stdlib.h>
#include "../capi/capi.h"

// A Go handle is a small number, carried where DuckDB carries a pointer.
void hudiDelete(uintptr_t handle);
void hudiBind(void *info);
void hudiInit(void *info);
void hudiInitLocal(void *info);
void hudiScan(void *info, void *chunk);

static void hudi_delete(void *p) { hudiDelete((uintptr_t)p); }

static void hudi_set_bind_data(void *info, uintptr_t h) { hudi_api.bind_set_bind_data(info, (void *)h, hudi_delete); }
static void hudi_set_init_data(void *info, uintptr_t h) { hudi_api.init_set_init_data(info, (void *)h, hudi_delete); }

static void *hudi_create(char *name, uintptr_t h) {
	void *fn = hudi_api.create_table_function();
	hudi_api.table_function_set_name(fn, name);
	hudi_api.table_function_set_extra_info(fn, (void *)h, hudi_delete);
	hudi_api.table_function_set_bind(fn, hudiBind);
	hudi_api.table_function_set_init(fn, hudiInit);
	hudi_api.table_function_set_local_init(fn, hudiInitLocal);
	hudi_api.table_function_set_function(fn, hudiScan);
	hudi_api.table_function_supports_projection_pushdown(fn, true);
	return fn;
}
static void hudi_add_parameter(void *fn, void *type) { hudi_api.table_function_add_parameter(fn, type); }
static void hudi_add_named(void *fn, char *name, void *type) { hudi_api.table_function_add_named_parameter(fn, name, type); }
static int hudi_register(void *connection, void *fn) {
	int state = hudi_api.register_table_function(connection, fn);
	hudi_api.destroy_table_function(&fn);
	return state;
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// Register adds a table function to the database that a duckdb_connection is
// connected to.
func Register(connection unsafe.Pointer, name string, f *Function) error {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	// DuckDB frees the handle, also if registering fails.
	fn := C.hudi_create(cname, C.uintptr_t(cgo.NewHandle(f)))
	text := capi.NewType(capi.Varchar)
	defer text.Destroy()
	for range max(f.Positional, 1) {
		C.hudi_add_parameter(fn, text.Pointer())
	}
	for _, p := range f.Named {
		addNamed(fn, p)
	}
	if C.hudi_register(connection, fn) != 0 {
		return fmt.Errorf("duckdb refuses the table function %s", name)
	}
	return nil
}

func addNamed(fn unsafe.Pointer, p Parameter) {
	text := capi.NewType(capi.Varchar)
	defer text.Destroy()
	t := text
	switch p.Kind {
	case Flag:
		t = capi.NewType(capi.Boolean)
	case Number:
		t = capi.NewType(capi.BigInt)
	case Map:
		t = capi.NewMap(text, text)
	}
	if t != text {
		defer t.Destroy()
	}
	name := C.CString(p.Name)
	defer C.free(unsafe.Pointer(name))
	C.hudi_add_named(fn, name, t.Pointer())
}

func setBindData(info capi.BindInfo, b *binding) {
	C.hudi_set_bind_data(info.Ptr, C.uintptr_t(cgo.NewHandle(b)))
}

func setInitData(info capi.InitInfo, data any) {
	C.hudi_set_init_data(info.Ptr, C.uintptr_t(cgo.NewHandle(data)))
}

// object gives the Go value behind a handle.
func object[T any](handle unsafe.Pointer) T {
	return cgo.Handle(uintptr(handle)).Value().(T)
}

// closer is what must be told when DuckDB drops it.
type closer interface{ close() }

//export hudiDelete
func hudiDelete(h C.uintptr_t) {
	handle := cgo.Handle(h)
	if c, ok := handle.Value().(closer); ok {
		// A panic has nowhere to go from here.
		guarded(func(string) {}, func() error { c.close(); return nil })
	}
	handle.Delete()
}

//export hudiBind
func hudiBind(info unsafe.Pointer) {
	b := capi.BindInfo{Ptr: info}
	guarded(b.SetError, func() error { return object[*Function](b.Extra()).bind(b) })
}

//export hudiInit
func hudiInit(info unsafe.Pointer) {
	i := capi.InitInfo{Ptr: info}
	guarded(i.SetError, func() error { return object[*binding](i.BindData()).init(i) })
}

//export hudiInitLocal
func hudiInitLocal(info unsafe.Pointer) {
	// The local state is made at the first scan, which knows the global one.
	i := capi.InitInfo{Ptr: info}
	guarded(i.SetError, func() error { setInitData(i, &local{}); return nil })
}

// local holds a thread's worker.
type local struct{ w *worker }

func (l *local) close() {
	if l.w != nil {
		l.w.close()
	}
}

//export hudiScan
func hudiScan(info, chunk unsafe.Pointer) {
	f := capi.FunctionInfo{Ptr: info}
	guarded(f.SetError, func() error {
		l := object[*local](f.Local())
		if l.w == nil {
			var err error
			if l.w, err = newWorker(object[*execution](f.Global())); err != nil {
				return err
			}
		}
		return l.w.scan(chunk)
	})
}
