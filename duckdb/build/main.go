// Command build makes the loadable extension: a shared library with the footer
// that DuckDB looks for at the end of an extension file.
//
//	go run ./duckdb/build [-o FILE] [-platform linux_amd64] [-version v0.1.0]
//
// The file is dist/hudi.duckdb_extension. DuckDB takes only files whose footer
// names its own platform, and the Python wheels of 1.2 for Linux call theirs
// another name: for these, the same library goes into a folder of that name
// beside the file, dist/linux_amd64_gcc4/hudi.duckdb_extension.
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

// older are the names that older DuckDBs have for platforms.
var older = map[string]string{"linux_amd64": "linux_amd64_gcc4", "linux_arm64": "linux_arm64_gcc4"}

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
	if err := write(out, data, platform, version); err != nil {
		return err
	}
	if other := older[platform]; other != "" {
		return write(filepath.Join(filepath.Dir(out), other, filepath.Base(out)), data, other, version)
	}
	return nil
}

// write makes the extension file of a library for a platform.
func write(out string, library []byte, platform, version string) error {
	data, err := footer.Append(library, footer.Fields{Platform: platform, API: "v1.2.0", Version: version, ABI: "C_STRUCT"})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	// DuckDB may have the old file mapped: a new one takes its place.
	part := out + ".part"
	if err := os.WriteFile(part, data, 0o755); err != nil {
		return err
	}
	return os.Rename(part, out)
}
