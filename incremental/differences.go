package incremental

import (
	"context"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// Differences gives the changed file groups as of the range's begin and as of
// its end, together for each partition: rows may move between the groups of a
// partition without being changed, but not out of it.
func (p *Planner) Differences(ctx context.Context) ([]Change, error) {
	if len(p.writes) == 0 {
		return nil, nil
	}
	groups := p.groupsOfRows()
	end, err := p.snap.At(ctx, p.rng.moment(p.rng.End, false))
	if err != nil {
		return nil, err
	}
	after, err := p.view(ctx, end, groups)
	if err != nil {
		return nil, err
	}
	if err := p.checkEnd(ctx, after, groups); err != nil {
		return nil, err
	}
	var earlier View
	if !p.rng.FromStart {
		begin, err := p.snap.At(ctx, p.rng.moment(p.rng.Begin, false))
		if err != nil {
			return nil, err
		}
		if earlier, err = p.view(ctx, begin, groups); err != nil {
			return nil, err
		}
		if err := p.checkBegin(ctx, earlier, groups); err != nil {
			return nil, err
		}
	}
	return byPartition(earlier, after, p.written()), nil
}

// written are the commit times of rows that writes changed. A log compaction
// gives rows its own: where rows are compared, that is no change.
func (p *Planner) written() Rows {
	if p.rng.FromStart || p.snap.Config().Type != snapshot.MergeOnRead {
		return p.rows()
	}
	var in []string
	for _, w := range p.writes {
		if !w.service {
			in = append(in, w.Requested)
		}
	}
	slices.Sort(in)
	return Rows{In: in}
}

// groupsOfRows are the file groups that had or got changed or deleted rows,
// and all others that a table service has mixed with them.
func (p *Planner) groupsOfRows() map[snapshot.FileGroupID]bool {
	groups := map[snapshot.FileGroupID]bool{}
	touched := make([]map[string][]snapshot.FileGroupID, len(p.writes)) // by partition
	for n, w := range p.writes {
		touched[n] = map[string][]snapshot.FileGroupID{}
		for _, g := range w.replaced() {
			touched[n][g.Partition] = append(touched[n][g.Partition], g)
		}
		for g := range w.written() {
			touched[n][g.Partition] = append(touched[n][g.Partition], g)
		}
		if !w.service {
			for _, some := range touched[n] {
				addAll(groups, some)
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for n, w := range p.writes {
			if !w.service || len(w.meta.ReplacedFileIDs) == 0 {
				continue
			}
			for _, some := range touched[n] {
				if slices.ContainsFunc(some, func(g snapshot.FileGroupID) bool { return groups[g] }) {
					grown = addAll(groups, some) || grown
				}
			}
		}
	}
	return groups
}

func addAll(groups map[snapshot.FileGroupID]bool, some []snapshot.FileGroupID) (grown bool) {
	before := len(groups)
	for _, g := range some {
		groups[g] = true
	}
	return len(groups) > before
}

// checkBegin refuses a view of the range's begin that lacks a file group which
// was there then, as the range's writes tell: the first of them continued it or
// took it away.
func (p *Planner) checkBegin(ctx context.Context, v View, groups map[snapshot.FileGroupID]bool) error {
	have := v.byGroup()
	within := map[string]bool{}
	for _, w := range p.writes {
		within[w.Requested] = true
	}
	known := map[snapshot.FileGroupID]bool{}
	for _, w := range p.writes {
		for g, stats := range w.written() {
			if known[g] || !groups[g] {
				continue
			}
			known[g] = true
			if earlier, ok := before(stats); ok && !within[earlier] && have[g] == nil {
				return p.lost(ctx, g, p.rng.Begin, false)
			}
		}
		for _, g := range w.replaced() {
			if !known[g] && groups[g] && have[g] == nil {
				return p.lost(ctx, g, p.rng.Begin, false)
			}
			known[g] = true
		}
	}
	return nil
}

// byPartition pairs two views.
func byPartition(earlier, after View, rows Rows) []Change {
	var changes []Change
	at := map[string]int{}
	of := func(partition string) *Change {
		n, ok := at[partition]
		if !ok {
			n = len(changes)
			at[partition] = n
			changes = append(changes, Change{Before: View{Latest: earlier.Latest}, After: View{Latest: after.Latest}, Rows: rows})
		}
		return &changes[n]
	}
	for _, s := range earlier.Slices {
		c := of(s.Partition)
		c.Before.Slices = append(c.Before.Slices, s)
	}
	for _, s := range after.Slices {
		c := of(s.Partition)
		c.After.Slices = append(c.After.Slices, s)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Partition(), b.Partition()) })
	return changes
}
