package snapshot

import (
	"context"
	"slices"

	"github.com/hudi-go/hudi/internal/hudilog"
)

// A LogVisibility says which blocks of log files a read sees. It is plain
// data, so that a task can be read where the timeline is not at hand.
type LogVisibility struct {
	// Latest is the read's instant: later blocks are not seen.
	Latest string `json:"latest"`
	// ByBlock says that blocks are judged one by one: below table version 8 a
	// log file takes the blocks of several writes. From version 8 on the file
	// slices hold committed files only, and the rest is not set.
	ByBlock bool `json:"byBlock,omitempty"`
	// Start is the first instant of the active timeline. Older writes count
	// as committed.
	Start string `json:"start,omitempty"`
	// Committed are the committed writes from Start on, sorted.
	Committed []string `json:"committed,omitempty"`
	// Uncommitted are the writes that are not committed though they may be
	// older than Start: pending and rolled back ones. Sorted.
	Uncommitted []string `json:"uncommitted,omitempty"`
	// Range, if set, leaves only blocks of some writes.
	Range *InstantRange `json:"range,omitempty"`
}

// An InstantRange is a set of requested times. It is plain data; the zero value
// is empty.
type InstantRange struct {
	All bool     `json:"all,omitempty"`
	In  []string `json:"in,omitempty"` // sorted
	// After (excluded) and UpTo (included) bound a stretch, where UpTo is set.
	After string `json:"after,omitempty"`
	UpTo  string `json:"upTo,omitempty"`
}

// Has tells whether an instant is in the range.
func (r *InstantRange) Has(instant string) bool {
	if r.All {
		return true
	}
	if r.UpTo != "" {
		return instant > r.After && instant <= r.UpTo
	}
	_, found := slices.BinarySearch(r.In, instant)
	return found
}

// LogVisibility gives the visibility for the snapshot's slices.
func (s *Snapshot) LogVisibility(ctx context.Context) (LogVisibility, error) {
	v := LogVisibility{Latest: s.instant}
	if s.cfg.Version >= 8 {
		return v, nil
	}
	v.ByBlock, v.Start = true, s.timeline.start
	gaps := false
	for _, i := range s.timeline.active {
		switch {
		case i.Action == ActionSavepoint:
			gaps = true
		case !i.IsWrite():
		case i.IsCompleted():
			v.Committed = append(v.Committed, i.Requested)
		default:
			v.Uncommitted = append(v.Uncommitted, i.Requested)
		}
	}
	gone, err := s.timeline.RolledBack(ctx)
	if err != nil {
		return v, err
	}
	for requested := range gone {
		if ok, err := s.timeline.Committed(ctx, requested); err != nil {
			return v, err
		} else if !ok {
			v.Uncommitted = append(v.Uncommitted, requested)
		}
	}
	slices.Sort(v.Uncommitted)
	if gaps { // archival steps over savepoints, so archived writes may be after Start
		archived, err := s.timeline.Archived(ctx)
		if err != nil {
			return v, err
		}
		for _, i := range archived {
			if i.IsWrite() && i.IsCompleted() && i.Requested >= v.Start {
				v.Committed = append(v.Committed, i.Requested)
			}
		}
		slices.Sort(v.Committed)
	}
	return v, nil
}

// IsValid tells whether blocks of a write count as committed.
func (v LogVisibility) IsValid(instant string) bool {
	if !v.ByBlock {
		return true
	}
	if _, committed := slices.BinarySearch(v.Committed, instant); committed {
		return true
	}
	_, uncommitted := slices.BinarySearch(v.Uncommitted, instant)
	return !uncommitted && instant < v.Start
}

// Visibility gives the form that the choice of blocks takes.
func (v LogVisibility) Visibility() hudilog.Visibility {
	o := hudilog.Visibility{Latest: v.Latest}
	if v.ByBlock {
		o.Valid = v.IsValid
	}
	if v.Range != nil {
		o.InRange = v.Range.Has
	}
	return o
}
