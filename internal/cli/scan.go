package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

func newScan(e *Env) *cobra.Command {
	var q queryFlags
	var o outputFlags
	var f followFlags
	c := &cobra.Command{
		Use:   "scan PATH",
		Short: "Read the rows of a table",
		Long: `Read the rows of a table: the latest snapshot, or with --query and --as-of another view of it.

All rows are written, whatever the form of the output; --limit bounds them. In tables, NULL is no value; the text NULL
stands in quotes there.

--begin and --end are compared with completion times from table version 8 on, with requested times before; "hudi info"
shows both of the latest write. --option takes the read options of docs/READER-SPEC.md, section 9, and what the storage
understands.`,
		Example: `  hudi scan /lake/trips --columns city,fare --where 'fare > 20' --limit 10
  hudi scan /lake/trips --as-of 2024-05-01 -O trips.parquet
  hudi scan /lake/trips --query incremental --begin 20240501000000000 -o json
  hudi scan /lake/trips --query cdc --begin latest --follow -o json
  hudi scan /lake/trips --query cdc --option hudi.cdc.format=struct --where 'after.fare > 2 * before.fare'`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			query, err := q.query(c)
			if err != nil {
				return err
			}
			if err := f.check(c, query, &o); err != nil {
				return err
			}
			if f.follow {
				return o.into(e, func(out *output) error { return f.run(c.Context(), e, &q, query, args[0], out) })
			}
			return o.into(e, func(out *output) error { return runScan(c.Context(), e, &q, query, args[0], out) })
		},
	}
	q.register(c)
	f.register(c)
	o.register(c)
	return c
}

func runScan(ctx context.Context, e *Env, q *queryFlags, query provider.Query, path string, out *output) error {
	t, err := q.openTable(ctx, e, path)
	if err != nil {
		return err
	}
	stats := &statsLog{}
	r, err := scanPlain(ctx, t, query, stats)
	if beyondScan(err) {
		r, err = scanWhere(ctx, t, query, stats)
	}
	if err != nil {
		return whereError(err)
	}
	defer r.Close()
	if q.limit.none {
		r = batch.Empty(r.Schema())
	}
	p := startProgress(e, out, stats)
	rows, err := out.write(p.watch(r))
	p.stop()
	if err != nil {
		return err
	}
	if q.stats {
		return printStats(e, stats, rows)
	}
	return nil
}

func scanPlain(ctx context.Context, t *provider.Table, q provider.Query, stats *statsLog) (batch.Reader, error) {
	r, err := t.Scan(ctx, q)
	if err != nil {
		return nil, err
	}
	stats.add(t, r)
	return r, nil
}

// beyondScan tells that a condition is beyond what scans understand: then the
// SQL engine, which knows all of SQL, has to apply it.
func beyondScan(err error) bool {
	var syntax *pushdown.SyntaxError
	var bind *pushdown.BindError
	var unknown *pushdown.UnknownColumnError
	return errors.As(err, &syntax) || errors.As(err, &bind) && !errors.As(err, &unknown)
}

// whereError says which flag an error is about, if it is about the condition.
func whereError(err error) error {
	var bind *pushdown.BindError
	if errors.As(err, &bind) {
		return fmt.Errorf("--where: %w", err)
	}
	return err
}

// scanWhere lets the SQL engine apply the condition. It may name columns that
// are not in the output. The parts of it that scans understand keep files from
// being read all the same.
func scanWhere(ctx context.Context, t *provider.Table, q provider.Query, stats *statsLog) (batch.Reader, error) {
	all := q
	all.Where = ""
	schema, err := t.Schema(ctx, all)
	if err != nil {
		return nil, err
	}
	all.Columns, all.Meta = nil, true
	all.Filter, all.Inexact = pushdown.ParseSQLParts(q.Where), true
	s, err := newSource(ctx, t, all, stats)
	if err != nil {
		return nil, err
	}
	engine, err := duckdb.Open(duckdb.Options{Threads: q.Threads, MemoryLimit: q.MemoryLimit})
	if err != nil {
		return nil, err
	}
	r := &whereReader{engine: engine, target: schema}
	if err := r.start(ctx, s, q); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// checkSQL is a statement that is right where a condition is. Nothing stands
// around the condition, so that errors are about the user's own text.
func checkSQL(where string) string {
	return fmt.Sprintf("SELECT 1 FROM %s WHERE\n%s\n", whereTable, where)
}

// whereSQL is the statement for a condition, which stands on lines of its own,
// so that a comment in it ends, and in parentheses, so that nothing but a
// condition fits.
func whereSQL(columns []string, q provider.Query) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = duckdb.QuoteName(c)
	}
	sql := fmt.Sprintf("SELECT %s FROM %s WHERE (\n%s\n)", strings.Join(names, ", "), whereTable, q.Where)
	if q.Limit > 0 {
		sql += fmt.Sprintf(" LIMIT %d", q.Limit)
	}
	return sql
}

// whereTable is the name by which a condition may qualify columns.
const whereTable = `"table"`

// printStats prints what was read.
func printStats(e *Env, stats *statsLog, rows int64) error {
	text, err := json.Marshal(struct {
		Rows  int64        `json:"rows"`
		Scans []tableStats `json:"scans"`
	}{rows, stats.all()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stderr, "%s\n", text)
	return err
}
