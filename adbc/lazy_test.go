package adbc_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/array"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestPlainNeedsNoDuckDB: DuckDB starts with the first statement that is not a
// plain scan.
func TestPlainNeedsNoDuckDB(t *testing.T) {
	ctx := t.Context()
	db := database(t, tabletest.Open(t, "v9/mor_compacted"))
	c := connect(t, db)
	readAll := func(r array.RecordReader, err error) error {
		if err == nil {
			keep(t, r)
		}
		return err
	}
	const sql = "SELECT id FROM mor_compacted WHERE part <> 'x' LIMIT 5"
	bound := statement(t, c, "SELECT id FROM mor_compacted WHERE part <> ?")
	if err := bound.Bind(ctx, params(t, "text", `[{"0": "x"}]`)); err != nil {
		t.Fatal(err)
	}
	for _, do := range []struct {
		what string
		run  func() error
	}{
		{"ExecuteQuery and ExecuteSchema", func() error { execute(t, c, sql); return nil }},
		{"Prepare", func() error { return statement(t, c, sql).Prepare(ctx) }},
		{"parameters", func() error { run(t, bound); return nil }},
		{"partitions", func() error {
			_, parts, _, err := statement(t, c, "SELECT * FROM mor_compacted").ExecutePartitions(ctx)
			for _, id := range parts.PartitionIDs {
				if err == nil {
					err = readAll(c.ReadPartition(ctx, id))
				}
			}
			return err
		}},
		{"GetTableSchema", func() error {
			_, err := c.GetTableSchema(ctx, nil, nil, "mor_compacted")
			return err
		}},
		{"GetObjects", func() error {
			return readAll(c.GetObjects(ctx, adbc.ObjectDepthAll, nil, nil, nil, nil, nil))
		}},
		{"GetStatistics", func() error {
			return readAll(c.(adbc.ConnectionGetStatistics).GetStatistics(ctx, nil, nil, nil, false))
		}},
		{"the current schema", func() error {
			return c.(adbc.PostInitOptions).SetOption(adbc.OptionKeyCurrentDbSchema, "main")
		}},
	} {
		if err := do.run(); err != nil {
			t.Errorf("%s: %v", do.what, err)
		}
		if hudi.Started(db) {
			t.Fatalf("%s: DuckDB was started", do.what)
		}
	}
	if got := execute(t, c, "SELECT count(*) > 0 FROM mor_compacted").text(); got != "true" || !hudi.Started(db) {
		t.Errorf("%s, started: %v", got, hudi.Started(db))
	}
}

// TestUnreadable: a table of a folder that can't be read any more is not read as
// it was before, by neither kind of statement.
func TestUnreadable(t *testing.T) {
	dir := lake(t)
	c := open(t, dir)
	both := []string{"SELECT city FROM trips WHERE id = 1", "SELECT min(city) FROM trips WHERE id = 1"}
	look := func() {
		t.Helper()
		for _, sql := range both {
			if got := execute(t, c, sql).text(); got != "osaka" {
				t.Errorf("%s: %s", sql, got)
			}
		}
	}
	look()
	properties := filepath.Join(dir, "Trips", ".hoodie", "hoodie.properties")
	text, err := os.ReadFile(properties)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(properties, []byte("hoodie.table.version=99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, sql := range both {
		r, _, err := statement(t, c, sql).ExecuteQuery(context.Background())
		if err == nil {
			t.Errorf("%s: answers", sql)
			r.Release()
		}
	}
	if err := os.WriteFile(properties, text, 0o644); err != nil {
		t.Fatal(err)
	}
	look()
}
