// Package cli is the hudi command: it reads flags, asks provider (for scans and
// what is known about tables) or duckdb (for SQL), and writes with render.
//
// Each command is a function of an [Env], which holds everything that belongs
// to the process, so that tests run commands without one. Data goes to standard
// output or a file, everything else to standard error; [Run] gives the exit
// status.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/internal/version"
)

// The exit statuses.
const (
	statusOK        = 0
	statusFailed    = 1
	statusUsage     = 2
	statusInterrupt = 130
)

// An Env is what a command finds around it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Args           []string // without the program's name
	Getenv         func(string) string
}

// Process is the Env of the running process.
func Process() Env {
	return Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Args: os.Args[1:], Getenv: os.Getenv}
}

// terminal tells whether a stream is a terminal, and how wide it is.
func terminal(stream any) (width int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width, true
	}
	return 80, true
}

// color tells whether escape sequences may go to a stream.
func (e *Env) color(stream any) bool {
	_, ok := terminal(stream)
	return ok && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// renderOptions are those for standard output.
func (e *Env) renderOptions() render.Options {
	width, _ := terminal(e.Stdout)
	return render.Options{Width: width, Color: e.color(e.Stdout)}
}

// notef writes a line for the user.
func (e *Env) notef(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "hudi: "+format+"\n", args...)
}

// usageError is an error in how the command was called.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// Run runs the command and gives the exit status.
func Run(ctx context.Context, e Env) int {
	err := run(ctx, &e)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		// Who reads our output has enough of it.
		return statusOK
	case ctx.Err() != nil:
		e.notef("interrupted")
		return statusInterrupt
	}
	if _, people := terminal(e.Stderr); people {
		fmt.Fprintln(e.Stderr, "hudi: "+explain(err))
	} else {
		fmt.Fprintln(e.Stderr, "hudi: "+message(err))
	}
	if errors.As(err, &usage) {
		return statusUsage
	}
	return statusFailed
}

// message brings an error to one line.
func message(err error) string {
	head, _ := splitPlace(err)
	return head
}

// explain is message with what DuckDB shows of the statement, on lines below;
// for people, who can make use of it.
func explain(err error) string {
	head, place := splitPlace(err)
	return head + place
}

// splitPlace splits off the lines in which DuckDB shows the place of an error in
// the statement.
func splitPlace(err error) (head, place string) {
	text := strings.TrimSpace(err.Error())
	var sql *duckdb.Error
	if errors.As(err, &sql) {
		if before, after, ok := strings.Cut(text, "\n\nLINE "); ok {
			text, place = before, "\nLINE "+after
		}
	}
	return oneLine(text), place
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func run(ctx context.Context, e *Env) error {
	root := newRoot(e)
	root.SetArgs(append([]string{}, e.Args...)) // nil would stand for those of the process
	c, err := root.ExecuteContextC(ctx)
	var usage usageError
	if errors.As(err, &usage) {
		if c.Name() == "help" {
			c = root
		}
		err = usagef("%w (see %s --help)", err, c.CommandPath())
	}
	return err
}

func newRoot(e *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "hudi",
		Short: "Read Apache Hudi tables: SQL, scans, and what is inside",
		Long: `hudi reads Apache Hudi tables where they lie, without Spark and without a JVM.

  hudi sql -t trips=/lake/trips -c 'SELECT city, count(*) FROM trips GROUP BY city'
  hudi scan /lake/trips --columns city,fare --limit 10
  hudi info /lake/trips

Data goes to standard output (or the file of -O), messages to standard error.
The exit status is 0; 1 if the command failed, as for a table or a column that is not there; 2 if it was called wrongly;
130 if it was interrupted.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if strings.HasPrefix(c.Name(), cobra.ShellCompRequestCmd) {
				return nil // which asks about words that have not begun
			}
			return notEmpty(c, args)
		},
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		Version:                    version.Text(),
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout) // which the completion command keeps from the start
	root.SetErr(e.Stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	root.AddCommand(
		newSQL(e), newScan(e), newPlan(e), newInfo(e), newSchema(e), newTimeline(e), newFiles(e), newPartitions(e),
		newInspect(e), newVersion(e),
	)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // which takes any word for a question
			c.Args = nil
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) > 0 {
					return unknownCommand(c, args[0])
				}
				return c.Help()
			}
		}
	}
	return root
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, s := range c.Root().Commands() {
				if len(args) == 0 && s.IsAvailableCommand() {
					names = append(names, s.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(c.Root(), strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// unknownCommand refuses a command below another, and names those that are
// spelled alike.
func unknownCommand(c *cobra.Command, name string) error {
	if alike := c.SuggestionsFor(name); len(alike) > 0 {
		return usagef("unknown command %q: did you mean %s?", name, strings.Join(alike, " or "))
	}
	return usagef("unknown command %q", name)
}

// flagError leaves out how a value was parsed.
func flagError(err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return usageError{err}
	}
	why := value.Unwrap()
	switch kind := value.GetFlag().Value.Type(); {
	case kind == "int":
		why = errors.New("a whole number is needed")
	case kind == "bool":
		why = errors.New("true or false is needed")
	case kind == "duration":
		why = errors.New("a time as 500ms, 10s or 1m is needed")
	}
	return usagef("--%s %s: %w", value.GetFlag().Name, value.GetValue(), why)
}

// exactly checks the number of arguments, which the command's use line names.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("usage: %s", c.UseLine())
		}
		return nil
	}
}
