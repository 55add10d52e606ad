package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hudi-go/hudi/internal/storage"
)

// A Timeline is the sequence of actions on a table, as one listing of the
// active timeline found it. Archived instants are read on demand, once.
type Timeline struct {
	st       storage.Storage
	cfg      *Config
	active   []Instant
	requests map[instantKey]string // requested files, which hold plans
	writes   map[string]int        // requested time -> index in active of the write
	start    string                // what is older is archived

	archive struct {
		sync.Mutex
		loaded *archive
	}
	rolledBack lazy[map[string]bool]
	paused     atomic.Int32 // how often a file was waited for; see settle
}

// LoadTimeline lists the active timeline.
func LoadTimeline(ctx context.Context, st storage.Storage, cfg *Config) (*Timeline, error) {
	entries, err := st.List(ctx, cfg.TimelinePath)
	if err != nil && !absent(err) {
		return nil, &TableError{Table: st.Root(), File: cfg.TimelinePath, Reason: "can't list the timeline", Err: err}
	}
	if err != nil && cfg.TimelineLayout == 1 {
		return nil, &TableError{Table: st.Root(), File: cfg.TimelinePath, Kind: ErrNotTable, Reason: "the timeline is absent", Err: err}
	}
	t := &Timeline{st: st, cfg: cfg, writes: map[string]int{}}
	t.active, t.requests = collect(entries, cfg.TimelinePath, cfg.TimelineLayout)
	slices.SortFunc(t.active, compareInstants)
	t.index()
	return t, nil
}

func compareInstants(a, b Instant) int {
	return cmp.Or(strings.Compare(a.Requested, b.Requested), strings.Compare(a.kind(), b.kind()))
}

// index finds the writes and the start of the active timeline.
//
// Archival leaves savepointed commits behind, so these may stand before
// instants that are archived: the start is the first write without a
// savepoint.
func (t *Timeline) index() {
	saved := map[string]bool{}
	for _, i := range t.active {
		if i.Action == ActionSavepoint {
			saved[i.Requested] = true
		}
	}
	first := ""
	for n, i := range t.active {
		if !i.IsWrite() {
			continue
		}
		// One time may carry two writes only after a failed action was tried
		// again as another; the completed one is the one that counts.
		if old, ok := t.writes[i.Requested]; !ok || rank(i.State) > rank(t.active[old].State) {
			t.writes[i.Requested] = n
		}
		if first == "" {
			first = i.Requested
		}
		if t.start == "" && !saved[i.Requested] {
			t.start = i.Requested
		}
	}
	if t.start == "" {
		t.start = first
	}
}

// Instants gives the active instants by requested time. The slice is the
// timeline's own: read it only.
func (t *Timeline) Instants() []Instant { return t.active }

// Commits gives the completed writes of the active timeline by requested time.
func (t *Timeline) Commits() []Instant {
	return t.filter(func(i Instant) bool { return i.IsWrite() && i.IsCompleted() })
}

// Pending gives the writes, compactions and clusterings of the active timeline
// that are not completed.
func (t *Timeline) Pending() []Instant {
	return t.filter(func(i Instant) bool { return i.IsWrite() && !i.IsCompleted() })
}

// Completed gives the completed instants of an action.
func (t *Timeline) Completed(action string) []Instant {
	return t.filter(func(i Instant) bool { return i.Action == action && i.IsCompleted() })
}

func (t *Timeline) filter(keep func(Instant) bool) []Instant {
	var some []Instant
	for _, i := range t.active {
		if keep(i) {
			some = append(some, i)
		}
	}
	return some
}

// Start is the requested time of the first write of the active timeline; what
// is older is archived. "" when nothing was written yet.
func (t *Timeline) Start() string { return t.start }

// Last gives the completed write with the latest requested time.
func (t *Timeline) Last() (Instant, bool) {
	for _, i := range slices.Backward(t.active) {
		if i.IsWrite() && i.IsCompleted() {
			return i, true
		}
	}
	return Instant{}, false
}

// horizon is the instant up to which slices of the newest state are seen: that
// of the last completed write, or of a later compaction that is still pending.
// A write that was requested before that compaction and completed since is in
// the slice which the compaction begins.
func (t *Timeline) horizon() string {
	for _, i := range slices.Backward(t.active) {
		if i.IsWrite() && (i.IsCompleted() || i.Action == ActionCompaction) {
			return i.Requested
		}
	}
	return ""
}

// Write gives the write of the active timeline that was requested at a time.
func (t *Timeline) Write(requested string) (Instant, bool) {
	n, ok := t.writes[requested]
	if !ok {
		return Instant{}, false
	}
	return t.active[n], true
}

// Committed tells whether the write requested at a time is completed.
//
// A time on the active timeline is as the timeline says. One before its start
// was archived, hence completed, unless a rollback or restore on the active
// timeline took it away: its files may have been left behind. For those, and
// for times that the active timeline should have and has not, the archive is
// asked: instants may have been archived from amid the timeline, by savepoints
// or since the timeline was listed.
func (t *Timeline) Committed(ctx context.Context, requested string) (bool, error) {
	if i, ok := t.Write(requested); ok {
		return i.IsCompleted(), nil
	}
	if t.start == "" || requested == "" {
		return false, nil
	}
	if requested < t.start {
		gone, err := t.RolledBack(ctx)
		if err != nil || !gone[requested] {
			return true, err
		}
	}
	a, err := t.loadArchive(ctx)
	if err != nil {
		return false, err
	}
	_, ok := a.completed(requested)
	return ok, nil
}

// RolledBack gives the requested times of the writes that the rollbacks and
// restores of the active timeline, completed or not, take away. Compactions
// and clusterings may have been tried again since, at the same time.
func (t *Timeline) RolledBack(ctx context.Context) (map[string]bool, error) {
	return t.rolledBack.get(func() (map[string]bool, error) {
		gone := map[string]bool{}
		for _, i := range t.active {
			if i.Action != ActionRollback && i.Action != ActionRestore {
				continue
			}
			m, err := t.Rollback(ctx, i)
			if err != nil {
				return nil, err
			}
			for _, requested := range m.Instants {
				gone[requested] = true
			}
		}
		return gone, nil
	})
}

// CompletionTime gives the time at which the write requested at a time was
// completed; ok is false if it is not completed. A write that is older than
// the active timeline and unknown to the archive counts as completed when it
// was requested.
func (t *Timeline) CompletionTime(ctx context.Context, requested string) (completed string, ok bool, err error) {
	if i, ok := t.Write(requested); ok {
		return i.CompletionOrRequest(), i.IsCompleted(), nil
	}
	if t.start == "" {
		return "", false, nil
	}
	a, err := t.loadArchive(ctx)
	if err != nil {
		return "", false, err
	}
	if i, ok := a.completed(requested); ok {
		return i.CompletionOrRequest(), true, nil
	}
	ok, err = t.Committed(ctx, requested)
	return requested, ok, err
}

// Archived gives the instants of the archived timeline by requested time, each
// once.
func (t *Timeline) Archived(ctx context.Context) ([]Instant, error) {
	a, err := t.loadArchive(ctx)
	if err != nil {
		return nil, err
	}
	return a.instants, nil
}

// All gives archived and active instants by requested time.
func (t *Timeline) All(ctx context.Context) ([]Instant, error) {
	archived, err := t.Archived(ctx)
	if err != nil {
		return nil, err
	}
	// An archiver that was stopped midway leaves instants in both places.
	known := map[instantKey]bool{}
	for _, i := range t.active {
		known[instantKey{i.Requested, i.kind()}] = true
	}
	all := slices.Clone(t.active)
	for _, i := range archived {
		if !known[instantKey{i.Requested, i.kind()}] {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, compareInstants)
	return all, nil
}

// loadArchive reads the archived timeline, once.
func (t *Timeline) loadArchive(ctx context.Context) (*archive, error) {
	t.archive.Lock()
	defer t.archive.Unlock()
	if t.archive.loaded == nil {
		a, err := readArchive(ctx, t.st, t.cfg)
		if err != nil {
			return nil, err // not kept: it may be ctx's
		}
		t.archive.loaded = a
	}
	return t.archive.loaded, nil
}
