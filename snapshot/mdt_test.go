package snapshot

import (
	"errors"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestMetadataLookup looks each key of each partition of real metadata tables
// up, alone and by prefix: the file group it hashes to must have it.
func TestMetadataLookup(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range tabletest.All(t) {
		if !strings.Contains(f.Name, "mdt_full") && !strings.Contains(f.Name, "cow_basic") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			s := openSnapshot(t, f.Open(t))
			m, err := s.Metadata(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, partition := range s.Config().MetadataPartitions {
				seen[partition] = true
				all, err := m.Scan(t.Context(), partition)
				if err != nil {
					t.Fatal(err)
				}
				if len(all) == 0 {
					t.Errorf("%s: no records", partition)
				}
				keys := slices.Sorted(maps.Keys(all))
				found, err := m.Lookup(t.Context(), partition, append(keys, "no such key"))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(all, found) {
					t.Errorf("%s: %d records, %d found by key", partition, len(all), len(found))
				}
				if len(keys[0]) < 12 {
					continue
				}
				prefix := keys[0][:12]
				some, err := m.Prefix(t.Context(), partition, []string{prefix + keys[0][12:], prefix, prefix})
				if err != nil {
					t.Fatal(err)
				}
				maps.DeleteFunc(all, func(k string, _ *MetadataRecord) bool { return !strings.HasPrefix(k, prefix) })
				if !reflect.DeepEqual(all, some) {
					t.Errorf("%s: %d records begin with %s, %d found", partition, len(all), prefix, len(some))
				}
			}
		})
	}
	if len(seen) < 6 {
		t.Errorf("only %v", seen)
	}
}

// TestMetadataRecords compares what indexes say with the table.
func TestMetadataRecords(t *testing.T) {
	for _, name := range []string{"v9/mdt_full", "v9/mdt_full_mor", "v6/mdt_full_mor"} {
		t.Run(name, func(t *testing.T) {
			s := openSnapshot(t, tabletest.Open(t, name))
			slices, err := s.Slices(t.Context(), SliceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			groups, files := map[string]bool{}, map[string]bool{}
			for _, slice := range slices {
				groups[slice.Partition+"/"+slice.FileID] = true
				if slice.Base != nil {
					files[path.Base(slice.Base.Path)] = true
				}
			}
			m, err := s.Metadata(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			index, err := m.Scan(t.Context(), PartitionRecordIndex)
			if err != nil {
				t.Fatal(err)
			}
			for key, r := range index {
				if !groups[r.Location.Partition+"/"+r.Location.FileID] || r.Location.Millis == 0 {
					t.Fatalf("key %s is said to be in %+v", key, r.Location)
				}
			}
			stats, err := m.Scan(t.Context(), PartitionColumnStats)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range stats {
				c := r.Stats
				delete(files, c.File)
				if !c.HasCounts || c.NullCount > c.ValueCount || c.Min.Kind != c.Max.Kind || c.Min.Kind != ValueNull && c.Min.Compare(c.Max) > 0 {
					t.Errorf("statistics %+v", c)
				}
			}
			if len(files) > 0 {
				t.Errorf("no statistics of %v", files)
			}
		})
	}
}

func openSnapshot(t testing.TB, dir string) *Snapshot {
	t.Helper()
	st, err := storage.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFileGroup compares with Java's String.hashCode.
func TestFileGroup(t *testing.T) {
	for _, tt := range []struct {
		key  string
		n    int
		want int
	}{
		{"", 10, 0}, {"a", 10, 7}, {"hello", 10, 99162322 % 10},
		{"polygenelubricants", 10, 8}, // hashes to the smallest int, which abs leaves negative
		{"é", 7, 233 % 7}, {"😀", 1000, 1772899 % 1000}, {"anything", 1, 0}, {"anything", 0, 0},
	} {
		if got := fileGroup(tt.key, tt.n); got != tt.want {
			t.Errorf("%q of %d: %d, want %d", tt.key, tt.n, got, tt.want)
		}
	}
}

func TestShards(t *testing.T) {
	var groups []FileSlice
	for _, id := range []string{"record-index-a%2Db-0000-0", "record-index-a%2Db-0001-0", "record-index-c-0000-0"} {
		groups = append(groups, FileSlice{FileID: id})
	}
	if got := shards(PartitionRecordIndex, groups); len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 {
		t.Errorf("by data partition: %v", got)
	}
	global := []FileSlice{{FileID: "record-index-0000-0"}, {FileID: "record-index-0001-0"}}
	if got := shards(PartitionRecordIndex, global); len(got) != 1 || len(got[0]) != 2 {
		t.Errorf("global: %v", got)
	}
}

func TestSecondaryEnd(t *testing.T) {
	for key, want := range map[string]int{"a$k": 1, `a\$b$k`: 4, `a\\$k`: 3, "none": -1, `\`: -1, "$k": 0} {
		if got := secondaryEnd(key); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
}

func TestMergeRecords(t *testing.T) {
	files := func(live map[string]int64, removed ...string) *MetadataRecord {
		r := &MetadataRecord{kind: recordFiles, Files: live}
		for _, name := range removed {
			if r.removed == nil {
				r.removed = map[string]bool{}
			}
			r.removed[name] = true
		}
		return r
	}
	type m = map[string]int64
	for name, tt := range map[string]struct {
		steps []*MetadataRecord
		want  m
	}{
		"added":           {[]*MetadataRecord{files(m{"a": 1}), files(m{"b": 2})}, m{"a": 1, "b": 2}},
		"removed":         {[]*MetadataRecord{files(m{"a": 1, "b": 2}), files(m{}, "a")}, m{"b": 2}},
		"sizes only grow": {[]*MetadataRecord{files(m{"a": 5}), files(m{"a": 3})}, m{"a": 5}},
		"removed first":   {[]*MetadataRecord{files(m{}, "a"), files(m{"a": 3})}, m{"a": 3}},
		"all deleted":     {[]*MetadataRecord{files(m{"a": 1}), {deleted: true}, files(m{"b": 2})}, m{"b": 2}},
	} {
		var merged *MetadataRecord
		for _, r := range tt.steps {
			merged = merged.merge(r)
		}
		if !maps.Equal(merged.Files, tt.want) {
			t.Errorf("%s: %v", name, merged.Files)
		}
	}
	stats := func(lo, hi int64, tight bool) *MetadataRecord {
		return &MetadataRecord{kind: recordColumnStats, Stats: &ColumnStats{Min: StatsValue{Kind: ValueLong, I64: lo}, Max: StatsValue{Kind: ValueLong, I64: hi},
			ValueCount: 1, HasCounts: true, Tight: tight}}
	}
	if got := stats(1, 5, false).merge(stats(3, 9, false)).Stats; got.Min.I64 != 1 || got.Max.I64 != 9 || got.ValueCount != 2 {
		t.Errorf("widened to %+v", got)
	}
	if got := stats(1, 5, false).merge(stats(3, 4, true)).Stats; got.Min.I64 != 3 || got.Max.I64 != 4 || got.ValueCount != 1 {
		t.Errorf("exact bounds became %+v", got)
	}
}

func TestCompareValues(t *testing.T) {
	text := func(s string) StatsValue { return StatsValue{Kind: ValueString, Str: s} }
	number := func(s string) StatsValue { return StatsValue{Kind: ValueDecimal, Str: s} }
	for _, ordered := range [][]StatsValue{
		{text(""), text("a"), text("ab"), text("b"), text("é"), text("😀"), text("\uE000")}, // a pair is below U+E000
		{number("\x80\x00"), number("\xFE"), number("\xFF"), number(""), number("\x01"), number("\x00\x80"), number("\x01\x00")},
		{{Kind: ValueDouble, F64: -1}, {Kind: ValueDouble, F64: 0.5}},
		{{Kind: ValueArray}, {Kind: ValueArray, List: []StatsValue{text("a")}}, {Kind: ValueArray, List: []StatsValue{text("b")}}},
	} {
		for i, a := range ordered {
			for j, b := range ordered {
				if got := a.Compare(b); got < 0 != (i < j) || got > 0 != (i > j) {
					t.Errorf("%q and %q: %d", a.Str, b.Str, got)
				}
			}
		}
	}
}

// TestMetadataBroken: a metadata table that can't be read is an error that
// tells the way around; one that is not there is as none.
func TestMetadataBroken(t *testing.T) {
	dir := tabletest.Open(t, "v9/mor_pending_compaction")
	files := path.Join(dir, ".hoodie/metadata/files")
	entries, err := os.ReadDir(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".hfile") {
			if err := os.Truncate(path.Join(files, e.Name()), 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err = openSnapshot(t, dir).Slices(t.Context(), SliceOptions{})
	var te *TableError
	if !errors.As(err, &te) || !strings.Contains(err.Error(), "hoodie.metadata.enable=false") {
		t.Errorf("got %v", err)
	}
	st, err := storage.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), st, Options{Hudi: map[string]string{"hoodie.metadata.enable": "false"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Slices(t.Context(), SliceOptions{})
	if err != nil || len(want) != 3 {
		t.Errorf("%v, %v", want, err)
	}
	if err := os.RemoveAll(path.Join(dir, ".hoodie/metadata")); err != nil {
		t.Fatal(err)
	}
	s = openSnapshot(t, dir)
	got, err := s.Slices(t.Context(), SliceOptions{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if by, err := s.ByMetadata(t.Context()); by || err != nil {
		t.Errorf("%t, %v", by, err)
	}
}
