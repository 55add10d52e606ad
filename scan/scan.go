// Package scan turns file slices into Arrow record batches.
//
// A planner describes a read as one [Job] (what all of it has in common: table,
// instant, schema, columns) and many [Task]s (one per file slice, or per row
// range of a big one). Both are plain data: they can be serialized, sent to
// another process and read there without planning again. [Open] makes an [Env]
// of a job, which knows how to open the files of a slice as batches in any
// schema derived from the table's: Parquet columns -> [schema.Adapter] ->
// batches, bootstrap skeletons joined with their source, record keys computed
// where the table does not store them. [Env.Read] runs tasks on a bounded pool.
//
// Slices without logs are read here. Those with logs go to the [Merger] given
// to Open, which package mergeread implements: it asks the Env for the base
// file in its working schema and merges the logs into it.
package scan

import (
	"context"
	"log/slog"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/snapshot"
)

// A Job is what all tasks of one plan share. It is plain data.
type Job struct {
	URI        string            `json:"uri"`
	Storage    map[string]string `json:"storage,omitempty"` // storage options
	Options    map[string]string `json:"options,omitempty"` // Hudi read options, e.g. hoodie.bootstrap.base.path
	Properties map[string]string `json:"properties"`        // hoodie.properties
	Instant    string            `json:"instant"`           // the pinned instant
	// Schema is the table's at the instant, meta columns included where the
	// table stores them, with column ids where it uses schema on read.
	Schema Schema `json:"schema"`
	// History is the internal-schema history (JSON), "" without schema on read.
	History string `json:"history,omitempty"`
	// Columns are the names of the output columns, in order; never nil.
	Columns []string `json:"columns"`
	// Blocks tells which blocks of log files count.
	Blocks snapshot.LogVisibility `json:"blocks"`
	// Rows, if set, are the rows to give, by commit time: what an incremental
	// query asks for.
	Rows *incremental.Rows `json:"rows,omitempty"`
	// Where, if set, is an SQL condition, in the language of
	// [pushdown.ParseSQL]: only rows for which it is true come out.
	Where string `json:"where,omitempty"`
	// Changes is the form in which tasks that have a Change come out.
	Changes ChangeForm `json:"changes,omitempty"`
}

// A Task is one file slice, or a range of rows of its base file, to be read.
// It is plain data.
type Task struct {
	Slice snapshot.FileSlice `json:"slice"`
	// Rows are the row ordinals of the base file to read; nil means all. Only
	// slices without logs are split.
	Rows []parquet.RowRange `json:"rows,omitempty"`
	// Change, if set, is read instead of the slice, which only says where it
	// is.
	Change *incremental.Change `json:"change,omitempty"`
}

// Options tune how tasks are run. The zero value is usable.
type Options struct {
	BatchSize   int   // most rows of a batch; 0 means parquet.DefaultBatchSize
	Threads     int   // slices and columns decoded at the same time; 0 means 1
	MemoryLimit int64 // bytes that the log side of a merge may take before it spills; 0 means no limit

	// Loose says that the caller asks the condition again: rows of merges that it
	// leaves out may come along where picking the others out costs more.
	Loose bool
	// Counters, if set, count what the condition keeps from being read.
	Counters *pushdown.Counters
	// Logger gets warnings, of damage that Hudi's own readers step over; nil is
	// silence.
	Logger *slog.Logger
}

// A Merger reads slices that have logs.
type Merger interface {
	// Merge streams the merged rows of a task's slice in env.Output. threads
	// bounds what it decodes at the same time.
	Merge(ctx context.Context, env *Env, task Task, threads int) (batch.Reader, error)
}
