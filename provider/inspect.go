package provider

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/snapshot"
)

// Timeline gives the instants of the active timeline, oldest first, in all
// their states; with archived, the archived ones before them.
func (t *Table) Timeline(ctx context.Context, archived bool) ([]snapshot.Instant, error) {
	t.mu.Lock()
	snap := t.latest
	t.mu.Unlock()
	tl := snap.Timeline()
	if !archived {
		return tl.Instants(), nil
	}
	old, err := tl.Archived(ctx)
	if err != nil {
		return nil, err
	}
	return append(append([]snapshot.Instant{}, old...), tl.Instants()...), nil
}

// Files gives the file slices that a query reads.
func (t *Table) Files(ctx context.Context, q Query) ([]snapshot.FileSlice, error) {
	if err := t.check(q); err != nil {
		return nil, err
	}
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	return snap.Slices(ctx, snapshot.SliceOptions{ReadOptimized: q.Type == ReadOptimized})
}

// Partitions gives the partition paths of a query's snapshot, sorted.
func (t *Table) Partitions(ctx context.Context, q Query) ([]string, error) {
	if err := t.check(q); err != nil {
		return nil, err
	}
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	return snap.Partitions(ctx)
}

// PartitionStats count what a query reads of a partition.
type PartitionStats struct {
	Partition string `json:"partition"`
	Slices    int    `json:"slices"`
	BaseFiles int    `json:"baseFiles"`
	LogFiles  int    `json:"logFiles"`
	Bytes     int64  `json:"bytes"`
}

// ByPartition counts file slices, as [Table.Files] gives them, by partition
// path, sorted.
func ByPartition(files []snapshot.FileSlice) []PartitionStats {
	groups := map[string][]snapshot.FileSlice{}
	for _, s := range files {
		groups[s.Partition] = append(groups[s.Partition], s)
	}
	all := make([]PartitionStats, 0, len(groups))
	for _, p := range slices.Sorted(maps.Keys(groups)) {
		st := planStats(groups[p])
		all = append(all, PartitionStats{p, st.Slices, st.BaseFiles, st.LogFiles, st.Bytes})
	}
	return all
}

// Discover gives the tables at a path: the table itself if the folder is one
// (named by its hoodie.table.name), else every table among its subfolders, down
// to the depth of a catalog (database/table), named by folder. Names of tables
// below the first level are joined by dots.
func Discover(ctx context.Context, uri string, o Options) (map[string]string, error) {
	st, err := storage.Open(ctx, uri, o.Storage)
	if err != nil {
		return nil, err
	}
	if isTable(ctx, st) {
		t, err := Open(ctx, uri, o)
		if err != nil {
			return nil, err
		}
		return map[string]string{t.Name(): uri}, nil
	}
	found := map[string]string{}
	if err := discover(ctx, st, strings.TrimSuffix(uri, "/"), "", 2, found); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &snapshot.TableError{Table: uri, Kind: snapshot.ErrNotTable,
			Reason: "neither a Hudi table (there is no .hoodie/hoodie.properties) nor a folder of tables"}
	}
	return found, nil
}

func discover(ctx context.Context, st storage.Storage, uri, prefix string, depth int, found map[string]string) error {
	entries, err := st.List(ctx, "")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir || strings.HasPrefix(e.Name, ".") {
			continue
		}
		sub, name := st.Sub(e.Name), prefix+e.Name
		if isTable(ctx, sub) {
			found[name] = uri + "/" + e.Name
		} else if depth > 1 {
			if err := discover(ctx, sub, uri+"/"+e.Name, name+".", depth-1, found); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
	}
	return nil
}

func isTable(ctx context.Context, st storage.Storage) bool {
	for _, name := range []string{"hoodie.properties", "hoodie.properties.backup"} {
		if f, err := st.Open(ctx, path.Join(".hoodie", name)); err == nil {
			f.Close()
			return true
		}
	}
	return false
}
