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

// A sortedPath merges sources that are all sorted by key, holding one batch
// of each. Rows of one source that lie before every other source's next key
// have no rivals and go on as a stretch.
//
// Order is checked batch by batch, before a row of the batch leaves. A source
// that breaks the promise turns the merge over to a hashPath; rows that were
// yielded by then stay valid if all records of their keys had been seen, and
// otherwise the merge fails rather than yield a row twice or wrong.
type sortedPath struct {
	ctx     context.Context
	in      *Input
	opts    Options
	binding *binding
	m       *resolver
	builder *builder
	window  window
	cursors []*cursor  // of the base, if there is one, and of the runs
	base    *cursor    // nil = none
	logs    *loserTree // of the runs
	out     output
	mixed   bool    // the rules change from run to run
	rules   ruleset // those of the end
	bases   []ref   // base rows of the group in the making
	yielded bool
	marks   []int64   // rows taken of each source when the last step ended
	instead *hashPath // took over
	before  Stats     // when the merge began
}

func newSortedPath(ctx context.Context, in *Input, o Options, b *binding) *sortedPath {
	p := &sortedPath{ctx: ctx, in: in, opts: o, binding: b, m: newResolver(b), builder: newBuilder(in, o.Allocator)}
	p.out.wantDels = in.EmitDeletes
	p.window = window{m: p.m, b: p.builder}
	p.before = *o.Stats
	return p
}

func (p *sortedPath) close() error {
	var errs []error
	for _, c := range p.cursors {
		errs = append(errs, c.rd.Close())
	}
	p.cursors = nil
	p.window.shrink(nil)
	p.opts.Stats.Comparisons += p.m.compared
	p.m.compared = 0
	if p.logs != nil {
		p.opts.Stats.Comparisons += p.logs.compared
		p.logs.compared = 0
	}
	if p.instead != nil {
		errs = append(errs, p.instead.close())
	}
	return errors.Join(errs...)
}

func (p *sortedPath) step(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if p.instead != nil {
		return p.instead.step(to)
	}
	had := len(to)
	to, err := p.merge(to)
	if u := (*unsortedError)(nil); errors.As(err, &u) {
		for _, rec := range to[had:] {
			rec.Release()
		}
		if p.opts.Unsorted != nil {
			p.opts.Unsorted(u.c.run)
		}
		return to[:had], p.fallBack()
	}
	if err == nil || err == io.EOF {
		p.yielded = p.yielded || len(to) > had
		p.window.shrink(p.reads)
		p.mark()
	}
	return to, err
}

// reads tells whether a cursor has rows left of the batch of a number.
func (p *sortedPath) reads(n int) bool {
	return slices.ContainsFunc(p.cursors, func(c *cursor) bool { return c.s != nil && c.n == n && !c.spent() })
}

// mark notes how far each source was taken.
func (p *sortedPath) mark() {
	p.marks = p.marks[:0]
	for _, c := range p.cursors {
		p.marks = append(p.marks, c.position())
	}
}

// fallBack turns the merge over to a hashPath.
func (p *sortedPath) fallBack() error {
	marks := p.marks
	if !p.yielded {
		marks = nil
	} else if p.in.Base == nil {
		marks = append([]int64{0}, marks...)
	}
	if err := p.close(); err != nil {
		return err
	}
	*p.opts.Stats = p.before // everything is read and counted again
	p.instead = newHashPath(p.ctx, p.in, p.opts, p.binding)
	if marks != nil {
		p.instead.resume = &resume{marks: marks, fold: p.instead.fold}
	}
	return nil
}

// open opens all sources.
func (p *sortedPath) open() error {
	if p.in.Base != nil {
		cols := baseColumns(p.m, true)
		rd, err := p.in.Base(p.ctx, cols, false)
		if err != nil {
			return err
		}
		p.base = &cursor{name: "base file", run: -1, rd: rd, source: func(rec arrow.RecordBatch) (*source, error) {
			p.opts.Stats.BaseRows += rec.NumRows()
			s, err := p.binding.data(rec, cols, -1, nil)
			if err == nil {
				s.owned = batch.Owned(rd)
			}
			return s, err
		}}
		p.cursors = append(p.cursors, p.base)
	}
	first := len(p.cursors)
	for i := range p.in.Runs {
		if err := p.openRun(i); err != nil {
			return err
		}
	}
	p.rules = p.m.ruleset
	p.mixed = slices.ContainsFunc(p.in.Runs, Run.changesRules)
	for _, c := range p.cursors {
		if err := c.load(p.ctx, &p.window); err != nil {
			return err
		}
	}
	p.logs = newLoserTree(p.cursors[first:])
	return nil
}

func (p *sortedPath) openRun(i int) error {
	run := &p.in.Runs[i]
	p.m.enter(*run)
	rd, err := run.Open(p.ctx)
	if err != nil {
		return run.failed(err)
	}
	c := &cursor{name: fmt.Sprintf("log %s (instant %s)", run.Name, run.Instant), run: i, rd: rd, rules: p.m.ruleset}
	c.source = func(rec arrow.RecordBatch) (*source, error) { return p.binding.logs(rec, nil, i, p.opts.Stats) }
	p.cursors = append(p.cursors, c)
	return nil
}

// merge fills one batch, or two where a stretch passes. It ends between two keys
// of the logs.
func (p *sortedPath) merge(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if err := p.ctx.Err(); err != nil {
		return to, err
	}
	if p.logs == nil {
		if err := p.open(); err != nil {
			return to, err
		}
	}
	p.begin()
	most := 4*len(p.cursors) + 64 // batches that may wait for their rows
	for had := len(to); len(to) == had && p.out.rows < p.opts.BatchSize && len(p.window.numbers) < most; {
		if p.base.spent() {
			var err error
			if to, err = p.nextBase(to); err != nil {
				return to, err
			}
			continue
		}
		c, n, met := p.rivalless()
		var err error
		switch {
		case c == nil:
			if to, err = p.flush(to); err == nil {
				err = io.EOF
			}
			return to, err
		case n == 0:
			err = p.group(c, met)
		case n >= passRows:
			to, err = p.pass(c, n, to)
		default:
			p.out.add(c.n, c.row, n)
			err = p.take(c, n)
		}
		if err != nil {
			return to, err
		}
	}
	return p.flush(to)
}

// nextBase goes on to the next batch of the base, unless there is an output to
// be made of the last one's rows first: an output is made of rows of one batch,
// so that it can be made in place, and while they are in the cache.
func (p *sortedPath) nextBase(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	had := len(to)
	to, err := p.flush(to)
	if err != nil || len(to) > had {
		return to, err
	}
	err = p.base.load(p.ctx, &p.window)
	if err == nil {
		p.begin()
	}
	return to, err
}

// begin begins an output where the base is.
func (p *sortedPath) begin() {
	p.out.reset(noRoom)
	if c := p.base; c != nil && !c.done && !c.spent() {
		p.out.room = c.s.room(c.n, c.row)
	}
}

// flush makes a batch of the output and begins another.
func (p *sortedPath) flush(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if r := &p.out.room; r.src != nullSource {
		r.end = int32(p.base.row)
	}
	to, err := p.builder.build(p.m, &p.out, to)
	p.begin()
	return to, err
}

// rivalless gives the cursor with the least key, nil if all are done, and the
// number of rows that it can yield unseen: rows of the base that no log has, or
// live log rows of different keys that nothing else has. None means that the
// cursor is a log whose key needs a look at all of its records; met tells whether
// the base's next row has that key.
func (p *sortedPath) rivalless() (c *cursor, n int, met bool) {
	c = p.logs.winner()
	b := p.base
	if b != nil && b.done {
		b = nil
	}
	switch {
	case c == nil && b != nil:
		return b, b.s.rows - b.row, false
	case b != nil:
		if n, met = b.seek(c.key, &p.logs.compared); n > 0 {
			return b, n, false
		}
	}
	if c == nil || !c.plain || met {
		return c, 0, met
	}
	n = c.s.rows - c.row
	if r := p.logs.runnerUp(); r != nil {
		n, _ = c.seek(r.key, &p.logs.compared)
	}
	if n > 0 && b != nil {
		before, _ := c.seek(b.s.keys.at(b.row), &p.logs.compared)
		n = min(n, before)
	}
	n = c.closed(n)
	p.opts.Stats.Inserted += int64(n)
	return c, n, false
}

// pass yields a long stretch as a slice of its batch.
func (p *sortedPath) pass(c *cursor, n int, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	to, err := p.flush(to)
	if err != nil {
		return to, err
	}
	p.out.add(c.n, c.row, n)
	if c.run < 0 {
		p.opts.Stats.PassedSlice += int64(n)
	}
	if err = p.take(c, n); err != nil {
		return to, err
	}
	return p.flush(to)
}

// take moves the winner on.
func (p *sortedPath) take(c *cursor, n int) error {
	if c.run < 0 {
		c.row += n
		return nil
	}
	err := c.advance(p.ctx, &p.window, n)
	p.logs.replay()
	return err
}

// group merges all records of the least key, which log is the first to have, and
// the base if met is set: the log records from the oldest to the newest, then the
// result over the first base row. Other base rows of the key pass, as they do in a
// merge by hashing.
func (p *sortedPath) group(log *cursor, met bool) error {
	key := log.key // stays where it is until the window shrinks
	p.bases = p.bases[:0]
	for b := p.base; met; met = !b.plain && b.has(key) {
		p.bases = append(p.bases, makeRef(b.n, b.row))
		b.row++
	}
	logs := state{makeRef(log.n, log.row), noOverlay}
	err := p.take(log, 1)
	for c := p.logs.winner(); err == nil && c != nil && bytes.Equal(c.key, key); c = p.logs.winner() {
		if p.mixed {
			p.m.ruleset = c.rules
		}
		if logs, err = p.m.apply(p.m.stepOf(c.s), logs, state{makeRef(c.n, c.row), noOverlay}); err == nil {
			err = p.take(c, 1)
		}
	}
	if p.mixed {
		p.m.ruleset = p.rules
	}
	switch {
	case err != nil:
		return err
	case len(p.bases) == 0:
		p.m.insert(logs, &p.out, p.opts.Stats)
		return nil
	}
	return p.update(logs)
}

// update yields the rows of a key that the base has.
func (p *sortedPath) update(logs state) error {
	s, del, err := p.m.update(p.bases[0], logs, p.opts.Stats)
	if err != nil {
		return err
	}
	if !del || p.out.wantDels {
		p.out.addState(s, del)
	}
	for _, b := range p.bases[1:] {
		p.out.add(b.src(), b.row(), 1)
	}
	return nil
}
