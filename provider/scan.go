package provider

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
)

// Stats tell what a scan read. They are complete once the result is at its end.
type Stats struct {
	Instant   string          `json:"instant"`
	Plan      PlanStats       `json:"plan"`
	Rows      int64           `json:"rows"`      // rows returned
	Batches   int64           `json:"batches"`   // batches returned
	BytesRead int64           `json:"bytesRead"` // bytes read from storage, planning included
	Merge     mergeread.Stats `json:"merge"`
	// Filters are the parts of the query's condition, Levels what it kept from
	// being read, planning included.
	Filters []Filter              `json:"filters,omitempty"`
	Levels  []pushdown.LevelCount `json:"levels,omitempty"`
}

// A Result is a running query. It is a pull stream: Next gives batches that the
// caller owns, io.EOF after the last. It must be closed, and is not safe for
// concurrent use.
type Result struct {
	plan   *Plan
	schema *arrow.Schema
	in     batch.Reader
	cancel context.CancelFunc
	left   int64 // rows to go, < 0 without limit
	err    error

	bytes    func() int64
	rows     atomic.Int64
	batches  atomic.Int64
	counters *pushdown.Counters
	mergeMu  sync.Mutex
	merged   mergeread.Stats
	released bool
}

// Scan plans a query and starts it. Nothing of the data is read before the
// first batch is asked for.
func (t *Table) Scan(ctx context.Context, q Query) (*Result, error) {
	before := t.bytes.Bytes.Load()
	plan, err := t.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := read(ctx, plan, t.storage, t.options.Allocator, scan.Options{BatchSize: q.BatchSize, Threads: q.Threads, MemoryLimit: q.MemoryLimit, Logger: t.options.Logger})
	if err == nil {
		r.bytes = func() int64 { return t.bytes.Bytes.Load() - before }
	}
	return r, err
}

// Read runs a plan, or a part of one, wherever it was made: tasks picks the
// tasks to run by their place in the plan, none means all.
func Read(ctx context.Context, p *Plan, mem memory.Allocator, o scan.Options, tasks ...int) (*Result, error) {
	if len(tasks) > 0 {
		part := *p
		part.Tasks = nil
		for _, i := range tasks {
			if i < 0 || i >= len(p.Tasks) {
				return nil, errors.New("the plan has no such task")
			}
			part.Tasks = append(part.Tasks, p.Tasks[i])
		}
		p = &part
	}
	st, err := storage.Open(ctx, p.Job.URI, p.Job.Storage)
	if err != nil {
		return nil, err
	}
	metered, counters := storage.Metered(st)
	r, err := read(ctx, p, metered, mem, o)
	if err == nil {
		r.bytes = counters.Bytes.Load
	}
	return r, err
}

func read(ctx context.Context, p *Plan, st storage.Storage, mem memory.Allocator, o scan.Options) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &Result{plan: p, schema: p.Schema(), cancel: cancel, left: -1}
	if p.Limit > 0 {
		r.left = p.Limit
	}
	r.counters = &pushdown.Counters{}
	o.Counters = r.counters
	env, err := scan.Open(ctx, p.Job, st, mergeread.Slices{Stats: r.addMerge, SkipMerge: p.SkipMerge}, mem, o)
	if err == nil {
		err = p.Mergeable()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	r.in = &lazy{schema: env.Output, start: func() batch.Reader { return env.Read(ctx, p.Tasks) }}
	return r, nil
}

// Schema is the schema of the batches.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// Next gives the next batch, which the caller owns, or io.EOF.
func (r *Result) Next() (arrow.RecordBatch, error) {
	for r.err == nil {
		if r.left == 0 {
			r.err = io.EOF
			break
		}
		b, err := r.in.Next()
		if err != nil {
			r.err = err
			break
		}
		if b.NumRows() == 0 {
			b.Release()
			continue
		}
		return r.emit(b), nil
	}
	return nil, r.err
}

// emit counts a batch, cuts it at the limit and gives it the public schema.
func (r *Result) emit(b arrow.RecordBatch) arrow.RecordBatch {
	defer b.Release()
	n := b.NumRows()
	if r.left >= 0 && n > r.left {
		n = r.left
	}
	if r.left >= 0 {
		r.left -= n
	}
	r.rows.Add(n)
	r.batches.Add(1)
	part := b.NewSlice(0, n)
	defer part.Release()
	return array.NewRecordBatch(r.schema, part.Columns(), n)
}

// Close stops the query and releases what it holds. Batches handed out stay
// valid.
func (r *Result) Close() error {
	if r.released {
		return nil
	}
	r.released = true
	r.cancel()
	if r.err == nil {
		r.err = errors.New("the result is closed")
	}
	return r.in.Close()
}

// Batches iterates over the batches and closes the result at the end. A batch
// is valid until the next one is asked for; Retain it to keep it longer.
func (r *Result) Batches() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		defer r.Close()
		for {
			b, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			more := yield(b, nil)
			b.Release()
			if !more {
				return
			}
		}
	}
}

// Stats tell what was read so far.
func (r *Result) Stats() Stats {
	r.mergeMu.Lock()
	defer r.mergeMu.Unlock()
	planned := r.plan.Stats
	planned.Levels = nil
	return Stats{
		Instant: r.plan.Job.Instant, Plan: planned, Rows: r.rows.Load(), Batches: r.batches.Load(),
		BytesRead: r.bytes(), Merge: r.merged, Filters: r.plan.Filters,
		Levels: append(slices.Clone(r.plan.Stats.Levels), r.counters.Levels()...),
	}
}

func (r *Result) addMerge(s mergeread.Stats) {
	r.mergeMu.Lock()
	defer r.mergeMu.Unlock()
	r.merged.Add(s)
}

// lazy starts a reader at the first Next.
type lazy struct {
	schema *arrow.Schema
	start  func() batch.Reader
	in     batch.Reader
	closed bool
}

func (l *lazy) Schema() *arrow.Schema { return l.schema }

func (l *lazy) Next() (arrow.RecordBatch, error) {
	if l.in == nil {
		if l.closed {
			return nil, io.EOF
		}
		l.in = l.start()
	}
	return l.in.Next()
}

func (l *lazy) Close() error {
	l.closed = true
	if l.in == nil {
		return nil
	}
	return l.in.Close()
}
