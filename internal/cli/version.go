package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/version"
)

func newVersion(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of what is built in",
		Args:  exactly(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(e.Stdout, "hudi %s\nduckdb %s\n%s %s/%s\n", version.Text(), duckdb.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
