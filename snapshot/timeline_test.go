package snapshot

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

func TestParseInstant(t *testing.T) {
	tests := []struct {
		name   string
		layout int
		want   Instant // zero: none
	}{
		{"20240101000000001.commit", 1, Instant{Requested: "20240101000000001", Action: ActionCommit, State: StateCompleted}},
		{"20240101000000.inflight", 1, Instant{Requested: "20240101000000", Action: ActionCommit, State: StateInflight}},
		{"1.commit.requested", 1, Instant{Requested: "1", Action: ActionCommit, State: StateRequested}},
		{"1.deltacommit.inflight", 2, Instant{Requested: "1", Action: ActionDeltaCommit, State: StateInflight}},
		{"1_2.commit", 2, Instant{Requested: "1", Completed: "2", Action: ActionCommit, State: StateCompleted}},
		{"1.commit", 2, Instant{Requested: "1", Action: ActionCommit, State: StateCompleted}},
		{"1.clustering.requested", 2, Instant{Requested: "1", Action: ActionClustering, State: StateRequested}},
		{"1_2.commit", 1, Instant{}},
		{"1_2.commit.inflight", 2, Instant{}},
		{"1_.commit", 2, Instant{}},
		{"1.commit.requested.crc", 1, Instant{}},
		{".1.commit.crc", 1, Instant{}},
		{"1.commit.crc", 1, Instant{}},
		{"1.frob", 1, Instant{}},
		{"1.inflight.requested", 1, Instant{}},
		{"hoodie.properties", 1, Instant{}},
		{"1", 1, Instant{}}, {"", 1, Instant{}}, {"1.", 1, Instant{}}, {"1commit", 1, Instant{}},
	}
	for _, tt := range tests {
		got, ok := parseInstant(tt.name, tt.layout)
		if ok != (tt.want != Instant{}) || ok && got != tt.want {
			t.Errorf("layout %d, %q: %+v, %t", tt.layout, tt.name, got, ok)
		}
	}
}

func FuzzParseInstant(f *testing.F) {
	f.Add("20240101000000001_20240101000000002.commit", 2)
	f.Add("20240101000000001.replacecommit.requested", 1)
	f.Fuzz(func(t *testing.T, name string, layout int) {
		i, ok := parseInstant(name, layout)
		if ok && (!strings.HasPrefix(name, i.Requested) || i.Requested == "" || !isInstant(i.Requested)) {
			t.Errorf("%q: %+v", name, i)
		}
	})
}

// TestStates keeps one instant for each action, in its highest state.
func TestStates(t *testing.T) {
	f := newFake(9)
	f.instant("001", ActionCommit, "002", nil, nil)
	f.instant("001", ActionSavepoint, "005", nil, nil)
	f.instant("003", ActionCompaction, "004", nil, nil)
	f.instant("006", ActionClustering, "inflight", nil, nil)
	f.instant("007", ActionDeltaCommit, "requested", nil, nil)
	f.instant("008", ActionClean, "009", nil, nil)
	tl := f.open(t, Options{}).Timeline()
	want := []string{"001 commit COMPLETED", "001 savepoint COMPLETED", "003 commit COMPLETED", "006 clustering INFLIGHT",
		"007 deltacommit REQUESTED", "008 clean COMPLETED"}
	var got []string
	for _, i := range tl.Instants() {
		got = append(got, i.Requested+" "+i.Action+" "+i.State)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
	if last, _ := tl.Last(); last.Requested != "003" {
		t.Errorf("last %+v", last)
	}
	if len(tl.Commits()) != 2 || len(tl.Pending()) != 2 {
		t.Errorf("commits %v, pending %v", tl.Commits(), tl.Pending())
	}
	// The savepointed commit may stand before instants that are archived.
	if tl.Start() != "003" {
		t.Errorf("start %s", tl.Start())
	}
}

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("", 8*3600)
	for text, want := range map[string]string{
		"20240102030405678":             "20240102030405678",
		"20240102030405":                "20240102030405",
		"00000000000001":                "00000000000001",
		"000":                           "000",
		"2024-01-02T03:04:05Z":          "20240102110405000",
		"2024-01-02T03:04:05.678+08:00": "20240102030405678",
		"2024-01-02 03:04:05":           "20240102030405000",
		"2024-01-02 03:04:05.6":         "20240102030405600",
		"2024-01-02T03:04:05.678":       "20240102030405678",
		"2024-01-02 03:04:05+00:00":     "20240102110405000",
		"2024-01-02 03:04:05.678+00":    "20240102110405678",
		"2024-01-02 03:04:05-05":        "20240102160405000",
		" 2024-01-02 ":                  "20240102000000000",
		"20240102":                      "20240102000000000",
		"1704135845":                    "20240102030405000",
		"202401020304":                  "202401020304",
		"2024010203040567":              "2024010203040567",
		"1704135845678":                 "20240102030405678",
	} {
		if got, ok := parseTime(strings.TrimSpace(text), zone); got != want || !ok {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "yesterday", "2024-13-01", "2024-01-02 25:00:00", "20241302", "-1", "978307200", "97830720000", "978307200000", "202413020304", "2024010203x40567"} {
		if got, ok := parseTime(text, zone); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
	if at, ok := InstantTime("20240102030405678", zone); !ok || at.UnixMilli() != 1704135845678 {
		t.Errorf("instant time %v", at)
	}
	if _, ok := InstantTime("00000000000001", zone); ok {
		t.Error("a bootstrap has no time")
	}
}

// TestTimeZone takes a table's word that it counts in UTC.
func TestTimeZone(t *testing.T) {
	f := newFake(9)
	f.props["hoodie.table.timeline.timezone"] = "UTC"
	f.instant("20240101000000000", ActionCommit, "20240101000001000", nil, nil)
	zone := time.FixedZone("", 8*3600)
	if s := f.open(t, Options{AsOf: "2024-01-02", Location: zone}); s.Instant() != "20240102000000000" {
		t.Errorf("got %s", s.Instant())
	}
	f.props["hoodie.table.timeline.timezone"] = "LOCAL"
	if s := f.open(t, Options{AsOf: "2024-01-01T17:00:00Z", Location: zone}); s.Instant() != "20240102010000000" {
		t.Errorf("got %s", s.Instant())
	}
}

func TestAsOf(t *testing.T) {
	f := newFake(9)
	f.history = []historyLine{{"001", "002", ActionCommit, ""}, {"003", "004", ActionCommit, ""}}
	f.instant("003", ActionSavepoint, "0035", nil, nil)
	f.instant("010", ActionCommit, "011", nil, nil)
	f.instant("012", ActionCommit, "013", nil, nil)
	f.instant("014", ActionCommit, "015", nil, nil)
	f.instant("016", ActionClean, "017", cleanMetadata(t, "012"), nil)
	f.instant("020", ActionClustering, "requested", nil, nil)
	f.instant("021", ActionCompaction, "requested", nil, nil)
	f.instant("030", ActionCommit, "031", nil, nil)
	f.instant("040", ActionDeltaCommit, "inflight", nil, nil)
	for at, says := range map[string]string{
		"000": "before the first write: ask for 001",
		"001": "cleaned: ask for 012",
		"003": "", "004": "", // savepoint
		"010": "cleaned: ask for 012", "011": "cleaned: ask for 012",
		"012": "", "013": "", "025": "", "030": "", "039": "",
		"040": "the deltacommit of 040", "99999999999999": "the deltacommit of 040",
		"soon": "is no time",
	} {
		_, err := Open(t.Context(), f.storage(t), Options{AsOf: at})
		if says == "" && err != nil || says != "" && (!errors.Is(err, ErrTimeTravel) || !strings.Contains(err.Error(), says)) {
			t.Errorf("as of %s: %v", at, err)
		}
	}
	empty := newFake(9)
	if _, err := Open(t.Context(), empty.storage(t), Options{AsOf: "001"}); !errors.Is(err, ErrTimeTravel) {
		t.Errorf("empty table: %v", err)
	}
}

// TestAsOfCleaned asks real tables for times that Spark refused.
func TestAsOfCleaned(t *testing.T) {
	for name, at := range map[string]string{"v6/archived_mor": "20261129221829319", "v9/archived_cow": "20261129225712417",
		"v9/archived_mor": "20261129225741616", "v9/evolve_full_cow": "20261129222049800"} {
		st := openFixture(t, name)
		if _, err := Open(t.Context(), st, Options{AsOf: at}); !errors.Is(err, ErrTimeTravel) || !strings.Contains(err.Error(), "clean") {
			t.Errorf("%s as of %s: %v", name, at, err)
		}
	}
}

func openFixture(t testing.TB, name string) storage.Storage {
	t.Helper()
	st, err := storage.Open(t.Context(), tabletest.Open(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestArchivedMeanwhile reads metadata of a commit that was archived after the
// timeline was listed (R30).
func TestArchivedMeanwhile(t *testing.T) {
	f := newFake(9)
	f.history = []historyLine{{"001", "002", ActionReplaceCommit, string(replaceMetadata(t, []string{"p/f1"}))}}
	f.instant("001", ActionReplaceCommit, "002", nil, nil)
	f.instant("003", ActionCommit, "004", nil, nil)
	f.files["p/.hoodie_partition_metadata"] = nil
	f.files["p/f1_0-0-0_000.parquet"] = nil
	s := f.open(t, Options{})
	delete(f.files, ".hoodie/timeline/001_002.replacecommit")
	if all, err := s.Slices(t.Context(), SliceOptions{}); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestRolledBackMeanwhile names the instant whose file is gone.
func TestRolledBackMeanwhile(t *testing.T) {
	f := newFake(9)
	f.instant("001", ActionReplaceCommit, "002", nil, nil)
	f.files["p/.hoodie_partition_metadata"] = nil
	f.files["p/f1_0-0-0_001.parquet"] = nil
	s := f.open(t, Options{})
	delete(f.files, ".hoodie/timeline/001_002.replacecommit")
	_, err := s.Slices(t.Context(), SliceOptions{})
	var te *TableError
	if !errors.As(err, &te) || te.Instant != "001" || !strings.Contains(err.Error(), "open the table anew") {
		t.Errorf("got %v", err)
	}
}

// TestStale runs table services between the opening of a snapshot and its
// listing (R34).
func TestStale(t *testing.T) {
	for name, tt := range map[string]struct {
		since func(f *fake)
		stale bool
	}{
		"nothing":                  {func(f *fake) {}, false},
		"a write":                  {func(f *fake) { f.instant("010", ActionCommit, "011", nil, nil) }, false},
		"a clean of older files":   {func(f *fake) { f.instant("010", ActionClean, "011", cleanMetadata(t, "003"), nil) }, false},
		"a clean of ours":          {func(f *fake) { f.instant("010", ActionClean, "011", cleanMetadata(t, "004"), nil) }, true},
		"a clean by versions":      {func(f *fake) { f.instant("010", ActionClean, "011", cleanMetadata(t, ""), nil) }, true},
		"a rollback of no concern": {func(f *fake) { f.instant("010", ActionRollback, "011", rollbackMetadata(t, []string{"005"}), nil) }, false},
		"a rollback of ours":       {func(f *fake) { f.instant("010", ActionRollback, "011", rollbackMetadata(t, []string{"003"}), nil) }, true},
		"a restore":                {func(f *fake) { f.instant("010", ActionRestore, "inflight", nil, nil) }, true},
	} {
		f := newFake(9)
		f.instant("001", ActionCommit, "002", nil, nil)
		f.instant("003", ActionCommit, "004", nil, nil)
		f.instant("005", ActionCommit, "inflight", nil, nil)
		s := f.open(t, Options{})
		tt.since(f)
		if _, err := s.Slices(t.Context(), SliceOptions{}); errors.Is(err, ErrStale) != tt.stale || err != nil && !tt.stale {
			t.Errorf("%s: %v", name, err)
		}
	}
}
