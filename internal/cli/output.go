package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/render"
)

// outputFlags are -o and -O.
type outputFlags struct {
	format string
	file   string
	flags  *pflag.FlagSet
}

func (o *outputFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&o.format, "output", "o", "table", "form of the output: table, csv, json (an object a line), arrow (IPC stream), parquet")
	c.Flags().StringVarP(&o.file, "output-file", "O", "", "write to this file, which appears when it is complete, not to standard output; without -o, its name tells the form: .csv, .json, .arrow, .parquet, .txt")
	o.flags = c.Flags()
	c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "csv", "json", "arrow", "parquet"}, cobra.ShellCompDirectiveNoFileComp))
}

// An output is where the results of a command go, one or several.
type output struct {
	env     *Env
	format  render.Format
	w       io.Writer
	options render.Options
	temp    *os.File // being written, for -O
	direct  *os.File // -O names a device or a pipe, which is written as it is
	name    string
	results int
}

// extensions are the forms of files by their names.
var extensions = map[string]render.Format{
	".csv": render.CSV, ".json": render.JSON, ".jsonl": render.JSON, ".ndjson": render.JSON,
	".arrow": render.Arrow, ".arrows": render.Arrow, ".parquet": render.Parquet, ".txt": render.Table, "": render.Table,
}

// form is that of -o, or what the file's name says.
func (o *outputFlags) form() (render.Format, error) {
	if o.flags != nil && !o.flags.Changed("output") {
		ext := filepath.Ext(o.file)
		f, ok := extensions[strings.ToLower(ext)]
		if !ok {
			return f, fmt.Errorf("-O %s: files named %s have no form that is known: name it .csv, .json, .arrow, .parquet or .txt, or tell the form by -o", o.file, ext)
		}
		return f, nil
	}
	return render.ParseFormat(o.format, render.Formats...)
}

// open checks the flags and opens the output. It must be closed, or aborted.
func (o *outputFlags) open(e *Env) (*output, error) {
	f, err := o.form()
	if err != nil {
		return nil, usageError{err}
	}
	out := &output{env: e, format: f, w: e.Stdout, name: o.file}
	if o.file != "" {
		target, regular, err := outputTarget(o.file)
		if err != nil {
			return nil, err
		}
		if !regular {
			if out.direct, err = os.OpenFile(target, os.O_WRONLY, 0); err != nil {
				return nil, fmt.Errorf("output file: %w", err)
			}
			out.w = out.direct
			return out, nil
		}
		out.name = target
		// In the same folder, since only there it can be renamed.
		if out.temp, err = os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*"); err != nil {
			var pathError *fs.PathError
			if errors.As(err, &pathError) { // which names the temporary file
				err = pathError.Err
			}
			return nil, fmt.Errorf("output file %s: %w", o.file, err)
		}
		out.w = out.temp
		return out, nil
	}
	out.options = e.renderOptions()
	if _, tty := terminal(e.Stdout); tty && f.Binary() {
		return nil, usagef("%s output is not for a terminal: use -O FILE or a pipe", f)
	}
	return out, nil
}

// write writes a result. Formats that are files hold one result only.
func (o *output) write(r batch.Reader) (rows int64, err error) {
	if o.results++; o.results > 1 {
		if o.format != render.Table && o.format != render.JSON {
			return 0, fmt.Errorf("%s output holds one result, but the statements give several: use -o table or json", o.format)
		}
		if o.format == render.Table {
			if _, err := fmt.Fprintln(o.w); err != nil {
				return 0, err
			}
		}
	}
	if o.format == render.Table && isPlan(r.Schema()) {
		return o.writePlan(r)
	}
	w, err := render.New(o.format, o.w, r.Schema(), o.options)
	if err != nil {
		return 0, err
	}
	return render.Copy(w, r)
}

// isPlan tells the result of EXPLAIN, whose values are drawings.
func isPlan(s *arrow.Schema) bool {
	return s.NumFields() == 2 && s.Field(0).Name == "explain_key" && s.Field(1).Name == "explain_value"
}

// writePlan writes the drawings as they are.
func (o *output) writePlan(r batch.Reader) (rows int64, err error) {
	for {
		b, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range int(b.NumRows()) {
			if _, err = fmt.Fprintln(o.w, strings.TrimRight(b.Column(1).ValueStr(i), "\n")); err != nil {
				break
			}
		}
		rows += b.NumRows()
		b.Release()
		if err != nil {
			return rows, err
		}
	}
}

// outputTarget follows links to the file that -O means, and tells whether it is
// (or will be) a regular file: only those are replaced when they are complete.
func outputTarget(name string) (target string, regular bool, err error) {
	target = name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, true, nil
	case err != nil:
		return "", false, fmt.Errorf("output file: %w", err)
	case info.IsDir():
		return "", false, fmt.Errorf("output file %s is a folder: name a file in it", name)
	}
	return target, info.Mode().IsRegular(), nil
}

// close gives the output file its name.
func (o *output) close() error {
	if o.direct != nil {
		direct := o.direct
		o.direct = nil
		return direct.Close()
	}
	if o.temp == nil {
		return nil
	}
	temp := o.temp
	o.temp = nil
	err := temp.Chmod(mode(o.name))
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp.Name(), o.name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("output file: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// abort removes an output file that is not complete.
func (o *output) abort() {
	if o.direct != nil {
		o.direct.Close()
		o.direct = nil
	}
	if o.temp != nil {
		o.temp.Close()
		os.Remove(o.temp.Name())
		o.temp = nil
	}
}

// mode is what the output file's permissions shall be: those of the file that
// it replaces, or what the umask leaves.
func mode(name string) os.FileMode {
	if info, err := os.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o666 &^ umask()
}

// into runs f with an open output and completes it if f succeeds.
func (o *outputFlags) into(e *Env, f func(*output) error) error {
	out, err := o.open(e)
	if err != nil {
		return err
	}
	defer out.abort()
	if err := f(out); err != nil {
		return err
	}
	return out.close()
}

// listFlags are those of commands that print lists: -o table or json.
type listFlags struct{ format string }

func (l *listFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&l.format, "output", "o", "table", "form of the output: table or json (an object a line)")
	c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// json tells which of the two is wanted.
func (l *listFlags) json() (bool, error) {
	f, err := render.ParseFormat(l.format, render.Table, render.JSON)
	if err != nil {
		return false, usageError{err}
	}
	return f == render.JSON, nil
}

// columns makes table columns; a name that begins with > is of numbers.
func columns(names ...string) []render.Column {
	all := make([]render.Column, len(names))
	for i, n := range names {
		all[i].Name, all[i].Right = strings.CutPrefix(n, ">")
	}
	return all
}
