package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/peterh/liner"

	"github.com/hudi-go/hudi/internal/version"
)

const promptHelp = `Statements end with a semicolon and may take several lines.
.tables        the tables that can be named
.output FORM   form of results: table, csv, json
.help          this text
.quit          leave (also exit, quit, \q and Ctrl-D); Ctrl-C drops what was typed, or stops a statement
`

// runPrompt reads statements from the terminal and runs them.
func runPrompt(ctx context.Context, s *session, o *outputFlags) error {
	if o.file != "" {
		return usagef("-O needs statements: give them with -c or -f")
	}
	out, err := o.open(s.env)
	if err != nil {
		return err
	}
	signal.Reset(syscall.SIGTERM) // which shall end the prompt, too
	line := liner.NewLiner()
	defer line.Close()
	line.SetCtrlCAborts(true)
	history := historyFile(s.env)
	if f, err := os.Open(history); err == nil {
		line.ReadHistory(f)
		f.Close()
	}
	fmt.Fprintf(s.env.Stderr, "hudi %s, tables: %s; .help for help\n", version.Text(), orNone(s.tableNames(false)))
	err = promptLoop(ctx, s, out, line.Prompt, line.AppendHistory)
	saveHistory(history, line)
	return err
}

// promptLoop is the prompt but for the terminal.
func promptLoop(ctx context.Context, s *session, out *output, read func(prompt string) (string, error), remember func(string)) error {
	pending := ""
	for {
		prompt := "hudi> "
		if pending != "" {
			prompt = "  ... "
		}
		text, err := read(prompt)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			pending = ""
			continue
		case err == io.EOF:
			fmt.Fprintln(s.env.Stderr)
			return nil
		case err != nil:
			return err
		}
		if words := commandOf(text); pending == "" && words != nil {
			remember(text)
			quit, err := s.dot(out, words)
			if quit {
				return nil
			}
			if err != nil {
				s.env.notef("%v", err)
			}
			continue
		}
		pending = strings.TrimLeft(pending+"\n"+text, "\n ")
		if !ended(pending) {
			continue
		}
		remember(strings.ReplaceAll(pending, "\n", " "))
		s.runPrompted(ctx, pending, out)
		pending = ""
	}
}

// runPrompted runs what was typed; an error does not end the prompt.
func (s *session) runPrompted(ctx context.Context, text string, out *output) {
	// The process's own context ends for good with the first Ctrl-C.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt)
	defer stop()
	out.results = 0
	s.stats.reset()
	_, err := s.run(ctx, text, out)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		s.env.notef("interrupted")
	default:
		s.env.notef("%s", explain(err))
	}
}

// historyFile is where the prompt's history is kept, by the XDG rules; "" if
// there is no place.
func historyFile(e *Env) string {
	dir := e.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home := e.Getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "hudi", "history")
}

// saveHistory keeps the history; that it can't be kept is no reason to complain.
func saveHistory(name string, line *liner.State) {
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	line.WriteHistory(f)
}
