package scan

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
)

// OptionPruningOff is a read option: the levels, separated by commas, at which
// nothing is to be pruned. The rows of an answer do not depend on it. "all"
// leaves only the filter of rows.
const OptionPruningOff = "hudi.pruning.disable"

// Levels of pruning that [OptionPruningOff] names.
const (
	PrunePartitions     = "partitions"      // by partition path
	PrunePartitionStats = "partition_stats" // by the metadata table
	PruneColumnStats    = "column_stats"
	PruneRecordIndex    = "record_index"
	PruneSecondaryIndex = "secondary_index"
	PruneBloomFilters   = "bloom_filters"
	PruneExpressions    = "expression_index"
	PruneBuckets        = "buckets"    // by bucket numbers in file ids
	PruneFileKeys       = "file_keys"  // key range and bloom filter in footers of base files
	PruneRowGroups      = "row_groups" // by statistics and Parquet's bloom filters
	PrunePages          = "pages"
	PruneLogs           = "logs"         // rows of Parquet logs, by all of the former
	PruneLate           = "late_columns" // other columns only where the condition holds
)

// Levels are the levels that are switched off.
type Levels map[string]bool

// PruningOff reads [OptionPruningOff].
func PruningOff(options map[string]string) Levels {
	off := Levels{}
	for name := range strings.SplitSeq(options[OptionPruningOff], ",") {
		if name = strings.TrimSpace(name); name != "" {
			off[name] = true
		}
	}
	return off
}

// On tells whether a level is used.
func (l Levels) On(level string) bool { return !l[level] && !l["all"] }

// whereSchema is the schema that a job's condition is bound to: the table's,
// or for changes with images that of the output.
func (j *Job) whereSchema() (*arrow.Schema, error) {
	switch j.Changes {
	case ImageStructs, ImageTexts:
		return j.OutputSchema()
	case ChangedRows:
		fields := make([]arrow.Field, 0, j.Schema.NumFields()+1)
		for _, f := range j.Schema.Fields() {
			if f.Name != schema.OperationColumn {
				fields = append(fields, f)
			}
		}
		return arrow.NewSchema(append(fields, arrow.Field{Name: schema.OperationColumn, Type: arrow.BinaryTypes.String}), nil), nil
	}
	return j.Schema.Schema, nil
}

// BindWhere binds a condition to what the rows of a job can be asked.
func (j *Job) BindWhere(p pushdown.Predicate, o pushdown.BindOptions) (*pushdown.Bound, error) {
	s, err := j.whereSchema()
	if err != nil {
		return nil, err
	}
	return pushdown.Bind(p, s, o)
}

// bindWhere prepares the environment for the job's condition: inside is the
// one that reads what the condition needs, unfiltered.
func (e *Env) bindWhere() error {
	if e.Job.Where == "" {
		return nil
	}
	p, err := pushdown.ParseSQL(e.Job.Where)
	if err != nil {
		return err
	}
	if e.where, err = e.Job.BindWhere(p, pushdown.BindOptions{}); err != nil {
		return err
	}
	inside := *e
	inside.where, inside.Job.Where = nil, ""
	switch e.Job.Changes {
	case ImageStructs, ImageTexts:
	case ChangedRows:
		for _, c := range e.where.Columns() {
			if c != schema.OperationColumn {
				inside.Job.Columns = with(inside.Job.Columns, c)
			}
		}
	default:
		inside.Job.Columns = with(inside.Job.Columns, e.where.Columns()...)
		inside.prune = e.where
	}
	if inside.Output, err = inside.Job.OutputSchema(); err != nil {
		return err
	}
	e.inside = &inside
	return nil
}

// Condition is what rows that are read have to fulfil to be of use, once
// merged; nil if all are wanted. Whoever reads files may leave out what can't
// fulfil it, and need not.
func (e *Env) Condition() *pushdown.Bound { return e.prune }

// openWhere reads the rows of a task that fulfil the job's condition.
func (e *Env) openWhere(ctx context.Context, t Task, threads int) (batch.Reader, error) {
	if e.where.Always() == pushdown.No {
		return batch.Empty(e.Output), nil
	}
	if t.Change == nil && e.Job.Rows == nil && len(t.Slice.Logs) == 0 && t.Slice.Base != nil && t.Slice.Base.Bootstrap == nil {
		return e.openBaseWhere(ctx, t, threads)
	}
	in, err := e.inside.open(ctx, t, threads)
	if err != nil {
		return nil, err
	}
	return e.filter(in)
}

// filter passes on the rows that fulfil the condition, with the columns of the
// output.
func (e *Env) filter(in batch.Reader) (batch.Reader, error) {
	r := &selecting{env: e, in: in}
	for _, f := range e.Output.Fields() {
		at := in.Schema().FieldIndices(f.Name)
		if len(at) == 0 {
			return nil, fmt.Errorf("column %q is missing below the filter", f.Name)
		}
		r.columns = append(r.columns, at[0])
	}
	return r, nil
}

// selecting is a reader behind a filter.
type selecting struct {
	env     *Env
	in      batch.Reader
	columns []int // of in, for the output
	unasked int   // batches to come that a loose caller gets whole
}

// unaskedAtOnce is how many batches are given out whole after one of which
// most rows fit.
const unaskedAtOnce = 15

func (r *selecting) Schema() *arrow.Schema { return r.env.Output }
func (r *selecting) Close() error          { return r.in.Close() }

func (r *selecting) Next() (arrow.RecordBatch, error) {
	for {
		b, err := r.in.Next()
		if err != nil {
			return nil, err
		}
		out, err := r.selected(b)
		b.Release()
		if err != nil || out.NumRows() > 0 {
			return out, err
		}
		out.Release()
	}
}

func (r *selecting) selected(b arrow.RecordBatch) (arrow.RecordBatch, error) {
	if r.unasked > 0 {
		r.unasked--
		return r.cut(b), nil
	}
	s, err := r.env.where.Filter(b)
	if err != nil {
		return nil, err
	}
	r.env.countRows(s)
	cut := r.cut(b)
	if r.env.Options.Loose && s.Count() > s.Len()/4*3 {
		r.unasked = unaskedAtOnce
		return cut, nil
	}
	defer cut.Release()
	return pushdown.Apply(r.env.Allocator, cut, s)
}

// cut leaves out the columns that only the condition needs.
func (r *selecting) cut(b arrow.RecordBatch) arrow.RecordBatch {
	columns := make([]arrow.Array, len(r.columns))
	for i, c := range r.columns {
		columns[i] = b.Column(c)
	}
	return array.NewRecordBatch(r.env.Output, columns, b.NumRows())
}

func (e *Env) countRows(s pushdown.Selection) {
	e.Options.Counters.Add(pushdown.LevelRows, "row filter", e.where.String(), int64(s.Len()), int64(s.Len()-s.Count()))
}
