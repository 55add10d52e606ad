package incremental

import (
	"context"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// Supplemental logging modes (hoodie.table.cdc.supplemental.logging.mode): what
// a CDC file holds beside operation and key.
const (
	BeforeImage = "DATA_BEFORE"
	BothImages  = "DATA_BEFORE_AFTER"
)

// Images gives, for each write in order and each file group that it touched,
// the group before and after the write. Groups that a write took away come
// before those that it wrote, since it may have put their keys into others.
func (p *Planner) Images(ctx context.Context) ([]Change, error) {
	var changes []Change
	for i := range p.writes {
		w := &p.writes[i]
		if w.service {
			continue
		}
		some, err := p.imagesOf(ctx, w)
		if err != nil {
			return nil, err
		}
		changes = append(changes, some...)
	}
	return changes, nil
}

func (p *Planner) imagesOf(ctx context.Context, w *write) ([]Change, error) {
	written, replaced := w.written(), w.replaced()
	groups := map[snapshot.FileGroupID]bool{}
	addAll(groups, replaced)
	order := make([]snapshot.FileGroupID, 0, len(written))
	for g := range written {
		groups[g] = true
		order = append(order, g)
	}
	slices.SortFunc(order, compareGroups)
	at := p.rng.time(w.Instant)
	earlier, err := p.viewAt(ctx, at, true, groups)
	if err != nil {
		return nil, err
	}
	after, err := p.viewAt(ctx, at, false, groups)
	if err != nil {
		return nil, err
	}
	was, is := earlier.byGroup(), after.byGroup()
	var changes []Change
	for _, g := range replaced {
		if was[g] == nil {
			return nil, p.lost(ctx, g, at, false)
		}
		if _, both := written[g]; !both {
			changes = append(changes, Change{Instant: w.Requested, Before: earlier.of(was[g])})
		}
	}
	for _, g := range order {
		c := Change{Instant: w.Requested, Rows: Rows{In: []string{w.Requested}}, Logged: logged(written[g])}
		needsBefore, needsAfter := p.needs(c.Logged)
		if needsBefore {
			c.Before = earlier.of(was[g])
			if prev, ok := before(written[g]); ok && prev != w.Requested && was[g] == nil {
				return nil, p.lost(ctx, g, at, false)
			}
		}
		if needsAfter {
			c.After = after.of(is[g])
			if !w.left(is[g], written[g]) {
				return nil, p.lost(ctx, g, at, true)
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func (p *Planner) viewAt(ctx context.Context, at string, before bool, groups map[snapshot.FileGroupID]bool) (View, error) {
	s, err := p.snap.At(ctx, p.rng.moment(at, before))
	if err != nil {
		return View{}, err
	}
	return p.view(ctx, s, groups)
}

// needs tells which images have to be looked up, given the CDC files of a file
// group.
func (p *Planner) needs(logged []string) (earlier, after bool) {
	if len(logged) == 0 {
		return true, true
	}
	switch strings.ToUpper(p.snap.Config().CDCMode) {
	case "", BothImages:
		return false, false
	case BeforeImage:
		return false, true
	}
	return true, true
}

// logged gives the CDC files of a file group, if the write logged all that it
// did there.
func logged(stats []snapshot.WriteStat) []string {
	var files []string
	for _, s := range stats {
		if len(s.CDCStats) == 0 {
			return nil
		}
		for path := range s.CDCStats {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
