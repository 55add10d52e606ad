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
// run has positions, and they ascend, as they do in all that Hudi writes.
func (in *Input) positioned() bool {
	if in.Base == nil || len(in.Runs) == 0 {
		return false
	}
	for _, r := range in.Runs {
		n := len(r.Positions)
		if r.Positions == nil || n > 0 && (r.Positions[0] < 0 || r.Positions[n-1] > math.MaxUint32) || !slices.IsSorted(r.Positions) {
			return false
		}
	}
	return true
}

// A positionPath merges by base row ordinals, which spares the key column of
// the base and all hashing. Base and runs are read side by side, in the order
// of the ordinals: the records of one stretch of the file are folded, run by
// run, then met by the base rows of the stretch. So memory holds a batch of
// each, however many records the logs have.
//
// Whether the positions fit the runs is looked at before the first row leaves;
// if they don't, a hashPath takes over.
type positionPath struct {
	ctx     context.Context
	in      *Input
	opts    Options
	binding *binding
	m       *resolver
	builder *builder
	window  window
	stage   func([]arrow.RecordBatch) ([]arrow.RecordBatch, error)
	runs    []*positionRun
	stretch stretchFold

	columns []int // of the base
	base    batch.Reader
	out     output
	strays  output    // rows whose base row does not come: it was left out as no longer of use, or never was
	before  Stats     // when the merge began
	instead *hashPath // took over
}

func newPositionPath(ctx context.Context, in *Input, o Options, b *binding) *positionPath {
	p := &positionPath{ctx: ctx, in: in, opts: o, binding: b, m: newResolver(b), builder: newBuilder(in, o.Allocator)}
	p.out.wantDels, p.strays.wantDels = in.EmitDeletes, in.EmitDeletes
	p.window = window{m: p.m, b: p.builder}
	p.before = *o.Stats
	p.stage = p.open
	return p
}

func (p *positionPath) step(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if err := p.ctx.Err(); err != nil {
		return to, err
	}
	return p.stage(to)
}

func (p *positionPath) close() error {
	var errs []error
	for _, r := range p.runs {
		errs = append(errs, r.close())
	}
	p.runs = nil
	p.window.shrink(nil)
	p.opts.Stats.Comparisons += p.m.compared
	p.m.compared = 0
	if p.base != nil {
		errs = append(errs, p.base.Close())
	}
	if p.instead != nil {
		errs = append(errs, p.instead.close())
	}
	return errors.Join(errs...)
}

// open opens all runs and the base.
func (p *positionPath) open(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	var columns []int // of the runs; nil = all
	if !slices.ContainsFunc(p.in.Runs, func(r Run) bool { return r.Kind == Data && r.Some == nil }) {
		columns = logColumns(p.m)
	}
	for i := range p.in.Runs {
		p.m.enter(p.in.Runs[i])
		r := &positionRun{path: p, run: &p.in.Runs[i], number: i, columns: columns, left: p.in.Runs[i].Positions, rules: p.m.ruleset}
		p.runs = append(p.runs, r)
		err := r.open()
		if errors.Is(err, errPositions) {
			return to, p.giveUp()
		}
		if err != nil {
			return to, r.run.failed(err)
		}
	}
	var err error
	p.columns = baseColumns(p.m, false)
	p.base, err = p.in.Base(p.ctx, p.columns, true)
	p.stage = p.rows
	return to, err
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

// giveUp starts again by key. Nothing has been yielded so far.
func (p *positionPath) giveUp() error {
	if err := p.close(); err != nil {
		return err
	}
	*p.opts.Stats = p.before // everything is read and counted again
	p.instead = newHashPath(p.ctx, p.in, p.opts, p.binding)
	p.stage = p.instead.step
	return nil
}

// rows merges one base batch.
func (p *positionPath) rows(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	rec, err := p.base.Next()
	if err == io.EOF {
		p.stage = p.rest
		return to, p.base.Close()
	}
	if err != nil {
		return to, err
	}
	ordinals, ok := rec.Column(int(rec.NumCols()) - 1).(*array.Int64)
	if !ok || int(rec.NumCols()) != len(p.columns)+1 {
		rec.Release()
		return to, fmt.Errorf("mergeread: base batch without the int64 column %s at its end", PositionColumn)
	}
	s, err := p.binding.data(rec, p.columns, -1, nil)
	if err != nil {
		return to, err
	}
	defer s.release()
	s.owned = batch.Owned(p.base)
	p.opts.Stats.BaseRows += int64(s.rows)
	p.strays.reset(noRoom)
	m := newBaseMerge(p.m, p.builder, &p.out, p.opts.Stats, s)
	if to, err = p.walk(m, ordinals.Int64Values(), to); err != nil {
		return to, err
	}
	if to, err = m.finish(to); err != nil {
		return to, err
	}
	return p.flushStrays(to)
}

// walk merges the rows of a base batch, stretch by stretch.
func (p *positionPath) walk(m *baseMerge, ordinals []int64, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	for i := 0; i < len(ordinals); {
		first, last := p.next(), ordinals[len(ordinals)-1]
		if first > last {
			return to, nil // no record is left for the batch
		}
		err := p.fold(first, min(first+stretchRows-1, last))
		for pos, ok := p.stretch.first(); ok && err == nil; pos, ok = p.stretch.after(pos) {
			if i < len(ordinals) && ordinals[i] < pos {
				i = skipTo(ordinals, i, pos)
			}
			if i == len(ordinals) || ordinals[i] > pos {
				p.m.insert(p.stretch.at(pos), &p.strays, p.opts.Stats)
				continue
			}
			to, err = m.meet(i, p.stretch.at(pos), to)
			i++
		}
		if err != nil {
			return to, err
		}
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

// next is the least position that no record was folded of yet, MaxInt64 if
// there is none.
func (p *positionPath) next() int64 {
	least := int64(math.MaxInt64)
	for _, r := range p.runs {
		if len(r.left) > 0 {
			least = min(least, r.left[0])
		}
	}
	return least
}

// fold folds the records of a stretch of positions, run by run.
func (p *positionPath) fold(first, last int64) error {
	p.stretch.begin(first)
	for _, r := range p.runs {
		if err := r.fold(last, &p.stretch); err != nil {
			return r.run.failed(err)
		}
	}
	p.m.ruleset = p.runs[len(p.runs)-1].rules
	return nil
}

// flushStrays makes a batch of the strays, which come after the base rows, and
// lets go of log batches that are used up.
func (p *positionPath) flushStrays(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	to, err := p.builder.build(p.m, &p.strays, to)
	p.strays.reset(noRoom)
	p.window.shrink(func(n int) bool {
		return slices.ContainsFunc(p.runs, func(r *positionRun) bool { return r.has(n) })
	})
	return to, err
}

// rest yields the records of positions behind the last base row.
func (p *positionPath) rest(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	for p.strays.rows < p.opts.BatchSize {
		first := p.next()
		if first == math.MaxInt64 {
			to, err := p.flushStrays(to)
			if err == nil {
				err = io.EOF
			}
			return to, err
		}
		if err := p.fold(first, first+stretchRows-1); err != nil {
			return to, err
		}
		for pos, ok := p.stretch.first(); ok; pos, ok = p.stretch.after(pos) {
			p.m.insert(p.stretch.at(pos), &p.strays, p.opts.Stats)
		}
	}
	return p.flushStrays(to)
}
