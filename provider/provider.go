// Package provider is the public face of the reader: open a table, ask a
// query, get a plan and Arrow record batches. SQL engines, drivers and Go
// programs bind to it.
//
// A query passes through in this order: [Open] reads the table's properties
// and timeline and pins an instant; [Table.Plan] resolves the schema of that
// instant, lists its file slices and makes one [scan.Task] of each; [Table.Scan]
// (or [Read], for a plan that came from another process) runs the tasks and
// streams batches. Below it, package scan reads base files and package mergeread
// merges logs into them, by rules that a program can add to
// (mergeread.Register). Nothing here writes.
package provider

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/snapshot"
)

// Options say how a table is opened. The zero value opens a local table.
type Options struct {
	// Storage are options of the object store, e.g. a region or an endpoint.
	Storage map[string]string
	// Hudi are Hudi's own read options, e.g. hoodie.bootstrap.base.path (where
	// the source of a bootstrapped table lies now) or
	// hoodie.datasource.merge.type=skip_merge; docs/READER-SPEC.md lists all.
	Hudi map[string]string
	// Allocator of the batches; nil is Go memory.
	Allocator memory.Allocator
	// Recycle, without an Allocator, uses the memory of released batches again:
	// scans whose batches are released soon take less time and memory. What was
	// read from a batch (a string of a column, say) must then be copied before
	// the batch is released, as its memory changes afterwards.
	Recycle bool
	// Logger gets warnings and, at debug level, what a query reads; nil is
	// silence.
	Logger *slog.Logger
	// Location is the time zone of instants written in local time
	// (hoodie.table.timeline.timezone=LOCAL); nil is the process's own.
	Location *time.Location
	// ListFiles lists folders even where the table has a metadata table.
	ListFiles bool
}

// recycled is the most memory that Options.Recycle keeps for later use.
const recycled = 64 << 20

// A Table is a Hudi table, pinned to the instant that was the latest when it
// was opened. It is safe for concurrent use.
type Table struct {
	uri     string
	options Options
	storage storage.Storage
	bytes   *storage.Counters

	mu     sync.Mutex
	latest *snapshot.Snapshot
}

// Open opens the table at a path or URI. A folder that is no table, a table
// version that is not known or a table feature that would make rows wrong give
// a [*snapshot.TableError].
func Open(ctx context.Context, uri string, o Options) (*Table, error) {
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("table %s: %w", uri, err)
	}
	switch {
	case o.Allocator != nil:
	case o.Recycle:
		o.Allocator = parquet.NewRecycler(recycled)
	default:
		o.Allocator = memory.DefaultAllocator
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Hudi, o.Storage = maps.Clone(o.Hudi), maps.Clone(o.Storage)
	st, err := storage.Open(ctx, uri, o.Storage)
	if err != nil {
		return nil, err
	}
	t := &Table{uri: uri, options: o}
	t.storage, t.bytes = storage.Metered(st)
	if t.latest, err = t.open(ctx, ""); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Table) open(ctx context.Context, asOf string) (*snapshot.Snapshot, error) {
	return snapshot.Open(ctx, t.storage, snapshot.Options{
		AsOf: asOf, ListFiles: t.options.ListFiles, Location: t.options.Location,
		Hudi: t.options.Hudi,
	})
}

// Refresh pins the instant that is the latest now. Plans made before stay as
// they are.
func (t *Table) Refresh(ctx context.Context) error {
	s, err := t.open(ctx, "")
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest = s
	return nil
}

// snapshotOf gives the snapshot that a query reads.
func (t *Table) snapshotOf(ctx context.Context, q Query) (*snapshot.Snapshot, error) {
	if q.AsOf != "" {
		return t.open(ctx, q.AsOf)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest, nil
}

// Name is hoodie.table.name.
func (t *Table) Name() string { return t.Config().Name }

// URI is where the table lies, as given to Open.
func (t *Table) URI() string { return t.uri }

// Config is the table's configuration.
func (t *Table) Config() *snapshot.Config {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest.Config()
}

// Instant is the requested time of the pinned instant, "" for a table without
// completed writes.
func (t *Table) Instant() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest.Instant()
}

// String names the table for messages.
func (t *Table) String() string { return fmt.Sprintf("hudi table %s at %s", t.Name(), t.uri) }
