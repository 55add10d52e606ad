package adbc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// partitionEnv names the database of a process that reads the partitions of its
// standard input.
const partitionEnv = "HUDI_TEST_PARTITIONS"

// readPartitions is that process: it writes how many rows each has.
func readPartitions() int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var parts [][]byte
	if err := json.NewDecoder(os.Stdin).Decode(&parts); err != nil {
		return fail(err)
	}
	db, err := hudi.NewDriver(nil).NewDatabase(map[string]string{adbc.OptionKeyURI: os.Getenv(partitionEnv)})
	if err != nil {
		return fail(err)
	}
	defer db.Close()
	c, err := db.Open(context.Background())
	if err != nil {
		return fail(err)
	}
	defer c.Close()
	for _, p := range parts {
		r, err := c.ReadPartition(context.Background(), p)
		if err != nil {
			return fail(err)
		}
		for r.Next() {
			for row := range int(r.RecordBatch().NumRows()) {
				fmt.Println(r.RecordBatch().Column(0).ValueStr(row))
			}
		}
		if err := r.Err(); err != nil {
			return fail(err)
		}
		r.Release()
	}
	return 0
}

// TestPartitionsElsewhere reads partitions in another process, of a copy of the
// table at another place.
func TestPartitionsElsewhere(t *testing.T) {
	const name = "v9/mor_compacted"
	here, there := tabletest.Open(t, name), tabletest.Open(t, name)
	c := open(t, here)
	const sql = "SELECT id, part FROM mor_compacted WHERE part <> '2024-01'"
	want := map[string]int{}
	k := execute(t, c, sql)
	for _, b := range k.batches {
		for row := range int(b.NumRows()) {
			want[strings.Clone(b.Column(0).ValueStr(row))]++
		}
	}
	_, parts, _, err := statement(t, c, sql).ExecutePartitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if parts.NumPartitions < 2 || len(want) == 0 {
		t.Fatalf("%d partitions, %d keys", parts.NumPartitions, len(want))
	}
	input, err := json.Marshal(parts.PartitionIDs)
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{here, "hudi://" + there} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), partitionEnv+"="+uri)
		cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, key := range strings.Fields(string(out)) {
			got[key]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", uri, got, want)
		}
	}
}

// TestPartitionsRefused: what is no plain scan has no partitions, and says so.
func TestPartitionsRefused(t *testing.T) {
	c := open(t, lake(t))
	for _, sql := range []string{"SELECT 42", "SELECT count(*) FROM trips", "SELECT id FROM trips ORDER BY id", "SELECT id + 1 FROM trips", "SELECT id FROM trips WHERE fare > id", "SELECT nothing FROM trips"} {
		_, _, n, err := statement(t, c, sql).ExecutePartitions(t.Context())
		if e := errorOf(t, err); e.Code != adbc.StatusNotImplemented || string(e.SqlState[:]) != "0A000" || n != -1 {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, _, _, err := statement(t, c, "SELECT id FROM nothing").ExecutePartitions(t.Context()); errorOf(t, err).Code != adbc.StatusNotFound {
		t.Error(err)
	}
	s := statement(t, c, "SELECT id FROM trips WHERE id = ?")
	if err := s.Bind(t.Context(), params(t, "int64", `[{"0": 1}, {"0": 2}]`)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.ExecutePartitions(t.Context()); errorOf(t, err).Code != adbc.StatusNotImplemented {
		t.Error(err)
	}
	if err := s.Bind(t.Context(), params(t, "int64", `[{"0": 2}]`)); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, c, s).text(); got != "2" {
		t.Errorf("with a parameter: %s", got)
	}
}

// TestHostilePartitions: a partition that somebody made up reads nothing
// outside of the database.
func TestHostilePartitions(t *testing.T) {
	dir := lake(t)
	c := open(t, dir+"/v9")
	other := open(t, dir)
	_, parts, _, err := statement(t, other, "SELECT id FROM trips").ExecutePartitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := parts.PartitionIDs[0]
	refuse := func(name string, code adbc.Status, id []byte) {
		t.Helper()
		r, err := c.ReadPartition(t.Context(), id)
		if err == nil {
			rowsOf(r)
			err = r.Err()
			r.Release()
		}
		if err == nil {
			t.Errorf("%s: it is read", name)
		} else if e := errorOf(t, err); code != adbc.StatusOK && e.Code != code || strings.Contains(e.Msg, "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
	refuse("of a table beside", adbc.StatusNotFound, id) // looked for at v9/Trips
	refuse("empty", adbc.StatusInvalidArgument, nil)
	refuse("nonsense", adbc.StatusInvalidArgument, []byte("nonsense"))
	refuse("of another version", adbc.StatusInvalidArgument, []byte("hudi-partition\x02{}"))
	refuse("cut", adbc.StatusInvalidArgument, id[:len(id)-9])
	for name, change := range map[string]func(p map[string]any){
		"up":            func(p map[string]any) { p["path"] = "../Trips" },
		"up by the uri": func(p map[string]any) { p["uri"] = dir + "/v9/../Trips" },
		"away":          func(p map[string]any) { p["path"] = dir + "/Trips" },
		"a file above": func(p map[string]any) {
			p["path"] = "other"
			base(p)["path"] = "../../Trips/" + base(p)["path"].(string)
		},
		"source files": func(p map[string]any) {
			p["path"] = "other"
			base(p)["bootstrap"] = map[string]any{"root": dir + "/Trips", "path": base(p)["path"]}
		},
		"no plan":    func(p map[string]any) { p["scan"] = map[string]any{} },
		"no schema":  func(p map[string]any) { delete(job(p), "schema") },
		"no columns": func(p map[string]any) { p["path"] = "other"; job(p)["columns"] = []string{"nothing"} },
		"a column too many": func(p map[string]any) {
			p["scan"].(map[string]any)["Columns"] = []int{7}
			p["scan"].(map[string]any)["Names"] = []string{"x"}
		},
		"negative":             func(p map[string]any) { p["scan"].(map[string]any)["Skip"] = -1 },
		"batches too big":      func(p map[string]any) { p["path"] = "other"; p["scan"].(map[string]any)["Batch"] = int64(1) << 50 },
		"a condition of noise": func(p map[string]any) { p["path"] = "other"; job(p)["where"] = "((((" },
	} {
		var p map[string]any
		text, err := hudi.UnpackPartition(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		change(p)
		if text, err = json.Marshal(p); err != nil {
			t.Fatal(err)
		}
		refuse(name, adbc.StatusOK, hudi.PackPartition(text))
	}
	// Wrong numbers about a file of the database do no harm.
	for name, change := range map[string]func(p map[string]any){
		"a size": func(p map[string]any) { base(p)["size"] = int64(1) << 60 },
		"rows": func(p map[string]any) {
			task(p)["rows"] = []map[string]int64{{"Start": 0, "End": 1 << 60}, {"Start": 1 << 61, "End": 1 << 62}}
		},
		"a log": func(p map[string]any) {
			task(p)["slice"].(map[string]any)["logs"] = []map[string]any{{"path": base(p)["path"], "size": int64(1) << 60, "kind": "inline", "instant": "20240101000000000"}}
		},
	} {
		var p map[string]any
		text, err := hudi.UnpackPartition(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		change(p)
		if text, err = json.Marshal(p); err != nil {
			t.Fatal(err)
		}
		r, err := other.ReadPartition(t.Context(), hudi.PackPartition(text))
		if err == nil {
			rowsOf(r)
			err = r.Err()
			r.Release()
		}
		if err != nil && strings.Contains(err.Error(), "please report it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func task(p map[string]any) map[string]any {
	return p["scan"].(map[string]any)["Plan"].(map[string]any)["tasks"].([]any)[0].(map[string]any)
}

func job(p map[string]any) map[string]any {
	return p["scan"].(map[string]any)["Plan"].(map[string]any)["job"].(map[string]any)
}

func base(p map[string]any) map[string]any {
	return task(p)["slice"].(map[string]any)["base"].(map[string]any)
}

func FuzzPartition(f *testing.F) {
	dir := tabletest.Open(f, "v9/mor_compacted")
	c := open(f, dir)
	s := statement(f, c, "SELECT id, amount FROM mor_compacted WHERE qty > 5")
	_, parts, _, err := s.ExecutePartitions(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	for _, id := range parts.PartitionIDs {
		text, err := hudi.UnpackPartition(id)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := c.ReadPartition(context.Background(), hudi.PackPartition(text))
		if err == nil {
			for n := 0; r.Next() && n < 100; n++ {
			}
			err = r.Err()
			r.Release()
		}
		if err != nil && strings.Contains(err.Error(), "please report it") {
			t.Error(err)
		}
	})
}
