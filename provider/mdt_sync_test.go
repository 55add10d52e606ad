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

// TestMetadataBehind reads tables whose metadata table has lost what it knew of
// the newest write: its listing would leave out rows.
func TestMetadataBehind(t *testing.T) {
	for _, c := range []struct{ table, lost string }{
		{"v9/mor_avro_logs", "timeline/20261129212900259_*"},
		{"v9/mor_avro_logs", "../files/.files-*_20261129212900259.log.*"},
		{"v8/mor_avro_logs", "timeline/*_*.deltacommit"},
		{"v8/mor_avro_logs", "../files/.files-*.log.*"},
		{"v6/mor_avro_logs", "*.deltacommit"},
		{"v6/cow_basic", "*.deltacommit"},
	} {
		dir := tabletest.Open(t, c.table)
		query := provider.Query{Meta: true}
		want := mustAnswer(t, dir, query, provider.Options{})
		lost, err := filepath.Glob(filepath.Join(dir, ".hoodie/metadata/.hoodie", c.lost))
		if err != nil || len(lost) == 0 {
			t.Fatalf("%s: %s: %v, %v", c.table, c.lost, lost, err)
		}
		if err := os.Remove(lost[len(lost)-1]); err != nil {
			t.Fatal(err)
		}
		_, err = answer(dir, query, provider.Options{})
		if !errors.Is(err, snapshot.ErrCorrupt) || !strings.Contains(err.Error(), snapshot.OptionMetadata+"=false") {
			t.Errorf("%s without %s: %v", c.table, filepath.Base(lost[len(lost)-1]), err)
		}
		got := mustAnswer(t, dir, query, provider.Options{Hudi: map[string]string{snapshot.OptionMetadata: "false"}})
		if d := want.diff(got, false); d != "" {
			t.Errorf("%s, listed: %s", c.table, d)
		}
	}
}
