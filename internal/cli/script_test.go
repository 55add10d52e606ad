package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hudi-go/hudi/internal/tabletest"
)

// result is what a command did.
type result struct {
	stdout, stderr string
	status         int
}

// hudi runs a command without a process.
func hudi(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Run(t.Context(), Env{
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Args: args,
		Getenv: func(string) string { return "" },
	})
	return result{stdout.String(), stderr.String(), status}
}

// TestScripts runs the commands of testdata/*.txt. The directives:
//
//	table name=v9/cow_basic [as=DIR]
//	  unpacks a table into the folder where commands run
//	hudi
//	  runs a command, whose arguments stand one a line or, in a single line,
//	  between blanks; lines that begin with "<<< " are its standard input;
//	  prints its output, its messages and its status unless 0
//	file name=NAME
//	  prints a file; ls prints the names of all files beside the tables
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	datadriven.Walk(t, root, func(t *testing.T, path string) {
		dir := t.TempDir()
		tables := map[string]bool{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				var name, as string
				d.ScanArgs(t, "name", &name)
				as = filepath.Base(name)
				d.MaybeScanArgs(t, "as", &as)
				tables[strings.Split(as, "/")[0]] = true
				place := filepath.Join(dir, as)
				if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(tabletest.Open(t, name), place); err != nil {
					t.Fatal(err)
				}
				return ""
			case "hudi":
				return script(t, d.Input, dir)
			case "file":
				var name string
				d.ScanArgs(t, "name", &name)
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					return err.Error() + "\n"
				}
				return string(text)
			case "ls":
				entries, _ := os.ReadDir(dir)
				var out strings.Builder
				for _, e := range entries {
					if !tables[e.Name()] {
						fmt.Fprintln(&out, e.Name())
					}
				}
				return out.String()
			}
			t.Fatalf("%s: no directive %s", d.Pos, d.Cmd)
			return ""
		})
	})
}

func script(t *testing.T, command, dir string) string {
	var args []string
	stdin := ""
	for _, line := range strings.Split(command, "\n") {
		if in, ok := strings.CutPrefix(line, "<<< "); ok {
			stdin += in + "\n"
		} else {
			args = append(args, line)
		}
	}
	if len(args) == 1 {
		args = strings.Fields(args[0])
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		t.Fatal(err)
	}
	defer os.Chdir(here)
	r := hudi(t, stdin, args...)
	out := r.stdout
	if r.stderr != "" {
		out += "-- stderr\n" + r.stderr
	}
	if r.status != 0 {
		out += fmt.Sprintf("-- status %d\n", r.status)
	}
	return strings.ReplaceAll(out, dir, "$DIR")
}
