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

// Earliest is the begin of a range that has none.
const Earliest = "earliest"

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

// Select gives the writes in (begin, end]. Bounds are an instant, a time or a
// date; begin may also be "earliest", zeros or "", end "" for the last write.
func Select(ctx context.Context, s *snapshot.Snapshot, begin, end string, o Options) (Range, error) {
	r := Range{ByCompletion: ByCompletion(s.Config())}
	t := s.Timeline()
	var err error
	if begin = strings.TrimSpace(begin); begin != "" && !strings.EqualFold(begin, Earliest) && strings.Trim(begin, "0") != "" {
		if r.Begin, err = t.ParseTime(begin, o.Location); err != nil {
			return r, err
		}
	}
	if end != "" {
		if r.End, err = t.ParseTime(end, o.Location); err != nil {
			return r, err
		}
	}
	if r.End != "" && r.Begin > r.End {
		return r, &snapshot.TableError{Table: s.Storage().Root(), Kind: snapshot.ErrTimeTravel,
			Reason: fmt.Sprintf("the begin of the changes (%s) is after their end (%s)", r.Begin, r.End)}
	}
	if err := r.collect(ctx, t); err != nil {
		return r, err
	}
	if !r.ByCompletion {
		err = r.fillHoles(ctx, s, o.Holes)
	}
	return r, err
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
