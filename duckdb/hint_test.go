package duckdb

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// hintCases are statements with the condition that has to reach each scan of a
// Hudi table in them ("" for none), by table.
var hintCases = []struct {
	sql  string
	want map[string]string
}{
	{"SELECT count(*) FROM cow WHERE id = 'k00007'", map[string]string{"cow": "id = 'k00007'"}},
	{"SELECT id, qty FROM mor WHERE qty BETWEEN 100000 AND 200010 AND part IN ('2024-01', '2024-03')", map[string]string{"mor": "qty >= 100000"}},
	{"SELECT count(*) FROM cow JOIN mor USING (id) WHERE cow.qty < 50 AND mor.part = '2024-02'", map[string]string{"cow": "qty < 50", "mor": "part = '2024-02'"}},
	{"WITH x AS (SELECT * FROM mor WHERE part = '2024-02') SELECT id FROM x WHERE amount < 100", map[string]string{"mor": "part = '2024-02'"}},
	{"SELECT id FROM cow WHERE qty IN (SELECT qty FROM mor WHERE name LIKE 'b-%')", map[string]string{"cow": "", "mor": "name >= 'b-' AND name < 'b.'"}},
	{"SELECT count(*) FROM few", map[string]string{"cow": "qty > 890000"}},
	{"SELECT id FROM few WHERE part = '2024-01'", map[string]string{"cow": "part = '2024-01'"}},
	{"SELECT a.id FROM cow a, cow b WHERE a.id = 'k00001' AND b.id = 'k00002'", map[string]string{"cow": "OR"}},
	{"SELECT id FROM cow WHERE qty < 50 UNION ALL SELECT id FROM cow", map[string]string{"cow": ""}},
	{"SELECT id FROM cow WHERE qty < 50 OR amount IS NULL", map[string]string{"cow": "qty < 50 OR amount IS NULL"}},
	{"SELECT id FROM mor WHERE qty + 1 = 3 OR upper(name) = 'X'", map[string]string{"mor": ""}},
	{"SELECT count(*) FROM cow LEFT JOIN mor ON cow.id = mor.id AND mor.qty > 890000", map[string]string{"cow": "", "mor": "qty > 890000"}},
	{"SELECT id FROM cow WHERE ts > epoch_ms(now()) OR id = 'k00001'", map[string]string{"cow": ""}},
	{"EXPLAIN SELECT id FROM cow WHERE id = 'k00007'", map[string]string{"cow": "id = 'k00007'"}},
	{"CREATE TEMP TABLE made AS SELECT id FROM mor WHERE part = '2024-03'", map[string]string{"mor": "part = '2024-03'"}},
	// Nearly all rows fit: the scan does not pick the others out, DuckDB does.
	{"SELECT id, qty FROM mor WHERE qty > 5000", map[string]string{"mor": "qty > 5000"}},
	{"SELECT count(*) FROM {cow} WHERE id = 'k00007'", map[string]string{"cow": "id = 'k00007'"}},
	{"WITH x AS (FROM {mor}) SELECT a.id FROM cow a JOIN x USING (id) WHERE x.qty < 50 AND a.part = '2024-01'", map[string]string{"cow": "part = '2024-01'", "mor": "qty < 50"}},
	{"SELECT id FROM {mor} WHERE qty < 50 UNION ALL SELECT id FROM {mor}", map[string]string{"mor": ""}},
	{"SELECT id FROM found WHERE part = '2024-02'", map[string]string{"mor": "part = '2024-02'"}},
	{"SELECT id FROM made JOIN cow USING (id) WHERE qty < 50 -- a comment; here\n", map[string]string{"cow": "qty < 50"}},
	{"EXECUTE point('k00007')", map[string]string{"cow": "id = 'k00007'"}},
	{"execute \"From To\"(high := 200010 /* , */, low := 100000::BIGINT);", map[string]string{"mor": "qty >= 100000"}},
	{"EXECUTE twice('2024-01, 2024-02', 50)", map[string]string{"cow": "qty < 50"}},
}

// TestStatementsReachScans: what statements ask of tables reaches the planning
// of their scans, and the answers are those without.
func TestStatementsReachScans(t *testing.T) {
	filters := map[string][]string{}
	note := func(t *provider.Table, all []provider.Filter) {
		text := ""
		for _, f := range all {
			text += f.Condition + "; "
		}
		name := "cow"
		if strings.HasSuffix(t.Name(), "mor") {
			name = "mor"
		}
		filters[name] = append(filters[name], text)
	}
	e, c := open(t, Options{Threads: 2, Paths: true,
		Handed:  func(h Handed) { note(h.Table, h.Plan.Filters) },
		Scanned: func(t *provider.Table, r *provider.Result) { note(t, r.Stats().Filters) },
	})
	plain, without := open(t, Options{Threads: 2, Paths: true})
	plain.shadow.off = true
	paths := map[string]string{}
	for _, name := range []string{"cow", "mor"} {
		source := map[string]string{"cow": "v9/mdt_full", "mor": "v9/mdt_full_mor"}[name]
		paths[name] = tabletest.Open(t, source)
		table, err := provider.Open(context.Background(), paths[name], provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []*Engine{e, plain} {
			if err := engine.RegisterTable(context.Background(), "", name, table, provider.Query{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, conn := range []*Conn{c, without} {
		for _, sql := range []string{
			"PREPARE point AS SELECT id, qty FROM cow WHERE id = ?", `PREPARE "From To" AS SELECT id FROM mor WHERE qty BETWEEN $low AND $high`,
			"PREPARE twice AS SELECT id FROM cow WHERE part <> $1 AND qty < $2 AND amount IS DISTINCT FROM $2",
		} {
			if err := conn.Exec(context.Background(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := conn.Exec(context.Background(), "CREATE VIEW few AS SELECT * FROM cow WHERE qty > 890000; CREATE VIEW found AS FROM 'hudi:"+paths["mor"]+"'"); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hintCases {
		clear(filters)
		for name, path := range paths {
			h.sql = strings.ReplaceAll(h.sql, "{"+name+"}", "'hudi:"+path+"'")
		}
		got := sortedRows(t, c, h.sql)
		for table, want := range h.want {
			if len(filters[table]) == 0 && !strings.HasPrefix(h.sql, "EXPLAIN") {
				t.Errorf("%s: %s was not planned", h.sql, table)
			}
			for _, have := range filters[table] {
				if want == "" && have != "" || !strings.Contains(have, want) {
					t.Errorf("%s: the scan of %s is told %q, want %q", h.sql, table, have, want)
				}
			}
		}
		if want := sortedRows(t, without, h.sql); !strings.HasPrefix(h.sql, "EXPLAIN") && !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d", h.sql, len(got), len(want))
		}
	}
	clear(filters)
	sortedRows(t, c, "SET default_collation = 'NOCASE'")
	if rows := sortedRows(t, c, "SELECT id FROM cow WHERE id = 'K00007'"); len(rows) != 1 {
		t.Errorf("%d rows with a collation that ignores case, want 1", len(rows))
	}
}

// TestSettings: conditions reach scans after settings that change nothing, and
// mean what the session's time zone says.
func TestSettings(t *testing.T) {
	var filters []string
	note := func(all []provider.Filter) {
		for _, f := range all {
			filters = append(filters, f.Condition)
		}
	}
	_, c := open(t, Options{Threads: 1, Paths: true,
		Handed:  func(h Handed) { note(h.Plan.Filters) },
		Scanned: func(_ *provider.Table, r *provider.Result) { note(r.Stats().Filters) },
	})
	for _, step := range []struct{ set, condition, want string }{
		{"SELECT 1", "ts >= '2025-03-03 12:00:00'", "TIMESTAMPTZ '2025-03-03 12:00:00"},
		{"SET threads = 1; PRAGMA memory_limit = '1GB'; SET VARIABLE x = 5", "city = 'osaka'", "city = 'osaka'"},
		{"SET TimeZone = 'Asia/Tokyo'", "ts >= '2025-03-03 12:00:00'", "TIMESTAMPTZ '2025-03-03 03:00:00"},
		{"RESET TimeZone", "ts >= '2025-03-03 12:00:00'", "TIMESTAMPTZ '2025-03-03 12:00:00"},
		{"SET integer_division = true", "distance_km > 7 / 2", ""},
	} {
		if err := c.Exec(context.Background(), step.set); err != nil {
			t.Fatal(err)
		}
		filters = nil
		got := sortedRows(t, c, "SELECT trip_id FROM 'hudi:../testdata/trips' WHERE "+step.condition)
		text := strings.Join(filters, "; ")
		if step.want == "" && text != "" || !strings.Contains(text, step.want) {
			t.Errorf("after %s, %s reaches the scan as %q, want %q", step.set, step.condition, text, step.want)
		}
		if want := sortedRows(t, c, "SELECT trip_id FROM hudi_scan('../testdata/trips') WHERE "+step.condition); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("after %s, %s: %d rows, want %d", step.set, step.condition, len(got), len(want))
		}
	}
}

func sortedRows(t *testing.T, c *Conn, sql string) []string {
	t.Helper()
	all, err := rowsOf(t, c, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	slices.Sort(all)
	return all
}

// rowsOf gives the rows of a query as texts.
func rowsOf(t *testing.T, c *Conn, sql string) (all []string, err error) {
	r, err := c.Query(t.Context(), sql)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		for row := range int(b.NumRows()) {
			text := ""
			for _, column := range b.Columns() {
				text += column.ValueStr(row) + "|"
			}
			all = append(all, text)
		}
		b.Release()
	}
}
