package snapshot

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
)

// slow is a storage where some files show before all their bytes do: of one
// that is in early, an Open sees the bytes that stand there next.
type slow struct {
	storage.Storage
	early map[string][]string
}

func (s *slow) Open(ctx context.Context, path string) (storage.File, error) {
	if states := s.early[path]; len(states) > 0 {
		s.early[path] = states[1:]
		return storage.NewMemory(map[string][]byte{path: []byte(states[0])}).Open(ctx, path)
	}
	return s.Storage.Open(ctx, path)
}

// TestSettle reads files of the timeline that are only just being written.
func TestSettle(t *testing.T) {
	for _, version := range []int{6, 9} {
		f := newFake(version)
		whole := string(replaceMetadata(t, []string{"p/g1"}))
		f.instant("001", ActionReplaceCommit, "002", []byte(whole), nil)
		f.instant("003", ActionCompaction, "requested", nil, compactionPlan(t, []string{"p/g2"}))
		plan := f.dir() + "003.compaction.requested"
		files := f.storage(t)
		config, err := ReadConfig(t.Context(), files)
		if err != nil {
			t.Fatal(err)
		}
		early := &slow{Storage: files}
		timeline, err := LoadTimeline(t.Context(), early, config)
		if err != nil {
			t.Fatal(err)
		}
		replace := timeline.Commits()[0]
		early.early = map[string][]string{replace.File: {"", whole[:7]}, plan: {"Obj\x01\x02", "Obj"}}
		m, err := timeline.WrittenMetadata(t.Context(), replace)
		if err != nil || len(m.ReplacedFileIDs["p"]) != 1 {
			t.Fatalf("version %d: metadata %+v, %v", version, m, err)
		}
		pending, err := timeline.pendingCompactions(t.Context())
		if err != nil || len(pending) != 1 {
			t.Fatalf("version %d: pending %v, %v", version, pending, err)
		}
	}
}

// TestUnwritten opens a table whose replacecommit stays empty: which file
// groups it took away can't be known.
func TestUnwritten(t *testing.T) {
	for _, version := range []int{6, 9} {
		f := newFake(version)
		f.instant("001", ActionCommit, "002", []byte(`{"operationType":"UPSERT"}`), nil)
		f.instant("003", ActionReplaceCommit, "004", nil, nil)
		f.files["p/.hoodie_partition_metadata"] = nil
		f.files["p/g1_0-0-0_001.parquet"] = nil
		_, err := f.open(t, Options{}).Slices(t.Context(), SliceOptions{})
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "instant 003") || !strings.Contains(err.Error(), "the file is empty") {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
