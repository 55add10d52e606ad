package mergeread_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// TestUnregistered reads a table whose merger nobody registered: its rows come
// unmerged, and are refused merged.
func TestUnregistered(t *testing.T) {
	const name = "v9/mor_avro_logs"
	rows := func(dir, mergeType string, limit int64) (n int64, err error) {
		table, err := provider.Open(context.Background(), dir, provider.Options{Hudi: map[string]string{provider.OptionMergeType: mergeType}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := table.Scan(context.Background(), provider.Query{Limit: limit})
		if err != nil {
			return 0, err
		}
		defer r.Close()
		for {
			b, err := r.Next()
			if err == io.EOF {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			n += b.NumRows()
			b.Release()
		}
	}
	want, err := rows(tabletest.Open(t, name), "skip_merge", 0)
	if err != nil {
		t.Fatal(err)
	}

	dir := tabletest.OpenCustom(t, name, "nobody-knows")
	if got, err := rows(dir, "skip_merge", 0); err != nil || got != want {
		t.Errorf("%d rows unmerged, want %d: %v", got, want, err)
	}
	_, err = rows(dir, "payload_combine", 1) // though the slice that comes first may have no logs
	if !errors.Is(err, mergeread.ErrNoMerger) || !errors.Is(err, snapshot.ErrUnsupported) || !strings.Contains(err.Error(), "nobody-knows") {
		t.Errorf("merged: %v", err)
	}
}
