package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/duckdb"
)

// release is set by the linker in released binaries.
var release = ""

// version gives the release, or the module's version, or the revision.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func newVersion(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of what is built in",
		Args:  exactly(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(e.Stdout, "hudi %s\nduckdb %s\n%s %s/%s\n", version(), duckdb.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
