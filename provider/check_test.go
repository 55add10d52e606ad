package provider_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// TestQueryRefused: what has no meaning is refused, by whatever takes a query.
func TestQueryRefused(t *testing.T) {
	table, err := provider.Open(t.Context(), tabletest.Open(t, "v9/cow_basic"), provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    provider.Query
		want string
	}{
		{provider.Query{Begin: "earliest"}, "begin and end"},
		{provider.Query{Type: provider.ReadOptimized, End: "2026-01-01"}, "begin and end"},
		{provider.Query{Type: provider.Incremental, AsOf: "2026-01-01"}, "as-of"},
		{provider.Query{Type: provider.CDC, AsOf: "2026-01-01"}, "as-of"},
		{provider.Query{Type: provider.CDC, Deletes: true}, "deleted rows"},
		{provider.Query{Type: 9}, "query type 9"},
		{provider.Query{Limit: -1}, "limit"},
		{provider.Query{Threads: -1}, "threads"},
		{provider.Query{BatchSize: -1}, "batch size"},
		{provider.Query{MemoryLimit: -1}, "memory"},
	} {
		_, plan := table.Plan(t.Context(), c.q)
		_, scan := table.Scan(t.Context(), c.q)
		_, schema := table.Schema(t.Context(), c.q)
		_, files := table.Files(t.Context(), c.q)
		_, partitions := table.Partitions(t.Context(), c.q)
		for _, err := range []error{plan, scan, schema, files, partitions} {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "cow_basic") {
				t.Errorf("%+v: %v, want %s", c.q, err, c.want)
			}
		}
	}
	if _, err := table.Changes(t.Context(), "", provider.Follow{Query: provider.Query{Type: provider.CDC, Threads: -1}}); err == nil {
		t.Error("a table is followed with -1 threads")
	}
	unmerged, err := provider.Open(t.Context(), table.URI(), provider.Options{Hudi: map[string]string{provider.OptionMergeType: "skip_merge"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []provider.Query{{Type: provider.CDC}, {Type: provider.Incremental, Deletes: true}} {
		if _, err := unmerged.Scan(t.Context(), q); err == nil || !strings.Contains(err.Error(), provider.OptionMergeType) {
			t.Errorf("%+v of rows that are not merged: %v", q, err)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	for _, c := range []struct{ key, value, want string }{
		{"hoodie.metadata.enable", "maybe", "use true or false"},
		{"hoodie.metadata.enable", "", "use true or false"},
		{"hoodie.datasource.merge.type", "foo", "use payload_combine or skip_merge"},
		{"hoodie.datasource.read.incr.fallback.fulltablescan.enable", "no", "use true or false"},
		{"hudi.cdc.format", "xml", "use struct or json"},
		{"hudi.pruning.disable", "pages, foo", "late_columns or all"},
		{"hoodie.bucket.index.num.buckets", "0", "1 or more"},
		{"hudi.prunning.disable", "pages", "there are hudi.cdc.format, hudi.merge.sorted and hudi.pruning.disable"},
	} {
		_, err := provider.Open(t.Context(), dir, provider.Options{Hudi: map[string]string{c.key: c.value}})
		var option *provider.OptionError
		if !errors.As(err, &option) || option.Key != c.key || !strings.Contains(err.Error(), c.key) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %s", c.key, c.value, err, c.want)
		}
	}
	for key, value := range map[string]string{
		"hoodie.metadata.enable": "FALSE", "hoodie.datasource.merge.type": "Skip_Merge", "hudi.pruning.disable": " pages ,all", "hoodie.some.thing": "x",
	} {
		if _, err := provider.Open(t.Context(), dir, provider.Options{Hudi: map[string]string{key: value}}); err != nil {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
}

// TestOptionsAreDocumented: the reader spec lists the read options.
func TestOptionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/READER-SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "## 9. Read options")
	if !found {
		t.Fatal("there is no section on read options")
	}
	for _, key := range provider.ReadOptionKeys() {
		if !strings.Contains(list, "`"+key+"`") {
			t.Errorf("%s is missing", key)
		}
	}
}

// TestDamagedBase overwrites what is in a base file: the error names the file
// once, and the instant that wrote it.
func TestDamagedBase(t *testing.T) {
	for _, at := range []int64{4, -100} { // a page, and the footer
		dir := tabletest.Open(t, "v9/cow_basic")
		files, err := filepath.Glob(filepath.Join(dir, "2024-03", "*.parquet"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			from := (at + int64(len(data))) % int64(len(data))
			copy(data[from:from+80], strings.Repeat("\xff", 80))
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range []provider.Query{{Meta: true}, {Meta: true, Where: "_hoodie_commit_time > '2'"}} {
			_, err = answer(dir, q, provider.Options{})
			var te *snapshot.TableError
			if !errors.As(err, &te) {
				t.Fatalf("at %d, %+v: %v", at, q, err)
			}
			if name := filepath.Base(te.File); strings.Count(err.Error(), name) != 1 || !strings.Contains(name, te.Instant) || !strings.Contains(err.Error(), "corrupt parquet file") {
				t.Errorf("at %d, %+v: %v", at, q, err)
			}
		}
	}
}
