package cabi

// #include <stdlib.h>
// #include <string.h>
// #include "cabi.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"

	"github.com/hudi-go/hudi/internal/guard"
)

var driver adbc.Driver

// Export sets the driver that the library offers. It must be called before the
// library is used: from an init function of the main package.
func Export(d adbc.Driver) { driver = d }

// call runs what an exported function does and reports how it ended.
func call(out *C.struct_AdbcError, f func() error) C.AdbcStatusCode {
	return report(out, protect(f))
}

// protect turns a panic into an error.
func protect(f func() error) (err error) {
	defer guard.Recover(&err)
	return f()
}

func failure(code adbc.Status, format string, args ...any) error {
	return adbc.Error{Code: code, Msg: "[hudi] " + fmt.Sprintf(format, args...)}
}

func unsupported(what string) error {
	return failure(adbc.StatusNotImplemented, "the driver has no %s", what)
}

// asADBC gives an error its status.
func asADBC(err error) adbc.Error {
	var known adbc.Error
	if errors.As(err, &known) {
		return known
	}
	var pointer *adbc.Error
	if errors.As(err, &pointer) && pointer != nil {
		return *pointer
	}
	status := adbc.StatusUnknown
	var panicked *guard.PanicError
	switch {
	case errors.Is(err, context.Canceled):
		status = adbc.StatusCancelled
	case errors.Is(err, context.DeadlineExceeded):
		status = adbc.StatusTimeout
	case errors.As(err, &panicked):
		status = adbc.StatusInternal
	}
	return adbc.Error{Code: status, Msg: "[hudi] " + err.Error()}
}

// report fills a C error, which may be nil, and gives the status.
func report(out *C.struct_AdbcError, err error) C.AdbcStatusCode {
	if err == nil {
		return C.ADBC_STATUS_OK
	}
	e := asADBC(err)
	if e.Code == adbc.StatusOK {
		e.Code = adbc.StatusInternal
	}
	var state [5]C.char
	for i, c := range e.SqlState {
		state[i] = C.char(c)
	}
	C.hudi_error_set(out, C.CString(e.Msg), C.int32_t(e.VendorCode), &state[0], details(e.Details))
	return C.AdbcStatusCode(e.Code)
}

// details copies details into C memory; those that can't be serialized are left out.
func details(list []adbc.ErrorDetail) *C.struct_hudi_details {
	if len(list) == 0 {
		return nil
	}
	d := (*C.struct_hudi_details)(C.calloc(1, C.sizeof_struct_hudi_details))
	d.list = (*C.struct_AdbcErrorDetail)(C.calloc(C.size_t(len(list)), C.sizeof_struct_AdbcErrorDetail))
	for _, detail := range list {
		value, err := detail.Serialize()
		if err != nil {
			continue
		}
		C.hudi_error_add(d, d.count, C.CString(detail.Key()), C.CBytes(value), C.size_t(len(value)))
		d.count++
	}
	return d
}

// text is a C string that may be absent.
func text(s *C.hudi_char) *string {
	if s == nil {
		return nil
	}
	t := C.GoString((*C.char)(s))
	return &t
}

// must is a C string that has to be there.
func must(s *C.hudi_char, what string) (string, error) {
	if s == nil {
		return "", failure(adbc.StatusInvalidArgument, "%s is a null pointer", what)
	}
	return C.GoString((*C.char)(s)), nil
}

// bytes copies n bytes of C memory.
func bytes(p *C.hudi_byte, n C.size_t, what string) ([]byte, error) {
	if p == nil && n > 0 {
		return nil, failure(adbc.StatusInvalidArgument, "%s is a null pointer", what)
	}
	return append([]byte{}, unsafe.Slice((*byte)(p), int(n))...), nil
}

// present checks pointers to results and objects.
func present[T any](p *T, what string) error {
	if p == nil {
		return failure(adbc.StatusInvalidArgument, "%s is a null pointer", what)
	}
	return nil
}
