// Command build makes the loadable extension, dist/hudi.duckdb_extension: a
// shared library with the footer that DuckDB looks for at the end of an
// extension file.
//
//	go run ./duckdb/build [-o FILE] [-platform linux_amd64] [-version v0.1.0]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/hudi-go/hudi/duckdb/internal/footer"
)

func main() {
	out := flag.String("o", filepath.Join("dist", "hudi.duckdb_extension"), "the `file` to write")
	platform := flag.String("platform", runtime.GOOS+"_"+runtime.GOARCH, "DuckDB's name of the `platform`")
	version := flag.String("version", "v0.1.0", "the extension's own `version`")
	flag.Parse()
	if err := build(*out, *platform, *version); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func build(out, platform, version string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	library := out + ".so"
	defer os.Remove(library)
	defer os.Remove(out + ".h") // cgo writes a header beside the library
	args := []string{"build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", library, "github.com/hudi-go/hudi/duckdb/extension"}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	data, err := os.ReadFile(library)
	if err != nil {
		return err
	}
	data, err = footer.Append(data, footer.Fields{Platform: platform, API: "v1.2.0", Version: version, ABI: "C_STRUCT"})
	if err != nil {
		return err
	}
	// DuckDB may have the old file mapped: a new one takes its place.
	part := out + ".part"
	if err := os.WriteFile(part, data, 0o755); err != nil {
		return err
	}
	return os.Rename(part, out)
}
