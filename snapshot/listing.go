package snapshot

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/hudi-go/hudi/internal/storage"
)

// A listing is all files of a table by partition.
type listing struct {
	partitions []string       // sorted
	metadata   *MetadataTable // that files are listed by, nil if by folders

	mu    sync.Mutex
	files map[string][]listed // nil: not read yet
}

// fewPartitions is up to how many partitions are read at once and kept. Of
// more, only those are read that are asked for.
const fewPartitions = 1024

// of gives the files of some of the partitions, and maybe of others.
func (l *listing) of(ctx context.Context, partitions []string) (map[string][]listed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files != nil {
		return l.files, nil
	}
	if n := len(l.partitions); n > fewPartitions && len(partitions) < n/2 {
		return l.metadata.filesOf(ctx, partitions)
	}
	var err error
	l.files, err = l.metadata.filesOf(ctx, nil)
	return l.files, err
}

// stranger gives a file that looks like a base file but has no Hudi name, ""
// if there is none.
func (l *listing) stranger() string {
	for _, p := range l.partitions {
		for _, f := range l.files[p] {
			if !strings.HasSuffix(f.name, ".parquet") || strings.HasPrefix(f.name, ".") || strings.HasPrefix(f.name, "_") {
				continue
			}
			if _, ok := parseFile(f.name); !ok && !strings.Contains(f.name, ".cdc.") {
				return storage.Join(p, f.name)
			}
		}
	}
	return ""
}

const (
	partitionMetafile = ".hoodie_partition_metadata" // also with the extension of base files
	listThreads       = 16
	maxDepth          = 64 // folders below the base path; deeper is a loop of links
)

// listFolders finds the partitions of a table and their files by walking its
// folders: a folder with a metafile is a partition, and folders below it are
// not looked at.
func listFolders(ctx context.Context, st storage.Storage, cfg *Config) (*listing, error) {
	w := &walk{st: st, files: map[string][]listed{}}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(listThreads)
	w.group = group
	root, err := w.folder(ctx, "", 0)
	if waited := group.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		return nil, err
	}
	if len(w.files) == 0 && !cfg.Partitioned() {
		w.files[""] = root // writers of old left no metafile
	}
	l := &listing{files: w.files}
	for p := range w.files {
		l.partitions = append(l.partitions, p)
	}
	slices.Sort(l.partitions)
	return l, nil
}

type walk struct {
	st    storage.Storage
	group *errgroup.Group
	mu    sync.Mutex
	files map[string][]listed
}

// folder looks at one folder and, if it is no partition, at those below. It
// gives the folder's files.
func (w *walk) folder(ctx context.Context, dir string, depth int) ([]listed, error) {
	entries, err := w.st.List(ctx, dir)
	if err != nil {
		if absent(err) && depth > 0 {
			return nil, nil // dropped meanwhile
		}
		return nil, &TableError{Table: w.st.Root(), File: dir, Reason: "can't list the folder", Err: err}
	}
	if depth > maxDepth {
		return nil, &TableError{Table: w.st.Root(), File: dir, Reason: "folders are nested too deep: is there a loop of links?"}
	}
	files := make([]listed, 0, len(entries))
	partition := false
	for _, e := range entries {
		if !e.IsDir {
			files = append(files, listed{e.Name, e.Size})
			partition = partition || strings.HasPrefix(e.Name, partitionMetafile)
		}
	}
	if partition {
		w.mu.Lock()
		w.files[dir] = files
		w.mu.Unlock()
		return files, nil
	}
	for _, e := range entries {
		if !e.IsDir || strings.HasPrefix(e.Name, ".") {
			continue
		}
		below := storage.Join(dir, e.Name)
		run := func() error {
			_, err := w.folder(ctx, below, depth+1)
			return err
		}
		if !w.group.TryGo(run) { // all threads are busy: do it here, so that none waits for another
			if err := run(); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}
