package scan

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/keygen"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// An Env reads the files of one job. It is safe for concurrent use.
type Env struct {
	Job       Job
	Options   Options
	Output    *arrow.Schema // what Read yields
	Config    *snapshot.Config
	Keys      keygen.Spec
	Storage   storage.Storage
	Allocator memory.Allocator

	history schema.History
	merger  Merger

	where  *pushdown.Bound // rows that come out; nil = all
	inside *Env            // reads what where needs, unfiltered
	prune  *pushdown.Bound // rows that are of use; nil = all
	off    Levels
	told   *sync.Map // of Warn
}

// Open makes the environment of a job's tasks. A nil storage is opened by the
// job's URI; a nil allocator is Go memory.
func Open(ctx context.Context, job Job, st storage.Storage, m Merger, mem memory.Allocator, o Options) (*Env, error) {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	if o.Threads < 1 {
		o.Threads = 1
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Counters == nil {
		o.Counters = &pushdown.Counters{}
	}
	var err error
	if st == nil {
		if st, err = storage.Open(ctx, job.URI, job.Storage); err != nil {
			return nil, err
		}
	}
	cfg, err := snapshot.ConfigOf(job.URI, job.Properties)
	if err != nil {
		return nil, err
	}
	history, err := schema.ParseHistory(job.History)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", job.URI, err)
	}
	e := &Env{
		Job: job, Options: o, Config: cfg, Storage: st, Allocator: mem,
		Keys: keygen.NewSpec(cfg), history: history, merger: m, off: PruningOff(job.Options), told: &sync.Map{},
	}
	if e.Output, err = job.OutputSchema(); err != nil {
		return nil, err
	}
	return e, e.bindWhere()
}

// Warn tells the logger what of a file is left out of the rows. Files that are
// read several times are told of once.
func (e *Env) Warn(ctx context.Context, message, file, instant string, where ...any) {
	if _, told := e.told.LoadOrStore(fmt.Sprint(message, file, where), true); told {
		return
	}
	e.Options.Logger.WarnContext(ctx, message, append([]any{"table", e.Job.URI, "file", file, "instant", instant}, where...)...)
}

// Project gives the fields of the table's schema with these names, in order.
func (e *Env) Project(columns []string) (*arrow.Schema, error) { return e.Job.project(columns) }

func (j *Job) project(columns []string) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		at, ok := schema.Lookup(j.Schema.Schema, c)
		if !ok {
			return nil, fmt.Errorf("table %s has no column %q", j.URI, c)
		}
		fields[i] = j.Schema.Field(at)
	}
	return arrow.NewSchema(fields, nil), nil
}

// inner is the environment for reading slices as of another moment, with other
// columns, as parts of one task.
func (e *Env) inner(latest string, columns []string) (*Env, error) {
	c := *e
	c.Job.Columns, c.Job.Rows, c.Job.Changes = columns, nil, ""
	c.Job.Blocks.Latest = latest
	var err error
	c.Output, err = c.Job.OutputSchema()
	return &c, err
}

// Adapter compiles the way from a file's schema to a target schema derived
// from the table's. instant is when the file (or block) was written, partition
// the path it lies in.
func (e *Env) Adapter(file, target *arrow.Schema, instant, partition string) (*schema.Adapter, error) {
	return schema.NewAdapter(e.annotated(file, instant), target, schema.AdapterOptions{
		Constants: e.Keys.PartitionValues(partition), PathWins: e.Config.DropPartitions, Allocator: e.Allocator,
	})
}

// annotated gives the columns of a file the ids that they had when it was
// written.
func (e *Env) annotated(file *arrow.Schema, instant string) *arrow.Schema {
	if at := e.history.At(instant); at != nil {
		return schema.Annotate(file, at)
	}
	return file
}
