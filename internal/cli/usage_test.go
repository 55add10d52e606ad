package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
)

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestOffsets: what --follow prints bounds any query, as the time in it does.
func TestOffsets(t *testing.T) {
	dir := tabletest.Open(t, "v9/cdc_data_before_after_mor")
	var info struct{ Completion string }
	decode(t, hudi(t, "", "info", dir, "-o", "json").stdout, &info)
	timeline := strings.Split(strings.TrimSpace(hudi(t, "", "timeline", dir, "-o", "json").stdout), "\n")
	var first struct{ Completion string }
	decode(t, timeline[0], &first)
	for _, kind := range []string{"incremental", "cdc"} {
		scan := func(begin, end string) string {
			r := hudi(t, "", "scan", dir, "-o", "json", "--threads", "1", "--query", kind, "--begin", begin, "--end", end)
			if r.status != 0 {
				t.Fatalf("%s (%s, %s]: %s", kind, begin, end, r.stderr)
			}
			return r.stdout
		}
		want := scan(first.Completion, info.Completion)
		if want == "" {
			t.Fatalf("%s: nothing changed", kind)
		}
		if got := scan("completion:"+first.Completion, "completion:"+info.Completion); got != want {
			t.Errorf("%s: from an offset %s, from its time %s", kind, got, want)
		}
		if got := scan("latest", "latest"); got != "" {
			t.Errorf("%s: after the latest write there is %s", kind, got)
		}
		if r := hudi(t, "", "plan", dir, "--query", kind, "--begin", "completion:"+first.Completion); r.status != 0 {
			t.Errorf("%s: %s", kind, r.stderr)
		}
	}
}

// TestConditionPlace: on a terminal, the place of an error is shown in the
// user's own text.
func TestConditionPlace(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	e := &Env{Getenv: func(string) string { return "" }, Args: []string{"scan", dir, "--where", "upper(part) = 'x'\n  AND nope(id)"}}
	e.Stdout, e.Stderr, e.Stdin = &strings.Builder{}, &strings.Builder{}, strings.NewReader("")
	err := run(t.Context(), e)
	if err == nil {
		t.Fatal("the condition is taken")
	}
	if got := explain(err); !strings.HasSuffix(got, "\nLINE 2:   AND nope(id)\n              ^") {
		t.Errorf("the error is shown as\n%s", got)
	}
}

func TestCompletionOfEmptyWords(t *testing.T) {
	r := hudi(t, "", "__complete", "scan", "--query", "")
	if !strings.HasPrefix(r.stdout, "snapshot\nread_optimized\n") {
		t.Errorf("%+v", r)
	}
}

func TestStatsOfJoins(t *testing.T) {
	dir := tabletest.Open(t, "v9/mor_avro_logs")
	r := hudi(t, "", "sql", "-t", "t="+dir, "--stats", "-o", "json", "-c", "SELECT count(*) AS n FROM t a JOIN t b USING (id) WHERE a.qty > 10")
	var got struct {
		Scans []struct {
			Table string
			Plan  struct{ Slices, LogFiles int }
			Rows  int64
		}
	}
	decode(t, r.stderr, &got)
	if len(got.Scans) != 1 || got.Scans[0].Plan.Slices == 0 || got.Scans[0].Plan.LogFiles == 0 || got.Scans[0].Rows == 0 {
		t.Errorf("%+v", r)
	}
}

func TestCommandsOfThePrompt(t *testing.T) {
	for line, want := range map[string]string{
		".tables\n": ".tables", " .output csv ": ".output csv", "exit": ".quit", "QUIT;": ".quit", `\q`: ".quit", ".quit": ".quit",
		"": "", "quit now": "", "SELECT 1": "", "-- .tables": "",
	} {
		if got := strings.Join(commandOf(line), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for text, want := range map[string]bool{
		"": true, "SELECT 1;": true, "-- one\n": true, "/* x */ ": true, "SELECT 1": false, "SELECT ';": false, "SELECT 1; SELECT": false, "/* ": false,
	} {
		if got := between(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestMergeIsTold: what decides about the records of a key is told, recorded or
// not, and a plan refuses what nobody can merge.
func TestMergeIsTold(t *testing.T) {
	for name, want := range map[string]string{
		"v6/mor_avro_logs":                 "EVENT_TIME_ORDERING",
		"v6/payload_dms":                   "CUSTOM, payload class org.apache.hudi.common.model.AWSDmsAvroPayload",
		"extra/multistream":                "COMMIT_TIME_ORDERING, partial updates IGNORE_DEFAULTS",
		"native/mor_commit_time__lsm_tree": "COMMIT_TIME_ORDERING",
		"native/partial_update__lsm_tree":  "EVENT_TIME_ORDERING",
	} {
		r := hudi(t, "", "info", tabletest.Open(t, name))
		if !strings.Contains(r.stdout, "merge mode      "+want+"\n") {
			t.Errorf("%s: want merge mode %s: %s%s", name, want, r.stdout, r.stderr)
		}
		if got := strings.Contains(r.stdout, "storage layout  lsm_tree\n"); got != strings.HasSuffix(name, "lsm_tree") {
			t.Errorf("%s: storage layout told: %t", name, got)
		}
	}

	dir := tabletest.OpenCustom(t, "v9/mor_avro_logs", "nobody-knows")
	if r := hudi(t, "", "info", dir); !strings.Contains(r.stdout, "CUSTOM, strategy nobody-knows, for which no merger is registered\n") {
		t.Errorf("info: %s%s", r.stdout, r.stderr)
	}
	for args, status := range map[string]int{
		"": 1, "--query incremental": 1, "--query read_optimized": 0, "--option hoodie.datasource.merge.type=skip_merge": 0,
	} {
		plan := hudi(t, "", append([]string{"plan", dir}, strings.Fields(args)...)...)
		scan := hudi(t, "", append([]string{"scan", dir}, strings.Fields(args)...)...)
		if plan.status != status || scan.status != status {
			t.Errorf("%q: plan ends with %d, scan with %d, want %d: %s%s", args, plan.status, scan.status, status, plan.stderr, scan.stderr)
		}
	}
}

// TestDamageIsTold: what a scan steps over is told, whoever asks.
func TestDamageIsTold(t *testing.T) {
	dir := tabletest.Open(t, "v9/corrupt_mid_log")
	for _, args := range [][]string{
		{"scan", dir},
		{"sql", "-t", "t=" + dir, "-c", "SELECT * FROM t"},
		{"sql", "-c", "SELECT count(*) FROM 'hudi:" + dir + "'"},
	} {
		r := hudi(t, "", args...)
		if r.status != 0 || !strings.Contains(r.stderr, "level=WARN") || !strings.Contains(r.stderr, "table="+dir) {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
}

// TestInspectNativeLog: of a native log the header is shown, not its size.
func TestInspectNativeLog(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join(tabletest.Open(t, "native/partial_update__lsm_tree"), "*", "*_1.log.parquet"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	partial := 0
	for _, log := range logs {
		r := hudi(t, "", "inspect", log)
		instant := strings.Split(filepath.Base(log), "_")[2]
		if !strings.Contains(r.stdout, "INSTANT_TIME="+instant) {
			t.Errorf("%s: no instant: %s%s", log, r.stdout, r.stderr)
		}
		if strings.Contains(r.stdout, "IS_PARTIAL=true") {
			partial++
		}
	}
	if partial == 0 {
		t.Error("no log is told to be partial")
	}
}
