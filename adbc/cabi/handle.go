package cabi

import (
	"context"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"
)

// slot sees the private_data of a C object as the number that it is: a handle
// must not be loaded as a pointer.
func slot(private *unsafe.Pointer) *cgo.Handle { return (*cgo.Handle)(unsafe.Pointer(private)) }

// put makes a C object stand for a Go value.
func put[T any](private *unsafe.Pointer, v *T) { *slot(private) = cgo.NewHandle(v) }

// get gives the Go value of a C object.
func get[T any](private *unsafe.Pointer, what string) (v *T, err error) {
	h := *slot(private)
	if h == 0 {
		return nil, failure(adbc.StatusInvalidState, "the %s was not made, or was released", what)
	}
	defer func() {
		if recover() != nil { // by a handle that is none
			err = failure(adbc.StatusInvalidState, "the %s was released, or is no %[1]s of this driver", what)
		}
	}()
	v, ok := h.Value().(*T)
	if !ok {
		return nil, failure(adbc.StatusInvalidState, "this is no %s", what)
	}
	return v, nil
}

// take gives the Go value of a C object, which stands for nothing afterwards.
func take[T any](private *unsafe.Pointer, what string) (*T, error) {
	v, err := get[T](private, what)
	if err != nil {
		return nil, err
	}
	h := slot(private)
	h.Delete()
	*h = 0
	return v, nil
}

// A scope is the context of what an object does until it is cancelled, and anew
// after that.
type scope struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
}

func (s *scope) context() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
	}
	return s.ctx
}

func (s *scope) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx != nil {
		s.cancel()
		s.ctx, s.cancel = nil, nil
	}
}
