package incremental

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hudi-go/hudi/snapshot"
)

// OptionHoles is Hudi's read option that says what happens when a write that is
// older than others has not been completed yet (below table version 8).
const OptionHoles = "hoodie.read.timeline.holes.resolution.policy"

// Policies of [OptionHoles].
const (
	FailAtHole     = "FAIL"  // refuse the query (the default, as in Hudi)
	StopBeforeHole = "BLOCK" // give what was requested before that write
)

// Earliest is the begin of a range that has none, Latest that of one which
// begins after the last write.
const (
	Earliest = "earliest"
	Latest   = "latest"
)

// A Range is a stretch of a table's history.
type Range struct {
	// Begin is excluded, End included; "" is the first and the last write.
	// They are completion times if ByCompletion, else requested times.
	Begin, End   string
	ByCompletion bool
	// Instants are the completed writes in the range in their order, table
	// services among them.
	Instants []snapshot.Instant
	// FromStart says that no write is before the range.
	FromStart bool
}

// time is what a range orders instants by.
func (r *Range) time(i snapshot.Instant) string {
	if r.ByCompletion {
		return i.CompletionOrRequest()
	}
	return i.Requested
}

// Time gives the time of one of the range's instants that bounds compare with.
func (r *Range) Time(i snapshot.Instant) string { return r.time(i) }

// moment is the table when everything up to a time was done.
func (r *Range) moment(at string, before bool) snapshot.Moment {
	return snapshot.Moment{Time: at, ByCompletion: r.ByCompletion, Before: before}
}

// Options say how bounds are understood.
type Options struct {
	// Location is the zone of times that have none, where the timeline is in
	// local time; nil is the process's.
	Location *time.Location
	// Holes is the policy of OptionHoles; "" is FailAtHole.
	Holes string
}

// ByCompletion tells whether a table's changes are ordered by completion.
func ByCompletion(c *snapshot.Config) bool { return c.Version >= 8 }

// Select gives the writes in (begin, end]. Bounds are an instant, a time, a date
// or the text of an [Offset]; begin may also be "earliest", zeros or "", and
// "latest" for what is after the last write; end may be "" or "latest" for the
// last write.
func Select(ctx context.Context, s *snapshot.Snapshot, begin, end string, o Options) (Range, error) {
	from, err := ParseOffset(ctx, s, begin, o)
	if err != nil {
		return Range{}, err
	}
	until, err := parseEnd(ctx, s, end, o)
	if err != nil {
		return Range{}, err
	}
	return since(ctx, s, from, until, o)
}

// parseEnd reads the end of a range, "" for the last write.
func parseEnd(ctx context.Context, s *snapshot.Snapshot, end string, o Options) (string, error) {
	switch end = strings.TrimSpace(end); {
	case end == "" || strings.EqualFold(end, Latest):
		return "", nil
	case strings.EqualFold(end, Earliest):
		return "", fmt.Errorf("the end of changes can't be %s: leave it out, or give a time", end)
	}
	until, err := ParseOffset(ctx, s, end, o)
	if err == nil && until.ByCompletion != ByCompletion(s.Config()) {
		err = fmt.Errorf("the offset %q is from before the table's upgrade: as the end of changes give a completion time", end)
	}
	return until.Time, err
}

// since gives the writes after an offset, up to a time; "" is the last one.
func since(ctx context.Context, s *snapshot.Snapshot, from Offset, until string, o Options) (Range, error) {
	r := Range{Begin: from.Time, End: until, ByCompletion: ByCompletion(s.Config())}
	upgraded := from.Time != "" && !from.ByCompletion && r.ByCompletion
	if upgraded {
		r.Begin = ""
	}
	if r.End != "" && r.Begin > r.End {
		return r, &snapshot.TableError{Table: s.Storage().Root(), Kind: snapshot.ErrTimeTravel,
			Reason: fmt.Sprintf("the begin of the changes (%s) is after their end (%s)", r.Begin, r.End)}
	}
	if err := r.collect(ctx, s.Timeline()); err != nil {
		return r, err
	}
	if upgraded { // all writes requested up to the offset were seen
		r.FromStart = false
		r.Instants = slices.DeleteFunc(r.Instants, func(i snapshot.Instant) bool {
			if i.Requested > from.Time {
				return false
			}
			r.Begin = max(r.Begin, r.time(i))
			return true
		})
	}
	if r.ByCompletion {
		return r, nil
	}
	return r, r.fillHoles(ctx, s, o.Holes)
}

// collect finds the instants.
func (r *Range) collect(ctx context.Context, t *snapshot.Timeline) error {
	all := t.Instants()
	if t.ArchiveReaches(r.Begin) {
		var err error
		if all, err = t.All(ctx); err != nil {
			return err
		}
	}
	r.FromStart = true
	for _, i := range all {
		if !i.IsWrite() || !i.IsCompleted() {
			continue
		}
		switch at := r.time(i); {
		case at <= r.Begin:
			r.FromStart = false
		case r.End == "" || at <= r.End:
			r.Instants = append(r.Instants, i)
		}
	}
	// What is before the active timeline was asked only if it matters.
	if r.FromStart && r.Begin != "" && !t.ArchiveReaches(r.Begin) {
		r.FromStart = false
	}
	slices.SortStableFunc(r.Instants, func(a, b snapshot.Instant) int {
		return cmp.Or(strings.Compare(r.time(a), r.time(b)), strings.Compare(a.Requested, b.Requested))
	})
	return nil
}

// fillHoles looks for writes that are still running though later ones are in
// the range: a consumer that goes on from the range's end would never see what
// they will have written.
func (r *Range) fillHoles(ctx context.Context, s *snapshot.Snapshot, policy string) error {
	switch policy = strings.ToUpper(policy); policy {
	case "", FailAtHole, StopBeforeHole:
	default:
		return &snapshot.TableError{Table: s.Storage().Root(), Key: OptionHoles, Kind: snapshot.ErrUnsupported,
			Reason: fmt.Sprintf("policy %q: use FAIL or BLOCK", policy)}
	}
	hole, ok, err := s.Timeline().FirstRunning(ctx)
	if err != nil || !ok {
		return err
	}
	at := slices.IndexFunc(r.Instants, func(i snapshot.Instant) bool { return i.Requested > hole.Requested })
	if at < 0 {
		return nil
	}
	if policy == StopBeforeHole {
		r.Instants = r.Instants[:at]
		r.End = ""
		if at > 0 {
			r.End = r.Instants[at-1].Requested
		} else if r.End = r.Begin; r.End == "" {
			r.End = hole.Requested
		}
		return nil
	}
	return &snapshot.TableError{Table: s.Storage().Root(), Instant: hole.Requested, Key: OptionHoles, Kind: snapshot.ErrTimeTravel,
		Reason: fmt.Sprintf("the %s of that instant is not completed while later ones are, so that its rows would be missed: wait until it is completed or rolled back, end the range before it, or set the option to BLOCK", hole.Action)}
}
