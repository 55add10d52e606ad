package parquet

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/guard"
)

// queueDepth is how many arrays of a column are decoded ahead of the consumer.
const queueDepth = 2

// A pool decodes columns concurrently. A column is read by one worker at a
// time; a free worker takes the column that is furthest behind, the heaviest
// of those first.
type pool struct {
	cancel context.CancelFunc
	unhook func() bool
	wg     sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond
	columns []*pooled // heaviest first
	byIndex []*pooled // as the consumer counts them
	stopped bool
	err     error
}

// pooled is a column of a pool.
type pooled struct {
	column *column
	queue  []arrow.Array
	made   int // arrays so far
	busy   bool
	done   bool
	twins  []*pooled // columns whose arrays come with its own
	isTwin bool      // of another
}

func newPool(ctx context.Context, columns []*column, weights []int64, threads int) *pool {
	p := &pool{}
	ctx, p.cancel = context.WithCancel(ctx)
	p.changed.L = &p.mu
	order := make([]int, len(columns))
	for i, c := range columns {
		p.byIndex = append(p.byIndex, &pooled{column: c, isTwin: c.lead != nil})
		order[i] = i
		if c.lead != nil {
			lead := p.byIndex[slices.Index(columns, c.lead)]
			lead.twins = append(lead.twins, p.byIndex[i])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, weights[b]-weights[a]))) })
	for _, i := range order {
		p.columns = append(p.columns, p.byIndex[i])
	}
	p.unhook = context.AfterFunc(ctx, func() { p.fail(ctx.Err()) })
	for range min(threads, len(columns)) {
		p.wg.Go(func() { p.work(ctx) })
	}
	return p
}

// fail stops all workers; the first error is what the consumer gets.
func (p *pool) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.stopped = true
	p.mu.Unlock()
	p.changed.Broadcast()
}

func (p *pool) work(ctx context.Context) {
	for {
		c := p.claim()
		if c == nil {
			return
		}
		a, err := c.column.guarded(ctx)
		if err != nil && err != io.EOF {
			p.fail(err)
		}
		p.mu.Lock()
		c.add(a, err)
		p.mu.Unlock()
		p.changed.Broadcast()
	}
}

// add takes what a worker has read of the column, and what its twins got of it.
func (c *pooled) add(a arrow.Array, err error) {
	c.busy = false
	if err != nil {
		c.done = true
	} else {
		c.queue = append(c.queue, a)
		c.made++
	}
	c.twins = slices.DeleteFunc(c.twins, func(t *pooled) bool {
		if a := t.column.taken(); a != nil {
			t.queue = append(t.queue, a)
			t.made++
		}
		t.isTwin = t.column.lead != nil
		t.done = c.done && t.isTwin
		return !t.isTwin
	})
}

// guarded reads the next array; a panic is an error, since a worker has nobody
// above it.
func (c *column) guarded(ctx context.Context) (a arrow.Array, err error) {
	defer guard.Recover(&err)
	return c.next(ctx)
}

// claim waits for a column that can be read; nil means that there is no more
// to do.
func (p *pool) claim() *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		var best *pooled
		open := false
		for _, c := range p.columns {
			open = open || !c.done
			if !c.busy && !c.done && !c.isTwin && len(c.queue) < queueDepth && (best == nil || c.made < best.made) {
				best = c
			}
		}
		if p.stopped || !open {
			return nil
		}
		if best != nil {
			best.busy = true
			return best
		}
		p.changed.Wait()
	}
}

func (p *pool) next(i int) (arrow.Array, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.byIndex[i]
	for len(c.queue) == 0 && !c.done && p.err == nil {
		p.changed.Wait()
	}
	if p.err != nil {
		return nil, p.err
	}
	if len(c.queue) == 0 {
		return nil, io.EOF
	}
	a := c.queue[0]
	c.queue = c.queue[1:]
	p.changed.Broadcast()
	return a, nil
}

func (p *pool) close() {
	p.unhook()
	p.fail(io.ErrClosedPipe)
	p.cancel()
	p.wg.Wait()
	for _, c := range p.columns {
		for _, a := range c.queue {
			a.Release()
		}
		c.queue = nil
		c.column.release()
	}
}
