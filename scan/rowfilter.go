package scan

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
)

// changedRows is the condition that an incremental query puts on rows.
func changedRows(r incremental.Rows) pushdown.Predicate {
	c := pushdown.Col(schema.CommitTimeColumn)
	if r.UpTo != "" {
		return pushdown.And{c.Gt(r.After), c.Le(r.UpTo)}
	}
	in := pushdown.In{Column: c}
	for _, t := range r.In {
		in.Values = append(in.Values, pushdown.String(t))
	}
	return in
}

// openChanged reads the rows of a task's slice that changed. Whether a row did
// is known only after the merge: it bears the commit time of the record that
// won.
func (e *Env) openChanged(ctx context.Context, t Task, threads int) (batch.Reader, error) {
	if !e.Config.PopulateMeta {
		return nil, fmt.Errorf("table %s stores no commit times", e.Job.URI)
	}
	inner, err := e.inner(e.Job.Blocks.Latest, with(e.Job.Columns, schema.CommitTimeColumn))
	if err != nil {
		return nil, err
	}
	keep, err := pushdown.Bind(changedRows(*e.Job.Rows), inner.Output, pushdown.BindOptions{})
	if err != nil {
		return nil, err
	}
	in, err := inner.open(ctx, t, threads)
	if err != nil {
		return nil, err
	}
	return &filtered{in: in, keep: keep, mem: e.Allocator, out: e.Output}, nil
}

// with adds a name to a list that may have it.
func with(names []string, more ...string) []string {
	out := append([]string{}, names...)
next:
	for _, m := range more {
		for _, n := range out {
			if n == m {
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}

// filtered passes on the rows that a condition holds for, and of their columns
// the first ones, which are those of out.
type filtered struct {
	in   batch.Reader
	keep *pushdown.Bound
	mem  memory.Allocator
	out  *arrow.Schema
}

func (f *filtered) Schema() *arrow.Schema { return f.out }
func (f *filtered) Close() error          { return f.in.Close() }

func (f *filtered) Next() (arrow.RecordBatch, error) {
	b, err := f.in.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	s, err := f.keep.Filter(b)
	if err != nil {
		return nil, err
	}
	cut := array.NewRecordBatch(f.out, b.Columns()[:f.out.NumFields()], b.NumRows())
	defer cut.Release()
	return pushdown.Apply(f.mem, cut, s)
}
