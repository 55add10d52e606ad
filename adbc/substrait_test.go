package adbc_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
)

// TestSubstrait runs plans that Substrait's own code wrote.
func TestSubstrait(t *testing.T) {
	text, err := os.ReadFile("../pushdown/testdata/substrait_plans.json")
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Name string
		Plan []byte
	}
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	dir := lake(t)
	c := open(t, dir)
	if err := writeCommit(dir+"/Trips", "20240202000000000", params(t, "id:int64 city:text fare:double", `[{"id": 6, "city": "x", "fare": 2}, {"id": 7, "city": "y", "fare": 3}]`)); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"filter and project": "x,6;y,7", "filter after project": "x,6", "filter and mask of a read": "20.25,2;3,7;7.5,1", "fetch of nothing": "", "fetch of all": "x,6;y,7",
	}
	rows := map[string]int64{"fetch": 0, "project after fetch": 1}
	codes := map[string]adbc.Status{
		"aggregate": adbc.StatusNotImplemented, "sort": adbc.StatusNotImplemented, "computed column": adbc.StatusNotImplemented, "files": adbc.StatusNotImplemented,
		"too few names": adbc.StatusInvalidArgument,
	}
	for _, p := range plans {
		s := statement(t, c, "SELECT 1")
		err := s.SetSubstraitPlan(p.Plan)
		if code, ok := codes[p.Name]; ok {
			if errorOf(t, err).Code != code {
				t.Errorf("%s: %v", p.Name, err)
			}
			continue
		}
		if text, ok := want[p.Name]; ok {
			if got := inAnyOrder(run(t, s).text()); got != text {
				t.Errorf("%s: %s, want %s", p.Name, got, text)
			}
			if got := inAnyOrder(readAll(t, c, s).text()); got != text {
				t.Errorf("%s, by partitions: %s, want %s", p.Name, got, text)
			}
		}
		if n, ok := rows[p.Name]; ok {
			if got := run(t, s).rows(); got != n {
				t.Errorf("%s: %d rows, want %d", p.Name, got, n)
			}
			if got := readAll(t, c, s).rows(); got != n {
				t.Errorf("%s, by partitions: %d rows, want %d", p.Name, got, n)
			}
		}
		if p.Name == "read" { // of a column that the table does not have
			if _, _, err := s.ExecuteQuery(t.Context()); errorOf(t, err).Code != adbc.StatusNotImplemented && errorOf(t, err).Code != adbc.StatusInvalidArgument {
				t.Error(err)
			}
		}
	}
	s := statement(t, c, "SELECT 1")
	if err := s.SetSubstraitPlan([]byte("nonsense")); errorOf(t, err).Code != adbc.StatusInvalidArgument {
		t.Error(err)
	}
}

// inAnyOrder sorts rows as text: files are read side by side.
func inAnyOrder(text string) string {
	rows := strings.Split(text, ";")
	slices.Sort(rows)
	return strings.Join(rows, ";")
}
