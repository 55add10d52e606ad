package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/provider"
)

// sqlFlags are those of the sql command.
type sqlFlags struct {
	tableFlags
	resourceFlags
	tables  []string
	command string
	file    string
	stats   bool
}

func newSQL(e *Env) *cobra.Command {
	var f sqlFlags
	var o outputFlags
	c := &cobra.Command{
		Use:   "sql [PATH]...",
		Short: "Run SQL over tables, or open a prompt",
		Long: `Run SQL over Hudi tables, with DuckDB as the engine.

A PATH is a table, which is called by its own name, or a folder of tables, each of which is called by its folder's name.
Tables in folders of that folder are called folder.table: SHOW ALL TABLES lists them, SHOW TABLES does not.
-t name=PATH gives a table another name; for a folder of tables, name is the schema that they are in.
Statements come from -c, from -f, or from standard input; without any, a prompt opens. In files and on standard input,
lines may also be commands of the prompt (.tables, .output, .quit; .help lists them).
SELECT * gives a table's own columns; a statement that names a _hoodie_ column finds these columns, too, in front.
A table that was not named can be read by FROM read_hudi('PATH'). Other views of a table are
read_hudi('PATH', as_of := '2024-05-01'), hudi_changes('PATH', BEGIN, END) and hudi_cdc('PATH', BEGIN, END); docs/SQL.md
has all functions.`,
		Example: `  hudi sql -t trips=/lake/trips -c 'SELECT city, avg(fare) FROM trips GROUP BY ALL ORDER BY 2 DESC'
  hudi sql /lake -f report.sql -O report.csv
  hudi sql /lake`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("command") && f.file != "" {
				return usagef("-c and -f exclude each other")
			}
			return runSQL(c, e, &f, &o, args)
		},
	}
	c.Flags().StringArrayVarP(&f.tables, "table", "t", nil, "name=PATH, repeated: a table, or a folder of tables")
	c.Flags().StringVarP(&f.command, "command", "c", "", "statements to run")
	c.Flags().StringVarP(&f.file, "file", "f", "", "file of statements to run; - is standard input")
	c.Flags().BoolVar(&f.stats, "stats", false, "print what was read as one JSON object on standard error")
	o.register(c)
	f.tableFlags.register(c)
	f.resourceFlags.register(c)
	return c
}

func runSQL(c *cobra.Command, e *Env, f *sqlFlags, o *outputFlags, paths []string) error {
	ctx := c.Context()
	s, err := f.open(c, e, paths)
	if err != nil {
		return err
	}
	defer s.close()
	text, prompt, err := f.text(c, e)
	if err != nil {
		return err
	}
	if prompt {
		return runPrompt(ctx, s, o)
	}
	var rows int64
	err = o.into(e, func(out *output) error {
		run := s.runScript
		if c.Flags().Changed("command") {
			run = s.run
		}
		rows, err = run(ctx, text, out)
		return err
	})
	if err == nil && f.stats {
		err = printStats(e, s.stats, rows)
	}
	return err
}

// open starts the session with the tables of -t and of the arguments.
func (f *sqlFlags) open(c *cobra.Command, e *Env, paths []string) (*session, error) {
	ctx := c.Context()
	threads, err := f.workers(c)
	if err != nil {
		return nil, err
	}
	options, err := f.providerOptions(e)
	if err != nil {
		return nil, err
	}
	s, err := newSession(e, options, provider.Query{Threads: threads, MemoryLimit: int64(f.memory)})
	if err != nil {
		return nil, err
	}
	add := func(name, path string) {
		if err == nil {
			err = s.add(ctx, name, path)
		}
	}
	for _, t := range f.tables {
		name, path, named := strings.Cut(t, "=")
		if named && (name == "" || path == "") {
			err = usagef("-t %s: write name=PATH", t)
		}
		if !named {
			name, path = "", t
		}
		add(name, path)
	}
	for _, path := range paths {
		if err == nil && looksLikeSQL(path) && localFile(path) == nil {
			err = usagef("%q is no path: statements go to -c", path)
		}
		add("", path)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

var sqlBegins = regexp.MustCompile(`(?is)^\s*(select|from|with|show|describe|explain|summarize|create|values)\b.*\s`)

// looksLikeSQL tells statements that stand where a path belongs.
func looksLikeSQL(text string) bool { return sqlBegins.MatchString(text) }

// text gives the statements to run; or tells that they come from a prompt.
func (f *sqlFlags) text(c *cobra.Command, e *Env) (text string, prompt bool, err error) {
	if c.Flags().Changed("command") {
		return f.command, false, nil
	}
	var data []byte
	switch _, tty := terminal(e.Stdin); {
	case f.file != "" && f.file != "-":
		data, err = os.ReadFile(f.file)
	case f.file == "" && tty:
		return "", true, nil
	default:
		data, err = io.ReadAll(e.Stdin)
	}
	if err != nil {
		return "", false, fmt.Errorf("statements: %w", err)
	}
	return string(data), false, nil
}

// run runs all statements of a text and writes their results.
func (s *session) run(ctx context.Context, text string, out *output) (rows int64, err error) {
	if err := s.tables.Prepare(ctx, text); err != nil {
		return 0, err
	}
	s.noteSchemas(text)
	statements, err := s.conn.Statements(text)
	if err != nil {
		return 0, err
	}
	defer statements.Close()
	p := startProgress(s.env, out, s.stats)
	defer p.stop()
	for {
		s.planned = nil
		r, err := statements.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		explains := out.format == render.Table && isPlan(r.Schema())
		n, err := writeResult(r, r.HasRows(), p, out)
		if err == nil && explains {
			err = printPlanned(out.w, s.planned)
		}
		if err != nil {
			return rows, err
		}
		rows += n
	}
}

// printPlanned tells below the drawing of EXPLAIN what reached the scan of each
// Hudi table, and what that left out.
func printPlanned(w io.Writer, all []tablePlan) error {
	for _, t := range all {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		pairs := append([][2]string{{"table", t.table.Name()}, {"reads", readsText(t.plan.Stats)}}, conditionPairs(t.plan)...)
		if err := render.Pairs(w, pairs); err != nil {
			return err
		}
	}
	return nil
}

// writeResult writes the rows of a statement, if it gives any, and closes it.
func writeResult(r batch.Reader, hasRows bool, p *progress, out *output) (int64, error) {
	defer r.Close()
	if !hasRows {
		for {
			b, err := r.Next()
			if err == io.EOF {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			b.Release()
		}
	}
	return out.write(p.watch(r))
}
