package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestArchived reads the archived timelines of real tables, and the metadata
// of each write in them.
func TestArchived(t *testing.T) {
	for _, f := range tabletest.All(t) {
		data, err := os.ReadFile(filepath.Join(f.Dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		// All writes there ever were, where the generator noted them.
		var m struct {
			All []struct{ Instant, Completion, Action string } `json:"all_instants"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		if m.All == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			tl := openTimeline(t, f.Open(t))
			all, err := tl.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(all, compareInstants) {
				t.Error("not in order")
			}
			archived := 0
			for _, i := range all {
				if i.Archived {
					archived++
				}
				if !i.IsWrite() || !i.IsCompleted() {
					continue
				}
				m, err := tl.CommitMetadata(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				if m.Schema() == "" || len(m.WriteStats) == 0 || m.OperationType == "" {
					t.Errorf("%+v: %+v", i, m)
				}
				for partition, stats := range m.WriteStats {
					for _, s := range stats {
						if s.FileID == "" || !strings.HasPrefix(s.Path, partition) || s.PartitionPath != partition {
							t.Errorf("%+v: %+v", i, s)
						}
					}
				}
			}
			if archived == 0 {
				t.Error("nothing is archived")
			}
			for _, want := range m.All {
				if !slices.ContainsFunc(all, func(i Instant) bool {
					return i.IsCompleted() && i.Requested == want.Instant && i.kind() == want.Action && (want.Completion == "" || i.Completed == want.Completion)
				}) {
					t.Errorf("%+v is missing", want)
				}
			}
		})
	}
}

func openTimeline(t testing.TB, dir string) *Timeline {
	t.Helper()
	st, err := storage.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := ReadConfig(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	tl, err := LoadTimeline(t.Context(), st, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestHistoryManifest finds the live history files whatever state the folder
// is in.
func TestHistoryManifest(t *testing.T) {
	const dir = ".hoodie/timeline/history"
	manifest := func(name string) []byte { return fmt.Appendf(nil, `{"files":[{"fileName":%q,"fileLen":1}]}`, name) }
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
		fails bool
	}{
		"none":                      {files: map[string]string{}, want: "[]"},
		"empty folder":              {files: map[string]string{"x": ""}, want: "[]"},
		"the version counts":        {files: map[string]string{"_version_": "1", "manifest_1": "a", "manifest_2": "b"}, want: "[a]"},
		"no version":                {files: map[string]string{"manifest_9": "a", "manifest_10": "b"}, want: "[b]"},
		"broken version":            {files: map[string]string{"_version_": "", "manifest_9": "a", "manifest_10": "b"}, want: "[b]"},
		"manifest absent":           {files: map[string]string{"_version_": "3"}, fails: true},
		"manifest cut":              {files: map[string]string{"manifest_1": "cut"}, fails: true},
		"manifest names a stranger": {files: map[string]string{"manifest_1": "../x"}, fails: true},
	} {
		files := map[string][]byte{}
		for file, content := range tt.files {
			switch {
			case content == "cut":
				files[dir+"/"+file] = []byte(`{"files":[`)
			case strings.HasPrefix(file, "manifest_"):
				files[dir+"/"+file] = manifest(content)
			default:
				files[dir+"/"+file] = []byte(content)
			}
		}
		got, err := readManifest(t.Context(), storage.NewMemory(files), dir)
		if tt.fails {
			if !errors.Is(err, ErrCorrupt) && !absent(err) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		} else if err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestArchiveOnDemand opens and lists a table without reading its archive.
func TestArchiveOnDemand(t *testing.T) {
	f := newFake(9)
	f.history = []historyLine{{"001", "002", ActionCommit, ""}}
	f.instant("010", ActionCommit, "011", nil, nil)
	f.files["p/.hoodie_partition_metadata"] = nil
	f.files["p/f1_0-0-0_010.parquet"] = nil
	f.files["p/.f1_010.log.1_0-0-0"] = nil
	broken := errors.New("the archive was read")
	st := storage.Failing(f.storage(t), func(_ storage.Op, path string) error {
		if strings.Contains(path, "history") {
			return broken
		}
		return nil
	})
	s, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Slices(t.Context(), SliceOptions{}); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := s.Timeline().All(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
