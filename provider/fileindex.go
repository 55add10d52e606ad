package provider

import (
	"context"
	"slices"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// A fileIndex is a partition of the metadata table with records of files.
type fileIndex struct {
	partition string
	columns   []string // that files have records of; nil for one record of each file
	container func(records []*snapshot.MetadataRecord) pushdown.Container
}

// stems begin the keys of a partition's files, one for each record of a file.
func (x *fileIndex) stems(partition string) []string {
	if x.columns == nil {
		return []string{snapshot.BloomStem(partition)}
	}
	stems := make([]string, len(x.columns))
	for i, c := range x.columns {
		stems[i] = snapshot.PartitionStatsKey(c, partition)
	}
	return stems
}

// byFiles asks an index of every file of each slice.
func (r *pruner) byFiles(ctx context.Context, all []snapshot.FileSlice, x fileIndex) ([]snapshot.FileSlice, error) {
	if len(all) == 0 {
		return all, nil
	}
	files := 0
	stems := map[string][]string{}
	for i := range all {
		files += 1 + len(all[i].Logs)
		if p := all[i].Partition; stems[p] == nil {
			stems[p] = x.stems(p)
		}
	}
	var keys, prefixes []string
	if files <= lookupFiles {
		for i := range all {
			eachFile(&all[i], func(path string) {
				suffix := snapshot.FileStatsSuffix(path)
				for _, stem := range stems[all[i].Partition] {
					keys = append(keys, stem+suffix)
				}
			})
		}
	} else {
		for _, of := range stems {
			prefixes = append(prefixes, of...)
		}
	}
	found, err := r.records(ctx, x.partition, keys, prefixes)
	if err != nil {
		return nil, err
	}
	records := make([]*snapshot.MetadataRecord, max(1, len(x.columns)))
	return slices.DeleteFunc(all, func(s snapshot.FileSlice) bool {
		var files []pushdown.Container
		path := r.path(s.Partition)
		eachFile(&s, func(file string) {
			suffix := snapshot.FileStatsSuffix(file)
			for i, stem := range stems[s.Partition] {
				records[i] = found[stem+suffix]
			}
			files = append(files, both{path, x.container(records)})
		})
		v := r.where.PruneSlice(files, r.merging, r.keys)
		r.count(pushdown.LevelFileSlices, x.partition, v)
		return v.Answer == pushdown.No
	}), nil
}

// path is what the path of a partition tells.
func (r *pruner) path(partition string) pushdown.Container {
	if !r.off.On(scan.PrunePartitions) {
		return pushdown.FileStats{}
	}
	return r.paths.Container(partition)
}

// eachFile goes through the files of a slice that hold rows: deletes take rows
// away and add none.
func eachFile(s *snapshot.FileSlice, visit func(path string)) {
	if s.Base != nil {
		visit(s.Base.Path)
	}
	for _, l := range s.Logs {
		if l.Kind != snapshot.LogDeletes {
			visit(l.Path)
		}
	}
}
