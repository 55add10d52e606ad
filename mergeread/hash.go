package mergeread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// passRows is the length from which an untouched stretch inside a base batch
// goes on as a slice instead of being copied with its neighbours.
const passRows = 4096

// A hashPath folds the log side into a table by key, streams the base past
// it, and yields the keys that no base row had at the end.
type hashPath struct {
	ctx  context.Context
	in   *Input
	opts Options
	fold *fold
	*builder

	columns []int // of the base
	base    batch.Reader
	out     output
	tags    []uint32
	filter  tagFilter
	picked  []int32 // rows that the filter lets through
	cands   []candidate
	stage   func([]arrow.RecordBatch) ([]arrow.RecordBatch, error)
	cursor  int     // entry that the inserts go on with
	resume  *resume // rows that were yielded before; nil = none
	spill   *spill  // the log side on disk; nil while it fits
	level   int     // how many spills this merge is inside of
}

func newHashPath(ctx context.Context, in *Input, o Options, b *binding) *hashPath {
	p := &hashPath{ctx: ctx, in: in, opts: o, fold: newFold(b, o.Stats), builder: newBuilder(in, o.Allocator)}
	p.out.wantDels = in.EmitDeletes
	p.stage = p.logs
	return p
}

func (p *hashPath) step(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if err := p.ctx.Err(); err != nil {
		return to, err
	}
	return p.stage(to)
}

func (p *hashPath) close() error {
	p.fold.release()
	err := p.closeBase()
	if p.spill != nil {
		err = errors.Join(err, p.spill.close())
	}
	return err
}

func (p *hashPath) closeBase() error {
	if p.base == nil {
		return nil
	}
	err := p.base.Close()
	p.base = nil
	return err
}

// logs folds all runs.
func (p *hashPath) logs(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	f := p.fold
	for i := range p.in.Runs {
		f.enter(p.in.Runs[i])
		err := eachBatch(p.ctx, f.binding, i, p.opts.Stats, p.takeIn)
		if err != nil {
			return to, err
		}
	}
	if p.spill != nil {
		p.stage = p.spill.openBase
		return to, p.spill.logsDone()
	}
	if err := p.resume.check(); err != nil {
		return to, err
	}
	if err := f.settle(p.opts.Allocator); err != nil {
		return to, err
	}
	for i, s := range f.sources {
		p.set(i, s)
	}
	p.filter = newTagFilter(&f.table)
	p.stage = p.openBase
	return to, nil
}

// takeIn folds one batch of a run, or sends it to disk once the log side has
// outgrown its memory.
func (p *hashPath) takeIn(s *source) error {
	f := p.fold
	if p.spill != nil {
		return p.spill.log(s)
	}
	if err := f.fold(f.retain(s)); err != nil {
		return err
	}
	if p.resume != nil {
		p.resume.note(s)
	}
	if err := f.maybeCompact(p.opts.Allocator); err != nil {
		return err
	}
	if p.opts.MemoryLimit <= 0 || f.bytes <= p.opts.MemoryLimit || p.resume != nil || p.level == maxLevel {
		return nil
	}
	// Perhaps most of it was superseded.
	if !f.combines() {
		if err := f.compact(p.opts.Allocator); err != nil {
			return err
		}
		if f.bytes <= p.opts.MemoryLimit/2 {
			return nil
		}
	}
	var err error
	p.spill, err = newSpill(p)
	return err
}

func (p *hashPath) openBase(to []arrow.RecordBatch) (_ []arrow.RecordBatch, err error) {
	if p.in.Base == nil {
		p.startInserts()
		return to, nil
	}
	p.columns = baseColumns(p.fold.resolver, true)
	if p.base, err = p.in.Base(p.ctx, p.columns, false); err != nil {
		return to, err
	}
	p.stage = p.rows
	return to, nil
}

// baseColumns are the working columns that a merge needs of base rows. It may
// be none, which is not nil: that would stand for all.
func baseColumns(m *resolver, key bool) []int {
	cols := append([]int{}, m.live...)
	if key {
		cols = append(cols, m.in.Key)
	}
	if m.alg.final.choose != latest {
		for _, f := range m.fields {
			cols = append(cols, fieldIndex(m.in.Schema, top(f)))
		}
	}
	slices.Sort(cols)
	return slices.Compact(cols)
}

// rows merges one base batch.
func (p *hashPath) rows(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	rec, err := p.base.Next()
	if err == io.EOF {
		p.startInserts()
		return to, p.closeBase()
	}
	if err != nil {
		return to, err
	}
	p.opts.Stats.BaseRows += rec.NumRows()
	s, err := p.fold.data(rec, p.columns, -1, nil)
	if err != nil {
		return to, err
	}
	if s, err = p.resume.rest(p, s); s == nil {
		return to, err
	}
	defer s.release()
	s.owned = batch.Owned(p.base)
	m := newBaseMerge(p.fold.resolver, p.builder, &p.out, p.opts.Stats, s)
	to, err = p.probe(m, to)
	if err != nil {
		return to, err
	}
	return m.finish(to)
}

// A candidate is a base row and the entry that its key probably is of.
type candidate struct {
	row   int32
	entry int32
	head  ref
}

// probe looks up every key of a base batch. It goes in stages over the whole
// batch, each a short loop whose memory accesses don't wait for one another.
func (p *hashPath) probe(m *baseMerge, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	f := p.fold
	if f.table.used == 0 || m.s.rows == 0 {
		return to, nil
	}
	if m.s.cols[p.in.Key] == nil {
		return to, fmt.Errorf("mergeread: base batch without the record key")
	}
	p.tags = hashAll(p.tags, &m.s.keys, m.s.rows)
	p.picked = p.filter.pass(p.picked, p.tags)
	p.cands = f.table.candidates(p.cands[:0], p.tags, p.picked)
	for i := range p.cands {
		p.cands[i].head = f.heads[p.cands[i].entry]
	}
	f.compared += int64(len(p.cands))
	for _, c := range p.cands {
		row, e := int(c.row), int(c.entry)
		key := m.s.keys.at(row)
		if !bytes.Equal(f.sources[c.head.src()].keys.at(c.head.row()), key) {
			// Another key has the same tag; the right one may come later.
			if e = f.find(p.tags[row], key); e < 0 {
				continue
			}
		}
		if f.consumed[e] {
			continue
		}
		err := p.resume.outside(e)
		if err != nil {
			return to, err
		}
		f.consumed[e] = true
		if to, err = m.meet(row, f.state(e), to); err != nil {
			return to, err
		}
	}
	return to, nil
}

// hashAll hashes the keys of a batch.
func hashAll(tags []uint32, keys *byteColumn, n int) []uint32 {
	tags = slices.Grow(tags[:0], n)[:n]
	if keys.off32 != nil {
		from := keys.off32[0]
		for i, to := range keys.off32[1 : n+1] {
			tags[i] = uint32(hashKey(keys.data[from:to]))
			from = to
		}
		return tags
	}
	for i := range tags {
		tags[i] = uint32(hashKey(keys.at(i)))
	}
	return tags
}

// startInserts goes on to the entries that no base row has.
func (p *hashPath) startInserts() {
	p.stage = p.inserts
	p.resume.take()
}

// inserts yields the entries that no base row has, one batch per call.
func (p *hashPath) inserts(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	p.out.reset(noRoom)
	p.cursor = p.fold.inserts(p.cursor, p.opts.BatchSize, &p.out, p.opts.Stats)
	to, err := p.build(p.fold.resolver, &p.out, to)
	if err == nil && p.cursor == len(p.fold.heads) {
		err = io.EOF
	}
	return to, err
}

// inserts appends unconsumed entries to an output and gives the entry to go
// on with.
func (f *fold) inserts(from, limit int, o *output, stats *Stats) int {
	for from < len(f.heads) && o.rows < limit {
		if !f.consumed[from] {
			f.insert(f.state(from), o, stats)
		}
		from++
	}
	return from
}
