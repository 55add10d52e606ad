package provider

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// OptionCDCFormat is a read option: the form of CDC images, "struct" (columns
// of the table's types) or "json" (text as Spark writes it). [Query.CDCText]
// asks for the latter too.
const OptionCDCFormat = "hudi.cdc.format"

// OptionFallback is Hudi's read option of what an incremental query does when
// files that it needs have been cleaned: true (the default) gives those rows of
// the range that did not change since, with a warning; false is an error.
const OptionFallback = "hoodie.datasource.read.incr.fallback.fulltablescan.enable"

// planChanges plans incremental and CDC queries.
func (t *Table) planChanges(ctx context.Context, q Query) (*Plan, error) {
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := incremental.Select(ctx, snap, q.Begin, q.End, incremental.Options{
		Location: t.options.Location, Holes: t.options.Hudi[incremental.OptionHoles],
	})
	if err != nil {
		return nil, err
	}
	return t.planRange(ctx, snap, q, r, false)
}

// planRange plans the changes of a range; strict is without the way out of
// [OptionFallback].
func (t *Table) planRange(ctx context.Context, snap *snapshot.Snapshot, q Query, r incremental.Range, strict bool) (*Plan, error) {
	p, err := t.newPlan(ctx, snap, q)
	if err != nil {
		return nil, err
	}
	changes, err := incremental.NewPlanner(ctx, snap, r)
	if err != nil {
		return nil, err
	}
	if len(r.Instants) > 0 {
		p.Job.Instant = r.Instants[len(r.Instants)-1].Requested
	}
	switch {
	case q.Type == CDC:
		err = p.addImages(ctx, changes)
	case q.Deletes || !snap.Config().PopulateMeta && !r.FromStart:
		// Without commit times, what changed is told by comparing rows.
		err = p.addDifferences(ctx, changes)
	default:
		err = t.addRows(ctx, p, changes, strict || strings.EqualFold(t.options.Hudi[OptionFallback], "false"))
		if err == nil {
			err = t.pruneTasks(ctx, snap, q, p)
		}
	}
	var lost *incremental.LostError
	if errors.As(err, &lost) {
		lost.Table = t.uri
	}
	return p, err
}

// addRows plans the rows of a range as of its end. Where files of that end are
// gone, Hudi reads the present table instead, unless told not to.
func (t *Table) addRows(ctx context.Context, p *Plan, changes *incremental.Planner, strict bool) error {
	v, rows, err := changes.Rows(ctx)
	if errors.Is(err, snapshot.ErrTimeTravel) && !strict {
		t.options.Logger.WarnContext(ctx, "rows that changed again after the range are left out: files of its end have been cleaned", "table", t.uri, "instant", p.Job.Instant, "why", err)
		v, rows, err = changes.Current(ctx)
	}
	if err != nil {
		return err
	}
	p.Job.Rows, p.Job.Blocks.Latest = &rows, v.Latest
	for _, s := range v.Slices {
		p.Tasks = append(p.Tasks, scan.Task{Slice: s})
	}
	p.Stats = planStats(v.Slices)
	return nil
}

func (p *Plan) addDifferences(ctx context.Context, changes *incremental.Planner) error {
	list, err := changes.Differences(ctx)
	if err == nil {
		p.addChanges(list)
	}
	return err
}

func (p *Plan) addImages(ctx context.Context, changes *incremental.Planner) error {
	list, err := changes.Images(ctx)
	if err == nil {
		p.addChanges(list)
	}
	return err
}

func (p *Plan) addChanges(list []incremental.Change) {
	var all []snapshot.FileSlice
	for i := range list {
		c := &list[i]
		t := scan.Task{Change: c, Slice: snapshot.FileSlice{Partition: c.Partition()}}
		for _, v := range [...]*incremental.View{&c.Before, &c.After} {
			all = append(all, v.Slices...)
			if len(v.Slices) == 1 {
				t.Slice.FileID = v.Slices[0].FileID
			}
		}
		p.Tasks = append(p.Tasks, t)
	}
	p.Stats = planStats(all)
}

// changeForm is the form in which a query's changes come out, and the columns
// that it needs, nil for those of any query.
func (t *Table) changeForm(full *arrow.Schema, snap *snapshot.Snapshot, q Query) (form scan.ChangeForm, columns []string) {
	switch {
	case q.Type == CDC:
		form = scan.ImageStructs
		if format := t.options.Hudi[OptionCDCFormat]; strings.EqualFold(format, "json") || format == "" && q.CDCText {
			form = scan.ImageTexts
		}
		if form == scan.ImageTexts && q.Columns == nil {
			for _, f := range full.Fields() {
				columns = append(columns, f.Name)
			}
		}
	case q.Deletes:
		form = scan.ChangedRows
	}
	return form, columns
}

// newPlan is a plan without tasks.
func (t *Table) newPlan(ctx context.Context, snap *snapshot.Snapshot, q Query) (*Plan, error) {
	full, history, err := tableSchema(ctx, snap)
	if err != nil {
		return nil, err
	}
	form, columns := t.changeForm(full, snap, q)
	if columns == nil {
		if columns, err = t.columns(full, q); err != nil {
			return nil, err
		}
	}
	if form == scan.ChangedRows {
		columns = withoutOperation(columns)
	}
	blocks, err := snap.LogVisibility(ctx)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Job: scan.Job{
			URI: t.uri, Storage: maps.Clone(t.options.Storage), Options: t.options.Hudi, Properties: snap.Config().Properties(),
			Instant: snap.Instant(), Schema: scan.Schema{Schema: full}, History: history, Columns: columns,
			Blocks: blocks, Changes: form,
		},
		Limit:     q.Limit,
		SkipMerge: t.skipsMerge(),
		counters:  &pushdown.Counters{},
		storage:   t.storage,
		snap:      snap,
	}
	return p, t.addWhere(p, q)
}

// withoutOperation drops the table's own operation column, whose place the
// change's takes.
func withoutOperation(columns []string) []string {
	out := columns[:0:0]
	for _, c := range columns {
		if c != schema.OperationColumn {
			out = append(out, c)
		}
	}
	return out
}
