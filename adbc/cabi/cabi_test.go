package cabi

import (
	"cmp"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
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
	if out := run(t, program, library); out != "" {
		t.Errorf("nobody wanted this: %s", out)
	}
	t.Setenv(LogLevelVariable, "warn")
	if out := run(t, program, library, "short"); !strings.Contains(out, `"level":"WARN","msg":"a warning","uri":"here"}`) {
		t.Errorf("no warning: %s", out)
	}
}

// TestLogLevels tells levels apart, and what is none.
func TestLogLevels(t *testing.T) {
	for level, want := range map[string]string{
		"": "", "debug": "DEBUG WARN ERROR", "info": "WARN ERROR", "warn": "WARN ERROR", "WARNING": "WARN ERROR", "error": "ERROR",
		"loud": `ADBC_DRIVER_HUDI_LOG_LEVEL is debug, info, warn or error, not "loud"`,
	} {
		var out strings.Builder
		initLogging(talker{}, level, &out)
		var got []string
		for _, m := range regexp.MustCompile(`"level":"(\w+)"|ADBC_.*"`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, cmp.Or(m[1], m[0]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("level %q: %v: %s", level, got, out.String())
		}
	}
}

// A talker logs at several levels.
type talker struct{ adbc.Database }

func (talker) SetLogger(l *slog.Logger) {
	l.Debug("in detail")
	l.Warn("a warning")
	l.Error("an error")
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
	return string(out)
}
