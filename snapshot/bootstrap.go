package snapshot

import (
	"context"
	"path"
	"strings"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/hfile"
)

// bootstrapInstant is the write that took source files in place, giving each
// a skeleton file. The full bootstrap (…02) writes ordinary base files.
const bootstrapInstant = "00000000000001"

const bootstrapFileIDs = metaFolder + "/.aux/.bootstrap/.fileids"

// A bootstrapIndex maps skeletons to source files.
type bootstrapIndex map[FileGroupID]BootstrapFile

// avroBootstrapFile is a value of the index.
type avroBootstrapFile struct {
	Partition *string `avro:"bootstrapPartitionPath"`
	Status    *struct {
		Path *struct {
			URI *string `avro:"uri"`
		} `avro:"path"`
		Length *int64 `avro:"length"`
	} `avro:"bootstrapFileStatus"`
}

// joinBootstrap adds the source files to skeletons.
func (s *Snapshot) joinBootstrap(ctx context.Context, all []FileSlice) error {
	for i := range all {
		base := all[i].Base
		if base == nil || base.Instant != bootstrapInstant {
			continue
		}
		index, err := s.bootstrapFiles(ctx)
		if err != nil {
			return err
		}
		source, ok := index[FileGroupID{Partition: all[i].Partition, FileID: all[i].FileID}]
		if !ok {
			return &TableError{Table: s.st.Root(), File: base.Path, Instant: base.Instant, Kind: ErrCorrupt,
				Reason: "the bootstrap index " + bootstrapFileIDs + " does not name the file's source, which holds its data columns: restore the index"}
		}
		base.Bootstrap = &source
	}
	return nil
}

func (s *Snapshot) bootstrapFiles(ctx context.Context) (bootstrapIndex, error) {
	return s.bootstrap.get(func() (bootstrapIndex, error) {
		root := s.opts.Hudi[OptionBootstrapBase]
		if root == "" {
			root = s.cfg.BootstrapBase
		}
		fail := func(file, key, reason string, err error) error {
			return &TableError{Table: s.st.Root(), File: file, Instant: bootstrapInstant, Key: key, Reason: reason, Err: err}
		}
		if root == "" {
			return nil, fail("", OptionBootstrapBase, "the table was bootstrapped but does not say from where: give the source's folder by this read option", nil)
		}
		if !s.cfg.BootstrapIndex {
			return nil, fail("", "hoodie.bootstrap.index.enable", "the table was bootstrapped without an index, so its source files can't be found: rewrite the bootstrapped file groups, e.g. by clustering", ErrUnsupported)
		}
		entries, err := s.st.List(ctx, bootstrapFileIDs)
		if err != nil {
			return nil, fail(bootstrapFileIDs, "", "can't list the bootstrap index", err)
		}
		index := bootstrapIndex{}
		for _, e := range entries {
			if e.IsDir || !strings.HasSuffix(e.Name, ".hfile") || strings.HasPrefix(e.Name, ".") {
				continue
			}
			file := bootstrapFileIDs + "/" + e.Name
			if err := s.readBootstrapIndex(ctx, file, root, index); err != nil {
				return nil, fail(file, "", "can't read the bootstrap index", err)
			}
		}
		return index, nil
	})
}

func (s *Snapshot) readBootstrapIndex(ctx context.Context, file, root string, index bootstrapIndex) error {
	f, err := s.st.Open(ctx, file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := hfile.Open(f, f.Size())
	if err != nil {
		return err
	}
	for e, err := range r.Entries("") {
		if err != nil {
			return err
		}
		const mark = ";fileid="
		at := strings.LastIndex(e.Key, mark)
		if at < 0 {
			continue
		}
		var v avroBootstrapFile
		if err := avro.DecodeContainer(e.Value, &v); err != nil {
			return err
		}
		source := BootstrapFile{Root: root, Partition: deref(v.Partition)}
		if v.Status != nil && v.Status.Path != nil {
			// The recorded URI is absolute, and stale once the source has
			// moved: its place below the root is what counts.
			source.Path = path.Join(source.Partition, path.Base(deref(v.Status.Path.URI)))
			source.Size = deref(v.Status.Length)
		}
		g := FileGroupID{Partition: strings.TrimPrefix(e.Key[:at], "part="), FileID: e.Key[at+len(mark):]}
		index[g] = source
	}
	return nil
}
