package mergeread

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// OptionSorted is a read option: false merges slices of the lsm_tree layout by
// hashing, for tables with files that are not in key order after all.
const OptionSorted = "hudi.merge.sorted"

// Slices implements [scan.Merger]: it opens the files of a slice, makes an
// [Input] of them and merges it.
type Slices struct {
	// Stats, if set, is called with the counts of each slice when its reader
	// is closed. It must be safe for concurrent use.
	Stats func(Stats)
	// SkipMerge yields base rows and log rows unmerged, as
	// hoodie.datasource.merge.type=skip_merge does.
	SkipMerge bool
	// SpillDir is where the log side goes beyond the memory limit; "" is the
	// system's folder for temporary files.
	SpillDir string
}

// Merge implements [scan.Merger].
func (m Slices) Merge(ctx context.Context, env *scan.Env, task scan.Task, threads int) (batch.Reader, error) {
	s := &slice{env: env, task: task, threads: threads, asIs: m.SkipMerge}
	r, err := s.merge(ctx, m)
	if err != nil {
		return nil, errors.Join(s.failed(err), s.closeFiles())
	}
	return r, nil
}

// slice is a file slice while it is read.
type slice struct {
	env     *scan.Env
	task    scan.Task
	threads int
	layout  layout
	rules   Rules
	files   []storage.File
	stats   Stats
	asIs    bool // rows come out as they are stored

	streamed bool // all logs are read side by side

	pruneBase, pruneLogs *pushdown.Bound // rows of use; nil = all
}

func (s *slice) merge(ctx context.Context, m Slices) (batch.Reader, error) {
	rules, err := TableRules(s.env.Config)
	if m.SkipMerge && errors.Is(err, ErrNoMerger) {
		rules, err = Rules{}, nil // nothing is asked of them
	}
	if err != nil {
		return nil, err
	}
	s.rules = rules
	if s.layout, err = newLayout(s.env, rules); err != nil {
		return nil, err
	}
	blocks, err := s.openLogs(ctx)
	if err != nil {
		return nil, err
	}
	in := Input{
		Schema: s.layout.working, Key: s.layout.key, Output: s.layout.output,
		Rules: rules, SkipMerge: m.SkipMerge,
	}
	if s.task.Slice.Base != nil {
		in.Base = s.base
	}
	for _, b := range blocks {
		run, err := s.run(b)
		if err != nil {
			return nil, b.failed(err)
		}
		in.Runs = append(in.Runs, run)
	}
	s.pruning(in.Runs, m.SkipMerge)
	in.Sorted = s.env.Config.StorageLayout == "lsm_tree" && allNative(s.task.Slice.Logs) && !s.bootstrapped() &&
		!strings.EqualFold(s.env.Job.Options[OptionSorted], "false")
	s.streamed = !m.SkipMerge && in.positioned()
	r, err := Merge(ctx, in, Options{
		Allocator: s.env.Allocator, BatchSize: s.env.Options.BatchSize,
		MemoryLimit: s.memory(), SpillDir: m.SpillDir, Stats: &s.stats, Unsorted: func(run int) { s.unsorted(ctx, blocks, run) },
	})
	if err != nil {
		return nil, err
	}
	return &sliceReader{Reader: r, slice: s, report: m.Stats}, nil
}

// memory is the share of one of the merges that run at a time. It is never 0,
// which would be no limit.
func (s *slice) memory() int64 {
	all, merges := s.env.Options.MemoryLimit, int64(max(1, s.env.Options.Threads/s.threads))
	if all <= 0 {
		return 0
	}
	return max(1, all/merges)
}

// unsorted tells of a file that is not in key order: the base, or that of a run.
func (s *slice) unsorted(ctx context.Context, blocks []*logBlock, run int) {
	var file, instant string
	if run < 0 {
		file, instant = s.task.Slice.Base.Path, s.task.Slice.Base.Instant
	} else {
		file, instant = blocks[run].log.Path, blocks[run].log.Instant
	}
	s.env.Warn(ctx, "a file is not in key order as the layout lsm_tree promises: its file group is merged by hashing, which takes more memory", file, instant)
}

// base opens the base file with some columns of the working schema.
func (s *slice) base(ctx context.Context, columns []int, position bool) (batch.Reader, error) {
	return s.layout.open(columns, position, func(t target) (batch.Reader, error) {
		return s.env.OpenBase(ctx, &s.task.Slice, t, scan.BaseOptions{Rows: s.task.Rows, Position: position, Threads: s.threads, Prune: s.pruneBase})
	})
}

func (s *slice) bootstrapped() bool {
	return s.task.Slice.Base != nil && s.task.Slice.Base.Bootstrap != nil
}

// failed names the slice in an error that does not name the table yet. One
// that names a file of it needs no more.
func (s *slice) failed(err error) error {
	var te *snapshot.TableError
	if errors.As(err, &te) && te.File != "" {
		return te
	}
	if te != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	f := s.task.Slice
	te = &snapshot.TableError{Table: s.env.Job.URI, Instant: f.BaseInstant, Err: err,
		Reason: fmt.Sprintf("merging file group %s of partition %q", f.FileID, f.Partition)}
	switch {
	case errors.Is(err, ErrNoMerger):
		te.Kind = snapshot.ErrUnsupported
	case errors.Is(err, ErrUnsorted):
		te.Key = OptionSorted
		te.Reason += ": the read option " + OptionSorted + "=false merges by hashing, whatever the order"
	}
	return te
}

func (s *slice) closeFiles() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = nil
	return errors.Join(errs...)
}

func allNative(logs []snapshot.LogFile) bool {
	for _, l := range logs {
		if l.Kind == snapshot.LogInline {
			return false
		}
	}
	return true
}

func anyPartial(runs []Run) bool {
	for _, r := range runs {
		if r.Present != nil {
			return true
		}
	}
	return false
}
