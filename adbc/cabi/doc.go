// Package cabi gives a Go driver the C interface of ADBC 1.0 and 1.1
// (adbc.h): a c-shared program that calls [Export] from an init function offers
// AdbcDriverHudiInit and AdbcDriverInit, by which driver managers load it.
//
// Each function of the interface has three parts: a static function in
// driver.c, which knows about const, about memory that must be cleared and about
// forks; an exported Go function, which turns C values into Go ones; and the
// call of the Go driver. The rules that hold for all of them:
//
//   - A panic does not leave the library: it is an error of status INTERNAL. The
//     driver's goroutines need a guard of their own (internal/guard).
//   - The private_data of a C object is a [cgo.Handle] as a number, 0 after the
//     release. Handles are never used twice, so calls on what was released,
//     never made, or is of another kind are errors of status INVALID_STATE.
//   - Cancelling a statement or connection ends the context of the calls that
//     run and of the streams that it gave out; later calls get a new one. Closing
//     does not cancel: streams outlive their statement and connection.
//   - In a forked child every call fails, instead of waiting for ever for threads
//     that were not copied. Only releasing works, and does nothing.
//   - Nothing is written to stderr unless [LogLevelVariable] asks for it.
package cabi
