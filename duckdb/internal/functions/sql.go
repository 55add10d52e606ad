package functions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
)

// mergeScan is the table function that reads the part of a plan that is not for
// DuckDB, by the plan's ticket.
const mergeScan = "hudi_merge_scan"

// rowColumn is the merge scan's first column, which tells rows from ticks.
const rowColumn = "hudi_row"

// maxPlans bounds how many plans wait for being bound.
const maxPlans = 256

// plans are those whose query was written, but not bound yet, or may be bound
// again. The oldest go first.
type plans struct {
	mu    sync.Mutex
	all   map[string]tablefunc.Source
	order []string
}

func newPlans() *plans { return &plans{all: map[string]tablefunc.Source{}} }

// keep gives a ticket for a plan.
func (p *plans) keep(s tablefunc.Source) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.order) == maxPlans {
		delete(p.all, p.order[0])
		p.order = p.order[1:]
	}
	ticket := rand.Text()
	p.all[ticket] = s
	p.order = append(p.order, ticket)
	return ticket
}

func (p *plans) resolve(_ context.Context, a tablefunc.Arguments) (tablefunc.Source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.all[a.Positional[0]]; s != nil {
		return s, nil
	}
	return nil, errors.New(mergeScan + " reads plans of hudi_sql, and this one is gone: run the query again; for a table's path use hudi_scan")
}

// SQL gives the text of a query that reads the rows of a plan: base files that
// need no merging by DuckDB's own Parquet reader, with all that it can push
// down, and the rest by the merge scan.
func (f *Functions) SQL(ctx context.Context, t *provider.Table, p *provider.Plan, q provider.Query) (string, error) {
	if f.options.Planned != nil {
		f.options.Planned(t, p)
	}
	n, err := f.native(ctx, p)
	if err != nil {
		return "", err
	}
	var branches []string
	var handed int64
	for _, s := range n.selections {
		branches = append(branches, n.selectFrom(s))
		handed += sizes(s.tasks)
	}
	if f.options.Handed != nil && len(branches) > 0 {
		f.options.Handed(Handed{t, p, n.files(), handed})
	}
	if len(n.rest) > 0 || len(branches) == 0 {
		part := *p
		part.Tasks, part.Stats = n.rest, provider.PlanStats{}
		part.Stats.Bytes = sizes(n.rest)
		if len(branches) == 0 { // else Handed has told
			part.Stats.Levels = p.Stats.Levels
		}
		branches = append(branches, f.mergeSQL(n.schema, f.rows(t, &part, q)))
	}
	return strings.Join(branches, " UNION ALL "), nil
}

// mergeSQL is the branch that the merge scan reads.
func (f *Functions) mergeSQL(schema *arrow.Schema, s tablefunc.Source) string {
	names := make([]string, schema.NumFields())
	for i, field := range tablefunc.UniqueNames(schema, rowColumn) {
		names[i] = quoteName(field)
	}
	return fmt.Sprintf("SELECT %s FROM %s(%s) WHERE %s", strings.Join(names, ", "), mergeScan, quoteString(f.plans.keep(s)), rowColumn)
}

func (n *native) selectFrom(s *selection) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range s.columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c + " AS " + quoteName(n.schema.Field(i).Name))
	}
	b.WriteString(" FROM read_parquet([")
	for i, p := range s.paths {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteString(p))
	}
	b.WriteString("], hive_partitioning = false, union_by_name = false, binary_as_string = false)")
	return b.String()
}

func sizes(tasks []scan.Task) (bytes int64) {
	for _, t := range tasks {
		if t.Slice.Base != nil {
			bytes += t.Slice.Base.Size
		}
		for _, l := range t.Slice.Logs {
			bytes += l.Size
		}
	}
	return bytes
}
