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

	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/internal/version"
)

const promptHelp = `Statements end with a semicolon and may take several lines.
.tables        the tables that can be named
.output FORM   form of results: table, csv, json
.help          this text
.quit          leave (also Ctrl-D); Ctrl-C drops what was typed, or stops a statement
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
	fmt.Fprintf(s.env.Stderr, "hudi %s, %d tables; .help for help\n", version.Text(), len(s.tables.List()))
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
		if pending == "" && strings.HasPrefix(strings.TrimSpace(text), ".") {
			remember(text)
			if quit := s.dot(out, strings.Fields(text)); quit {
				return nil
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

// dot runs a command of the prompt itself and tells whether to leave.
func (s *session) dot(out *output, words []string) (quit bool) {
	switch words[0] {
	case ".quit", ".exit", ".q":
		return true
	case ".help":
		fmt.Fprint(s.env.Stderr, promptHelp)
	case ".tables":
		var rows [][]string
		for _, t := range s.tables.List() {
			rows = append(rows, []string{t.String(), t.Path})
		}
		render.List(s.env.Stdout, columns("table", "path"), rows, s.env.renderOptions())
	case ".output":
		if len(words) == 2 {
			f, err := render.ParseFormat(words[1], render.Table, render.CSV, render.JSON)
			if err == nil {
				out.format = f
				return false
			}
			s.env.notef("%v", err)
			return false
		}
		s.env.notef("the form is %s", out.format)
	default:
		s.env.notef("%s is not known: .help lists what is", words[0])
	}
	return false
}

// ended tells whether a text ends with a semicolon that ends a statement: not
// one in a string, a quoted name or a comment.
func ended(text string) bool {
	last := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return false
			}
			i += 1 + end
			last = c
		case strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return last == ';'
			}
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return false
			}
			i += 3 + end
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			last = c
		}
	}
	return last == ';'
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
