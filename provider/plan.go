package provider

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// A Plan is what a query will read. It is plain data: it can be serialized,
// taken apart by tasks, and read in another process by [Read].
type Plan struct {
	Job       scan.Job    `json:"job"`
	Tasks     []scan.Task `json:"tasks"`
	Limit     int64       `json:"limit,omitempty"` // rows; 0 means all
	SkipMerge bool        `json:"skipMerge,omitempty"`
	Filters   []Filter    `json:"filters,omitempty"`
	Stats     PlanStats   `json:"stats"`

	where    *pushdown.Bound    // what scans ask of rows
	prune    *pushdown.Bound    // the whole condition, whose other parts may prune
	storage  storage.Storage    // nil in a plan of another process
	snap     *snapshot.Snapshot // also
	counters *pushdown.Counters
}

// PlanStats count what a plan reads of the table.
type PlanStats struct {
	Partitions int   `json:"partitions"` // with files to read
	Slices     int   `json:"slices"`
	BaseFiles  int   `json:"baseFiles"`
	LogFiles   int   `json:"logFiles"`
	Bytes      int64 `json:"bytes"` // sizes of all files, where known
	// Levels tell what the condition left out, and why.
	Levels []pushdown.LevelCount `json:"levels,omitempty"`
}

// Instant is the requested time of the instant that the plan reads.
func (p *Plan) Instant() string { return p.Job.Instant }

// Schema is the schema of the batches.
func (p *Plan) Schema() *arrow.Schema {
	s, err := p.Job.OutputSchema()
	if err != nil { // columns that are not there: no planner makes such a plan
		return arrow.NewSchema(nil, nil)
	}
	return schema.Strip(s)
}

// Mergeable tells by an error that the plan reads logs which nobody knows how to
// merge: it wraps [mergeread.ErrNoMerger].
func (p *Plan) Mergeable() error {
	logs := func(t scan.Task) bool { return t.Change == nil && len(t.Slice.Logs) > 0 }
	if p.SkipMerge || !slices.ContainsFunc(p.Tasks, logs) {
		return nil
	}
	cfg, err := snapshot.ConfigOf(p.Job.URI, p.Job.Properties)
	if err != nil {
		return err
	}
	_, err = mergeread.TableRules(cfg)
	if !errors.Is(err, mergeread.ErrNoMerger) {
		return err
	}
	return &snapshot.TableError{Table: p.Job.URI, Instant: p.Job.Instant, Kind: snapshot.ErrUnsupported, Err: err}
}

// Plan finds out what a query reads: one task for each file slice. It opens no
// data file.
func (t *Table) Plan(ctx context.Context, q Query) (*Plan, error) {
	if err := t.check(q); err != nil {
		return nil, err
	}
	if q.Type == Incremental || q.Type == CDC {
		return t.planChanges(ctx, q)
	}
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	p, err := t.newPlan(ctx, snap, q)
	if err != nil {
		return nil, err
	}
	found, err := t.slices(ctx, snap, q, p)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		p.Tasks = append(p.Tasks, scan.Task{Slice: s})
	}
	p.Stats = p.statsOf(found)
	return p, nil
}

// slices lists what a snapshot query has to read.
func (t *Table) slices(ctx context.Context, snap *snapshot.Snapshot, q Query, p *Plan) ([]snapshot.FileSlice, error) {
	o := snapshot.SliceOptions{ReadOptimized: q.Type == ReadOptimized}
	r, err := t.newPruner(ctx, snap, q, p)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return snap.Slices(ctx, o)
	}
	return r.slices(ctx, o)
}

// statsOf counts what is read, and adds what was pruned on the way there.
func (p *Plan) statsOf(slices []snapshot.FileSlice) PlanStats {
	st := planStats(slices)
	st.Levels = p.counters.Levels()
	return st
}

// planStats count slices.
func planStats(slices []snapshot.FileSlice) PlanStats {
	var st PlanStats
	partitions := map[string]bool{}
	for _, s := range slices {
		partitions[s.Partition] = true
		st.Slices++
		if s.Base != nil {
			st.BaseFiles++
			st.Bytes += s.Base.Size
			if s.Base.Bootstrap != nil {
				st.Bytes += s.Base.Bootstrap.Size
			}
		}
		for _, l := range s.Logs {
			st.LogFiles++
			st.Bytes += l.Size
		}
	}
	st.Partitions = len(partitions)
	return st
}
