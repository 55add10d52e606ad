package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hudi-go/hudi/internal/avro"
)

// CommitMetadata reads what a completed write did. Of an empty file it is
// empty, as Hudi has it, and Unwritten.
func (t *Timeline) CommitMetadata(ctx context.Context, i Instant) (*CommitMetadata, error) {
	if !i.Archived {
		m, err := t.settledCommit(ctx, i.File)
		if err == nil || !absent(err) {
			return m, t.explain(i, "can't read the commit's metadata", err)
		}
		// Archived since the timeline was listed.
	}
	a, err := t.loadArchive(ctx)
	if err != nil {
		return nil, err
	}
	m, ok, err := a.commitMetadata(ctx, t, i)
	if err == nil && !ok {
		err = fmt.Errorf("neither on the active timeline nor in %s", t.cfg.ArchivePath)
	}
	return m, t.explain(i, "can't read the commit's metadata: open the table anew, it may have been archived or rolled back since", err)
}

func (t *Timeline) settledCommit(ctx context.Context, file string) (m *CommitMetadata, err error) {
	err = t.settle(ctx, file, func(data []byte) error {
		if m, err = parseCommit(data); err == nil && m.Unwritten {
			return ErrUnwritten
		}
		return err
	})
	if err == ErrUnwritten {
		err = nil
	}
	return m, err
}

// WrittenMetadata is as CommitMetadata for a caller that must know what the
// write did: an empty file is an error.
func (t *Timeline) WrittenMetadata(ctx context.Context, i Instant) (*CommitMetadata, error) {
	m, err := t.CommitMetadata(ctx, i)
	if err == nil && m.Unwritten {
		return nil, &TableError{Table: t.st.Root(), File: i.File, Instant: i.Requested, Kind: ErrCorrupt, Err: ErrUnwritten,
			Reason: "what the write changed is not known: try again if it is only just completing, or else restore the file or roll the write back"}
	}
	return m, err
}

// CompactionPlan reads what a compaction, pending or not, was asked to merge.
func (t *Timeline) CompactionPlan(ctx context.Context, i Instant) (*CompactionPlan, error) {
	var v avroCompactionPlan
	if err := t.container(ctx, i, t.requestOf(i), &v); err != nil {
		return nil, err
	}
	plan := &CompactionPlan{Version: max(deref(v.Version), 1)}
	for _, op := range deref(v.Operations) {
		plan.Operations = append(plan.Operations, CompactionOperation{
			Partition: deref(op.Partition), FileID: deref(op.FileID), BaseInstant: deref(op.BaseInstant),
			DataFile: deref(op.DataFile), LogFiles: deref(op.LogFiles),
		})
	}
	return plan, nil
}

// ReplaceRequest reads what a replacecommit or clustering was asked to do.
func (t *Timeline) ReplaceRequest(ctx context.Context, i Instant) (*ReplaceRequest, error) {
	var v avroReplaceRequest
	if err := t.container(ctx, i, t.requestOf(i), &v); err != nil {
		return nil, err
	}
	r := &ReplaceRequest{OperationType: deref(v.OperationType)}
	if v.Plan != nil {
		r.Clustering = &ClusteringPlan{}
		for _, group := range deref(v.Plan.Groups) {
			for _, s := range deref(group.Slices) {
				r.Clustering.Inputs = append(r.Clustering.Inputs, FileGroupID{Partition: deref(s.Partition), FileID: deref(s.FileID)})
			}
		}
	}
	return r, nil
}

// Clean reads what a completed clean left.
func (t *Timeline) Clean(ctx context.Context, i Instant) (*CleanMetadata, error) {
	var v avroClean
	if err := t.container(ctx, i, i.File, &v); err != nil {
		return nil, err
	}
	m := &CleanMetadata{EarliestToRetain: v.Earliest, Deleted: map[string][]string{}}
	for partition, p := range v.Partitions {
		m.Deleted[partition] = p.Deleted
	}
	return m, nil
}

// Savepoint reads what a completed savepoint pins.
func (t *Timeline) Savepoint(ctx context.Context, i Instant) (*SavepointMetadata, error) {
	var v avroSavepoint
	if err := t.container(ctx, i, i.File, &v); err != nil {
		return nil, err
	}
	m := &SavepointMetadata{By: v.By, Comment: v.Comment, Files: map[string][]string{}}
	for partition, p := range v.Partitions {
		m.Files[partition] = p.Files
	}
	return m, nil
}

// Rollback reads which instants a rollback or restore takes away. Of a pending
// restore that is not known.
func (t *Timeline) Rollback(ctx context.Context, i Instant) (*RollbackMetadata, error) {
	m := &RollbackMetadata{}
	switch {
	case i.Action == ActionRestore && i.IsCompleted():
		var v avroRestore
		if err := t.container(ctx, i, i.File, &v); err != nil {
			return nil, err
		}
		m.Instants = v.Instants
	case i.Action == ActionRollback && i.IsCompleted():
		var v avroRollback
		if err := t.container(ctx, i, i.File, &v); err != nil {
			return nil, err
		}
		m.Instants = v.Instants
	case i.Action == ActionRollback:
		var v avroRollbackPlan
		if err := t.container(ctx, i, t.requestOf(i), &v); err != nil {
			return nil, err
		}
		if v.Instant != nil {
			m.Instants = []string{v.Instant.Time}
		}
	}
	return m, nil
}

// requestOf is the file with the plan of an instant.
func (t *Timeline) requestOf(i Instant) string {
	if file := t.requests[instantKey{i.Requested, i.kind()}]; file != "" {
		return file
	}
	return i.File
}

// container decodes an Avro container of the timeline. An empty file leaves v
// as it is: overwrites have no plan.
func (t *Timeline) container(ctx context.Context, i Instant, file string, v any) error {
	if i.Archived {
		return t.explain(i, "only the commits of archived instants are read", ErrUnsupported)
	}
	err := t.settle(ctx, file, func(data []byte) error {
		if len(data) == 0 {
			return nil
		}
		return avro.DecodeContainer(data, v)
	})
	if err == nil {
		return nil
	}
	i.File = file
	return t.explain(i, "can't read the metadata of "+i.Action, err)
}

// explain wraps an error about an instant.
func (t *Timeline) explain(i Instant, reason string, err error) error {
	if err == nil {
		return nil
	}
	return &TableError{Table: t.st.Root(), File: i.File, Instant: i.Requested, Reason: reason, Err: err}
}

// parseCommit reads commit metadata of either encoding, by its first bytes:
// upgraded tables hold both.
func parseCommit(data []byte) (*CommitMetadata, error) {
	switch trimmed := bytes.TrimLeft(data, " \t\r\n"); {
	case len(trimmed) == 0:
		return &CommitMetadata{Unwritten: true}, nil
	case bytes.HasPrefix(data, []byte("Obj\x01")):
		var v avroCommit
		if err := avro.DecodeContainer(data, &v); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return v.metadata(), nil
	case trimmed[0] == '{':
		m := &CommitMetadata{}
		if err := json.Unmarshal(trimmed, m); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return m, nil
	}
	return nil, fmt.Errorf("%w: neither JSON nor an Avro container", ErrCorrupt)
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
