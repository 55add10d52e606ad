package scan

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// An incremental query reads a slice as if only the range's writes had been:
// rows of the base file by their commit time, blocks of logs by their instant.
// What these leave is merged. Hence a row of the range that loses against an
// older one, by its ordering value, is given all the same.

// changedRows is the condition that an incremental query puts on rows.
func changedRows(r *snapshot.InstantRange) pushdown.Predicate {
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

// openChanged reads the rows of a task's slice that changed.
func (e *Env) openChanged(ctx context.Context, t Task, threads int) (batch.Reader, error) {
	if !e.Config.PopulateMeta {
		return nil, fmt.Errorf("table %s stores no commit times", e.Job.URI)
	}
	columns := e.Job.Columns
	if len(t.Slice.Logs) > 0 {
		columns = with(columns, schema.CommitTimeColumn)
	}
	inner, err := e.inner(e.Job.Blocks.Latest, columns)
	if err != nil {
		return nil, err
	}
	inner.Job.Blocks.Range = e.Job.Rows
	in, err := inner.open(ctx, t, threads)
	if err != nil || len(t.Slice.Logs) == 0 {
		return in, err
	}
	// Rows of a log compaction have commit times of their own.
	r, err := e.inRange(in, e.Output, e.Job.Rows)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// openBaseInRange reads the rows of a base file that changed.
func (e *Env) openBaseInRange(ctx context.Context, s *snapshot.FileSlice, target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	plain := *e
	plain.Job.Blocks.Range = nil
	condition := changedRows(e.Job.Blocks.Range)
	if o.Prune != nil {
		condition = pushdown.And{o.Prune.Predicate(), condition}
	}
	var err error
	if o.Prune, err = pushdown.Bind(condition, e.Job.Schema.Schema, pushdown.BindOptions{}); err != nil {
		return nil, err
	}
	// What the filter asks of comes in front, since positions come last.
	wide, out := target, target
	if _, has := schema.Lookup(target, schema.CommitTimeColumn); !has {
		at, _ := schema.Lookup(e.Job.Schema.Schema, schema.CommitTimeColumn)
		wide = arrow.NewSchema(append([]arrow.Field{e.Job.Schema.Field(at)}, target.Fields()...), nil)
	}
	in, err := plain.OpenBase(ctx, s, wide, o)
	if err != nil {
		return nil, err
	}
	if o.Position {
		out = arrow.NewSchema(append(append([]arrow.Field{}, target.Fields()...), in.Schema().Field(in.Schema().NumFields()-1)), nil)
	}
	r, err := e.inRange(in, out, e.Job.Blocks.Range)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// inRange passes on the rows whose commit time is in a range, with the columns
// of out, which the reader has.
func (e *Env) inRange(in batch.Reader, out *arrow.Schema, r *snapshot.InstantRange) (batch.Reader, error) {
	keep, err := pushdown.Bind(changedRows(r), in.Schema(), pushdown.BindOptions{})
	if err != nil {
		return nil, err
	}
	f := &filtered{in: in, keep: keep, mem: e.Allocator, out: out}
	for _, c := range out.Fields() {
		at := in.Schema().FieldIndices(c.Name)
		if len(at) != 1 {
			return nil, fmt.Errorf("column %q is missing below the filter", c.Name)
		}
		f.columns = append(f.columns, at[0])
	}
	return f, nil
}

// with adds names to a list that may have them.
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

// filtered passes on the rows that a condition holds for, with some columns.
type filtered struct {
	in      batch.Reader
	keep    *pushdown.Bound
	mem     memory.Allocator
	out     *arrow.Schema
	columns []int // of in
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
	columns := make([]arrow.Array, len(f.columns))
	for i, c := range f.columns {
		columns[i] = b.Column(c)
	}
	cut := array.NewRecordBatch(f.out, columns, b.NumRows())
	defer cut.Release()
	return pushdown.Apply(f.mem, cut, s)
}
