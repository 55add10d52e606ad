package snapshot

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hudi-go/hudi/internal/storage"
)

// Read options of Hudi that this package obeys.
const (
	OptionMetadata      = "hoodie.metadata.enable"
	OptionBootstrapBase = "hoodie.bootstrap.base.path"
)

// Options says how to open a table. The zero value opens the latest snapshot.
type Options struct {
	// AsOf is the time to show the table at, as a user writes it: an instant
	// (14 or 17 digits), an RFC 3339 time, "yyyy-MM-dd HH:mm:ss[.SSS]", a
	// date, or seconds or milliseconds since 1970. "" is the latest.
	AsOf string
	// ListFiles lists folders even if the table has a metadata table.
	ListFiles bool
	// Location is the zone that the table's writers ran in, nil for the
	// local one. It matters for AsOf only, and not if the table says UTC.
	Location *time.Location
	// Hudi holds read options by their Hudi names; others than the Option
	// constants are ignored.
	Hudi map[string]string
}

// A Snapshot is a table at one instant.
type Snapshot struct {
	st       storage.Storage
	cfg      *Config
	timeline *Timeline
	opts     Options
	instant  string
	horizon  string // slices that begin later are not seen

	listing   lazy[*listing]
	replaced  lazy[map[FileGroupID]string]
	archived  lazy[map[FileGroupID]string]
	pending   lazy[map[FileGroupID]string]
	bootstrap lazy[bootstrapIndex]
	metadata  lazy[*MetadataTable]
	schema    lazy[TableSchema]
	buckets   lazy[*Buckets]
}

// Open pins a table at an instant.
func Open(ctx context.Context, st storage.Storage, o Options) (*Snapshot, error) {
	cfg, err := ReadConfig(ctx, st)
	if err != nil {
		return nil, err
	}
	t, err := LoadTimeline(ctx, st, cfg)
	if err != nil {
		return nil, err
	}
	return New(ctx, t, o)
}

// New pins a table whose timeline is loaded already.
func New(ctx context.Context, t *Timeline, o Options) (*Snapshot, error) {
	s := &Snapshot{st: t.st, cfg: t.cfg, timeline: t, opts: o}
	if strings.EqualFold(o.Hudi[OptionMetadata], "false") {
		s.opts.ListFiles = true
	}
	if o.AsOf == "" {
		if last, ok := t.Last(); ok {
			s.instant, s.horizon = last.Requested, t.horizon()
		}
		return s, nil
	}
	instant, err := t.ParseTime(o.AsOf, o.Location)
	if err != nil {
		return nil, err
	}
	if err := t.validateAsOf(ctx, instant); err != nil {
		return nil, err
	}
	s.instant, s.horizon = instant, instant
	return s, nil
}

// Storage is the table's storage.
func (s *Snapshot) Storage() storage.Storage { return s.st }

// Config is the table's configuration.
func (s *Snapshot) Config() *Config { return s.cfg }

// Timeline is the table's timeline.
func (s *Snapshot) Timeline() *Timeline { return s.timeline }

// Instant is the pinned instant: what was requested later is not seen. "" if
// nothing was written yet.
func (s *Snapshot) Instant() string { return s.instant }

// Partitions gives the paths of the partitions, sorted; [""] for a table
// without partitions.
func (s *Snapshot) Partitions(ctx context.Context) ([]string, error) {
	l, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	return l.partitions, nil
}

// SliceOptions says which slices to give.
type SliceOptions struct {
	Partitions    func(path string) bool // nil = all
	ReadOptimized bool                   // base files only
	Groups        map[FileGroupID]bool   // nil = all
}

// Slices gives the file slices to read, by partition and file id.
func (s *Snapshot) Slices(ctx context.Context, o SliceOptions) ([]FileSlice, error) {
	if s.instant == "" {
		return nil, nil
	}
	l, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx, o)
	if err != nil {
		return nil, err
	}
	wanted := l.partitions
	if o.Partitions != nil {
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(p string) bool { return !o.Partitions(p) })
	}
	files, err := l.of(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var all []FileSlice
	for _, p := range wanted {
		some, err := v.partition(ctx, p, files[p])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if err := s.finish(ctx, all); err != nil {
		return nil, err
	}
	return all, nil
}

func (s *Snapshot) view(ctx context.Context, o SliceOptions) (*view, error) {
	v := &view{
		instant: s.horizon, version: s.cfg.Version, readOptimized: o.ReadOptimized, only: o.Groups,
		committed: s.timeline.Committed, completed: s.timeline.CompletionTime, replaced: s.isReplaced,
	}
	if !s.cfg.MultipleBaseFormats {
		v.format = s.cfg.BaseFormat
	}
	var err error
	v.pending, err = s.pendingCompactions(ctx)
	return v, err
}

// finish refuses files that can't be read and joins bootstrap files.
func (s *Snapshot) finish(ctx context.Context, all []FileSlice) error {
	for i := range all {
		slice := &all[i]
		if slice.Base != nil && slice.Base.Format != FormatParquet {
			return &TableError{Table: s.st.Root(), File: slice.Base.Path, Key: "hoodie.table.multiple.base.file.formats.enable",
				Kind: ErrUnsupported, Reason: "base files of format " + slice.Base.Format + " are not read (PARQUET is): rewrite the file group, e.g. by clustering"}
		}
		for _, l := range slice.Logs {
			if l.Kind != LogInline && l.Format != FormatParquet {
				return &TableError{Table: s.st.Root(), File: l.Path, Kind: ErrUnsupported,
					Reason: "native logs of format " + l.Format + " are not read (PARQUET is): run a compaction"}
			}
		}
	}
	return s.joinBootstrap(ctx, all)
}

// files lists the table, once. Through the metadata table if there is one:
// its listing has been agreed on by all writers, and costs no walk over
// folders. A metadata table that can't be read is an error, not a reason to
// walk: it is a sign that the table is damaged, which the user should decide
// on.
func (s *Snapshot) files(ctx context.Context) (*listing, error) {
	return s.listing.get(func() (*listing, error) {
		l, err := s.list(ctx)
		if err != nil {
			return nil, err
		}
		return l, s.timeline.checkStale(ctx, s.instant)
	})
}

func (s *Snapshot) list(ctx context.Context) (*listing, error) {
	if !s.opts.ListFiles && s.cfg.HasMetadataPartition(PartitionFiles) {
		m, err := s.Metadata(ctx)
		if err != nil {
			return nil, err
		}
		if m != nil {
			return m.list(ctx)
		}
	}
	l, err := listFolders(ctx, s.st, s.cfg)
	if err != nil {
		return nil, err
	}
	return l, s.checkStrangers(ctx, l)
}

// ByMetadata tells whether files are listed through the metadata table.
func (s *Snapshot) ByMetadata(ctx context.Context) (bool, error) {
	l, err := s.files(ctx)
	return err == nil && l.metadata != nil, err
}

// checkStrangers refuses a walk over folders that would miss files: those of
// other systems that commits took in stand there under their own names, and
// only the metadata table knows the names that Hudi gave them.
func (s *Snapshot) checkStrangers(ctx context.Context, l *listing) error {
	stranger := l.stranger()
	if stranger == "" {
		return nil
	}
	for _, i := range slices.Backward(s.timeline.Commits()) {
		m, err := s.timeline.CommitMetadata(ctx, i)
		if err != nil {
			return err
		}
		for _, stats := range m.WriteStats {
			for _, stat := range stats {
				if strings.HasSuffix(stat.Path, externalSuffix) {
					return &TableError{Table: s.st.Root(), File: stranger, Instant: i.Requested, Kind: ErrUnsupported,
						Reason: "the table holds files that no Hudi writer wrote, which only its metadata table lists: read it with the metadata table"}
				}
			}
		}
		if len(m.WriteStats) > 0 {
			break
		}
	}
	return nil
}

// lazy is a value made when first asked for. Errors are not kept: the next
// one to ask tries again.
type lazy[T any] struct {
	mu   sync.Mutex
	done bool
	v    T
}

func (l *lazy[T]) get(build func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return l.v, nil
	}
	v, err := build()
	if err == nil {
		l.v, l.done = v, true
	}
	return v, err
}
