package provider_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// leafColumns names the columns of a schema that have an order, nested ones by
// their path.
func leafColumns(fields []arrow.Field, above pushdown.Column) []pushdown.Column {
	var out []pushdown.Column
	for _, f := range fields {
		c := append(above[:len(above):len(above)], f.Name)
		switch t := f.Type.(type) {
		case *arrow.StructType:
			out = append(out, leafColumns(t.Fields(), c)...)
		case *arrow.ListType, *arrow.MapType:
		default:
			out = append(out, c)
		}
	}
	return out
}

// TestStatisticsHold asks every table for its statistics, and the rows whether
// they are right.
func TestStatisticsHold(t *testing.T) {
	found := map[string]int{}
	every := 1
	if testing.Short() {
		every = 8
	}
	for n, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" || n%every != 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			table := openInMemory(t, f, f.Options(t), mem)
			for _, q := range []provider.Query{{}, {Type: provider.ReadOptimized}, {Where: "_hoodie_record_key > 'k5'"}, {Limit: 3}} {
				if q.Where != "" && !table.Config().PopulateMeta {
					continue
				}
				checkStatistics(t, table, q, found)
			}
		})
	}
	for _, what := range []string{"rows", "nulls", "min", "max", "bound", "empty"} {
		if found[what] == 0 {
			t.Errorf("no table has exact %s", what)
		}
	}
	t.Log(found)
}

func checkStatistics(t *testing.T, table *provider.Table, q provider.Query, found map[string]int) {
	t.Helper()
	ctx := context.Background()
	plan, err := table.Plan(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	var o provider.StatisticsOptions
	columns := leafColumns(plan.Job.Schema.Fields(), nil)
	for _, c := range columns {
		o.Columns = append(o.Columns, c.Name())
	}
	s, err := plan.Statistics(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	asked := q
	asked.Columns = []string{}
	n, _, err := countRows(table, asked)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if s.Rows.Exact {
		found["rows"]++
		if s.Rows.N != n {
			t.Errorf("%+v: %d rows, statistics say %d", q, n, s.Rows.N)
		}
	}
	count := func(p pushdown.Predicate) int64 {
		asked.Filter = p
		n, _, err := countRows(table, asked)
		if err != nil {
			t.Fatalf("%+v and %s: %v", q, p, err)
		}
		return n
	}
	for i, c := range columns {
		if i > 4 && (q.Where != "" || q.Limit > 0 || q.Type != provider.Snapshot) {
			break
		}
		got := s.Columns[i]
		if got.Nulls.Exact {
			found["nulls"]++
			if nulls := count(c.IsNull()); nulls != got.Nulls.N {
				t.Errorf("%+v: column %s has %d nulls, statistics say %d", q, c, nulls, got.Nulls.N)
			}
		}
		for name, e := range map[string]provider.Extreme{"min": got.Min, "max": got.Max} {
			beyond := c.Lt(e.Value)
			if name == "max" {
				beyond = c.Gt(e.Value)
			}
			switch {
			case e.Value.IsNull() && e.Exact:
				found["empty"]++
				if n := count(c.IsNotNull()); n > 0 {
					t.Errorf("%+v: column %s has %d values, statistics say none", q, c, n)
				}
				continue
			case e.Value.IsNull():
				continue
			case e.Exact:
				found[name]++
				if count(c.Eq(e.Value)) == 0 {
					t.Errorf("%+v: column %s: no row has the %s %s", q, c, name, e.Value)
				}
			default:
				found["bound"]++
			}
			if n := count(beyond); n > 0 {
				t.Errorf("%+v: column %s: %d rows beyond the %s %s", q, c, n, name, e.Value)
			}
		}
	}
}

// TestStatisticsOfSerializedPlan: what a plan in another process gives is the same.
func TestStatisticsOfSerializedPlan(t *testing.T) {
	f := tabletest.Fixture{Name: "v9/cow_basic", Dir: "../testdata/tables/v9/cow_basic"}
	table := openInMemory(t, f, nil, memory.DefaultAllocator)
	ctx := context.Background()
	plan, err := table.Plan(ctx, provider.Query{Where: "qty >= 0"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var other provider.Plan
	if err := json.Unmarshal(text, &other); err != nil {
		t.Fatal(err)
	}
	o := provider.StatisticsOptions{Columns: []string{"qty", "id"}}
	var texts []string
	for _, p := range []*provider.Plan{plan, &other} {
		s, err := p.Statistics(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
	t.Log(texts[0])
}
