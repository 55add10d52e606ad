package cli

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hudi-go/hudi/provider"
)

// tableFlags say how tables are opened.
type tableFlags struct{ options []string }

func (t *tableFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&t.options, "option", nil, "KEY=VALUE, repeated: read options (hoodie..., hudi...; docs/READER-SPEC.md, section 9, lists them) and options of the storage")
}

// providerOptions takes options apart: what begins with hoodie., or with hudi.
// for those of this reader, says how tables are read.
func (t *tableFlags) providerOptions(e *Env) (provider.Options, error) {
	o := provider.Options{
		Hudi: map[string]string{}, Storage: map[string]string{},
		Logger: slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: plainLog})),
	}
	for _, option := range t.options {
		key, value, ok := strings.Cut(option, "=")
		if !ok || key == "" {
			return o, usagef("--option %s: write KEY=VALUE", option)
		}
		if strings.HasPrefix(key, "hoodie.") || strings.HasPrefix(key, "hudi.") {
			o.Hudi[key] = value
		} else {
			o.Storage[key] = value
		}
	}
	if err := o.Check(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// plainLog leaves the time out of warnings.
func plainLog(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// resourceFlags bound what a command uses.
type resourceFlags struct {
	threads int
	memory  sizeFlag
}

func (r *resourceFlags) register(c *cobra.Command) {
	c.Flags().IntVar(&r.threads, "threads", 0, "how many threads to use (default all cores)")
	c.Flags().Var(&r.memory, "memory", "how much memory to use before going to disk, as 256MB or 2GiB")
}

// workers is the number of threads, at least one.
func (r *resourceFlags) workers(c *cobra.Command) (int, error) {
	switch {
	case !c.Flags().Changed("threads"):
		return runtime.GOMAXPROCS(0), nil
	case r.threads < 1:
		return 0, usagef("--threads %d: at least one is needed", r.threads)
	}
	return r.threads, nil
}

// notEmpty refuses flags that are given but empty, as an unset variable of the
// shell makes them: they must not read something else than was meant.
func notEmpty(c *cobra.Command, args []string) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err == nil && strings.TrimSpace(v) == "" {
				err = usagef("--%s is empty: leave it out, or give a value", f.Name)
			}
		}
	})
	for _, a := range args {
		if err == nil && a == "" {
			err = usagef("the path is empty: . is the current folder")
		}
	}
	return err
}

// queryFlags are those of scan and plan.
type queryFlags struct {
	tableFlags
	resourceFlags
	kind             string
	asOf, begin, end string
	columns          []string
	where            string
	limit            limitFlag
	meta             bool
	deletes          bool
	stats            bool
}

func (q *queryFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&q.kind, "query", "snapshot", "kind of query: snapshot, read_optimized, incremental, cdc")
	f.StringVar(&q.asOf, "as-of", "", "read the table as it was at this time: an instant, an RFC 3339 time, or a date")
	f.StringVar(&q.begin, "begin", "", "incremental and cdc: changes after this time, an instant, an RFC 3339 time or a date: of completion from table version 8 on, of request before; or an offset that --follow printed, earliest (the default) or latest")
	f.StringVar(&q.end, "end", "", "incremental and cdc: changes up to this time, included; times as for --begin, or latest (the default)")
	f.StringArrayVar(&q.columns, "columns", nil, "columns to read, separated by commas, or repeated (default the table's own)")
	f.StringVar(&q.where, "where", "", "SQL condition on the rows")
	f.Var(&q.limit, "limit", "most rows to read, 0 for none (default all)")
	f.BoolVar(&q.deletes, "deletes", false, "incremental: also give deleted rows, as they were, and the column _hoodie_operation (I, U, D)")
	f.BoolVar(&q.meta, "meta", false, "also read the _hoodie_ columns, in front")
	q.tableFlags.register(c)
	q.resourceFlags.register(c)
	f.BoolVar(&q.stats, "stats", false, "print what was read as one JSON object on standard error")
	c.RegisterFlagCompletionFunc("query", cobra.FixedCompletions([]string{"snapshot", "read_optimized", "incremental", "cdc"}, cobra.ShellCompDirectiveNoFileComp))
}

// query checks the flags.
func (q *queryFlags) query(c *cobra.Command) (provider.Query, error) {
	threads, err := q.workers(c)
	if err != nil {
		return provider.Query{}, err
	}
	kind, err := provider.ParseQueryType(q.kind)
	if err != nil {
		return provider.Query{}, usageError{err}
	}
	changes := kind == provider.Incremental || kind == provider.CDC
	switch {
	case !changes && (q.begin != "" || q.end != ""):
		return provider.Query{}, usagef("--begin and --end go with --query incremental or cdc; --as-of reads an earlier snapshot")
	case changes && q.asOf != "":
		return provider.Query{}, usagef("--as-of does not go with --query %s; --end bounds the changes", kind)
	case q.deletes && kind != provider.Incremental:
		return provider.Query{}, usagef("--deletes goes with --query incremental; cdc gives deletes anyway")
	}
	out := provider.Query{
		Type: kind, AsOf: q.asOf, Begin: q.begin, End: q.end, Meta: q.meta,
		Deletes: q.deletes, CDCText: true,
		Limit: q.limit.rows, Where: q.where, Threads: threads, MemoryLimit: int64(q.memory),
	}
	for _, list := range q.columns {
		names, err := splitColumns(list)
		if err != nil {
			return provider.Query{}, err
		}
		out.Columns = append(out.Columns, names...)
	}
	return out, nil
}

// limitFlag is a number of rows; no rows at all differ from no limit.
type limitFlag struct {
	rows int64
	none bool // 0 was asked for
}

// Set reads a number.
func (l *limitFlag) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return errors.New("a number of rows is needed, 0 or more")
	}
	l.rows, l.none = n, n == 0
	return nil
}

// String writes the number.
func (l *limitFlag) String() string {
	if l.rows == 0 && !l.none {
		return ""
	}
	return strconv.FormatInt(l.rows, 10)
}

// Type names the flag's argument in help texts.
func (l *limitFlag) Type() string { return "N" }

// splitColumns takes a list of names apart. A name with a comma in it is put in
// double quotes, as in SQL.
func splitColumns(list string) ([]string, error) {
	names := []string{}
	for rest := list; ; {
		name, after, err := nextColumn(rest)
		if err != nil {
			return nil, err
		}
		if name == "" {
			return nil, usagef("--columns %s: a name is empty", list)
		}
		names = append(names, name)
		if after == "" {
			return names, nil
		}
		rest = after[1:]
	}
}

// nextColumn gives the first name of a list and what follows: nothing, or a
// comma and the rest.
func nextColumn(list string) (name, after string, err error) {
	list = strings.TrimLeft(list, " ")
	if !strings.HasPrefix(list, `"`) {
		i := strings.IndexByte(list, ',')
		if i < 0 {
			i = len(list)
		}
		return strings.TrimSpace(list[:i]), list[i:], nil
	}
	var b strings.Builder
	for i := 1; i < len(list); i++ {
		if list[i] != '"' {
			b.WriteByte(list[i])
			continue
		}
		if i+1 < len(list) && list[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		after = strings.TrimLeft(list[i+1:], " ")
		if after != "" && after[0] != ',' {
			break
		}
		return b.String(), after, nil
	}
	return "", "", usagef("--columns %s: a quoted name does not end", list)
}

// openTable opens the table that a command is about.
func (t *tableFlags) openTable(ctx context.Context, e *Env, path string) (*provider.Table, error) {
	o, err := t.providerOptions(e)
	if err != nil {
		return nil, err
	}
	o.Recycle = true // batches are written, then released
	if err := notFile(path); err != nil {
		return nil, err
	}
	return provider.Open(ctx, path, o)
}
