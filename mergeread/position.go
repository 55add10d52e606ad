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

	"github.com/hudi-go/hudi/internal/batch"
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
// key column of the base and all hashing. The ordinals of all runs are known
// before their rows are, so entries are numbered in the order of their base
// rows and met in passing. It shares everything else with the hashPath, which
// it becomes if the positions turn out to be unusable.
type positionPath struct {
	hashPath
	ordinals ordinalSet
	want     ordinalCursor // the entry whose base row comes next
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
		p.ordinals.add(p.in.Runs[i].Positions)
	}
	if p.ordinals.sparse() {
		return to, p.giveUp()
	}
	f.reserve(p.ordinals.seal())
	if !slices.ContainsFunc(p.in.Runs, func(r Run) bool { return r.Kind == Data && r.Some == nil }) {
		f.columns = logColumns(f.resolver)
	}
	for i := range p.in.Runs {
		f.enter(p.in.Runs[i])
		left := p.in.Runs[i].Positions
		err := eachBatch(p.ctx, f.binding, i, f.columns, p.opts.Stats, func(s *source) error {
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
	p.want = p.ordinals.first()
	p.stage = p.openBase
	return to, nil
}

// logColumns are the working columns that a merge by position needs of log
// rows.
func logColumns(m *resolver) []int {
	cols := slices.Clone(m.live)
	for _, f := range m.fields {
		cols = append(cols, fieldIndex(m.in.Schema, top(f)))
	}
	for _, c := range []int{m.isDeleted, m.operation, m.deleteField} {
		if c >= 0 {
			cols = append(cols, c)
		}
	}
	slices.Sort(cols)
	return slices.Compact(cols)
}

// over says that the log side needs the disk, which goes by keys.
func (p *positionPath) over() bool {
	return p.opts.MemoryLimit > 0 && p.fold.bytes > p.opts.MemoryLimit
}

// giveUp starts again by key. Nothing has been yielded so far.
func (p *positionPath) giveUp() error {
	b := p.fold.binding
	p.fold.release()
	p.ordinals = ordinalSet{}
	p.hashPath = *newHashPath(p.ctx, p.in, p.opts, b)
	p.stage = p.hashPath.logs
	return nil
}

// join folds the rows of a retained source.
func (p *positionPath) join(n int, positions []int64) error {
	f := p.fold
	st := f.stepOf(f.sources[n])
	for i, pos := range positions {
		e := p.ordinals.entry(pos)
		if f.heads[e] == noRef {
			f.heads[e] = makeRef(n, i)
			f.entries++
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
	s.owned = batch.Owned(p.base)
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
	for i := 0; i < len(ordinals) && p.want.ok; {
		if ahead := p.want.ordinal - ordinals[i]; ahead > 0 {
			i = skipTo(ordinals, i, p.want.ordinal)
			continue
		} else if ahead == 0 {
			var err error
			if to, err = m.meet(i, p.want.entry, to); err != nil {
				return to, err
			}
			i++
		}
		p.want.next()
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
