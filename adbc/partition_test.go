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
