package adbc_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/pushdown"
)

// TestBadFilters gives errors of Substrait and of read options a status.
func TestBadFilters(t *testing.T) {
	dir := lake(t)
	c := open(t, dir)
	other := params(t, "nonsense:int64", "[]").Schema()
	unknown, err := pushdown.WriteSubstrait(pushdown.Col("nonsense").Gt(1), other)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../pushdown/testdata/substrait.json")
	if err != nil {
		t.Fatal(err)
	}
	type written struct {
		Where *string
		Bytes []byte
	}
	var cases []written
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	sum := cases[slices.IndexFunc(cases, func(c written) bool { return c.Where == nil })].Bytes
	for _, f := range []struct {
		filter []byte
		code   adbc.Status
		says   string
	}{
		{[]byte("no substrait"), adbc.StatusInvalidArgument, "extended expression"},
		{unknown, adbc.StatusInvalidArgument, "no column nonsense"},
		{sum, adbc.StatusNotImplemented, "write it in SQL"},
	} {
		s := statement(t, c, "SELECT id FROM trips")
		if err := s.(adbc.GetSetOptions).SetOptionBytes(hudi.OptionFilter, f.filter); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.ExecuteQuery(context.Background())
		if e := errorOf(t, err); e.Code != f.code || !strings.Contains(e.Msg, f.says) {
			t.Errorf("%v, want %v: %s", e, f.code, f.says)
		}
	}
	s := statement(t, open(t, dir, hudi.OptionHudiPrefix+"hoodie.datasource.merge.type", "skip"), "SELECT id FROM trips")
	if _, _, err = s.ExecuteQuery(context.Background()); errorOf(t, err).Code != adbc.StatusInvalidArgument {
		t.Error(err)
	}
}

// TestRelativePath reads the table that a path meant when it was set.
func TestRelativePath(t *testing.T) {
	t.Chdir(lake(t))
	c := open(t, "Trips")
	t.Chdir(t.TempDir())
	if got := run(t, statement(t, c, "SELECT count(*) FROM trips")).text(); got != "3" {
		t.Errorf("%s rows", got)
	}
}

// TestOperation names the column of changes, which brings no other ones along.
func TestOperation(t *testing.T) {
	c := open(t, "../testdata/trips", hudi.OptionQueryType, "incremental", hudi.OptionBegin, "earliest", hudi.OptionDeletes, "true")
	want := run(t, statement(t, c, "SELECT * FROM trips")).schema
	for _, where := range []string{"_hoodie_operation = 'I'", "_HOODIE_OPERATION IS NOT NULL AND fare > 0"} {
		if got := run(t, statement(t, c, "SELECT * FROM trips WHERE "+where)).schema; !got.Equal(want) {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	if got := run(t, statement(t, c, "SELECT * FROM trips WHERE _hoodie_commit_time > '0'")).schema; got.NumFields() != want.NumFields()+5 {
		t.Errorf("%s", got)
	}
}

// TestBindByName takes values by names alone, once that is asked for.
func TestBindByName(t *testing.T) {
	c := open(t, lake(t))
	for _, q := range []struct{ sql, want, fails string }{
		{"SELECT id FROM trips WHERE city = $city AND id < $n", "1", ""},
		{"SELECT id FROM trips WHERE city = $town AND id < $n", "", "no value for parameter 1 ($town)"},
		{"SELECT id FROM trips WHERE id < ? AND city = ?", "", "no value for parameter 1"},
	} {
		s := statement(t, c, q.sql)
		if err := s.Bind(context.Background(), params(t, "n:int64 city:text", `[{"n": 3, "city": "osaka"}]`)); err != nil {
			t.Fatal(err)
		}
		if err := s.(adbc.GetSetOptions).SetOption("adbc.statement.bind_by_name", "true"); err != nil {
			t.Fatal(err)
		}
		if q.fails == "" {
			if got := run(t, s).text(); got != q.want {
				t.Errorf("%s: %s", q.sql, got)
			}
			continue
		}
		_, _, err := s.ExecuteQuery(context.Background())
		if e := errorOf(t, err); e.Code != adbc.StatusInvalidArgument || !strings.Contains(e.Msg, q.fails) {
			t.Errorf("%s: %v", q.sql, e)
		}
	}
}
