package incremental

import (
	"context"
	"fmt"
	"slices"
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
	if o.ByCompletion {
		return offsetCompletion + o.Time
	}
	return offsetRequested + o.Time
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
	begin := text
	if strings.EqualFold(text, "latest") {
		begin = ""
	}
	o.Holes = StopBeforeHole
	r, err := Select(ctx, s, begin, "", o)
	if err != nil {
		return Offset{}, err
	}
	if begin == text {
		return Offset{r.Begin, by}, nil
	}
	if len(r.Instants) == 0 {
		return Offset{"", by}, nil
	}
	return Offset{r.time(r.Instants[len(r.Instants)-1]), by}, nil
}

// Steps gives what was completed after an offset, each write by itself as a
// range, in order. Writes of the same completion time are one range. Below
// table version 8, they end before a write that is still running.
func Steps(ctx context.Context, s *snapshot.Snapshot, from Offset, o Options) ([]Range, error) {
	o.Holes = StopBeforeHole
	begin := from.Time
	upgraded := from.Time != "" && !from.ByCompletion && ByCompletion(s.Config())
	if upgraded {
		begin = ""
	}
	all, err := Select(ctx, s, begin, "", o)
	if err != nil {
		return nil, err
	}
	if upgraded { // all writes requested up to the offset were seen
		all.FromStart = false
		all.Instants = slices.DeleteFunc(all.Instants, func(i snapshot.Instant) bool {
			if i.Requested > from.Time {
				return false
			}
			all.Begin = max(all.Begin, all.time(i))
			return true
		})
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
