package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/batch"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		// Counts are kept with the build tag debug_bindings only.
		if left := bindings.GetAllocationCounts(); left != "" {
			fmt.Println("not given back to DuckDB:", left)
			status = 1
		}
		os.Exit(status)
	}))
}

// withNumbers gives a connection to an engine with the tables "t", of 100,000
// rows, and checks at the end that nothing of it is left open.
func withNumbers(t *testing.T) (*Engine, *Conn, *memSource) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	s := numbers(mem, 100_000, 9_000)
	t.Cleanup(func() {
		if n := s.open.Load(); n != 0 {
			t.Errorf("%d scans were left open", n)
		}
		s.release()
		mem.AssertSize(t, 0)
	})
	e, c := open(t, Options{Threads: 4})
	register(t, e, "t", s)
	return e, c, s
}

func TestProjectionIsPushed(t *testing.T) {
	tests := []struct {
		sql  string
		want string
		asks []string // one a scan
	}{
		{"SELECT sum(id) AS s FROM t", `{"s":"4999950000"}`, []string{"id"}},
		{"SELECT count(*) AS n FROM t", `{"n":100000}`, []string{""}},
		{"SELECT count(*) AS n FROM (SELECT 1 FROM t)", `{"n":100000}`, []string{""}},
		{"SELECT half FROM t WHERE name IS NULL AND id = 14", `{"half":7}`, []string{"id,name,half"}},
		{"SELECT count(*) AS n FROM t WHERE half < 5", `{"n":10}`, []string{"half"}},
		{"SELECT max(length(name)) AS n FROM t", `{"n":30}`, []string{"name"}},
		{"FROM (SELECT * FROM t) SELECT count(name) AS n", `{"n":85714}`, []string{"name"}},
		{"SELECT count(*) AS n FROM t a JOIN t b ON a.id = b.id + 1 WHERE a.half > 10", `{"n":99979}`, []string{"id", "id,half"}},
		{"SELECT count(*) AS n FROM t a WHERE half < (SELECT max(b.id) FROM t b WHERE b.id = a.id)", `{"n":99999}`, []string{"id", "id,half"}},
		{"WITH w AS MATERIALIZED (SELECT id FROM t) SELECT count(*) AS n FROM w a, w b WHERE a.id = b.id", `{"n":100000}`, []string{"id"}},
		{"SELECT id, id + 1 AS j, half FROM t WHERE id = 77777", `{"half":38888.5,"id":77777,"j":77778}`, []string{"id,half"}},
	}
	for _, tt := range tests {
		t.Run(tt.sql, func(t *testing.T) {
			_, c, s := withNumbers(t)
			got := strings.Join(rows(t, c, tt.sql), "\n")
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			asks := s.asked()
			for i, a := range asks { // DuckDB chooses the order
				parts := strings.Split(a, ",")
				slices.Sort(parts)
				asks[i] = strings.Join(parts, ",")
			}
			for i, a := range tt.asks {
				parts := strings.Split(a, ",")
				slices.Sort(parts)
				tt.asks[i] = strings.Join(parts, ",")
			}
			slices.Sort(asks)
			slices.Sort(tt.asks)
			if !slices.Equal(asks, tt.asks) {
				t.Errorf("scans asked for %q, want %q", asks, tt.asks)
			}
		})
	}
}

func TestRegisterDoesNotScan(t *testing.T) {
	_, c, s := withNumbers(t)
	if got := rows(t, c, "SELECT column_name AS c, data_type AS t FROM information_schema.columns WHERE table_name = 't'"); len(got) != 3 {
		t.Errorf("columns: %q", got)
	}
	if got := rows(t, c, "SHOW TABLES"); !slices.Equal(got, []string{`{"name":"t"}`}) {
		t.Errorf("tables: %q", got)
	}
	if asks := s.asked(); len(asks) != 0 {
		t.Errorf("scans: %q", asks)
	}
}

func TestRegisterReplaces(t *testing.T) {
	e, c, _ := withNumbers(t)
	s := numbers(memory.DefaultAllocator, 5, 2)
	defer s.release()
	register(t, e, "T", s)
	if got := rows(t, c, "SELECT count(*) AS n FROM t"); got[0] != `{"n":5}` {
		t.Error(got)
	}
	if err := e.Register(context.Background(), "Lake", "t", s); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, c, "SELECT count(*) AS n FROM lake.t, t"); got[0] != `{"n":25}` {
		t.Error(got)
	}
	register(t, e, `odd "name'; DROP`, s)
	if got := rows(t, c, `SELECT count(*) AS n FROM "odd ""name'; DROP"`); got[0] != `{"n":5}` {
		t.Error(got)
	}
}

func TestLimitStopsTheScan(t *testing.T) {
	_, c, s := withNumbers(t)
	if got := rows(t, c, "SELECT id FROM t LIMIT 3"); len(got) != 3 {
		t.Error(got)
	}
	if n := s.given.Load(); n >= int32(len(s.batches)) {
		t.Errorf("%d batches were read for three rows", n)
	}
}

func TestClosedResultStopsTheScan(t *testing.T) {
	_, c, s := withNumbers(t)
	r, err := c.Query(context.Background(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	r.Close()
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d scans go on", n)
	}
	if _, err := r.Next(); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
	if got := rows(t, c, "SELECT 1 AS a"); got[0] != `{"a":1}` {
		t.Error(got)
	}
}

func TestCancel(t *testing.T) {
	for _, where := range []string{"in the scan", "in duckdb", "between batches"} {
		t.Run(where, func(t *testing.T) {
			_, c, s := withNumbers(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			sql := "SELECT sum(id) FROM t"
			switch where {
			case "in the scan":
				s.run(func(ctx context.Context, i int) error {
					if i < 2 {
						return nil
					}
					cancel()
					<-ctx.Done()
					return ctx.Err()
				})
			case "in duckdb":
				sql = "SELECT count(*) FROM t a, t b, t c WHERE a.id + b.id + c.id = 7"
				time.AfterFunc(50*time.Millisecond, cancel)
			case "between batches":
				sql = "SELECT * FROM t"
			}
			start := time.Now()
			r, err := c.Query(ctx, sql)
			if err == nil {
				if where == "between batches" {
					cancel()
				}
				_, err = batch.Collect(r)
				r.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			s.run(nil)
			if got := rows(t, c, "SELECT max(id) AS m FROM t"); got[0] != `{"m":99999}` {
				t.Error(got)
			}
		})
	}
}

func TestScanErrors(t *testing.T) {
	_, c, s := withNumbers(t)
	for name, f := range map[string]func() error{
		"disk on fire":  func() error { return errors.New("disk on fire") },
		"scan panicked": func() error { panic("scan panicked") },
	} {
		s.run(func(_ context.Context, i int) error {
			if i < 3 {
				return nil
			}
			return f()
		})
		r, err := c.Query(context.Background(), "SELECT sum(id) FROM t")
		if err == nil {
			_, err = batch.Collect(r)
			r.Close()
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), name) {
			t.Errorf("error %v, want %s", err, name)
		}
	}
	s.run(nil)
	if got := rows(t, c, "SELECT max(id) AS m FROM t"); got[0] != `{"m":99999}` {
		t.Error(got)
	}
}

// lying gives scans of another type than its schema says.
type lying struct{ *memSource }

func (l lying) Scan(ctx context.Context, columns []string) (batch.Reader, error) {
	return l.memSource.Scan(ctx, []string{"half"})
}

func TestScanOfOtherTypeIsRefused(t *testing.T) {
	e, c, s := withNumbers(t)
	register(t, e, "l", lying{s})
	_, err := c.Query(context.Background(), "SELECT id FROM l")
	if err == nil || !strings.Contains(err.Error(), `"half" of type float64 where "id" of type int64`) {
		t.Errorf("error %v", err)
	}
}

func TestPaths(t *testing.T) {
	const trips = "../testdata/trips"
	_, c := open(t, Options{Paths: true})
	for _, from := range []string{"hudi_scan('" + trips + "')", "read_hudi('" + trips + "')", "'hudi:" + trips + "'", "query(hudi_sql('" + trips + "'))"} {
		if got := rows(t, c, "SELECT count(*) AS n FROM "+from); got[0] != `{"n":463}` {
			t.Error(from, got)
		}
	}
	for from, want := range map[string]string{
		"hudi_scan('/lake/y')":                             "not a Hudi table",
		"'hudi:/lake/y'":                                   "not a Hudi table",
		"hudi_scan(NULL)":                                  "not NULL",
		"query(hudi_sql(chr(1)||'t'))":                     "not registered",
		"'hudi:" + trips + "?as-of=2020'":                  "as-of is none of",
		"hudi_merge_scan('x')":                             "plan",
		"hudi_scan('" + trips + "', threads := 0)":         "from 1",
		"hudi_scan('" + trips + "', query_type := 'all')":  "not known",
		"hudi_scan('" + trips + "', begin_time := '2020')": "bound changes",
		"hudi_scan('" + trips + "', filter := 'x >')":      "filter",
	} {
		if _, err := c.Query(context.Background(), "FROM "+from); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", from, err)
		}
	}
	_, none := open(t, Options{})
	if _, err := none.Query(context.Background(), "FROM hudi_scan('/lake/x')"); err == nil || !strings.Contains(err.Error(), "can't be opened") {
		t.Errorf("error %v", err)
	}
}

func TestPreparedAndTransactions(t *testing.T) {
	_, c, _ := withNumbers(t)
	if err := c.Exec(context.Background(), "PREPARE q AS SELECT max(id) AS m FROM t WHERE id < $1; CREATE TABLE mine AS SELECT id FROM t WHERE id < 10; SET threads = 1;"); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{10, 20} {
		if got := rows(t, c, fmt.Sprintf("EXECUTE q(%d)", n)); got[0] != fmt.Sprintf(`{"m":%d}`, n-1) {
			t.Error(got)
		}
	}
	if got := rows(t, c, "SELECT count(*) AS n FROM mine"); got[0] != `{"n":10}` {
		t.Error(got)
	}
}

func TestStatements(t *testing.T) {
	_, c := open(t, Options{})
	s, err := c.Statements("SELECT 1 AS a; CREATE TABLE x (i INT); INSERT INTO x VALUES (1), (2); FROM x; -- end\n")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for {
		r, err := s.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(context.Background()); err == nil || err == io.EOF && len(got) < 3 {
			t.Error("two results at once were allowed")
		}
		got = append(got, fmt.Sprint(r.HasRows()))
		r.Close()
	}
	if want := []string{"true", "false", "false", "true"}; !slices.Equal(got, want) {
		t.Errorf("results with rows: %v, want %v", got, want)
	}
	if s, err := c.Statements("  -- nothing"); err != nil || s.Len() != 0 {
		t.Errorf("empty text: %v", err)
	} else {
		s.Close()
	}
	var e *Error
	if _, err := c.Statements("SELEC 1"); !errors.As(err, &e) || e.Kind != "Parser Error" {
		t.Errorf("error %#v", err)
	}
	if err := c.Exec(context.Background(), "SELECT 1; SELECT nope"); !errors.As(err, &e) || e.Kind != "Binder Error" {
		t.Errorf("error %#v", err)
	}
	if _, err := c.Query(context.Background(), "SELECT 1; SELECT 2"); err == nil {
		t.Error("two statements were taken for one")
	}
}

func TestConnectionsAtOnce(t *testing.T) {
	e, _, _ := withNumbers(t)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			c, err := e.Connect()
			if err != nil {
				errs <- err
				return
			}
			defer c.Close()
			for range 5 {
				if err := c.Exec(context.Background(), "SELECT count(*), sum(a.half) FROM t a JOIN t b USING (id, name)"); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestSpillFolderGoesAway(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(Options{TempDir: dir, MemoryLimit: 40 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(context.Background(), "SELECT count(*) FROM (SELECT * FROM range(6000000) r(i) ORDER BY hash(i)) WHERE i >= 0"); err != nil {
		t.Error(err)
	}
	c.Close()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := e.Connect(); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestCaseTwins(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "A", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := fromJSON(t, memory.DefaultAllocator, schema, `[{"a": 1, "A": 2}]`)
	defer b.Release()
	e, c := open(t, Options{})
	register(t, e, "twins", &memSource{schema: schema, batches: []arrow.RecordBatch{b}})
	if got := rows(t, c, "FROM twins"); got[0] != `{"A_1":2,"a":1}` {
		t.Error(got)
	}
}

// TestShareMemory: a small limit is not taken for none.
func TestShareMemory(t *testing.T) {
	for limit, want := range map[int64][2]int64{0: {}, 1: {1, 1}, 3: {2, 1}, 4: {3, 1}, 400: {300, 100}} {
		if engine, scans := ShareMemory(limit); engine != want[0] || scans != want[1] {
			t.Errorf("%d bytes: %d and %d, want %v", limit, engine, scans, want)
		}
	}
}
