package mergeread

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// A passPath yields the base rows and, for a query that skips the merge, the
// data rows of all logs after them.
type passPath struct {
	ctx     context.Context
	in      *Input
	opts    Options
	res     *resolver
	builder *builder
	out     output
	current batch.Reader
	columns []int // of current; nil = the working schema
	next    int   // run that comes next; -1 = the base
}

func newPassPath(ctx context.Context, in *Input, o Options, b *binding) *passPath {
	p := &passPath{ctx: ctx, in: in, opts: o, res: newResolver(b), builder: newBuilder(in, o.Allocator), next: -1}
	p.out.wantDels = in.EmitDeletes
	return p
}

func (p *passPath) close() error {
	if p.current == nil {
		return nil
	}
	err := p.current.Close()
	p.current = nil
	return err
}

func (p *passPath) step(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if err := p.ctx.Err(); err != nil {
		return to, err
	}
	if p.current == nil {
		return to, p.open()
	}
	rec, err := p.current.Next()
	if err == io.EOF {
		return to, p.close()
	}
	if err != nil {
		return to, err
	}
	run := p.next - 1 // -1 for the base
	s, err := p.res.data(rec, p.columns, run, nil)
	if err != nil {
		return to, err
	}
	defer s.release()
	if run >= 0 {
		p.opts.Stats.LogRecords += int64(s.rows)
	} else {
		p.opts.Stats.BaseRows += int64(s.rows)
		p.opts.Stats.PassedSlice += int64(s.rows)
	}
	p.out.reset(noRoom)
	p.out.add(baseSource, 0, s.rows)
	p.builder.set(baseSource, s)
	return p.builder.build(p.res, &p.out, to)
}

// open goes on to the next source with rows to yield.
func (p *passPath) open() (err error) {
	if p.next < 0 {
		p.next = 0
		if p.in.Base == nil {
			return nil
		}
		p.columns = append([]int{}, p.in.Output...) // none is not nil: that stands for all
		slices.Sort(p.columns)
		p.columns = slices.Compact(p.columns)
		p.current, err = p.in.Base(p.ctx, p.columns, false)
		return err
	}
	for p.next < len(p.in.Runs) && p.in.Runs[p.next].Kind == Delete {
		p.next++
	}
	if !p.in.SkipMerge || p.next == len(p.in.Runs) {
		return io.EOF
	}
	p.columns = nil
	p.current, err = p.in.Runs[p.next].Open(p.ctx)
	p.next++
	return err
}
