package scan

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/schema"
)

// A ChangeForm is what the rows of a [Task] with a Change look like.
type ChangeForm string

const (
	// ChangedRows gives changed rows as they are now and deleted ones as they
	// were, told apart by the column _hoodie_operation: I, U, D.
	ChangedRows ChangeForm = "rows"
	// ImageStructs gives op (i, u, d), ts_ms (the instant), and the rows
	// before and after as structs of the columns.
	ImageStructs ChangeForm = "struct"
	// ImageTexts gives the same with the rows as Spark writes them: JSON.
	ImageTexts ChangeForm = "json"
)

// Columns of changes with images.
const (
	OpColumn     = "op"
	TimeColumn   = "ts_ms"
	BeforeColumn = "before"
	AfterColumn  = "after"
)

// OutputSchema is the schema of the batches of a job's tasks.
func (j *Job) OutputSchema() (*arrow.Schema, error) {
	rows, err := j.project(j.Columns)
	if err != nil {
		return nil, err
	}
	text := arrow.BinaryTypes.String
	switch j.Changes {
	case ChangedRows:
		at := operationPlace(rows)
		fields := append([]arrow.Field{}, rows.Fields()[:at]...)
		fields = append(fields, arrow.Field{Name: schema.OperationColumn, Type: text})
		return arrow.NewSchema(append(fields, rows.Fields()[at:]...), nil), nil
	case ImageStructs, ImageTexts:
		var image arrow.DataType = text
		if j.Changes == ImageStructs {
			image = arrow.StructOf(rows.Fields()...)
		}
		return arrow.NewSchema([]arrow.Field{
			{Name: OpColumn, Type: text}, {Name: TimeColumn, Type: text},
			{Name: BeforeColumn, Type: image, Nullable: true}, {Name: AfterColumn, Type: image, Nullable: true},
		}, nil), nil
	}
	return rows, nil
}

// operationPlace is where the operation goes: behind the meta columns, which
// come first.
func operationPlace(rows *arrow.Schema) int {
	n := 0
	for n < rows.NumFields() && schema.IsMeta(rows.Field(n).Name) {
		n++
	}
	return n
}

// openChange reads what changed in some file groups.
func (e *Env) openChange(ctx context.Context, c *incremental.Change, threads int) (batch.Reader, error) {
	w, err := newChangeWriter(e, c)
	if err != nil {
		return nil, err
	}
	if len(c.Logged) > 0 {
		return e.openLogged(ctx, c, w, threads)
	}
	if len(e.Config.RecordKeys) == 0 && !e.Config.PopulateMeta && len(c.Before.Slices) > 0 {
		return nil, fmt.Errorf("table %s stores no record keys (hoodie.populate.meta.fields=false) and names no key fields (hoodie.table.recordkey.fields): which of its rows changed can't be told; compare snapshots", e.Job.URI)
	}
	return newDifference(ctx, e, c, w, threads), nil
}

// sides is how rows of one moment are read for a change: the output columns,
// and what tells rows and their versions apart.
type sides struct {
	columns []string // of which the first are the output's
	width   int      // number of output columns
	keys    keys
	commit  int   // place of the commit time, -1 without meta columns
	values  []int // places of the columns whose values decide, if compared
}

// newSides plans the columns. compare says that rows have to be compared value
// by value.
func newSides(e *Env, compare bool) (sides, error) {
	s := sides{columns: e.Job.Columns, width: len(e.Job.Columns), commit: -1}
	place := func(name string) int {
		s.columns = with(s.columns, name)
		for i, c := range s.columns {
			if c == name {
				return i
			}
		}
		return -1
	}
	var err error
	if s.keys, err = newKeys(e, place); err != nil {
		return s, err
	}
	if e.Config.PopulateMeta {
		s.commit = place(schema.CommitTimeColumn)
	}
	if compare {
		for _, f := range e.Job.Schema.Fields() {
			if !schema.IsMeta(f.Name) {
				s.values = append(s.values, place(f.Name))
			}
		}
	}
	return s, nil
}

// view reads the slices of a view with these columns.
func (s *sides) view(ctx context.Context, e *Env, v incremental.View, threads int) (batch.Reader, error) {
	inner, err := e.inner(v.Latest, s.columns)
	if err != nil {
		return nil, err
	}
	inner.Options.Threads = threads
	tasks := make([]Task, len(v.Slices))
	for i, slice := range v.Slices {
		tasks[i].Slice = slice
	}
	return inner.Read(ctx, tasks), nil
}
