package incremental

import (
	"context"
	"slices"

	"github.com/hudi-go/hudi/snapshot"
)

// A Planner finds out what has to be read for the changes of a range.
type Planner struct {
	snap   *snapshot.Snapshot
	rng    Range
	writes []write // of the range, in its order
}

// NewPlanner reads the metadata of the range's writes. The snapshot is the
// latest of the table.
func NewPlanner(ctx context.Context, s *snapshot.Snapshot, r Range) (*Planner, error) {
	p := &Planner{snap: s, rng: r, writes: make([]write, 0, len(r.Instants))}
	mor := s.Config().Type == snapshot.MergeOnRead
	for _, i := range r.Instants {
		m, err := s.Timeline().WrittenMetadata(ctx, i)
		if err != nil {
			return nil, err
		}
		p.writes = append(p.writes, write{Instant: i, meta: m, service: isService(mor, i, m)})
	}
	return p, nil
}

// Range is the range that is planned.
func (p *Planner) Range() Range { return p.rng }

// rows are the commit times of the changed rows.
func (p *Planner) rows() Rows {
	if p.rng.FromStart {
		return Rows{All: true}
	}
	return p.rowsInRange()
}

func (p *Planner) rowsInRange() Rows {
	if !p.rng.ByCompletion {
		end := p.rng.End
		if len(p.writes) > 0 {
			end = p.writes[len(p.writes)-1].Requested
		}
		return Rows{After: p.rng.Begin, UpTo: end}
	}
	var in []string
	for _, w := range p.writes {
		in = append(in, w.Requested)
	}
	slices.Sort(in)
	return Rows{In: in}
}

// Rows gives the slices that hold changed rows as of the range's end, and
// which of their rows those are. Where files of that end are gone it fails with
// a [*LostError].
func (p *Planner) Rows(ctx context.Context) (View, Rows, error) {
	if len(p.writes) == 0 {
		return View{}, Rows{}, nil
	}
	var groups map[snapshot.FileGroupID]bool
	if !p.rng.FromStart {
		groups = p.changedGroups()
	}
	at, err := p.snap.At(ctx, p.rng.moment(p.rng.End, false))
	if err != nil {
		return View{}, Rows{}, err
	}
	v, err := p.view(ctx, at, groups)
	if err != nil {
		return View{}, Rows{}, err
	}
	return v, p.rows(), p.checkEnd(ctx, v, groups)
}

// Current gives the slices of the present, and which of their rows changed in
// the range and not since: what is left of the range when its files are gone.
func (p *Planner) Current(ctx context.Context) (View, Rows, error) {
	v, err := p.view(ctx, p.snap, nil)
	return v, p.rowsInRange(), err
}

// changedGroups are the file groups where changed rows may be: those that
// writes wrote to, and those that a clustering moved their rows to. Which of
// its outputs a row went to is not recorded.
func (p *Planner) changedGroups() map[snapshot.FileGroupID]bool {
	groups := map[snapshot.FileGroupID]bool{}
	for _, w := range p.writes {
		written := w.written()
		moved := map[string]bool{}
		for _, g := range w.replaced() {
			moved[g.Partition] = moved[g.Partition] || groups[g]
		}
		for g := range written {
			if !w.service || moved[g.Partition] {
				groups[g] = true
			}
		}
	}
	return groups
}

// view gives the slices of some file groups (nil = all) of a snapshot.
func (p *Planner) view(ctx context.Context, s *snapshot.Snapshot, groups map[snapshot.FileGroupID]bool) (View, error) {
	o := snapshot.SliceOptions{Groups: groups}
	if groups != nil {
		partitions := map[string]bool{}
		for g := range groups {
			partitions[g.Partition] = true
		}
		o.Partitions = func(path string) bool { return partitions[path] }
	}
	list, err := s.Slices(ctx, o)
	return View{Latest: s.Instant(), Slices: list}, err
}

// earliest is the first instant whose files the cleaner has kept for sure, in
// the terms of the range.
func (p *Planner) earliest(ctx context.Context) string {
	t := p.snap.Timeline()
	cleans := t.Completed(snapshot.ActionClean)
	if len(cleans) == 0 {
		return ""
	}
	m, err := t.Clean(ctx, cleans[len(cleans)-1])
	if err != nil || m.EarliestToRetain == "" {
		if last, ok := t.Last(); ok {
			return p.rng.time(last)
		}
		return ""
	}
	if i, ok := t.Write(m.EarliestToRetain); ok {
		return p.rng.time(i)
	}
	return m.EarliestToRetain
}

func (p *Planner) lost(ctx context.Context, g snapshot.FileGroupID, at string, end bool) error {
	return &LostError{Table: p.snap.Storage().Root(), Group: g, At: at, End: end, Earliest: p.earliest(ctx)}
}

// checkEnd refuses a view of the range's end that lacks what the last write to
// one of the file groups wanted (nil = all) left.
func (p *Planner) checkEnd(ctx context.Context, v View, groups map[snapshot.FileGroupID]bool) error {
	have := v.byGroup()
	done := map[snapshot.FileGroupID]bool{}
	for _, w := range slices.Backward(p.writes) {
		for _, g := range w.replaced() {
			done[g] = true
		}
		for g, stats := range w.written() {
			if done[g] || groups != nil && !groups[g] {
				continue
			}
			done[g] = true
			if !w.left(have[g], stats) {
				return p.lost(ctx, g, p.rng.time(w.Instant), true)
			}
		}
	}
	return nil
}
