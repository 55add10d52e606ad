package mergeread

import (
	"context"
	pathpkg "path"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestNativeFooters guards the test data: tables whose native logs have lost
// their footers are read too, so that answers alone would not show it.
func TestNativeFooters(t *testing.T) {
	seen := map[hudilog.HeaderKey]int{}
	ordering := 0
	for _, f := range tabletest.All(t) {
		if !strings.HasPrefix(f.Name, "native/") {
			continue
		}
		st := f.Storage(t)
		for _, name := range nativeLogs(t, st, "") {
			pf := openNative(t, st, name)
			header, bare, err := nativeHeader(pf)
			if err != nil {
				t.Fatalf("%s: %s: %v", f.Name, name, err)
			}
			if want := strings.HasSuffix(f.Name, "bare"); bare != want {
				t.Errorf("%s: %s: footer missing: %t, want %t", f.Name, name, bare, want)
			}
			for k := range header {
				seen[k]++
			}
			if strings.Contains(name, ".deletes.") && pf.Schema().NumFields() > 2 {
				ordering++
			}
			if text := header[hudilog.RecordPositions]; text != "" {
				if pos, err := hudilog.NativePositions(text); err != nil || int64(len(pos)) != pf.NumRows() {
					t.Errorf("%s: %s: %d positions of %d rows, %v", f.Name, name, len(pos), pf.NumRows(), err)
				}
			}
		}
	}
	for _, k := range []hudilog.HeaderKey{hudilog.InstantTime, hudilog.Schema, hudilog.IsPartial, hudilog.CompactedBlockTimes, hudilog.RecordPositions} {
		if seen[k] == 0 {
			t.Errorf("no native log has %v in its footer", k)
		}
	}
	if ordering == 0 {
		t.Error("no delete file has several ordering fields")
	}
}

func nativeLogs(t *testing.T, st storage.Storage, dir string) []string {
	t.Helper()
	var names []string
	entries, err := st.List(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch _, ok := hudilog.ParseNativeName(pathpkg.Base(e.Name)); {
		case e.IsDir && e.Name != ".hoodie":
			names = append(names, nativeLogs(t, st, pathpkg.Join(dir, e.Name))...)
		case ok:
			names = append(names, pathpkg.Join(dir, e.Name))
		}
	}
	return names
}

func openNative(t *testing.T, st storage.Storage, name string) *parquet.File {
	t.Helper()
	f, err := st.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	pf, err := parquet.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return pf
}
