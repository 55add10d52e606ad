package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// DefaultInterval is how often a table is asked for news.
const DefaultInterval = 5 * time.Second

// Follow says how a table is followed.
type Follow struct {
	// Query is what is asked of each write: its Type must be Incremental or
	// CDC; Begin, End and Limit are not used.
	Query Query
	// Interval is the time between two looks at the timeline while nothing is
	// new; 0 means DefaultInterval.
	Interval time.Duration
}

// Changes follows a table: it yields what each completed write changed, each
// write once, in order of completion (of request below table version 8, where a
// write that is still running is waited for). It reads nothing but the timeline
// while nothing is new. It is not safe for concurrent use.
type Changes struct {
	table  *Table
	follow Follow
	at     incremental.Offset
	snap   *snapshot.Snapshot
	steps  []incremental.Range // seen on the timeline, not yielded yet
}

// A Change is what one write changed.
type Change struct {
	// Instants are the write. They are several where the cleaner has taken the
	// files of the states in between, or where completion times are the same.
	Instants []snapshot.Instant
	// Offset is where to go on after this change; see [Table.Changes].
	Offset string
	// Result gives the rows; close it before the next change is asked for.
	*Result
}

// Changes follows the table from an offset that an earlier [Change] gave, so
// that a consumer which keeps it together with what it made of the rows misses
// nothing and sees nothing twice. from may also be a time as in [Query], with
// "" or "earliest" for all that ever happened, or "latest" for what is yet to
// come.
//
// Writes whose files the cleaner has removed before they were read come
// together with later ones, as one change. Where that is not enough, as with
// CDC and deletes, the error is a [*incremental.LostError]: start anew from a
// snapshot then. Compaction, clustering and archival do no harm.
func (t *Table) Changes(ctx context.Context, from string, f Follow) (*Changes, error) {
	if f.Query.Type != Incremental && f.Query.Type != CDC {
		return nil, fmt.Errorf("table %s at %s: only incremental and cdc queries follow a table, not %s", t.Name(), t.uri, f.Query.Type)
	}
	if f.Interval <= 0 {
		f.Interval = DefaultInterval
	}
	f.Query.Begin, f.Query.End, f.Query.Limit, f.Query.AsOf = "", "", 0, ""
	if err := t.check(f.Query); err != nil {
		return nil, err
	}
	c := &Changes{table: t, follow: f}
	var err error
	if c.snap, err = t.open(ctx, ""); err != nil {
		return nil, err
	}
	c.at, err = incremental.ParseOffset(ctx, c.snap, from, c.options())
	return c, err
}

func (c *Changes) options() incremental.Options {
	return incremental.Options{Location: c.table.options.Location}
}

// Offset is where the changes go on: behind the last one yielded, and behind
// writes since that changed no rows.
func (c *Changes) Offset() string { return c.at.String() }

// Next waits for the next change. It returns the context's error when that
// ends. A commit whose file is empty ([snapshot.ErrUnwritten]) is waited for, with
// a warning.
func (c *Changes) Next(ctx context.Context) (*Change, error) {
	waits := false
	for {
		ch, err := c.Poll(ctx)
		if errors.Is(err, snapshot.ErrUnwritten) {
			if !waits {
				c.table.options.Logger.WarnContext(ctx, "changes wait for a commit whose file is empty", "table", c.table.uri, "why", err)
			}
			waits, err = true, nil
		}
		if ch != nil || err != nil {
			return ch, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(c.follow.Interval):
		}
	}
}

// Poll gives the next change, nil if there is none yet. After an error it may
// be called again.
func (c *Changes) Poll(ctx context.Context) (*Change, error) {
	for {
		if len(c.steps) == 0 {
			if err := c.look(ctx); err != nil || len(c.steps) == 0 {
				return nil, err
			}
		}
		ch, done, err := c.readNext(ctx)
		if err != nil {
			c.steps = nil // planned anew, on a timeline of then
			return nil, err
		}
		c.at, c.steps = c.steps[done-1].Offset(), c.steps[done:]
		if ch != nil {
			return ch, nil
		}
	}
}

// readNext starts to read the next step, or as many at once as it takes to find
// their end's files: what the cleaner took of the states in between is no loss
// to a query for the latest state.
func (c *Changes) readNext(ctx context.Context) (ch *Change, done int, err error) {
	for done = 1; ; done = min(2*done, len(c.steps)) {
		ch, err = c.read(ctx, incremental.Join(c.steps[:done]))
		var lost *incremental.LostError
		if c.follow.Query.Type != Incremental || !errors.As(err, &lost) || !lost.End || done == len(c.steps) {
			return ch, done, err
		}
	}
}

// look reads the timeline.
func (c *Changes) look(ctx context.Context) error {
	snap, err := c.table.open(ctx, "")
	if err != nil {
		return err
	}
	steps, err := incremental.Steps(ctx, snap, c.at, c.options())
	if err == nil {
		c.snap, c.steps = snap, steps
	}
	return err
}

// read starts to read a step; nil if it changed nothing.
func (c *Changes) read(ctx context.Context, step incremental.Range) (*Change, error) {
	q, t := c.follow.Query, c.table
	before := t.bytes.Bytes.Load()
	p, err := t.planRange(ctx, c.snap, q, step, true)
	if err != nil || len(p.Tasks) == 0 {
		return nil, err
	}
	r, err := read(ctx, p, t.storage, t.options.Allocator, scan.Options{
		BatchSize: q.BatchSize, Threads: q.Threads, MemoryLimit: q.MemoryLimit, Logger: t.options.Logger,
	})
	if err != nil {
		return nil, err
	}
	r.bytes = func() int64 { return t.bytes.Bytes.Load() - before }
	return &Change{Instants: step.Instants, Offset: step.Offset().String(), Result: r}, nil
}
