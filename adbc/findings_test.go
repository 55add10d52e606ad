package adbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// told is a logger's text, a JSON object in each line.
type told struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *told) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// logged makes a logger at a level and gives a database it.
func logged(db adbc.Database, level slog.Level) *told {
	l := &told{}
	db.(adbc.DatabaseLogging).SetLogger(slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: level})))
	return l
}

type finding struct {
	Level, Msg, Table, File, Instant string
	Offset                           int64
}

// take gives what was logged since the last time.
func (l *told) take(t *testing.T) []finding {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []finding
	for d := json.NewDecoder(&l.Buffer); d.More(); {
		var f finding
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	l.Reset()
	return all
}

// warnings are those that a statement or a connection tells of.
func warnings(t *testing.T, of any) (all []finding) {
	t.Helper()
	text, err := of.(adbc.GetSetOptions).GetOption(hudi.OptionWarnings)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || all == nil {
		t.Fatalf("%v: %s", err, text)
	}
	return all
}

func streams(t *testing.T, of any) int64 {
	t.Helper()
	n, err := of.(adbc.GetSetOptions).GetOptionInt(hudi.OptionStreams)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tornLog is the log of v9/corrupt_mid_log of which Hudi reads nothing, as a
// task of Spark died while it wrote it.
var tornLog = finding{Level: "WARN", Instant: "20261129220640862",
	Msg:  "a stretch of a log file can't be read and is left out, as Hudi does",
	File: "2024-01/.abb4ec40-8069-4810-94d3-7ac5cce9aaa1-0_20261129220640862.log.1_0-8779-11482"}

// TestWarnings: a log that is stepped over is told of once, to the logger and
// to whoever executes, by each kind of statement that reads it.
func TestWarnings(t *testing.T) {
	dir := tabletest.Open(t, "v9/corrupt_mid_log")
	db := database(t, dir)
	log := logged(db, slog.LevelWarn)
	c := connect(t, db)
	want := tornLog
	want.Table = dir
	const name = "corrupt_mid_log"
	for _, q := range []struct {
		sql  string
		opts []string
		n    int
	}{
		{"SELECT * FROM " + name, nil, 1},
		{"SELECT id FROM " + name + " WHERE amount > 0", nil, 1},
		{"SELECT count(*), max(amount) FROM " + name, nil, 1},
		{"SELECT count(*) FROM " + name + " a JOIN " + name + " b USING (id)", nil, 1},
		{"SELECT count(*) FROM hudi_scan('" + dir + "')", nil, 1},
		{"SELECT * FROM " + name, []string{hudi.OptionQueryType, "cdc", hudi.OptionBegin, "20261129220641621"}, 1},
		{"SELECT * FROM " + name, []string{hudi.OptionQueryType, "incremental", hudi.OptionBegin, "earliest", hudi.OptionDeletes, "true"}, 1},
		{"SELECT * FROM " + name, []string{hudi.OptionQueryType, "read_optimized"}, 0},
		{"SELECT * FROM " + name + " LIMIT 0", nil, 0},
		{"SELECT 1", nil, 0},
	} {
		s := statement(t, c, q.sql)
		for i := 0; i < len(q.opts); i += 2 {
			if err := s.SetOption(q.opts[i], q.opts[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := warnings(t, s); len(got) > 0 {
			t.Errorf("%s: before it is run: %v", q.sql, got)
		}
		for range 2 { // each execution tells of it
			run(t, s)
			for who, got := range map[string][]finding{"logger": log.take(t), "statement": warnings(t, s)} {
				if len(got) != q.n || q.n == 1 && got[0] != want {
					t.Errorf("%s %v: the %s is told %+v", q.sql, q.opts, who, got)
				}
			}
		}
	}
}

// TestWarningsOfPartitions: the connection that reads tells, not the one that
// planned.
func TestWarningsOfPartitions(t *testing.T) {
	db := database(t, tabletest.Open(t, "v9/corrupt_mid_log"))
	log := logged(db, slog.LevelWarn)
	c := connect(t, db)
	s := statement(t, c, "SELECT id FROM corrupt_mid_log")
	_, parts, _, err := s.ExecutePartitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, p := range parts.PartitionIDs {
		r, err := c.ReadPartition(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if n := streams(t, c); n != 1 {
			t.Errorf("%d streams", n)
		}
		keep(t, r)
		if n := streams(t, c); n != 0 {
			t.Errorf("%d streams", n)
		}
		sum += len(warnings(t, c))
	}
	if got := log.take(t); sum != 1 || len(got) != 1 || got[0].File != tornLog.File || len(warnings(t, s)) > 0 {
		t.Errorf("the connection tells of %d, the logger %v, the statement %v", sum, got, warnings(t, s))
	}
}

// TestWarningsWithoutLogger: nobody has to listen; a logger may come and go, and
// be one for errors only.
func TestWarningsWithoutLogger(t *testing.T) {
	db := database(t, tabletest.Open(t, "v9/corrupt_mid_log"))
	c := connect(t, db)
	s := statement(t, c, "SELECT * FROM corrupt_mid_log")
	for _, level := range []slog.Level{slog.LevelWarn, slog.LevelError} {
		log := logged(db, level)
		run(t, s)
		if got := log.take(t); len(got) > 0 != (level == slog.LevelWarn) {
			t.Errorf("level %v: %v", level, got)
		}
		db.(adbc.DatabaseLogging).SetLogger(nil)
		run(t, s)
		if got := log.take(t); len(got) > 0 || len(warnings(t, s)) != 1 {
			t.Errorf("%v, %v", got, warnings(t, s))
		}
	}
}

// TestWarningsAtOnce: statements that run at the same time on one database are
// told of their own tables alone. Parameters run a statement several times.
func TestWarningsAtOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"v9/corrupt_mid_log", "v9/mor_avro_logs"} {
		if err := os.Rename(tabletest.Open(t, name), filepath.Join(dir, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		name, n := "corrupt_mid_log", 1
		if i%2 == 0 {
			name, n = "mor_avro_logs", 0
		}
		s := statement(t, c, "SELECT count(*), ? FROM "+name)
		if i%4 > 1 {
			s = statement(t, c, "SELECT id FROM "+name+" WHERE amount > ?")
		}
		if err := s.Bind(context.Background(), params(t, "n:int64", `[{"n": 1}, {"n": 2}]`)); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			r, _, err := s.ExecuteQuery(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			for r.Next() {
			}
			if err := r.Err(); err != nil {
				t.Error(err)
			}
			r.Release()
			if got := warnings(t, s); len(got) != n {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
	wg.Wait()
}

// TestOtherWarnings: a log that lost its end, and a range whose end has been
// cleaned.
func TestOtherWarnings(t *testing.T) {
	dir := tabletest.Open(t, "v9/mor_avro_logs")
	logs, err := filepath.Glob(filepath.Join(dir, "2024-01", ".*.log.*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	info, err := os.Stat(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(logs[0], info.Size()-50); err != nil {
		t.Fatal(err)
	}
	s := statement(t, open(t, dir), "SELECT * FROM mor_avro_logs")
	run(t, s)
	got := warnings(t, s)
	file := "2024-01/" + filepath.Base(logs[0])
	if len(got) != 2 || got[0].File != file || got[1].File != file || !slices.ContainsFunc(got, func(f finding) bool { return strings.Contains(f.Msg, "shorter") }) {
		t.Errorf("%+v", got)
	}

	cleaned := tabletest.Open(t, "v9/archived_cow")
	s = statement(t, open(t, cleaned, hudi.OptionQueryType, "incremental", hudi.OptionBegin, "20261129225655469", hudi.OptionEnd, "20261129225702873"), "SELECT * FROM archived_cow")
	run(t, s)
	if got := warnings(t, s); len(got) != 1 || got[0].Table != cleaned || got[0].Instant == "" || !strings.Contains(got[0].Msg, "cleaned") {
		t.Errorf("%+v", got)
	}
}

// TestManyWarnings: of very many findings the first are kept, and the number of
// the others. Attributes that a logger was given are those of its findings.
func TestManyWarnings(t *testing.T) {
	f, ctx := hudi.Noting(context.Background())
	var all bytes.Buffer
	log := hudi.Logger(slog.New(slog.NewTextHandler(&all, nil))).With("table", "t").WithGroup("g")
	for i := range 10000 {
		log.WarnContext(ctx, strings.Repeat("x", 100), "file", fmt.Sprint(i))
	}
	log.InfoContext(ctx, "no finding")
	log.WarnContext(context.Background(), "nobody's finding")
	var got []finding
	if err := json.Unmarshal([]byte(f()), &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got); n < 1000 || n > 3000 || got[0].Table != "t" || !strings.HasPrefix(got[n-1].Msg, "and ") {
		t.Errorf("%d are kept, the last is %+v", n, got[n-1])
	}
	if n := strings.Count(all.String(), "\n"); n != 10002 || !strings.Contains(all.String(), "table=t g.file=9999") {
		t.Errorf("%d lines", n)
	}
}
