package cabi

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestInterface builds a library around a driver made for it, and asks it all
// that testdata/misuse.c does.
func TestInterface(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program is for Linux")
	}
	dir := t.TempDir()
	library, program := filepath.Join(dir, "fake.so"), filepath.Join(dir, "misuse")
	run(t, "go", "build", "-buildmode=c-shared", "-o", library, "./testdata/fake")
	run(t, "cc", "-Wall", "-Werror", "-o", program, "testdata/misuse.c", "-ldl", "-lpthread")
	run(t, program, library)
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
}
