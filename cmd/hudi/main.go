// Command hudi reads Apache Hudi tables: SQL over them, scans, and what is
// inside. See hudi --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hudi-go/hudi/internal/cli"
	_ "github.com/hudi-go/hudi/objectstore"
)

func main() {
	// With a handler, a closed pipe is an error of the write and not the
	// process's end, so that temporary files are removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends a process that hangs in a system call
	status := cli.Run(ctx, cli.Process())
	stop()
	os.Exit(status)
}
