// Command build makes the C library of the ADBC driver and what it needs:
//
//	libadbc_driver_hudi.so   the driver, which any ADBC driver manager loads
//	libhudi_duckdb-N.so      DuckDB, which the driver looks for beside itself when it needs it
//	hudi.toml                the manifest, by which managers find the driver under the name hudi
//
// Usage:
//
//	go run ./adbc/build [-o DIR] [-version v0.1.0]
//
// They are two libraries because one with a Go runtime and DuckDB in it wants
// more static TLS than a running process has left, and can't be loaded into it.
// It needs a C++ compiler (CXX, else c++) and runs on Linux.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	module   = "github.com/hudi-go/hudi"
	bindings = "github.com/duckdb/duckdb-go-bindings"
	driver   = "libadbc_driver_hudi.so"
)

func main() {
	out := flag.String("o", "dist", "the `folder` to write to")
	version := flag.String("version", "v0.1.0", "the driver's `version`")
	flag.Parse()
	if err := build(*out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func build(out, version string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("only Linux is known, not %s", runtime.GOOS)
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	// Always the same, as it is in the flags by which Go's build cache knows objects.
	temp := filepath.Join(out, ".build")
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	if err := os.Mkdir(temp, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	engine, err := linkEngine(temp)
	if err != nil {
		return err
	}
	if err := linkDriver(temp, engine, version); err != nil {
		return err
	}
	text := fmt.Sprintf(manifest, strings.TrimPrefix(version, "v"), runtime.GOARCH, filepath.Join(out, driver))
	if err := os.WriteFile(filepath.Join(temp, "hudi.toml"), []byte(text), 0o644); err != nil {
		return err
	}
	return install(temp, out, engine)
}

// install puts the files in place. A process may have the old ones mapped, so
// new ones take their place rather than their contents.
func install(temp, out, engine string) error {
	old, err := filepath.Glob(filepath.Join(out, "libhudi_duckdb-*.so"))
	if err != nil {
		return err
	}
	for _, name := range []string{engine, driver, "hudi.toml"} {
		if err := os.Rename(filepath.Join(temp, name), filepath.Join(out, name)); err != nil {
			return err
		}
		old = slices.DeleteFunc(old, func(p string) bool { return p == filepath.Join(out, name) })
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// These are the symbols that each library shows: everything else, the C++
// library included, stays its own whatever else the process has loaded. DuckDB's have a version, so that they are not
// taken from another DuckDB.
const (
	exportedByEngine = "HUDI_DUCKDB { global: duckdb_*; local: *; };\n"
	exportedByDriver = "{ global: AdbcDriverInit; AdbcDriverHudiInit; local: *; };\n"
)

// arc4random is the one function of a new glibc (2.36) that the static C++
// library of such a system asks for; with this one the rest loads from 2.34 on.
const arc4random = `#include <sys/random.h>
unsigned arc4random(void) {
	unsigned v = 0;
	while (getrandom(&v, sizeof v, 0) != sizeof v) {}
	return v;
}
`

// linkEngine makes a shared library of DuckDB's static ones and gives its name,
// which has the version of the bindings so that no other release is taken for it.
func linkEngine(dir string) (string, error) {
	library := bindings + "/lib/" + runtime.GOOS + "-" + runtime.GOARCH
	list, err := output("go", "list", "-f", "{{.Module.Version}} {{join .CgoLDFLAGS \" \"}}", library)
	if err != nil {
		return "", err
	}
	words := strings.Fields(list)
	if len(words) < 2 {
		return "", fmt.Errorf("%s says nothing about how it is linked", library)
	}
	_, number, _ := strings.Cut(words[0], ".") // v0.10506.0
	name := "libhudi_duckdb-" + strings.TrimSuffix(number, ".0") + ".so"
	symbols := filepath.Join(dir, "engine.map")
	if err := os.WriteFile(symbols, []byte(exportedByEngine), 0o644); err != nil {
		return "", err
	}
	args := []string{"-shared", "-o", filepath.Join(dir, name), "-Wl,-soname," + name, "-Wl,--version-script=" + symbols,
		"-s", "-static-libstdc++", "-Wl,-z,relro,-z,now"}
	var libraries []string
	for _, w := range words[1:] {
		switch {
		case w == "-lduckdb_static":
			libraries = append(libraries, "-Wl,--whole-archive", w, "-Wl,--no-whole-archive")
		case strings.HasPrefix(w, "-L"):
			args = append(args, w)
		case w != "-rdynamic" && w != "-lstdc++":
			libraries = append(libraries, w)
		}
	}
	random := filepath.Join(dir, "random.c")
	if err := os.WriteFile(random, []byte(arc4random), 0o644); err != nil {
		return "", err
	}
	args = append(args, "-x", "c", random, "-x", "none", "-Wl,--start-group")
	args = append(append(args, libraries...), "-Wl,--end-group")
	_, err = output(compiler(), args...)
	return name, err
}

func compiler() string {
	if name := os.Getenv("CXX"); name != "" {
		return name
	}
	return "c++"
}

func linkDriver(dir, engine, version string) error {
	if err := linkEntries(dir, engine); err != nil {
		return err
	}
	symbols := filepath.Join(dir, "driver.map")
	if err := os.WriteFile(symbols, []byte(exportedByDriver), 0o644); err != nil {
		return err
	}
	flags := fmt.Sprintf("-s -w -extldflags '-Wl,-soname,%s -Wl,--version-script=%s -Wl,-rpath,$ORIGIN -Wl,-z,defs'", driver, symbols)
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-tags=duckdb_use_lib", "-ldflags="+flags,
		"-o", filepath.Join(dir, driver), module+"/adbc/clib")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_LDFLAGS=-L"+dir+" "+os.Getenv("CGO_LDFLAGS"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, stderr.String())
	}
	return string(out), nil
}

const manifest = `manifest_version = 1

name = "ADBC driver for Apache Hudi"
version = "%s"
publisher = "hudi-go"
license = "Apache-2.0"
url = "https://github.com/hudi-go/hudi"

[ADBC]
version = "1.1.0"

[Driver]
entrypoint = "AdbcDriverHudiInit"

[Driver.shared]
linux_%s = "%s"
`
