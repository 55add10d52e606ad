package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hudi-go/hudi/internal/storage"
)

// Partitions of the metadata table. Those of secondary and expression indexes
// begin with the prefixes.
const (
	PartitionFiles          = "files"
	PartitionColumnStats    = "column_stats"
	PartitionPartitionStats = "partition_stats"
	PartitionBloomFilters   = "bloom_filters"
	PartitionRecordIndex    = "record_index"
	PrefixSecondaryIndex    = "secondary_index_"
	PrefixExpressionIndex   = "expr_index_"
)

const (
	metadataFolder = metaFolder + "/metadata"
	allPartitions  = "__all_partitions__" // key of the list of partitions
	noPartition    = "."                  // stands for the partition ""
)

// A MetadataTable looks keys up in the metadata table that Hudi keeps beside a
// table: a merge-on-read table of its own, whose partitions are indexes and
// whose files are HFiles.
//
// It shows what is committed on both timelines: a write of the metadata table
// counts only if the write of the data table, whose instant it shares, is not
// pending. It is safe for concurrent use.
type MetadataTable struct {
	st       storage.Storage
	data     *Timeline
	cfg      *Config
	timeline *Timeline
	instant  string // the last completed write of the metadata table

	pending lazy[map[FileGroupID]string]
	defs    lazy[map[string]IndexDefinition]
	groups  lazyMap[[]FileSlice]
}

// Metadata opens the table's metadata table. It is nil if the table has none,
// or if its folder is not there, as after a copy that left it out: that can't
// be told from a table that never had one.
func (s *Snapshot) Metadata(ctx context.Context) (*MetadataTable, error) {
	if len(s.cfg.MetadataPartitions) == 0 {
		return nil, nil
	}
	return s.metadata.get(func() (*MetadataTable, error) {
		m, err := openMetadata(ctx, s.timeline)
		if errors.Is(err, ErrNotTable) {
			return nil, nil
		}
		return m, err
	})
}

func openMetadata(ctx context.Context, data *Timeline) (*MetadataTable, error) {
	st := data.st.Sub(metadataFolder)
	cfg, err := readConfig(ctx, st)
	if err != nil {
		return nil, metadataError(data, err)
	}
	if cfg.BaseFormat != FormatHFile {
		return nil, metadataError(data, fmt.Errorf("%w: its base files are %s", ErrUnsupported, cfg.BaseFormat))
	}
	t, err := LoadTimeline(ctx, st, cfg)
	if err != nil {
		return nil, metadataError(data, err)
	}
	m := &MetadataTable{st: st, data: data, cfg: cfg, timeline: t}
	if last, ok := t.Last(); ok {
		m.instant = last.Requested
	}
	return m, nil
}

// metadataError tells the way around a metadata table that can't be read.
func metadataError(data *Timeline, err error) error {
	return &TableError{Table: data.st.Root(), File: metadataFolder,
		Reason: "can't read the metadata table (read option " + OptionMetadata + "=false does without it)", Err: err}
}

// Instant is the last completed write of the metadata table.
func (m *MetadataTable) Instant() string { return m.instant }

// Timeline is the metadata table's own timeline.
func (m *MetadataTable) Timeline() *Timeline { return m.timeline }

// isValid tells whether a write of the metadata table counts.
func (m *MetadataTable) isValid(ctx context.Context, instant string) (bool, error) {
	for _, i := range m.data.active {
		if i.Requested == instant && !i.IsCompleted() && !m.data.isCompletedAt(instant) {
			return false, nil
		}
	}
	return m.timeline.Committed(ctx, instant)
}

// isCompletedAt tells whether any action requested at a time is completed.
func (t *Timeline) isCompletedAt(requested string) bool {
	for _, i := range t.active {
		if i.Requested == requested && i.IsCompleted() {
			return true
		}
	}
	return false
}

// Groups gives the file slices of one partition of the metadata table, by file
// id: the place in that order is what keys are hashed to.
func (m *MetadataTable) Groups(ctx context.Context, partition string) ([]FileSlice, error) {
	return m.groups.get(partition, func() ([]FileSlice, error) {
		entries, err := m.st.List(ctx, partition)
		if err != nil {
			return nil, m.fail(partition, err)
		}
		names := make([]listed, 0, len(entries))
		for _, e := range entries {
			if !e.IsDir {
				names = append(names, listed{e.Name, e.Size})
			}
		}
		pending, err := m.pending.get(func() (map[FileGroupID]string, error) { return m.timeline.pendingCompactions(ctx) })
		if err != nil {
			return nil, m.fail(partition, err)
		}
		v := &view{instant: m.timeline.horizon(), version: m.cfg.Version, format: FormatHFile, pending: pending,
			committed: m.isValid, completed: m.timeline.CompletionTime}
		found, err := v.partition(ctx, partition, names)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%w: no file groups", ErrCorrupt)
		}
		if err == nil && partition == PartitionFiles {
			err = m.known(ctx, found)
		}
		if err != nil {
			return nil, m.fail(partition, err)
		}
		return found, nil
	})
}

func (m *MetadataTable) fail(file string, err error) error {
	var te *TableError
	if errors.As(err, &te) && te.Table == m.data.st.Root() {
		return err
	}
	return &TableError{Table: m.data.st.Root(), File: storage.Join(metadataFolder, file), Instant: m.instant,
		Reason: "can't read the metadata table (read option " + OptionMetadata + "=false does without it)", Err: err}
}

// Lookup gives the records of some keys of a partition, as merged; keys that
// are not there, or deleted, are left out. Only the file groups that the keys
// hash to are read.
func (m *MetadataTable) Lookup(ctx context.Context, partition string, keys []string) (map[string]*MetadataRecord, error) {
	groups, err := m.Groups(ctx, partition)
	if err != nil {
		return nil, err
	}
	hashed, err := m.hashedPart(ctx, partition)
	if err != nil {
		return nil, err
	}
	found := map[string]*MetadataRecord{}
	for _, shard := range shards(partition, groups) {
		if err := m.readHashed(ctx, shard, keys, hashed, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readHashed reads keys from the file groups that they are hashed over.
func (m *MetadataTable) readHashed(ctx context.Context, shard []FileSlice, keys []string, hashed func(string) string, found map[string]*MetadataRecord) error {
	byGroup := make([][]string, len(shard))
	for _, key := range keys {
		n := fileGroup(hashed(key), len(shard))
		byGroup[n] = append(byGroup[n], key)
	}
	for n, some := range byGroup {
		if len(some) == 0 {
			continue
		}
		slices.Sort(some)
		if err := m.read(ctx, shard[n], selection{keys: slices.Compact(some)}, found); err != nil {
			return err
		}
	}
	return nil
}

// Prefix gives the records whose key begins with one of some prefixes.
func (m *MetadataTable) Prefix(ctx context.Context, partition string, prefixes []string) (map[string]*MetadataRecord, error) {
	return m.readAll(ctx, partition, selection{prefixes: withoutCovered(prefixes)})
}

// withoutCovered sorts prefixes and leaves out those that another one covers,
// so that no record is read twice.
func withoutCovered(prefixes []string) []string {
	var some []string
	for _, p := range slices.Sorted(slices.Values(prefixes)) {
		if len(some) == 0 || !strings.HasPrefix(p, some[len(some)-1]) {
			some = append(some, p)
		}
	}
	return some
}

// Scan gives all records of a partition.
func (m *MetadataTable) Scan(ctx context.Context, partition string) (map[string]*MetadataRecord, error) {
	return m.readAll(ctx, partition, selection{prefixes: []string{""}})
}

func (m *MetadataTable) readAll(ctx context.Context, partition string, s selection) (map[string]*MetadataRecord, error) {
	groups, err := m.Groups(ctx, partition)
	if err != nil {
		return nil, err
	}
	found := map[string]*MetadataRecord{}
	for _, g := range groups {
		if err := m.read(ctx, g, s, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// list gives the table's partitions as the metadata table has them; their files
// are read when they are asked for.
func (m *MetadataTable) list(ctx context.Context) (*listing, error) {
	found, err := m.Lookup(ctx, PartitionFiles, []string{allPartitions})
	if err != nil {
		return nil, err
	}
	l := &listing{metadata: m}
	if all := found[allPartitions]; all != nil { // else nothing was written yet
		for key := range all.Files {
			if key == noPartition {
				key = ""
			}
			l.partitions = append(l.partitions, key)
		}
	}
	slices.Sort(l.partitions)
	return l, nil
}

// filesOf gives the files of some partitions; nil stands for all.
func (m *MetadataTable) filesOf(ctx context.Context, partitions []string) (map[string][]listed, error) {
	var records map[string]*MetadataRecord
	var err error
	if partitions == nil {
		records, err = m.Scan(ctx, PartitionFiles)
	} else {
		keys := slices.Clone(partitions)
		for i, k := range keys {
			if k == "" {
				keys[i] = noPartition
			}
		}
		records, err = m.Lookup(ctx, PartitionFiles, keys)
	}
	if err != nil {
		return nil, err
	}
	files := make(map[string][]listed, len(records))
	for key, r := range records {
		if key == allPartitions {
			continue
		}
		names := make([]listed, 0, len(r.Files))
		for name, size := range r.Files {
			names = append(names, listed{name, size})
		}
		// The order of a map must not be seen.
		slices.SortFunc(names, func(a, b listed) int { return strings.Compare(a.name, b.name) })
		if key == noPartition {
			key = ""
		}
		files[key] = names
	}
	return files, nil
}

// hashedPart gives the function that tells which part of a key is hashed to
// find its file group: all of it, but in newer secondary indexes only the
// secondary key, so that all its records are in one group.
func (m *MetadataTable) hashedPart(ctx context.Context, partition string) (func(string) string, error) {
	whole := func(key string) string { return key }
	if !strings.HasPrefix(partition, PrefixSecondaryIndex) {
		return whole, nil
	}
	defs, err := m.IndexDefinitions(ctx)
	if err != nil {
		return nil, err
	}
	if defs[partition].Version != "V2" {
		return whole, nil
	}
	return func(key string) string {
		if at := secondaryEnd(key); at >= 0 {
			return key[:at+1]
		}
		return key
	}, nil
}

// secondaryEnd gives the place of the separator in a secondary index key: the
// first $ that no backslash precedes.
func secondaryEnd(key string) int {
	for i := 0; i < len(key); i++ {
		switch key[i] {
		case '\\':
			i++
		case '$':
			return i
		}
	}
	return -1
}

// shards splits the file groups of a partition into sets that keys are hashed
// over. It is one set, but for record indexes that are kept by data partition.
func shards(partition string, groups []FileSlice) [][]FileSlice {
	if partition != PartitionRecordIndex {
		return [][]FileSlice{groups}
	}
	var all [][]FileSlice
	for i, g := range groups {
		if i > 0 && shardOf(g.FileID) == shardOf(groups[i-1].FileID) {
			all[len(all)-1] = append(all[len(all)-1], g)
		} else {
			all = append(all, []FileSlice{g})
		}
	}
	return all
}

// shardOf cuts the number off a file id: record-index-[<partition>-]0001-0.
func shardOf(fileID string) string {
	stem := strings.TrimSuffix(fileID, "-0")
	return stem[:max(0, strings.LastIndexByte(stem, '-'))]
}

// fileGroup gives the number of the file group, of n, that a key is in.
func fileGroup(key string, n int) int {
	if n <= 1 {
		return 0
	}
	return int(abs(abs(javaHash(key)) % int32(n)))
}

// javaHash is String.hashCode: over UTF-16 units.
func javaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < utf8.RuneSelf || r <= 0xFFFF {
			h = 31*h + int32(r)
			continue
		}
		high, low := utf16.EncodeRune(r)
		h = 31*(31*h+int32(high)) + int32(low)
	}
	return h
}

// abs is Java's: the smallest number stays negative.
func abs(h int32) int32 {
	if h < 0 {
		return -h
	}
	return h
}
