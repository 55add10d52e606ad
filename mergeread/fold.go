package mergeread

import (
	"context"
	"io"
)

// A fold is the log side of a slice: for each key its state, with the log
// rows that the states refer to.
type fold struct {
	*resolver
	table    keyTable
	heads    []ref   // by entry
	overs    []int32 // overlays of the entries; nil while none has one
	consumed []bool  // entries that met their base row
	rows     int     // rows of retained sources
	bytes    int64   // memory of retained sources
	stats    *Stats
	tags     []uint32 // scratch
}

func newFold(b *binding, stats *Stats) *fold {
	return &fold{resolver: newResolver(b), stats: stats}
}

// key is the record key of an entry.
func (f *fold) key(e int) []byte {
	h := f.heads[e]
	return f.sources[h.src()].keys.at(h.row())
}

func (f *fold) state(e int) state {
	if f.overs == nil {
		return state{f.heads[e], noOverlay}
	}
	return state{f.heads[e], f.overs[e]}
}

func (f *fold) setState(e int, s state) {
	f.heads[e] = s.head
	if f.overs == nil {
		if s.overlay == noOverlay {
			return
		}
		f.overs = make([]int32, len(f.heads), cap(f.heads))
		for i := range f.overs {
			f.overs[i] = noOverlay
		}
	}
	f.overs[e] = s.overlay
}

// add makes a new entry.
func (f *fold) add(r ref) int {
	f.heads = append(f.heads, r)
	f.consumed = append(f.consumed, false)
	if f.overs != nil {
		f.overs = append(f.overs, noOverlay)
	}
	return len(f.heads) - 1
}

// retain takes over a source and gives its number.
func (f *fold) retain(s *source) int {
	f.sources = append(f.sources, s)
	f.rows += s.rows
	f.bytes += batchBytes(s.batch)
	return len(f.sources) - 1
}

// release gives back everything that the fold holds.
func (f *fold) release() {
	for _, s := range f.sources {
		s.release()
	}
	f.sources = nil
	f.made.release()
	f.stats.Comparisons += f.compared
	f.compared = 0
}

// fold folds all rows of a retained source by key.
func (f *fold) fold(n int) error {
	s := f.sources[n]
	st := f.stepOf(s)
	f.tags = hashAll(f.tags, &s.keys, s.rows)
	for i, tag := range f.tags {
		key := s.keys.at(i)
		r := makeRef(n, i)
		e := f.find(tag, key)
		if e < 0 {
			f.table.insert(tag, f.add(r))
			continue
		}
		if err := f.join(e, st, r); err != nil {
			return err
		}
	}
	return nil
}

// join applies one more record to an entry.
func (f *fold) join(e int, st *step, r ref) error {
	if f.overs == nil && st.choose == latest && st.combine == whole {
		f.heads[e] = r
		return nil
	}
	s, err := f.apply(st, f.state(e), state{r, noOverlay})
	if err == nil {
		f.setState(e, s)
	}
	return err
}

// eachBatch reads a run and hands its batches over as sources.
func eachBatch(ctx context.Context, b *binding, n int, stats *Stats, do func(*source) error) (err error) {
	run := &b.in.Runs[n]
	defer func() {
		if err != nil {
			err = run.failed(err)
		}
	}()
	rd, err := run.Open(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for {
		rec, err := nextRows(ctx, rd)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := b.logs(rec, nil, n, stats)
		if err != nil {
			return err
		}
		if err := do(s); err != nil {
			return err
		}
	}
}
