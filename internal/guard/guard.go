// Package guard keeps a panic in a goroutine of this program from ending the
// process that it was loaded into (DuckDB, Python, a Go service): the goroutine
// fails with an error instead, and the error takes the usual way to whoever
// asked for the rows.
//
// A panic is always a fault of this program, never of the data; the error says
// so and where it happened. What the goroutine held is lost to the garbage
// collector.
package guard

import (
	"fmt"
	"runtime"
	"strings"
)

// A PanicError is a panic that was caught.
type PanicError struct {
	Value any
	Where string // function and line that panicked
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error, please report it: %v (in %s)", e.Value, e.Where)
}

// Unwrap gives the error that was panicked with, if it was one.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recover turns a panic of the function that defers it into *err:
//
//	defer guard.Recover(&err)
func Recover(err *error) {
	if r := recover(); r != nil {
		*err = &PanicError{Value: r, Where: where()}
	}
}

// where finds the innermost function of this module that panicked.
func where() string { return place("hudi-go/hudi") }

// Place is for a function that recovered a panic of code which is not this
// program's: the innermost function and line that panicked.
func Place() string { return place("") }

// place finds the innermost function whose name has a text in it, or any if
// there is none on the stack.
func place(of string) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	first := ""
	for {
		f, more := frames.Next()
		at := fmt.Sprintf("%s:%d", f.Function, f.Line)
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
		case strings.Contains(f.Function, of):
			return at
		case first == "":
			first = at
		}
		if !more {
			return first
		}
	}
}
