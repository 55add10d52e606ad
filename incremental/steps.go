package incremental

import (
	"context"
	"fmt"
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// An Offset is a place in a table's history: everything up to it was seen. Its
// text is what a consumer keeps.
type Offset struct {
	Time         string // "" is before the first write
	ByCompletion bool   // what kind of time it is
}

const (
	offsetRequested  = "requested:"
	offsetCompletion = "completion:"
)

// String gives the text of an offset.
func (o Offset) String() string {
	return offsetPrefix(o.ByCompletion) + o.Time
}

// ParseOffset reads the text of an offset. Other texts are times as a user
// writes them, in the terms of the table; "" and "earliest" are before the first
// write, "latest" is after the last.
func ParseOffset(ctx context.Context, s *snapshot.Snapshot, text string, o Options) (Offset, error) {
	by := ByCompletion(s.Config())
	for prefix, completion := range map[string]bool{offsetRequested: false, offsetCompletion: true} {
		at, ok := strings.CutPrefix(text, prefix)
		if !ok {
			continue
		}
		if strings.Trim(at, "0123456789") != "" {
			return Offset{}, fmt.Errorf("offset %q: what follows %q is no instant", text, prefix)
		}
		if completion && !by {
			return Offset{}, fmt.Errorf("offset %q is of a table version that orders by completion, which this table's does not: was it downgraded? start from a time", text)
		}
		return Offset{at, completion}, nil
	}
	text = strings.TrimSpace(text)
	switch {
	case strings.EqualFold(text, Latest):
		o.Holes = StopBeforeHole
		r, err := since(ctx, s, Offset{ByCompletion: by}, "", o)
		if err != nil || len(r.Instants) == 0 {
			return Offset{ByCompletion: by}, err
		}
		return Offset{r.time(r.Instants[len(r.Instants)-1]), by}, nil
	case text == "" || strings.EqualFold(text, Earliest) || strings.Trim(text, "0") == "":
		return Offset{ByCompletion: by}, nil
	}
	at, err := s.Timeline().ParseTime(text, o.Location)
	if err != nil {
		err = fmt.Errorf("%w (%s), %s, %s, or an offset as %s20240102030405678", err, timeKind(by), Earliest, Latest, offsetPrefix(by))
	}
	return Offset{at, by}, err
}

// timeKind tells which of a write's two times a table's changes go by.
func timeKind(byCompletion bool) string {
	if byCompletion {
		return "the time when a write was completed, in this table's version"
	}
	return "the time when a write was requested, in this table's version"
}

func offsetPrefix(byCompletion bool) string {
	if byCompletion {
		return offsetCompletion
	}
	return offsetRequested
}

// Steps gives what was completed after an offset, each write by itself as a
// range, in order. Writes of the same completion time are one range. Below
// table version 8, they end before a write that is still running.
func Steps(ctx context.Context, s *snapshot.Snapshot, from Offset, o Options) ([]Range, error) {
	o.Holes = StopBeforeHole
	all, err := since(ctx, s, from, "", o)
	if err != nil {
		return nil, err
	}
	var steps []Range
	for _, i := range all.Instants {
		at := all.time(i)
		if n := len(steps); n > 0 && steps[n-1].End == at {
			steps[n-1].Instants = append(steps[n-1].Instants, i)
			continue
		}
		r := Range{Begin: all.Begin, End: at, ByCompletion: all.ByCompletion, Instants: []snapshot.Instant{i}}
		if n := len(steps); n > 0 {
			r.Begin = steps[n-1].End
		} else {
			r.FromStart = all.FromStart
		}
		steps = append(steps, r)
	}
	return steps, nil
}

// Join makes one range of neighbours.
func Join(steps []Range) Range {
	r := steps[0]
	r.Instants = nil
	for _, s := range steps {
		r.End = s.End
		r.Instants = append(r.Instants, s.Instants...)
	}
	return r
}

// Offset is where a range ends.
func (r *Range) Offset() Offset { return Offset{r.End, r.ByCompletion} }
