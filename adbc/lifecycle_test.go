package adbc_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// both are a plain scan and a statement for DuckDB.
var both = []string{"SELECT * FROM mor_compacted", "SELECT * FROM mor_compacted ORDER BY 1", "SELECT id FROM mor_compacted WHERE part <> ?"}

// TestReaderOutlives closes everything in the wrong order.
func TestReaderOutlives(t *testing.T) {
	dir := tabletest.Open(t, "v9/mor_compacted")
	for _, sql := range both {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		db, err := hudi.NewDriver(mem).NewDatabase(map[string]string{adbc.OptionKeyURI: dir, hudi.OptionBatchSize: "20"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.NewStatement()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetSqlQuery(sql); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(sql, "?") {
			if err := s.Bind(t.Context(), params(t, "text", `[{"0": "x"}, {"0": "y"}]`)); err != nil {
				t.Fatal(err)
			}
		}
		r, _, err := s.ExecuteQuery(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.Retain()
		r.Release()
		for _, closing := range []interface{ Close() error }{db, c, s} {
			if err := closing.Close(); err != nil {
				t.Error(err)
			}
			if err := closing.Close(); errorOf(t, err).Code != adbc.StatusInvalidState {
				t.Error(err)
			}
		}
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if r.Err() != nil || rows == 0 {
			t.Errorf("%s: %d rows, %v", sql, rows, r.Err())
		}
		r.Release()
		mem.AssertSize(t, 0)
		if r.Next() {
			t.Error("a released stream has a batch")
		}
		for name, err := range map[string]error{
			"SetSqlQuery": s.SetSqlQuery("SELECT 1"), "Bind": s.Bind(t.Context(), nil), "Prepare": s.Prepare(t.Context()), "Commit": c.Commit(t.Context()),
		} {
			if errorOf(t, err).Code != adbc.StatusInvalidState {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.NewStatement(); errorOf(t, err).Code != adbc.StatusInvalidState {
			t.Error(err)
		}
		if _, err := c.GetTableTypes(t.Context()); errorOf(t, err).Code != adbc.StatusInvalidState {
			t.Error(err)
		}
		if _, err := db.Open(t.Context()); errorOf(t, err).Code != adbc.StatusInvalidState {
			t.Error(err)
		}
	}
}

// TestAnotherQuery: values that were bound for one query are not another's.
func TestAnotherQuery(t *testing.T) {
	c := open(t, tabletest.Open(t, "v9/mor_compacted"))
	s := statement(t, c, both[2])
	for _, sql := range []string{"SELECT 7", "SELECT id FROM mor_compacted"} {
		if err := s.SetSqlQuery(both[2]); err != nil {
			t.Fatal(err)
		}
		if err := s.Bind(t.Context(), params(t, "text", `[{"0": "x"}]`)); err != nil {
			t.Fatal(err)
		}
		n := run(t, s).rows()
		if err := s.SetSqlQuery(sql); err != nil {
			t.Fatal(err)
		}
		if err := s.Prepare(t.Context()); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if got := run(t, s).rows(); n == 0 || got == 0 {
			t.Errorf("%s: %d rows, before %d", sql, got, n)
		}
	}
}

// TestLazy: a stream that is opened and dropped reads no data file: there is
// none.
func TestLazy(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	c := open(t, dir)
	execute(t, c, "SELECT count(*) FROM cow_basic")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".hoodie" {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".parquet") {
			return os.Truncate(path, 0)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT * FROM cow_basic", "SELECT * FROM cow_basic WHERE qty > 5"} {
		s := statement(t, c, sql)
		r, _, err := s.ExecuteQuery(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Schema().NumFields() == 0 {
			t.Error("no schema")
		}
		r.Release()
		if r, _, err = s.ExecuteQuery(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.Next() || r.Err() == nil {
			t.Errorf("%s: reads files that are not there", sql)
		}
		errorOf(t, r.Err())
		r.Release()
	}
}

// TestCancel ends the context of statements that stream.
func TestCancel(t *testing.T) {
	c := open(t, tabletest.Open(t, "v9/mor_compacted"), hudi.OptionBatchSize, "1")
	for _, sql := range []string{"SELECT * FROM mor_compacted", "SELECT count(*) FROM range(100000000) a, range(100000) b", "SELECT id FROM mor_compacted WHERE id <> ?"} {
		ctx, cancel := context.WithCancel(context.Background())
		s := statement(t, c, sql)
		if strings.Contains(sql, "?") {
			if err := s.Bind(ctx, params(t, "text", `[{"0": "x"}, {"0": "y"}]`)); err != nil {
				t.Fatal(err)
			}
		}
		r, _, err := s.ExecuteQuery(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(sql, "range") {
			time.AfterFunc(20*time.Millisecond, cancel)
		} else {
			cancel()
		}
		for r.Next() {
		}
		if e := errorOf(t, r.Err()); e.Code != adbc.StatusCancelled || string(e.SqlState[:]) != "57014" {
			t.Errorf("%s: %v", sql, e)
		}
		r.Release()
		cancel()
		if _, _, err := s.ExecuteQuery(ctx); errorOf(t, err).Code != adbc.StatusCancelled {
			t.Errorf("%s: %v", sql, err)
		}
		if k := execute(t, c, "SELECT 1"); k.rows() != 1 {
			t.Error("the connection can't be used any more")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r, _, err := statement(t, c, "SELECT count(*) FROM range(100000000) a, range(100000) b").ExecuteQuery(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if e := errorOf(t, r.Err()); e.Code != adbc.StatusTimeout {
		t.Error(e)
	}
}

// TestConcurrent runs statements of all kinds on one connection at once.
func TestConcurrent(t *testing.T) {
	c := open(t, lake(t))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 6 {
				sql, want := "SELECT id FROM trips WHERE id >= 2", int64(2)
				switch (i + j) % 4 {
				case 1:
					sql, want = "SELECT count(*) FROM trips t JOIN v9.other o USING (id)", 1
				case 2:
					sql, want = "SELECT *, _hoodie_x FROM (SELECT id, 1 AS _hoodie_x FROM trips) ORDER BY 1", 3
				case 3:
					sql, want = `SELECT city FROM "a b"`, 1
				}
				s, err := c.NewStatement()
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(s.SetSqlQuery(sql), s.Prepare(t.Context())); err != nil {
					t.Error(err)
				}
				r, _, err := s.ExecuteQuery(t.Context())
				if err != nil {
					t.Error(err)
					s.Close()
					continue
				}
				go s.(adbc.GetSetOptions).GetOptionDouble(adbc.OptionKeyProgress)
				if n := rowsOf(r); n != want || r.Err() != nil {
					t.Errorf("%s: %d rows, %v", sql, n, r.Err())
				}
				r.Release()
				s.Close()
			}
		})
	}
	wg.Wait()
}

func rowsOf(r array.RecordReader) (n int64) {
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	return n
}

// TestNews: a connection sees writes, new tables, and that tables have gone.
func TestNews(t *testing.T) {
	dir := lake(t)
	c := open(t, dir)
	count := func(table string) string { return execute(t, c, "SELECT count(*) FROM "+table).text() }
	if got := count("trips"); got != "3" {
		t.Fatal(got)
	}
	// A second write: of one row more, with a column more.
	b := params(t, "id:int64 city:text fare:double extra:text", `[{"id": 9, "city": "x", "fare": 1, "extra": "y"}]`)
	if err := writeCommit(filepath.Join(dir, "Trips"), "20240202000000000", b); err != nil {
		t.Fatal(err)
	}
	if got := count("trips"); got != "4" {
		t.Errorf("%s rows after a write", got)
	}
	for _, sql := range []string{"SELECT extra FROM trips WHERE id = 9", "SELECT max(extra) FROM trips"} {
		if got := execute(t, c, sql).text(); got != "y" {
			t.Errorf("%s: %s", sql, got)
		}
	}
	if _, _, err := statement(t, c, "SELECT * FROM later").ExecuteQuery(t.Context()); errorOf(t, err).Code != adbc.StatusNotFound {
		t.Error(err)
	}
	if err := writeTable(filepath.Join(dir, "later"), b); err != nil {
		t.Fatal(err)
	}
	if got := count("later"); got != "1" {
		t.Errorf("%s rows of a new table", got)
	}
	if got := execute(t, c, "SELECT * FROM later").rows(); got != 1 {
		t.Errorf("%d rows of a new table", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "later")); err != nil {
		t.Fatal(err)
	}
	r, err := c.GetObjects(t.Context(), adbc.ObjectDepthTables, nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	r.Next()
	if text := r.RecordBatch().Column(1).ValueStr(0); strings.Contains(text, "later") || !strings.Contains(text, "Trips") {
		t.Error(text)
	}
	if _, _, err := statement(t, c, "SELECT * FROM later").ExecuteQuery(t.Context()); errorOf(t, err).Code != adbc.StatusNotFound {
		t.Error(err)
	}
}

// TestProgress: a plain scan tells how far it is.
func TestProgress(t *testing.T) {
	c := open(t, tabletest.Open(t, "v9/cow_basic"))
	s := statement(t, c, "SELECT * FROM cow_basic")
	o := s.(adbc.GetSetOptions)
	if p, err := o.GetOptionDouble(adbc.OptionKeyProgress); p != 0 || err != nil {
		t.Error(p, err)
	}
	run(t, s)
	p, err := o.GetOptionDouble(adbc.OptionKeyProgress)
	if m, mErr := o.GetOptionDouble(adbc.OptionKeyMaxProgress); p <= 0 || p > m || err != nil || mErr != nil {
		t.Error(p, m, err, mErr)
	}
}
