package snapshot

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// instantFormat is the form of instants; older tables have no milliseconds.
const instantFormat = "20060102150405.000"

// ParseTime turns a time as a user writes it into an instant, in the zone of
// the timeline (loc where the table says LOCAL; nil = the process's zone).
// Instants are taken as they are.
func (t *Timeline) ParseTime(text string, loc *time.Location) (string, error) {
	switch {
	case t.cfg.TimelineUTC:
		loc = time.UTC
	case loc == nil:
		loc = time.Local
	}
	instant, ok := parseTime(strings.TrimSpace(text), loc)
	if !ok {
		return "", &TableError{Table: t.st.Root(), Kind: ErrTimeTravel,
			Reason: fmt.Sprintf("%q is no time: write an instant like 20240102030405678, a time like 2024-01-02T03:04:05Z or \"2024-01-02 03:04:05\", or a date", text)}
	}
	return instant, nil
}

func parseTime(text string, loc *time.Location) (string, bool) {
	if text != "" && digits(text) == len(text) {
		switch len(text) {
		case 8:
			return parseLayout("20060102", text, loc)
		case 10, 13:
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return "", false
			}
			if len(text) == 10 {
				n *= 1000
			}
			return formatInstant(time.UnixMilli(n).In(loc)), true
		case 9, 11: // seconds of the last century, or with a digit too many
			return "", false
		case 12, 15, 16: // the beginning of an instant, if it is a time of these centuries
			_, ok := parseLayout("200601021504", text[:12], loc)
			return text, ok && (text[0] == '1' || text[0] == '2')
		}
		return text, true
	}
	for _, layout := range [...]string{
		time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05Z07", // the last is DuckDB's
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	} {
		if instant, ok := parseLayout(layout, text, loc); ok {
			return instant, true
		}
	}
	return "", false
}

func parseLayout(layout, text string, loc *time.Location) (string, bool) {
	at, err := time.ParseInLocation(layout, text, loc)
	if err != nil {
		return "", false
	}
	return formatInstant(at.In(loc)), true
}

// formatInstant writes a time as an instant of milliseconds.
func formatInstant(at time.Time) string {
	return strings.Replace(at.Format(instantFormat), ".", "", 1)
}

// InstantTime gives the wall-clock time of an instant in a zone; ok is false
// for instants that are no times, like those of a bootstrap.
func InstantTime(instant string, loc *time.Location) (at time.Time, ok bool) {
	switch len(instant) {
	case 14:
		instant += "000"
	case 17:
	default:
		return time.Time{}, false
	}
	at, err := time.ParseInLocation(instantFormat, instant[:14]+"."+instant[14:], loc)
	return at, err == nil
}

// validateAsOf refuses instants at which the table can't be shown: before the
// first write, after a write that is still running (its rows might yet
// appear), and before what the cleaner has left. These are Spark's rules.
func (t *Timeline) validateAsOf(ctx context.Context, instant string) error {
	refuse := func(format string, args ...any) error {
		return &TableError{Table: t.st.Root(), Instant: instant, Kind: ErrTimeTravel, Reason: fmt.Sprintf(format, args...)}
	}
	commits := t.Commits()
	if len(commits) == 0 {
		return refuse("nothing was written yet: leave the time out")
	}
	for _, i := range t.Pending() {
		if instant < i.Requested {
			break
		}
		running, err := t.isRunning(ctx, i)
		if err != nil {
			return err
		}
		if running {
			return refuse("the %s of %s, which is not after that time, is not completed: ask for a time before it, or wait until it is completed or rolled back",
				i.Action, i.Requested)
		}
	}
	return t.validateRetained(ctx, instant, commits, refuse)
}

// isRunning tells whether a pending write adds or changes rows. Compactions
// and clusterings do not.
func (t *Timeline) isRunning(ctx context.Context, i Instant) (bool, error) {
	switch i.Action {
	case ActionCompaction, ActionLogCompaction, ActionClustering:
		return false, nil
	case ActionReplaceCommit:
		r, err := t.ReplaceRequest(ctx, i)
		return err == nil && r.Clustering == nil, err
	}
	return true, nil
}

// validateRetained refuses an instant whose files may have been cleaned.
func (t *Timeline) validateRetained(ctx context.Context, instant string, commits []Instant, refuse func(string, ...any) error) error {
	cleans := t.Completed(ActionClean)
	earliest := ""
	if len(cleans) > 0 {
		m, err := t.Clean(ctx, cleans[len(cleans)-1])
		if err != nil {
			return err
		}
		earliest = m.EarliestToRetain
	}
	if instant >= earliest && instant >= commits[0].Requested {
		return nil
	}
	before, cleaned, err := t.before(ctx, instant)
	if err != nil {
		return err
	}
	switch {
	case before == "":
		first, err := t.firstCommit(ctx)
		if err != nil {
			return err
		}
		return refuse("the time is before the first write: ask for %s or later", first)
	case t.isSavepoint(before):
		return nil
	case instant < earliest:
		return refuse("the files of that time may have been cleaned: ask for %s or later (hoodie.cleaner.commits.retained says how far back a table can be read)", earliest)
	case cleaned:
		return refuse("the time is before the active timeline and the table has been cleaned since: ask for %s or later", commits[0].Requested)
	}
	return nil
}

// before gives the newest completed write at or before an instant, "" if
// there is none, and whether an archived clean is known.
func (t *Timeline) before(ctx context.Context, instant string) (newest string, cleaned bool, err error) {
	all, err := t.All(ctx)
	if err != nil {
		return "", false, err
	}
	for _, i := range all {
		if !i.IsCompleted() {
			continue
		}
		if i.IsWrite() && i.Requested <= instant {
			newest = i.Requested
		}
		cleaned = cleaned || i.Action == ActionClean && i.Archived
	}
	return newest, cleaned, nil
}

func (t *Timeline) firstCommit(ctx context.Context) (string, error) {
	all, err := t.All(ctx)
	if err != nil {
		return "", err
	}
	for _, i := range all {
		if i.IsWrite() && i.IsCompleted() {
			return i.Requested, nil
		}
	}
	return "", nil
}

func (t *Timeline) isSavepoint(requested string) bool {
	for _, i := range t.active {
		if i.Action == ActionSavepoint && i.IsCompleted() && i.Requested == requested {
			return true
		}
	}
	return false
}
