package guard_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/guard"
)

func guarded(f func()) (err error) {
	defer guard.Recover(&err)
	f()
	return nil
}

func TestRecover(t *testing.T) {
	if err := guarded(func() {}); err != nil {
		t.Fatalf("no panic gave %v", err)
	}
	var none []int
	err := guarded(func() { none[0] = 1 })
	var p *guard.PanicError
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a PanicError", err)
	}
	for _, want := range []string{"index out of range", "guard_test.TestRecover", "please report"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if err := guarded(func() { panic(io.ErrUnexpectedEOF) }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v hides the error that was panicked with", err)
	}
}
