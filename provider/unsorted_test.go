package provider_test

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// TestUnsorted reads tables of the sorted layout whose logs are not in key
// order, row by row, so that rows are out when that shows: they are right, or
// the error names the option that reads them all the same. Either way there is
// a warning.
func TestUnsorted(t *testing.T) {
	failed := 0
	for _, f := range tabletest.All(t) {
		name := f.Name
		if !strings.Contains(name, "__unsorted_logs") {
			continue
		}
		dir := f.Open(t)
		i := slices.IndexFunc(f.Manifest.Queries, func(q tabletest.Query) bool { return q.Kind == "snapshot" })
		want := expected(t, filepath.Join(f.Dir, f.Manifest.Queries[i].File))
		for _, size := range []int{1, 0} {
			var log bytes.Buffer
			o := provider.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			query := provider.Query{Meta: true, BatchSize: size}
			got, err := answer(dir, query, o)
			var te *snapshot.TableError
			switch {
			case err == nil && want.diff(got, false) != "":
				t.Errorf("%s, batches of %d: %s", name, size, want.diff(got, false))
			case err != nil && (!errors.As(err, &te) || te.Key != mergeread.OptionSorted || !errors.Is(err, mergeread.ErrUnsorted)):
				t.Errorf("%s, batches of %d: %v", name, size, err)
			case err != nil:
				failed++
			}
			if !strings.Contains(log.String(), "not in key order") {
				t.Errorf("%s, batches of %d: no warning: %s", name, size, log.String())
			}
			log.Reset()
			o.Hudi = map[string]string{mergeread.OptionSorted: "false"}
			if got, err = answer(dir, query, o); err != nil || want.diff(got, false) != "" || log.Len() > 0 {
				t.Errorf("%s, batches of %d, hashed: %v, %s%s", name, size, err, want.diff(got, false), log.String())
			}
		}
	}
	if failed == 0 {
		t.Error("no row left too early: the test does not reach the option")
	}
}
