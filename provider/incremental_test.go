package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

func mustAnswer(t *testing.T, dir string, q provider.Query, o provider.Options) answerRows {
	t.Helper()
	a, err := answer(dir, q, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCleaned asks for a range whose end has been cleaned: the rows that are
// still current with a warning, an error that names what can be read where
// those are not wanted or would not do.
func TestCleaned(t *testing.T) {
	dir := tabletest.Open(t, "v9/archived_cow")
	q := provider.Query{Type: provider.Incremental, Begin: "20261129225655469", End: "20261129225702873"}
	var log bytes.Buffer
	got := mustAnswer(t, dir, q, provider.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if len(got.rows) != 3 || !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "20261129225716195") {
		t.Errorf("%d rows, warning %q", len(got.rows), log.String())
	}
	strict := provider.Options{Hudi: map[string]string{provider.OptionFallback: "false"}}
	deletes, cdc := q, q
	deletes.Deletes = true
	cdc.Type, cdc.End = provider.CDC, ""
	for _, c := range []struct {
		q provider.Query
		o provider.Options
	}{{q, strict}, {deletes, provider.Options{}}, {cdc, provider.Options{}}} {
		_, err := answer(dir, c.q, c.o)
		var lost *incremental.LostError
		if !errors.As(err, &lost) || !errors.Is(err, snapshot.ErrTimeTravel) {
			t.Errorf("%+v: %v", c.q, err)
			continue
		}
		if !strings.Contains(err.Error(), lost.Earliest) || lost.Earliest == "" || lost.Table != dir {
			t.Errorf("%v does not say what to do", err)
		}
		if !c.q.Deletes && c.q.Type == provider.Incremental {
			c.q.End = lost.Earliest
			if rows := mustAnswer(t, dir, c.q, c.o).rows; len(rows) == 0 {
				t.Error("no rows up to the instant that the error names")
			}
		}
	}
}

// TestTornChanges: of a file of changes that lost its end, the rest of the answer
// comes with a warning.
func TestTornChanges(t *testing.T) {
	dir := tabletest.Open(t, "v9/cdc_data_before_after_mor")
	q := provider.Query{Type: provider.CDC, Begin: "earliest"}
	whole := mustAnswer(t, dir, q, provider.Options{})
	files, err := filepath.Glob(filepath.Join(dir, "2024-01", ".*.cdc"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], info.Size()-50); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	got := mustAnswer(t, dir, q, provider.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if len(got.rows) == 0 || len(got.rows) >= len(whole.rows) {
		t.Errorf("%d rows of %d", len(got.rows), len(whole.rows))
	}
	for _, part := range []string{"level=WARN", "table=" + dir, filepath.Base(files[0]), "instant=20261129215532230", "offset=0"} {
		if strings.Count(log.String(), part) != 1 {
			t.Errorf("not told once: %s: %s", part, log.String())
		}
	}
}

// TestToldOnce: a log that a query reads again and again is warned of once.
func TestToldOnce(t *testing.T) {
	dir := tabletest.Open(t, "v9/corrupt_mid_log")
	for _, q := range []provider.Query{
		{}, {Type: provider.CDC, Begin: "20261129220641621"}, {Type: provider.Incremental, Begin: "earliest", Deletes: true},
	} {
		var log bytes.Buffer
		mustAnswer(t, dir, q, provider.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "instant=20261129220640862") {
			t.Errorf("%+v: %d warnings: %s", q, n, log.String())
		}
	}
}

// TestBounds writes the same range in all ways.
func TestBounds(t *testing.T) {
	dir := tabletest.Open(t, "v9/clustering_cow")
	table, err := provider.Open(t.Context(), dir, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := table.Timeline(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	first := all[1].Completed
	at, _ := snapshot.InstantTime(first, time.UTC)
	whole := mustAnswer(t, dir, provider.Query{Type: provider.Incremental}, provider.Options{})
	for _, c := range []struct {
		begin, end string
		all        bool
	}{
		{begin: "earliest", all: true}, {begin: "000", all: true}, {begin: "0", all: true}, {begin: "00000000000000", all: true},
		{begin: at.AddDate(0, 0, -1).Format(time.DateOnly), all: true},
		{begin: "earliest", end: at.AddDate(0, 0, 1).Format(time.DateOnly), all: true},
		{begin: first}, {begin: at.Format(time.RFC3339Nano)}, {begin: at.Format("2006-01-02 15:04:05.000")},
	} {
		got := mustAnswer(t, dir, provider.Query{Type: provider.Incremental, Begin: c.begin, End: c.end}, provider.Options{Location: time.UTC})
		if full := len(got.rows) == len(whole.rows); full != c.all || len(got.rows) == 0 {
			t.Errorf("(%s, %s]: %d rows of %d", c.begin, c.end, len(got.rows), len(whole.rows))
		}
	}
	for _, q := range []provider.Query{
		{Type: provider.Incremental, Begin: "tomorrow"},
		{Type: provider.Incremental, Begin: "20300101000000000", End: "20200101000000000"},
		{Type: provider.Incremental, AsOf: first},
		{Deletes: true},
		{Type: provider.CDC, Columns: []string{"nothing"}},
	} {
		if _, err := answer(dir, q, provider.Options{}); err == nil {
			t.Errorf("%+v is answered", q)
		}
	}
	none := mustAnswer(t, dir, provider.Query{Type: provider.Incremental, Begin: "20300101000000000"}, provider.Options{})
	if len(none.rows) != 0 || len(none.columns) != len(whole.columns) {
		t.Errorf("%d rows of the future", len(none.rows))
	}
}

// TestLittleMemoryForChanges parts the keys.
func TestLittleMemoryForChanges(t *testing.T) {
	for _, name := range []string{"v9/clustering_mor", "v9/replace_mor", "v9/cdc_op_key_only_mor"} {
		dir := tabletest.Open(t, name)
		table, err := provider.Open(t.Context(), dir, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := table.Timeline(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []provider.Query{
			{Type: provider.Incremental, Begin: all[0].Completed, Deletes: true, Meta: true},
			{Type: provider.CDC, Begin: all[0].Completed},
		} {
			want := mustAnswer(t, dir, q, provider.Options{})
			q.MemoryLimit, q.BatchSize, q.Threads = 1<<9, 7, 3
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			got := mustAnswer(t, dir, q, provider.Options{Allocator: mem})
			mem.AssertSize(t, 0)
			if d := want.diff(got, false); d != "" {
				t.Errorf("%s, %s: %s", name, q.Type, d)
			}
		}
	}
}

// TestChangesAreProjected reads some columns of each form.
func TestChangesAreProjected(t *testing.T) {
	dir := tabletest.Open(t, "v9/cdc_data_before_after_mor")
	for _, c := range []struct {
		q    provider.Query
		want string
	}{
		{provider.Query{Type: provider.Incremental, Columns: []string{"name", "id"}}, "id,name"},
		{provider.Query{Type: provider.Incremental, Deletes: true, Columns: []string{"name"}}, "_hoodie_operation,name"},
		{provider.Query{Type: provider.CDC, Columns: []string{"id", "qty"}}, "after,before,op,ts_ms"},
		{provider.Query{Type: provider.CDC, CDCText: true, Columns: []string{"id", "qty"}}, "after,before,op,ts_ms"},
	} {
		c.q.Begin = "20261129215531914"
		got := mustAnswer(t, dir, c.q, provider.Options{})
		if strings.Join(got.columns, ",") != c.want {
			t.Errorf("%+v has columns %v", c.q, got.columns)
		}
		if c.q.Type == provider.CDC {
			for _, row := range got.rows {
				if strings.Contains(row, "note") || !strings.Contains(row, "k0") {
					t.Fatalf("%+v gives %s", c.q, row)
				}
			}
			if !c.q.CDCText && got.types["before"] != "struct<id:utf8,qty:int32>" {
				t.Errorf("images are %s", got.types["before"])
			}
		}
	}
}

// TestChangesUnderConditions compares conditions with filters by hand.
func TestChangesUnderConditions(t *testing.T) {
	dir := tabletest.Open(t, "v9/cdc_data_before_after_mor")
	for _, q := range []provider.Query{
		{Type: provider.Incremental, Meta: true}, {Type: provider.Incremental, Deletes: true, Meta: true},
	} {
		q.Begin = "20261129215531914"
		all := mustAnswer(t, dir, q, provider.Options{})
		q.Where = "part = '2024-02'"
		some := mustAnswer(t, dir, q, provider.Options{})
		var want []string
		for _, row := range all.rows {
			if strings.Contains(row, ` part="2024-02"`) {
				want = append(want, row)
			}
		}
		if len(want) == 0 || strings.Join(want, "\n") != strings.Join(some.rows, "\n") {
			t.Errorf("%+v: %d rows, want %d", q, len(some.rows), len(want))
		}
	}
}

// TestOnlyChangedFilesAreRead counts slices.
func TestOnlyChangedFilesAreRead(t *testing.T) {
	dir := tabletest.Open(t, "v9/mdt_full")
	table, err := provider.Open(t.Context(), dir, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := table.Plan(t.Context(), provider.Query{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := table.Timeline(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-2].Completed
	part, err := table.Plan(t.Context(), provider.Query{Type: provider.Incremental, Begin: last})
	if err != nil {
		t.Fatal(err)
	}
	if len(part.Tasks) == 0 || len(part.Tasks) >= len(whole.Tasks) {
		t.Errorf("%d slices of %d", len(part.Tasks), len(whole.Tasks))
	}
}

// TestChangesTravel reads plans of changes that went through JSON.
func TestChangesTravel(t *testing.T) {
	dir := tabletest.Open(t, "v9/cdc_data_before_after_mor")
	table, err := provider.Open(t.Context(), dir, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []provider.Query{
		{Type: provider.Incremental, Begin: "20261129215531914"},
		{Type: provider.Incremental, Begin: "20261129215531914", Deletes: true},
		{Type: provider.CDC}, {Type: provider.CDC, CDCText: true},
	} {
		p, err := table.Plan(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back provider.Plan
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		r, err := provider.Read(t.Context(), &back, nil, scan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := newRows(r.Schema())
		for b, err := range r.Batches() {
			if err != nil {
				t.Fatal(err)
			}
			got.add(b)
		}
		sort.Strings(got.rows)
		if d := mustAnswer(t, dir, q, provider.Options{}).diff(got, false); d != "" {
			t.Errorf("%+v: %s", q, d)
		}
	}
}
