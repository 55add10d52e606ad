package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// A Plan is what a query will read. It is plain data: it can be serialized,
// taken apart by tasks, and read in another process by [Read].
type Plan struct {
	Job       scan.Job    `json:"job"`
	Tasks     []scan.Task `json:"tasks"`
	Limit     int64       `json:"limit,omitempty"` // rows; 0 means all
	SkipMerge bool        `json:"skipMerge,omitempty"`
	Stats     PlanStats   `json:"stats"`
}

// PlanStats count what a plan reads of the table.
type PlanStats struct {
	Partitions int   `json:"partitions"` // with files to read
	Slices     int   `json:"slices"`
	BaseFiles  int   `json:"baseFiles"`
	LogFiles   int   `json:"logFiles"`
	Bytes      int64 `json:"bytes"` // sizes of all files, where known
}

// Instant is the requested time of the instant that the plan reads.
func (p *Plan) Instant() string { return p.Job.Instant }

// Schema is the schema of the batches.
func (p *Plan) Schema() *arrow.Schema { return project(p.Job.Schema.Schema, p.Job.Columns) }

// Plan finds out what a query reads: one task for each file slice. It opens no
// data file.
func (t *Table) Plan(ctx context.Context, q Query) (*Plan, error) {
	if q.Type == Incremental || q.Type == CDC {
		return nil, fmt.Errorf("table %s at %s: %s queries are not supported yet: read snapshots with as-of", t.Name(), t.uri, q.Type)
	}
	if q.Where != "" {
		return nil, fmt.Errorf("table %s at %s: conditions are not supported here yet: filter in SQL", t.Name(), t.uri)
	}
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	full, history, err := tableSchema(ctx, snap)
	if err != nil {
		return nil, err
	}
	columns, err := t.columns(full, q)
	if err != nil {
		return nil, err
	}
	slices, err := snap.Slices(ctx, snapshot.SliceOptions{ReadOptimized: q.Type == ReadOptimized})
	if err != nil {
		return nil, err
	}
	blocks, err := snap.LogVisibility(ctx)
	if err != nil {
		return nil, err
	}
	cfg := snap.Config()
	p := &Plan{
		Job: scan.Job{
			URI: t.uri, Storage: t.options.Storage, Options: t.options.Hudi, Properties: cfg.Properties(),
			Instant: snap.Instant(), Schema: scan.Schema{Schema: full}, History: history, Columns: columns,
			Blocks: blocks,
		},
		Limit:     q.Limit,
		SkipMerge: strings.EqualFold(t.options.Hudi["hoodie.datasource.merge.type"], "skip_merge"),
	}
	for _, s := range slices {
		p.Tasks = append(p.Tasks, scan.Task{Slice: s})
	}
	p.Stats = planStats(slices)
	return p, nil
}

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
