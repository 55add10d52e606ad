package snapshot

import (
	"context"
	"slices"
)

// checkStale refuses a listing that was made after files which the snapshot
// needs had gone: a clean that ran since the timeline was read takes old file
// versions away, and what replaces them is not committed on the timeline at
// hand. Rows would be missing without a word. A fresh snapshot has them.
//
// Cleans that keep everything from the snapshot's instant on do no harm, nor
// do rollbacks of writes that were never completed.
func (t *Timeline) checkStale(ctx context.Context, instant string) error {
	now, err := LoadTimeline(ctx, t.st, t.cfg)
	if err != nil {
		return err
	}
	for _, i := range now.active {
		if i.IsWrite() || slices.ContainsFunc(t.active, func(old Instant) bool {
			return old.Requested == i.Requested && old.Action == i.Action && old.State == i.State
		}) {
			continue
		}
		harm, err := now.takesFiles(ctx, i, t, instant)
		if err != nil {
			return err
		}
		if harm {
			return &TableError{Table: t.st.Root(), File: i.File, Instant: instant, Kind: ErrStale,
				Reason: "a " + i.Action + " has removed files since the snapshot was opened: open the table anew, and keep more (hoodie.cleaner.commits.retained) if reads take long"}
		}
	}
	return nil
}

// takesFiles tells whether an action that is new since the timeline old was
// read may have removed files that a read as of instant needs.
func (t *Timeline) takesFiles(ctx context.Context, i Instant, old *Timeline, instant string) (bool, error) {
	switch {
	case i.Action == ActionRestore:
		return true, nil
	case i.Action == ActionClean && i.IsCompleted():
		m, err := t.Clean(ctx, i)
		if err != nil || len(m.Deleted) == 0 {
			return false, err
		}
		return m.EarliestToRetain == "" || m.EarliestToRetain > instant, nil
	case i.Action == ActionRollback:
		m, err := t.Rollback(ctx, i)
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(m.Instants, func(requested string) bool {
			w, ok := old.Write(requested)
			return ok && w.IsCompleted() && requested <= instant
		}), nil
	}
	return false, nil
}
