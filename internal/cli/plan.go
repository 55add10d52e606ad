package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

func newPlan(e *Env) *cobra.Command {
	var q queryFlags
	var l listFlags
	c := &cobra.Command{
		Use:   "plan PATH",
		Short: "Show what a scan would read, and what was pruned at each level",
		Long: `Show what a scan with the same flags would read: the file slices, the rows (exactly, where the footers of some files
tell), and how much was pruned at each level.

What a scan refuses is refused here, but for files that are damaged or gone: a plan does not read them. Parts of a
condition that only the SQL engine understands are asked of the rows after the scan; the other parts prune. With -o json
the plan is written as one object, on several lines.`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := l.json()
			if err != nil {
				return err
			}
			query, err := q.query(c)
			if err != nil {
				return err
			}
			t, err := q.openTable(c.Context(), e, args[0])
			if err != nil {
				return err
			}
			plan, err := planOf(c.Context(), t, query)
			if err != nil {
				return whereError(err)
			}
			if err := plan.Mergeable(); err != nil {
				return err
			}
			rows := rowsOf(c.Context(), plan)
			if q.limit.none {
				plan.Tasks, plan.Stats, rows = nil, provider.PlanStats{Levels: plan.Stats.Levels}, &provider.Count{Exact: true}
			}
			if asJSON {
				out := json.NewEncoder(e.Stdout)
				out.SetEscapeHTML(false)
				out.SetIndent("", "  ")
				return out.Encode(struct {
					*provider.Plan
					Rows *provider.Count `json:"rows,omitempty"`
				}{plan, rows})
			}
			return printPlan(e, t, query, plan, rows)
		},
	}
	q.register(c)
	l.register(c)
	return c
}

// planOf plans a query. Of a condition that only the SQL engine understands,
// the parts that are understood prune.
func planOf(ctx context.Context, t *provider.Table, q provider.Query) (*provider.Plan, error) {
	plan, err := t.Plan(ctx, q)
	if !beyondScan(err) {
		return plan, err
	}
	r, err := scanWhere(ctx, t, q, &statsLog{}) // which reads nothing before the first batch
	if err != nil {
		return nil, err
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	q.Inexact = true
	return t.Plan(ctx, q)
}

// planFooters is how many files are opened to tell how many rows a plan has.
const planFooters = 64

// rowsOf is the number of rows of a plan, or an estimate; nil where a file
// can't be opened, which is for the scan to tell.
func rowsOf(ctx context.Context, p *provider.Plan) *provider.Count {
	s, err := p.Statistics(ctx, provider.StatisticsOptions{Footers: planFooters})
	if err != nil {
		return nil
	}
	for _, f := range p.Filters {
		s.Rows.Exact = s.Rows.Exact && f.Support == pushdown.Exact.String()
	}
	return &s.Rows
}

func rowsText(rows *provider.Count) string {
	switch {
	case rows == nil:
		return "unknown"
	case rows.Exact:
		return fmt.Sprint(rows.N)
	}
	return fmt.Sprintf("about %d", rows.N)
}

func printPlan(e *Env, t *provider.Table, q provider.Query, p *provider.Plan, estimate *provider.Count) error {
	rows := make([][]string, len(p.Tasks))
	for i, task := range p.Tasks {
		rows[i] = sliceRow(task.Slice)
	}
	err := render.List(e.Stdout, columns("partition", "file id", "instant", "base file", ">base size", ">logs", ">log size"), rows, e.renderOptions())
	if err != nil {
		return err
	}
	s := p.Stats
	pairs := [][2]string{
		{"table", t.Name()},
		{"query", q.Type.String()},
		{"instant", orNone(p.Instant())},
		{"columns", fmt.Sprint(p.Schema().NumFields())},
		{"rows", rowsText(estimate)},
		{"reads", readsText(s)},
	}
	pairs = append(pairs, conditionPairs(p)...)
	if _, err := fmt.Fprintln(e.Stdout); err != nil {
		return err
	}
	return render.Pairs(e.Stdout, pairs)
}

func readsText(s provider.PlanStats) string {
	return fmt.Sprintf("%d partitions, %d file slices, %d base files, %d logs, %s", s.Partitions, s.Slices, s.BaseFiles, s.LogFiles, bytesText(s.Bytes))
}

// conditionPairs tell what is asked of the rows, and what that left out.
func conditionPairs(p *provider.Plan) [][2]string {
	var pairs [][2]string
	for _, f := range p.Filters {
		support := f.Support
		if support == pushdown.Unsupported.String() {
			support = "asked of the rows after the scan"
		}
		pairs = append(pairs, [2]string{"condition", f.Condition + ": " + support})
	}
	for _, l := range p.Stats.Levels {
		pairs = append(pairs, [2]string{l.Level, levelText(l)})
	}
	return pairs
}

// levelText tells what was pruned at a level, and by what.
func levelText(l pushdown.LevelCount) string {
	text := fmt.Sprintf("%d seen, %d pruned", l.Seen, l.Pruned)
	var by []string
	for _, r := range l.By {
		by = append(by, fmt.Sprintf("%d by %s: %s", r.Count, r.Index, r.Condition))
	}
	if len(by) > 0 {
		text += " (" + strings.Join(by, "; ") + ")"
	}
	return text
}
