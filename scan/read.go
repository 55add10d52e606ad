package scan

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/guard"
)

// Read runs tasks and streams their rows in Output. With one thread, tasks are
// read one after another in the goroutine that calls Next; with more, batches
// of different tasks come in no particular order, those of one task in order.
// Cancelling ctx stops everything soon; the reader must be closed in any case,
// which waits for its goroutines.
func (e *Env) Read(ctx context.Context, tasks []Task) batch.Reader {
	threads := min(e.Options.Threads, len(tasks))
	if e.Job.Changes == ImageStructs || e.Job.Changes == ImageTexts {
		threads = 1 // images are replayed in order; threads go to the columns
	}
	if threads <= 1 {
		return &sequence{env: e, ctx: ctx, rest: tasks}
	}
	return newPool(ctx, e, tasks, threads)
}

// open starts one task.
func (e *Env) open(ctx context.Context, t Task, threads int) (batch.Reader, error) {
	switch {
	case e.where != nil:
		return e.openWhere(ctx, t, threads)
	case t.Change != nil:
		return e.openChange(ctx, t.Change, threads)
	case e.Job.Rows != nil && !e.Job.Rows.All:
		return e.openChanged(ctx, t, threads)
	}
	if len(t.Slice.Logs) > 0 {
		return e.merger.Merge(ctx, e, t, threads)
	}
	if t.Slice.Base == nil {
		return batch.Empty(e.Output), nil
	}
	return e.OpenBase(ctx, &t.Slice, e.Output, BaseOptions{Rows: t.Rows, Threads: threads, Prune: e.prune})
}

// sequence reads tasks one after another.
type sequence struct {
	env     *Env
	ctx     context.Context
	rest    []Task
	current batch.Reader
	err     error
}

func (s *sequence) Schema() *arrow.Schema { return s.env.Output }

func (s *sequence) Next() (arrow.RecordBatch, error) {
	for s.err == nil {
		if s.err = s.ctx.Err(); s.err != nil {
			break
		}
		if s.current == nil {
			if len(s.rest) == 0 {
				return nil, io.EOF
			}
			if s.current, s.err = s.env.open(s.ctx, s.rest[0], s.env.Options.Threads); s.err != nil {
				break
			}
			s.rest = s.rest[1:]
		}
		b, err := s.current.Next()
		if err == nil {
			return b, nil
		}
		closeErr := s.current.Close()
		s.current = nil
		if err != io.EOF {
			s.err = err
		} else {
			s.err = closeErr
		}
	}
	return nil, s.err
}

func (s *sequence) Close() error {
	s.rest = nil
	if s.current == nil {
		return nil
	}
	err := s.current.Close()
	s.current = nil
	return err
}

// pool reads several tasks at a time.
type pool struct {
	env    *Env
	parent context.Context
	cancel context.CancelFunc
	out    chan result
	wg     sync.WaitGroup
	err    error
}

type result struct {
	batch arrow.RecordBatch
	err   error
}

// newPool starts the workers. Each holds at most one batch that nobody has
// asked for, so memory stays in proportion to threads.
func newPool(ctx context.Context, e *Env, tasks []Task, threads int) *pool {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	p := &pool{env: e, parent: parent, cancel: cancel, out: make(chan result, threads)}
	queue := make(chan Task, len(tasks))
	for _, t := range tasks {
		queue <- t
	}
	close(queue)
	inner := max(1, e.Options.Threads/threads)
	for range threads {
		p.wg.Go(func() {
			for t := range queue {
				if err := p.run(ctx, t, inner); err != nil {
					p.send(ctx, result{err: err})
					return
				}
			}
		})
	}
	go func() {
		p.wg.Wait()
		close(p.out)
	}()
	return p
}

func (p *pool) run(ctx context.Context, t Task, threads int) (err error) {
	defer guard.Recover(&err)
	r, err := p.env.open(ctx, t, threads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !p.send(ctx, result{batch: b}) {
			b.Release()
			return ctx.Err()
		}
	}
}

func (p *pool) send(ctx context.Context, r result) bool {
	select {
	case p.out <- r:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *pool) Schema() *arrow.Schema { return p.env.Output }

func (p *pool) Next() (arrow.RecordBatch, error) {
	if p.err != nil {
		return nil, p.err
	}
	r, ok := <-p.out
	switch {
	case !ok:
		// workers that were cancelled end without a word
		if p.err = p.parent.Err(); p.err == nil {
			p.err = io.EOF
		}
	case r.err != nil:
		p.err = r.err
		p.cancel()
	default:
		return r.batch, nil
	}
	return nil, p.err
}

func (p *pool) Close() error {
	p.cancel()
	for r := range p.out {
		if r.batch != nil {
			r.batch.Release()
		}
	}
	return nil
}
