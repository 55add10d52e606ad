package mergeread_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// overwritten makes nonsense of some bytes from a place on.
func overwritten(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		copy(b[at:at+100], bytes.Repeat([]byte{0xff}, 100))
		return b
	}
}

// TestDamagedLog overwrites the end of the records of a log, and cuts a native
// one: the error names the log once, and what to do.
func TestDamagedLog(t *testing.T) {
	for _, tt := range []struct {
		name, table, files string
		damage             func([]byte) []byte
	}{
		{"records", "v9/mor_avro_logs", "2024-01/.*log.1_1-49-70", func(b []byte) []byte {
			return append(b[:len(b)-100:len(b)-100], append(make([]byte, 60), b[len(b)-40:]...)...)
		}},
		{"native, cut", "native/mor_avro_logs__lsm_tree", "2024-01/*_1.log.parquet", func(b []byte) []byte { return b[:len(b)/2] }},
		{"native, pages", "native/mor_avro_logs__lsm_tree", "2024-01/*_1.log.parquet", func(b []byte) []byte { return append(bytes.Repeat([]byte{0xff}, 1000), b[1000:]...) }},
		{"native, a page of keys", "native/mor_avro_logs__lsm_tree", "2024-03/*_20261129212900259_1.log.parquet", overwritten(305)},
		{"native, a page of keys, hashed", "native/partial_update__default", "part=p1/*_20261129222655787_1.log.parquet", overwritten(309)},
		{"native, a page of values", "native/mor_avro_logs__lsm_tree", "2024-03/*_20261129212900259_1.log.parquet", overwritten(1094)},
		{"native, deletes", "native/mor_avro_logs__lsm_tree", "2024-03/*_1.deletes.parquet", overwritten(4)},
		{"Parquet block", "v9/mor_parquet_logs", "2024-01/.*_20261129212946202.log.1_1-308-443", func(b []byte) []byte {
			return overwritten(bytes.Index(b, []byte("PAR1")) + 476)(b)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tabletest.Open(t, tt.table)
			logs, err := filepath.Glob(filepath.Join(dir, tt.files))
			if err != nil || len(logs) == 0 {
				t.Fatalf("no logs: %v", err)
			}
			data, err := os.ReadFile(logs[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(logs[0], tt.damage(data), 0o644); err != nil {
				t.Fatal(err)
			}
			table, err := provider.Open(context.Background(), dir, provider.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := table.Scan(context.Background(), provider.Query{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for err == nil {
				var b interface{ Release() }
				if b, err = r.Next(); err == nil {
					b.Release()
				}
			}
			var te *snapshot.TableError
			if err == io.EOF || !errors.As(err, &te) {
				t.Fatalf("no error of the table: %v", err)
			}
			text := err.Error()
			if n := strings.Count(text, "hudi table"); n != 1 || !strings.HasPrefix(text, "hudi table") {
				t.Errorf("names the table %d times: %s", n, text)
			}
			name := filepath.Base(logs[0])
			if n := strings.Count(text, name); n != 1 || !strings.Contains(te.File, name) {
				t.Errorf("names the file %d times: %s", n, text)
			}
			if te.Instant == "" || !strings.Contains(name, te.Instant) {
				t.Errorf("instant %s is not that of the log: %s", te.Instant, text)
			}
			for _, part := range []string{te.Instant, "damaged", "read_optimized"} {
				if part == "" || !strings.Contains(text, part) {
					t.Errorf("does not say %q: %s", part, text)
				}
			}
		})
	}
}
