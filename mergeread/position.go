package mergeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// errPositions says that the positions of a run can't be used after all.
var errPositions = errors.New("positions do not fit the rows")

// positioned says that the log side can be found by base row ordinals: every
// run has positions. With Elsewhere the rows of other tasks are asked for by
// key, so keys it is.
func (in *Input) positioned() bool {
	if in.Base == nil || in.Elsewhere != nil || len(in.Runs) == 0 {
		return false
	}
	for _, r := range in.Runs {
		if r.Positions == nil || slices.ContainsFunc(r.Positions, func(p int64) bool { return p < 0 || p > math.MaxUint32 }) {
			return false
		}
	}
	return true
}

// A positionPath folds the log side by base row ordinals, which spares the
// key column of the base and all hashing: the entries, sorted, are met in
// passing. It shares everything else with the hashPath, which it becomes if
// the positions turn out to be unusable.
type positionPath struct {
	hashPath
	table   positionTable
	ordinal []int64  // by entry
	sorted  []uint64 // ordinals with their entries in the low half
}

func newPositionPath(ctx context.Context, in *Input, o Options, b *binding) *positionPath {
	p := &positionPath{hashPath: *newHashPath(ctx, in, o, b)}
	p.stage = p.logs
	return p
}

// logs folds all runs by position.
func (p *positionPath) logs(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	f := p.fold
	for i := range p.in.Runs {
		f.enter(p.in.Runs[i])
		left := p.in.Runs[i].Positions
		err := eachBatch(p.ctx, f.binding, i, p.opts.Stats, func(s *source) error {
			n := f.retain(s)
			if s.rows > len(left) {
				return errPositions
			}
			err := p.join(n, left[:s.rows])
			left = left[s.rows:]
			return err
		})
		if errors.Is(err, errPositions) || err == nil && len(left) > 0 || err == nil && p.over() {
			return to, p.giveUp()
		}
		if err != nil {
			return to, err
		}
		if err := f.maybeCompact(p.opts.Allocator); err != nil {
			return to, err
		}
	}
	if err := f.settle(p.opts.Allocator); err != nil {
		return to, err
	}
	for i, s := range f.sources {
		p.set(i, s)
	}
	p.sorted = make([]uint64, len(p.ordinal))
	for e, pos := range p.ordinal {
		p.sorted[e] = uint64(pos)<<32 | uint64(e)
	}
	slices.Sort(p.sorted)
	p.stage = p.openBase
	return to, nil
}

// over says that the log side needs the disk, which goes by keys.
func (p *positionPath) over() bool {
	return p.opts.MemoryLimit > 0 && p.fold.bytes > p.opts.MemoryLimit
}

// giveUp starts again by key. Nothing has been yielded so far.
func (p *positionPath) giveUp() error {
	b := p.fold.binding
	p.fold.release()
	p.table, p.ordinal = positionTable{}, nil
	p.hashPath = *newHashPath(p.ctx, p.in, p.opts, b)
	p.stage = p.hashPath.logs
	return nil
}

// join folds the rows of a retained source.
func (p *positionPath) join(n int, positions []int64) error {
	f := p.fold
	st := f.stepOf(f.sources[n])
	for i, pos := range positions {
		e, found := p.table.entry(pos, p.ordinal)
		if !found {
			f.add(makeRef(n, i))
			p.ordinal = append(p.ordinal, pos)
			continue
		}
		if err := f.join(e, st, makeRef(n, i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *positionPath) openBase(to []arrow.RecordBatch) (_ []arrow.RecordBatch, err error) {
	p.columns = baseColumns(p.fold.resolver, false)
	p.base, err = p.in.Base(p.ctx, p.columns, true)
	p.stage = p.rows
	return to, err
}

// rows merges one base batch.
func (p *positionPath) rows(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	rec, err := p.base.Next()
	if err == io.EOF {
		p.stage, p.cursor = p.elsewhere, 0
		return to, p.closeBase()
	}
	if err != nil {
		return to, err
	}
	ordinals, ok := rec.Column(int(rec.NumCols()) - 1).(*array.Int64)
	if !ok || int(rec.NumCols()) != len(p.columns)+1 {
		rec.Release()
		return to, fmt.Errorf("mergeread: base batch without the int64 column %s at its end", PositionColumn)
	}
	s, err := p.fold.data(rec, p.columns, -1, nil)
	if err != nil {
		return to, err
	}
	defer s.release()
	p.opts.Stats.BaseRows += int64(s.rows)
	m := newBaseMerge(p.fold, p.builder, &p.out, p.opts.Stats, s)
	if to, err = p.walk(m, ordinals.Int64Values(), to); err != nil {
		return to, err
	}
	return m.finish(to)
}

// walk meets the entries whose ordinals a batch has. Both sides are sorted,
// so a batch that holds a stretch of the file is left between two entries in
// one step.
func (p *positionPath) walk(m *baseMerge, ordinals []int64, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	for i := 0; i < len(ordinals) && p.cursor < len(p.sorted); {
		e, want := int(uint32(p.sorted[p.cursor])), int64(p.sorted[p.cursor]>>32)
		if ahead := want - ordinals[i]; ahead > 0 {
			i = skipTo(ordinals, i, want)
			continue
		} else if ahead == 0 {
			var err error
			if to, err = m.meet(i, e, to); err != nil {
				return to, err
			}
			i++
		}
		p.cursor++
	}
	return to, nil
}

// skipTo is the first index from i on whose ordinal is at least want.
func skipTo(ordinals []int64, i int, want int64) int {
	if j := int64(i) + want - ordinals[i]; j < int64(len(ordinals)) && ordinals[j] == want {
		return int(j)
	}
	n, _ := slices.BinarySearch(ordinals[i:], want)
	return i + n
}

// A positionTable finds the entry of a base row ordinal: open addressing over
// entry numbers.
type positionTable struct {
	slots []int32 // entry + 1; 0 = empty
	used  int
}

// entry finds the entry of an ordinal. If there is none it reserves the next
// entry number for it, which the caller must fill.
func (t *positionTable) entry(pos int64, ordinal []int64) (int, bool) {
	if 2*(t.used+1) > len(t.slots) {
		t.grow(ordinal)
	}
	mask := uint64(len(t.slots) - 1)
	for i := spread(pos) & mask; ; i = (i + 1) & mask {
		switch e := t.slots[i]; {
		case e == 0:
			t.used++
			t.slots[i] = int32(t.used)
			return t.used - 1, false
		case ordinal[e-1] == pos:
			return int(e - 1), true
		}
	}
}

func (t *positionTable) grow(ordinal []int64) {
	t.slots = make([]int32, max(minSlots, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for e, pos := range ordinal {
		i := spread(pos) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(e + 1)
	}
}

// spread scatters ordinals, which come in sequences, over 64 bits.
func spread(pos int64) uint64 {
	x := uint64(pos) * 0x9e3779b97f4a7c15
	return x ^ x>>32
}
