package snapshot

import (
	"context"
	"slices"

	"github.com/hudi-go/hudi/internal/storage"
)

// An archive is the archived timeline of either layout.
type archive struct {
	instants []Instant // by requested time, each once
	at       map[instantKey]int
	where    []locator // of the instants' metadata
}

// A locator says how to get at the metadata of one archived write.
type locator interface {
	commit(ctx context.Context, t *Timeline) (*CommitMetadata, error)
}

func readArchive(ctx context.Context, st storage.Storage, cfg *Config) (*archive, error) {
	a := &archive{at: map[instantKey]int{}}
	read := readHistory
	if cfg.TimelineLayout == 1 {
		read = readArchivedLogs
	}
	if err := read(ctx, st, cfg, a.add); err != nil {
		return nil, err
	}
	a.sort()
	return a, nil
}

// add notes an instant. Of one that comes more than once, the last one in the
// highest state counts.
func (a *archive) add(i Instant, where locator) {
	i.Archived = true
	key := instantKey{i.Requested, i.kind()}
	n, seen := a.at[key]
	if !seen {
		a.at[key] = len(a.instants)
		a.instants = append(a.instants, i)
		a.where = append(a.where, where)
	} else if rank(i.State) >= rank(a.instants[n].State) {
		a.instants[n], a.where[n] = i, where
	}
}

func (a *archive) sort() {
	order := make([]int, len(a.instants))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(x, y int) int { return compareInstants(a.instants[x], a.instants[y]) })
	instants, where := make([]Instant, len(order)), make([]locator, len(order))
	for to, from := range order {
		instants[to], where[to] = a.instants[from], a.where[from]
		a.at[instantKey{instants[to].Requested, instants[to].kind()}] = to
	}
	a.instants, a.where = instants, where
}

// completed gives the completed write that was requested at a time.
func (a *archive) completed(requested string) (Instant, bool) {
	for _, kind := range [...]string{ActionCommit, ActionDeltaCommit, ActionReplaceCommit} {
		if n, ok := a.at[instantKey{requested, kind}]; ok && a.instants[n].IsCompleted() {
			return a.instants[n], true
		}
	}
	return Instant{}, false
}

func (a *archive) commitMetadata(ctx context.Context, t *Timeline, i Instant) (*CommitMetadata, bool, error) {
	n, ok := a.at[instantKey{i.Requested, i.kind()}]
	if !ok {
		return nil, false, nil
	}
	m, err := a.where[n].commit(ctx, t)
	return m, true, err
}
