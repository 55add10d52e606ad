package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/peterh/liner"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// sortedLines gives the lines of a text, sorted: scans have no order.
func sortedLines(s string) []string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	slices.Sort(lines)
	return lines
}

// TestSurfacesAgree: scan, scan with a condition and SQL give the same rows,
// in number those that Spark has.
func TestSurfacesAgree(t *testing.T) {
	for _, name := range []string{"v9/all_types_mor", "v9/mor_parquet_logs", "v6/mor_commit_time", "native/all_types_mor__lsm_tree"} {
		dir := tabletest.Open(t, name)
		scan := hudi(t, "", "scan", dir, "-o", "json", "--meta")
		where := hudi(t, "", "scan", dir, "-o", "json", "--meta", "--where", "true")
		sql := hudi(t, "", "sql", "-t", "t="+dir, "-c", "SELECT * FROM t WHERE _hoodie_commit_time IS NOT NULL", "-o", "json")
		for _, r := range []result{scan, where, sql} {
			if r.status != 0 {
				t.Fatalf("%s: status %d: %s", name, r.status, r.stderr)
			}
		}
		if got, want := len(sortedLines(scan.stdout)), snapshotOf(t, name).RowCount; int64(got) != want {
			t.Errorf("%s: %d rows, want %d", name, got, want)
		}
		if !slices.Equal(sortedLines(scan.stdout), sortedLines(where.stdout)) {
			t.Errorf("%s: a condition that always holds changes the rows", name)
		}
		if !slices.Equal(sortedLines(scan.stdout), sortedLines(sql.stdout)) {
			t.Errorf("%s: SQL gives other rows", name)
		}
	}
}

// snapshotOf gives the snapshot query of a fixture.
func snapshotOf(t *testing.T, name string) tabletest.Query {
	for _, f := range tabletest.All(t) {
		for _, q := range f.Manifest.Queries {
			if f.Name == name && q.Kind == "snapshot" {
				return q
			}
		}
	}
	t.Fatalf("%s has no snapshot query", name)
	return tabletest.Query{}
}

// TestParquetTypes compares the types of Parquet output with Spark's.
func TestParquetTypes(t *testing.T) {
	for _, f := range tabletest.All(t) {
		if !strings.HasPrefix(f.Name, "v9/all_types") {
			continue
		}
		want := parquetSchema(t, filepath.Join(f.Dir, snapshotOf(t, f.Name).File))
		dir := f.Open(t)
		for _, extra := range [][]string{nil, {"--where", "true"}} {
			out := filepath.Join(t.TempDir(), "out.parquet")
			args := append([]string{"scan", dir, "--meta", "-o", "parquet", "-O", out}, extra...)
			if r := hudi(t, "", args...); r.status != 0 {
				t.Fatalf("%s: %s", f.Name, r.stderr)
			}
			got := parquetSchema(t, out)
			for _, field := range want.Fields() {
				g, ok := got.FieldsByName(field.Name)
				if !ok || typeName(g[0].Type) != typeName(field.Type) {
					t.Errorf("%s %q: column %s is %v, Spark has %s", f.Name, extra, field.Name, g, typeName(field.Type))
				}
			}
		}
	}
}

func parquetSchema(t *testing.T, name string) *arrow.Schema {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenSection(f, info.Size(), name)
	if err != nil {
		t.Fatal(err)
	}
	return p.Schema()
}

func TestStats(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	for _, args := range [][]string{
		{"scan", dir, "--stats", "-o", "json"},
		{"scan", dir, "--stats", "-o", "json", "--where", "true"},
		{"sql", dir, "--stats", "-o", "json", "-c", "FROM cow_basic"},
	} {
		r := hudi(t, "", args...)
		var got struct {
			Rows  int64 `json:"rows"`
			Scans []struct {
				Table     string `json:"table"`
				Instant   string `json:"instant"`
				Rows      int64  `json:"rows"`
				BytesRead int64  `json:"bytesRead"`
				Handed    *struct {
					Files int   `json:"files"`
					Bytes int64 `json:"bytes"`
				} `json:"handed"`
			} `json:"scans"`
		}
		if err := json.Unmarshal([]byte(r.stderr), &got); err != nil {
			t.Fatalf("%q: %v: %s", args, err, r.stderr)
		}
		if len(got.Scans) == 1 && args[0] == "sql" { // DuckDB reads plain files
			if h := got.Scans[0].Handed; h != nil && h.Files > 0 {
				got.Scans[0].Rows, got.Scans[0].BytesRead = got.Rows, h.Bytes
			}
		}
		if got.Rows != 109 || len(got.Scans) != 1 || got.Scans[0].Rows != 109 || got.Scans[0].Table != "cow_basic" || got.Scans[0].Instant == "" || got.Scans[0].BytesRead == 0 {
			t.Errorf("%q: stats %s", args, r.stderr)
		}
	}
}

// closedPipe is the pipe of a reader that went away.
type closedPipe struct{ error }

func (c closedPipe) Write([]byte) (int, error) { return 0, c.error }

func TestClosedPipeIsNoError(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	for _, err := range []error{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, io.ErrClosedPipe} {
		for _, format := range []string{"table", "csv", "json", "arrow", "parquet"} {
			var stderr bytes.Buffer
			status := Run(t.Context(), Env{Stdin: strings.NewReader(""), Stdout: closedPipe{err}, Stderr: &stderr, Args: []string{"scan", dir, "-o", format}, Getenv: os.Getenv})
			if status != 0 || stderr.Len() > 0 {
				t.Errorf("%s: status %d, %s", format, status, stderr.String())
			}
		}
	}
	var stderr bytes.Buffer
	if status := Run(t.Context(), Env{Stdin: strings.NewReader(""), Stdout: closedPipe{syscall.ENOSPC}, Stderr: &stderr, Args: []string{"scan", dir}, Getenv: os.Getenv}); status != 1 {
		t.Errorf("full disk: status %d", status)
	}
}

func TestInterrupt(t *testing.T) {
	dir, out := tabletest.Open(t, "v9/cow_basic"), t.TempDir()
	for _, args := range [][]string{
		{"scan", dir, "-o", "csv", "-O", filepath.Join(out, "x.csv")},
		{"sql", dir, "-c", "SELECT 1", "-O", filepath.Join(out, "x.csv")},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stderr bytes.Buffer
		status := Run(ctx, Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, Args: args, Getenv: os.Getenv})
		if status != statusInterrupt || stderr.String() != "hudi: interrupted\n" {
			t.Errorf("%q: status %d, %s", args, status, stderr.String())
		}
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOutputFileKeepsItsMode(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	out := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(out, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if r := hudi(t, "", "scan", dir, "--columns", "nope", "-O", out); r.status != 1 {
		t.Fatal(r)
	}
	if text, _ := os.ReadFile(out); string(text) != "old" {
		t.Errorf("a failed command left %q", text)
	}
	if r := hudi(t, "", "scan", dir, "--columns", "id", "--limit", "1", "-o", "csv", "-O", out); r.status != 0 {
		t.Fatal(r)
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if text, _ := os.ReadFile(out); !strings.HasPrefix(string(text), "id\n") {
		t.Errorf("got %q", text)
	}
}

func TestBrokenTableOfAFolder(t *testing.T) {
	lake := t.TempDir()
	for name, from := range map[string]string{"good": "v9/cow_basic", "bad": "v9/mor_avro_logs"} {
		if err := os.Rename(tabletest.Open(t, from), filepath.Join(lake, name)); err != nil {
			t.Fatal(err)
		}
	}
	properties := filepath.Join(lake, "bad", ".hoodie", "hoodie.properties")
	if err := os.WriteFile(properties, []byte("hoodie.table.name=bad\nhoodie.table.version=99\nhoodie.table.type=COPY_ON_WRITE\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := hudi(t, "", "sql", lake, "-o", "csv", "-c", "SELECT count(*) AS n FROM good")
	if r.status != 0 || r.stdout != "n\n109\n" || r.stderr != "" {
		t.Errorf("a statement that does not need the table: %+v", r)
	}
	r = hudi(t, "", "sql", lake, "-o", "csv", "-c", "SHOW TABLES")
	if r.status != 0 || r.stdout != "name\ngood\n" || !strings.HasPrefix(r.stderr, "hudi: table bad is left out: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("all tables: %+v", r)
	}
	r = hudi(t, "", "sql", "-t", "b="+filepath.Join(lake, "bad"), "-c", "FROM b")
	if r.status != 1 || !strings.Contains(r.stderr, "99") {
		t.Errorf("the table itself: %+v", r)
	}
}

func TestInspect(t *testing.T) {
	dir := tabletest.Open(t, "v9/mdt_full_mor")
	seen := map[string]int{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		kind := ""
		for _, k := range []string{".parquet", ".hfile", ".log."} {
			if strings.Contains(d.Name(), k) && !strings.HasSuffix(d.Name(), ".crc") {
				kind = k
			}
		}
		if kind == "" || d.IsDir() || seen[kind] > 4 {
			return err
		}
		seen[kind]++
		table, js := hudi(t, "", "inspect", path), hudi(t, "", "inspect", path, "-o", "json")
		if table.status != 0 || js.status != 0 {
			t.Errorf("%s: %s%s", path, table.stderr, js.stderr)
		}
		for line := range strings.Lines(js.stdout) {
			if !json.Valid([]byte(line)) || strings.Contains(line, `"error"`) {
				t.Errorf("%s: %.300s", path, line)
			}
		}
		if !strings.HasSuffix(table.stdout, " rows)\n") && !strings.HasSuffix(table.stdout, " row)\n") {
			t.Errorf("%s: %s", path, table.stdout)
		}
		return nil
	})
	if err != nil || len(seen) != 3 {
		t.Errorf("files seen: %v, %v", seen, err)
	}
}

// TestPrompt types into the prompt.
func TestPrompt(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	var stdout, stderr bytes.Buffer
	e := &Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }}
	s, err := newSession(e, provider.Options{}, provider.Query{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.add(t.Context(), "t", dir); err != nil {
		t.Fatal(err)
	}
	out, err := (&outputFlags{format: "csv"}).open(e)
	if err != nil {
		t.Fatal(err)
	}
	typed := []string{"SELECT count(*) AS n", "FROM t;", "SELECT dropped", "\x03", ".output json", "SELECT 1 AS a; SELECT 2 AS a;", "SELECT nope FROM t;", ".nope", ".output xml", ".tables", ".help", ".quit", "SELECT 'not run';"}
	var prompts, remembered []string
	err = promptLoop(t.Context(), s, out, func(p string) (string, error) {
		prompts = append(prompts, p)
		text := typed[0]
		typed = typed[1:]
		if text == "\x03" {
			return "", liner.ErrPromptAborted
		}
		return text, nil
	}, func(text string) { remembered = append(remembered, text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); !strings.HasPrefix(got, "n\n109\n{\"a\":1}\n{\"a\":2}\n table ") {
		t.Errorf("output %s", got)
	}
	for _, want := range []string{`Referenced column "nope" not found`, ".nope is not known", `format "xml" is not known`, "Ctrl-D"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("messages lack %s: %s", want, stderr.String())
		}
	}
	if len(typed) != 1 || prompts[1] != "  ... " || remembered[0] != "SELECT count(*) AS n FROM t;" {
		t.Errorf("left %q, prompts %q, history %q", typed, prompts, remembered)
	}
}

func TestEnded(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "SELECT 1": false, "SELECT 1;": true, "SELECT 1; ": true, "SELECT ';'": false, "SELECT ';';": true,
		"SELECT ';": false, `SELECT 1 AS ";"`: false, "SELECT 1; -- more": true, "SELECT 1 -- ;": false, "SELECT 1 /* ; */": false,
		"SELECT 1; /* x */": true, "SELECT 1 /* ;": false, "SELECT 'it''s';": true, "SELECT 1;\nSELECT 2": false, "--;\nSELECT 1;": true,
	} {
		if got := ended(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSplitColumns(t *testing.T) {
	for list, want := range map[string]string{
		"a": "a", "a,b": "a|b", " a , b ": "a|b", `"a,b",c`: "a,b|c", `"say ""x""", d`: `say "x"|d`,
		"": "!", "a,": "!", ",a": "!", `"a`: "!", `"a"b`: "!",
	} {
		names, err := splitColumns(list)
		got := strings.Join(names, "|")
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("%q: %s (%v), want %s", list, got, err, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "256MB": 256e6, "2GiB": 2 << 30, "1.5k": 1500, "10 KB": 10_000, "1TiB": 1 << 40, "7B": 7,
		"": -1, "x": -1, "-1": -1, "0": -1, "1XB": -1, "MB": -1, "1e30": -1, "NaN": -1,
	} {
		var s sizeFlag
		got := int64(-1)
		if s.Set(text) == nil {
			got = int64(s)
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"scan", "--help"}, {"sql", "-h"}, {"--version"}, {"version"}, {"completion", "bash"}, {"help", "scan"}, {"help", "completion", "bash"}, {"completion"}} {
		if r := hudi(t, "", args...); r.status != 0 || r.stdout == "" || r.stderr != "" {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
		}
	}
	root := newRoot(&Env{})
	for _, c := range root.Commands() {
		if c.Short == "" {
			t.Errorf("%s has no help", c.Name())
		}
	}
}

func TestPipesHaveNoWidth(t *testing.T) {
	e := &Env{Stdout: &bytes.Buffer{}, Getenv: os.Getenv}
	if o := e.renderOptions(); o != (render.Options{}) {
		t.Errorf("a pipe has options %+v", o)
	}
}

// TestOutputTargets: -O writes through links and into pipes, and refuses
// folders before anything is read.
func TestOutputTargets(t *testing.T) {
	dir, out := tabletest.Open(t, "v9/cow_basic"), t.TempDir()
	plain, link, pipe := filepath.Join(out, "plain.csv"), filepath.Join(out, "link.csv"), filepath.Join(out, "pipe")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(plain, link); err != nil {
		t.Fatal(err)
	}
	scan := func(to string) result {
		return hudi(t, "", "scan", dir, "--columns", "id", "--limit", "1", "-o", "csv", "-O", to)
	}
	if r := scan(link); r.status != 0 {
		t.Fatal(r.stderr)
	}
	if text, err := os.ReadFile(plain); err != nil || !strings.HasPrefix(string(text), "id") {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if r := scan(out); r.status != 1 || !strings.Contains(r.stderr, "is a folder") {
		t.Errorf("a folder: status %d, %s", r.status, r.stderr)
	}
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no pipes here")
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	if r := scan(pipe); r.status != 0 {
		t.Fatal(r.stderr)
	}
	if text := <-read; !strings.HasPrefix(text, "id") {
		t.Errorf("the pipe gave %q", text)
	}
}
