package adbc_test

import (
	"context"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

func open(t testing.TB, uri string, opts ...string) adbc.Connection {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	all := map[string]string{adbc.OptionKeyURI: uri}
	for i := 0; i < len(opts); i += 2 {
		all[opts[i]] = opts[i+1]
	}
	db, err := hudi.NewDriver(mem).NewDatabase(all)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		mem.AssertSize(t, 0)
	})
	return c
}

func statement(t testing.TB, c adbc.Connection, sql string) adbc.Statement {
	t.Helper()
	s, err := c.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.SetSqlQuery(sql); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSmoke(t *testing.T) {
	c := open(t, tabletest.Open(t, "v9/cow_basic"))
	for _, sql := range []string{"SELECT 1", "SELECT count(*) FROM cow_basic", "SELECT * FROM cow_basic LIMIT 2", "SELECT * FROM hudi.main.cow_basic ORDER BY 1 LIMIT 1"} {
		s := statement(t, c, sql)
		r, _, err := s.ExecuteQuery(context.Background())
		if err != nil {
			t.Error(sql, err)
			continue
		}
		for r.Next() {
			t.Log(r.RecordBatch())
		}
		if r.Err() != nil {
			t.Error(r.Err())
		}
		r.Release()
	}
	var _ arrow.RecordBatch
	var _ array.RecordReader
}
