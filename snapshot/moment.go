package snapshot

import (
	"context"
	"slices"
	"strings"
	"time"
)

// A Moment is a point between two writes of a table. The zero value is the
// present.
type Moment struct {
	// Time is an instant; "" is the present.
	Time string
	// ByCompletion compares completion times: a write that was completed
	// later does not exist yet. Without it requested times are compared, as
	// time travel does.
	ByCompletion bool
	// Before leaves out what bears exactly that time.
	Before bool
}

// At gives the table at another moment of the timeline that the snapshot is
// of. The listing of files is shared, so that a moment costs no listing; files
// that the cleaner has removed since that moment are absent from it, which is
// for the caller to notice.
func (s *Snapshot) At(ctx context.Context, m Moment) (*Snapshot, error) {
	t := s.timeline
	var err error
	if m.ByCompletion && m.Time != "" {
		if t, err = t.until(ctx, m); err != nil {
			return nil, err
		}
	}
	d := &Snapshot{st: s.st, cfg: s.cfg, timeline: t, opts: s.opts}
	if d.instant, err = t.last(ctx, m); err != nil || d.instant == "" {
		return d, err
	}
	d.horizon = d.instant
	l, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	d.listing.v, d.listing.done = l, true
	return d, nil
}

// last gives the instant that slices of a moment are cut at: the latest
// requested time among the writes completed by then. By completion it is the
// latest of the completion times: a compaction requested while a write ran may
// be younger than the write's request, and its slice hold the write's log.
func (t *Timeline) last(ctx context.Context, m Moment) (string, error) {
	newest := ""
	note := func(all []Instant) {
		for _, i := range all {
			at := i.Requested
			if m.ByCompletion {
				at = i.CompletionOrRequest()
			}
			if i.IsWrite() && i.IsCompleted() && (m.Time == "" || at < m.Time || at == m.Time && !m.Before) {
				newest = max(newest, at)
			}
		}
	}
	if note(t.active); newest != "" {
		return newest, nil
	}
	archived, err := t.Archived(ctx)
	note(archived)
	return newest, err
}

// until gives the timeline as it was at a moment by completion times: writes
// that were completed later are still running.
func (t *Timeline) until(ctx context.Context, m Moment) (*Timeline, error) {
	d := &Timeline{st: t.st, cfg: t.cfg, requests: t.requests, writes: map[string]int{}, active: slices.Clone(t.active)}
	late := func(i Instant) bool {
		c := i.CompletionOrRequest()
		return i.IsWrite() && i.IsCompleted() && (c > m.Time || m.Before && c == m.Time)
	}
	if t.ArchiveReaches(m.Time) {
		archived, err := t.Archived(ctx)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(archived, late) {
			if d.active, err = t.All(ctx); err != nil {
				return nil, err
			}
			d.active = slices.DeleteFunc(d.active, func(i Instant) bool { return i.Archived && !i.IsWrite() })
		}
	}
	for n, i := range d.active {
		if late(i) {
			d.active[n].State, d.active[n].Completed = StateInflight, ""
		}
	}
	d.index()
	t.archive.Lock()
	d.archive.loaded = t.archive.loaded
	t.archive.Unlock()
	return d, nil
}

// longestWrite bounds how long a write takes from request to completion, as
// Hudi's own look-ups of completion times do.
const longestWrite = 24 * time.Hour

// ArchiveReaches tells whether archived writes may have been requested or
// completed after a time.
func (t *Timeline) ArchiveReaches(instant string) bool {
	start, ok := InstantTime(t.start, time.UTC)
	if !ok {
		return true
	}
	return strings.Compare(instant, formatInstant(start.Add(longestWrite))) <= 0
}

// FirstRunning gives the first write of the timeline that is not completed and
// may yet add or change rows, which compactions and clusterings do not.
func (t *Timeline) FirstRunning(ctx context.Context) (Instant, bool, error) {
	for _, i := range t.Pending() {
		if running, err := t.isRunning(ctx, i); err != nil || running {
			return i, running, err
		}
	}
	return Instant{}, false, nil
}
