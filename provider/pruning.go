package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

const (
	// Of more than fewPartitions, up to pruneChunk are listed and pruned at a
	// time, so that memory goes with what survives. Each chunk costs a pass over
	// the list of files.
	fewPartitions = 1024
	pruneChunk    = 4096
	// lookupFiles is up to how many records are looked up one by one, rather
	// than read with all of their column and partition.
	lookupFiles = 256
)

// An index is what a pruner asks of a metadata table.
type index interface {
	Lookup(ctx context.Context, partition string, keys []string) (map[string]*snapshot.MetadataRecord, error)
	Prefix(ctx context.Context, partition string, prefixes []string) (map[string]*snapshot.MetadataRecord, error)
	Locations(ctx context.Context, keys []string) ([]snapshot.RecordLocation, error)
	IndexDefinitions(ctx context.Context) (map[string]snapshot.IndexDefinition, error)
}

// A pruner leaves out what of a table can't fulfil a condition.
type pruner struct {
	snap     *snapshot.Snapshot
	table    *arrow.Schema
	where    *pushdown.Bound
	counters *pushdown.Counters
	off      scan.Levels
	paths    *pushdown.Partitions
	merging  pushdown.Merging
	keys     pushdown.KeyColumns
	isKey    func(*pushdown.Field) bool
	// meta is the metadata table, nil if there is none to ask.
	meta index
	// current says that indexes of what the table holds now can be asked, not
	// only those of files, which never change.
	current bool
	places  *places // of the keys that the condition lists; nil = not known
	// first is the index that was asked first at a level.
	first map[string]string
}

// count counts a container with the verdict of an index on it. What several
// indexes are asked about is seen once.
func (r *pruner) count(level, index string, v pushdown.Verdict) {
	if r.first[level] == "" {
		r.first[level] = index
	}
	if r.first[level] == index {
		r.counters.Count(level, index, v)
	} else if v.Answer == pushdown.No {
		r.counters.Add(level, index, v.Conjunct, 0, 1)
	}
}

// newPruner makes the pruner of a plan; nil if it has no condition.
func (t *Table) newPruner(ctx context.Context, snap *snapshot.Snapshot, q Query, p *Plan) (*pruner, error) {
	where := p.prunable()
	if where == nil {
		return nil, nil
	}
	cfg := snap.Config()
	r := &pruner{
		snap: snap, table: p.Job.Schema.Schema, where: where, counters: p.counters, off: t.pruningOff(), paths: pushdown.NewPartitions(cfg),
		keys: scan.KeyColumns(cfg, p.Job.Schema.Schema), isKey: scan.HoldsKey(cfg),
		first:   map[string]string{},
		current: q.AsOf == "" && (q.Type == Snapshot || q.Type == ReadOptimized && cfg.Type == snapshot.CopyOnWrite),
	}
	rules, err := mergeread.TableRules(cfg)
	if err != nil { // of no matter but for slices with logs, which are refused later
		return r, nil
	}
	r.merging = mergeread.Merging(cfg, rules)
	if p.SkipMerge {
		r.merging = pushdown.MergeWhole
	}
	if byMeta, err := snap.ByMetadata(ctx); err != nil || !byMeta {
		return r, err
	}
	m, err := snap.Metadata(ctx)
	if m != nil {
		r.meta = m
	}
	return r, err
}

// has tells whether an index of the metadata table can be asked.
func (r *pruner) has(partition, level string) bool {
	return r.meta != nil && r.off.On(level) && r.snap.Config().HasMetadataPartition(partition)
}

// slices lists the slices of the table that may have rows for the condition.
func (r *pruner) slices(ctx context.Context, o snapshot.SliceOptions) ([]snapshot.FileSlice, error) {
	if r.where.Always() == pushdown.No {
		return nil, nil
	}
	if r.current {
		if err := r.askKeyIndexes(ctx); err != nil {
			return nil, err
		}
	}
	all, err := r.snap.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	kept := r.partitions(all)
	if kept, err = r.byPartitionStats(ctx, kept); err != nil {
		return nil, err
	}
	size := len(kept)
	if size > fewPartitions {
		// Indexes are sorted by hashes of partitions: so a chunk is a stretch.
		kept, size = slices.Clone(kept), min(pruneChunk, size/3+1)
		snapshot.SortByHash(kept)
	}
	var out []snapshot.FileSlice
	for chunk := range slices.Chunk(kept, max(size, 1)) {
		in := make(map[string]bool, len(chunk))
		for _, p := range chunk {
			in[p] = true
		}
		o.Partitions = func(path string) bool { return in[path] }
		some, err := r.snap.Slices(ctx, o)
		if err != nil {
			return nil, err
		}
		if some, err = r.byBuckets(ctx, some); err != nil {
			return nil, err
		}
		if some, err = r.files(ctx, some); err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, func(a, b snapshot.FileSlice) int { return strings.Compare(a.Partition, b.Partition) })
	return out, nil
}

// pruneTasks leaves tasks out of a plan whose slices were listed by other means.
func (t *Table) pruneTasks(ctx context.Context, snap *snapshot.Snapshot, q Query, p *Plan) error {
	r, err := t.newPruner(ctx, snap, q, p)
	if r == nil || err != nil {
		return err
	}
	var paths []string
	for _, task := range p.Tasks {
		if !slices.Contains(paths, task.Slice.Partition) {
			paths = append(paths, task.Slice.Partition)
		}
	}
	kept := r.partitions(paths)
	var listed []snapshot.FileSlice
	for _, task := range p.Tasks {
		if slices.Contains(kept, task.Slice.Partition) {
			listed = append(listed, task.Slice)
		}
	}
	if listed, err = r.files(ctx, listed); err != nil {
		return err
	}
	p.Tasks = nil
	for _, s := range listed {
		p.Tasks = append(p.Tasks, scan.Task{Slice: s})
	}
	p.Stats = p.statsOf(listed)
	return nil
}

// partitions asks the paths of partitions, and those of the places of keys.
func (r *pruner) partitions(all []string) []string {
	if !r.off.On(scan.PrunePartitions) {
		return all
	}
	kept := make([]string, 0, len(all))
	r.first[pushdown.LevelPartitions] = "partition path"
	for _, path := range all {
		v, index := r.where.Prune(r.paths.Container(path)), "partition path"
		if v.Answer != pushdown.No && r.places != nil && !r.places.partitions[path] {
			v, index = pushdown.Verdict{Answer: pushdown.No, Conjunct: r.places.why}, r.places.index
		}
		r.counters.Count(pushdown.LevelPartitions, index, v)
		if v.Answer != pushdown.No {
			kept = append(kept, path)
		}
	}
	return kept
}

// byPartitionStats asks partition_stats.
func (r *pruner) byPartitionStats(ctx context.Context, all []string) ([]string, error) {
	if !r.current || len(all) < 2 || !r.has(snapshot.PartitionPartitionStats, scan.PrunePartitionStats) || r.merging == pushdown.MergeUnknown {
		return all, nil
	}
	columns := r.statsColumns()
	var keys, prefixes []string
	for _, c := range columns {
		prefixes = append(prefixes, snapshot.ColumnStatsPrefix(c))
		if len(all) <= lookupFiles {
			for _, p := range all {
				keys = append(keys, snapshot.PartitionStatsKey(c, p))
			}
		}
	}
	if len(prefixes) == 0 {
		return all, nil
	}
	found, err := r.records(ctx, snapshot.PartitionPartitionStats, keys, prefixes)
	if err != nil {
		return nil, err
	}
	kept := make([]string, 0, len(all))
	for _, path := range all {
		stats := pushdown.PartitionStats{}
		for _, c := range columns {
			if rec := found[snapshot.PartitionStatsKey(c, path)]; rec != nil && rec.Stats != nil {
				stats[c] = rec.Stats
			}
		}
		v := r.where.Prune(both{r.paths.Container(path), stats})
		r.count(pushdown.LevelPartitions, "partition_stats", v)
		if v.Answer != pushdown.No {
			kept = append(kept, path)
		}
	}
	return kept, nil
}

// records looks keys up, or reads all with one of some prefixes where there are
// no keys.
func (r *pruner) records(ctx context.Context, partition string, keys, prefixes []string) (map[string]*snapshot.MetadataRecord, error) {
	if len(keys) > 0 {
		return r.meta.Lookup(ctx, partition, keys)
	}
	return r.meta.Prefix(ctx, partition, prefixes)
}

// statsColumns are the columns of the condition, as indexes name them.
func (r *pruner) statsColumns() []string {
	var names []string
	for _, c := range r.where.Conjuncts() {
		for _, f := range c.Fields {
			if name := r.where.Fields()[f].Name(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// files leaves out slices by what is known of their files.
func (r *pruner) files(ctx context.Context, all []snapshot.FileSlice) ([]snapshot.FileSlice, error) {
	all = r.byGroup(all)
	all, err := r.byColumnStats(ctx, all)
	if err != nil {
		return nil, err
	}
	if all, err = r.byExpressions(ctx, all); err != nil {
		return nil, err
	}
	return r.byBlooms(ctx, all)
}

// byGroup keeps the file groups that keys are in.
func (r *pruner) byGroup(all []snapshot.FileSlice) []snapshot.FileSlice {
	if r.places == nil {
		return all
	}
	return slices.DeleteFunc(all, func(s snapshot.FileSlice) bool {
		v := pushdown.Verdict{}
		if !r.places.groups[snapshot.FileGroupID{Partition: s.Partition, FileID: s.FileID}] {
			v = pushdown.Verdict{Answer: pushdown.No, Conjunct: r.places.why}
		}
		r.count(pushdown.LevelFileSlices, r.places.index, v)
		return v.Answer == pushdown.No
	})
}

// byColumnStats asks column_stats of every file of each slice.
func (r *pruner) byColumnStats(ctx context.Context, all []snapshot.FileSlice) ([]snapshot.FileSlice, error) {
	columns := r.statsColumns()
	if len(columns) == 0 || !r.has(snapshot.PartitionColumnStats, scan.PruneColumnStats) {
		return all, nil
	}
	return r.byFiles(ctx, all, fileIndex{partition: snapshot.PartitionColumnStats, columns: columns, container: func(records []*snapshot.MetadataRecord) pushdown.Container {
		stats := pushdown.FileStats{}
		for i, rec := range records {
			if rec != nil && rec.Stats != nil {
				stats[columns[i]] = rec.Stats
			}
		}
		return stats
	}})
}

// both is a container of which two things are known: the path of its partition
// comes first.
type both struct{ path, stats pushdown.Container }

func (b both) Stats(f *pushdown.Field) pushdown.Stats {
	s := b.path.Stats(f)
	if s.Min.IsNull() && s.Max.IsNull() && len(s.OneOf) == 0 && !s.NoNulls && !s.AllNulls {
		return b.stats.Stats(f)
	}
	return s
}

func (b both) Excludes(f *pushdown.Field, v pushdown.Value) bool {
	for _, c := range []pushdown.Container{b.path, b.stats} {
		if e, ok := c.(pushdown.Excluder); ok && e.Excludes(f, v) {
			return true
		}
	}
	return false
}

func (b both) ExcludesCall(f *pushdown.Field, c pushdown.Call) bool {
	e, ok := b.stats.(pushdown.CallExcluder)
	return ok && e.ExcludesCall(f, c)
}

// byBlooms asks the metadata table's bloom filters of slices without logs.
func (r *pruner) byBlooms(ctx context.Context, all []snapshot.FileSlice) ([]snapshot.FileSlice, error) {
	if r.places != nil || !r.has(snapshot.PartitionBloomFilters, scan.PruneBloomFilters) || len(r.keyPoints()) == 0 {
		return all, nil
	}
	var out []snapshot.FileSlice
	for chunk := range slices.Chunk(all, lookupFiles) {
		var keys []string
		for _, s := range chunk {
			if s.Base != nil && len(s.Logs) == 0 {
				keys = append(keys, snapshot.BloomKey(s.Partition, s.Base.Path))
			}
		}
		if len(keys) == 0 {
			out = append(out, chunk...)
			continue
		}
		found, err := r.meta.Lookup(ctx, snapshot.PartitionBloomFilters, keys)
		if err != nil {
			return nil, err
		}
		for _, s := range chunk {
			v := pushdown.Verdict{}
			if s.Base != nil && len(s.Logs) == 0 {
				v = r.askBloom(found[snapshot.BloomKey(s.Partition, s.Base.Path)])
			}
			r.count(pushdown.LevelFileSlices, "bloom_filters", v)
			if v.Answer != pushdown.No {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// askBloom asks a filter; one that can't be read says nothing.
func (r *pruner) askBloom(rec *snapshot.MetadataRecord) pushdown.Verdict {
	if rec == nil || rec.Bloom == nil {
		return pushdown.Verdict{}
	}
	bloom, err := pushdown.ReadBloom(rec.Bloom.Type, string(rec.Bloom.Filter))
	if err != nil {
		return pushdown.Verdict{}
	}
	return r.where.Prune(pushdown.Keys{Bloom: bloom, Column: r.isKey})
}
