package adbc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/pushdown"
)

// lake is a folder of tables, one of them in a folder of its own.
func lake(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range map[string]string{
		"Trips":    `[{"id": 1, "city": "osaka", "fare": 7.5}, {"id": 2, "city": "lisbon", "fare": 20.25}, {"id": 3, "city": null, "fare": null}]`,
		"v9/other": `[{"id": 2, "city": "x", "fare": 1}]`,
		"a b":      `[{"id": 1, "city": "quoted", "fare": 1}]`,
	} {
		s := arrow.NewSchema([]arrow.Field{
			{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
			{Name: "fare", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		}, nil)
		b, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeTable(dir+"/"+name, b); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// text gives rows as text: values by commas, rows by semicolons.
func (k *kept) text() string {
	var rows []string
	for _, b := range k.batches {
		for row := range int(b.NumRows()) {
			var values []string
			for _, c := range b.Columns() {
				values = append(values, strings.Clone(c.ValueStr(row)))
			}
			rows = append(rows, strings.Join(values, ","))
		}
	}
	return strings.Join(rows, ";")
}

func TestSQL(t *testing.T) {
	c := open(t, lake(t))
	for _, q := range []struct{ sql, want string }{
		{"SELECT 1", "1"},
		{"SELECT count(*) FROM Trips", "3"},
		{"SELECT * FROM trips WHERE id = 2", "2,lisbon,20.25"},
		{`SELECT "city", id AS n FROM "hudi"."main"."Trips" WHERE "fare" > 7.4 AND "city" IN ('osaka', 'x')`, "osaka,1"},
		{"SELECT id, id FROM main.trips WHERE city IS NULL", "3,3"},
		{"SELECT id FROM hudi.trips WHERE id = 1", "1"},
		{"SELECT id FROM v9.other", "2"},
		{"SELECT id FROM hudi.v9.other", "2"},
		{`SELECT id FROM "a b"`, "1"},
		{"SELECT t.id, o.city FROM trips t JOIN v9.other o USING (id)", "2,x"},
		{"SELECT city, sum(fare) FROM trips GROUP BY ALL ORDER BY ALL", "lisbon,20.25;osaka,7.5;(null),(null)"},
		{"SELECT id FROM trips LIMIT 0", ""},
		{"SELECT count(*) FROM (SELECT id FROM trips LIMIT 2 OFFSET 2)", "1"},
		{"SELECT id FROM trips WHERE 1 = 0", ""},
		{"WITH x AS (SELECT max(id) AS m FROM trips) SELECT m FROM x", "3"},
		{"FROM trips SELECT id ORDER BY id DESC LIMIT 1", "3"},
		{"-- a comment\nSELECT id FROM trips WHERE city = 'osaka';", "1"},
		{"SELECT table_name FROM information_schema.tables ORDER BY 1", "Trips;a b;other"},
		{"SELECT column_name FROM (DESCRIBE trips)", "id;city;fare"},
	} {
		if got := execute(t, c, q.sql).text(); got != q.want {
			t.Errorf("%s: %s, want %s", q.sql, got, q.want)
		}
	}
	if k := execute(t, c, "SELECT id FROM trips LIMIT 2 OFFSET 1"); k.rows() != 2 {
		t.Errorf("%d rows", k.rows())
	}
	if err := c.(adbc.GetSetOptions).SetOption(adbc.OptionKeyCurrentDbSchema, "V9"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT city FROM other", "SELECT city FROM other ORDER BY 1"} {
		if got := execute(t, c, sql).text(); got != "x" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestErrors: each error has its status, its SQLSTATE, and one line.
func TestErrors(t *testing.T) {
	c := open(t, lake(t))
	for _, q := range []struct {
		sql   string
		code  adbc.Status
		state string
	}{
		{"", adbc.StatusInvalidState, ""},
		{"SELEC 1", adbc.StatusInvalidArgument, "42601"},
		{"SELECT 1; SELECT 2", adbc.StatusInvalidArgument, ""},
		{"SELECT nothing FROM trips", adbc.StatusInvalidArgument, "42S22"},
		{"SELECT id FROM nothing", adbc.StatusNotFound, "42S02"},
		{"SELECT id FROM nothing.trips", adbc.StatusNotFound, ""},
		{"SELECT id FROM other.main.trips", adbc.StatusInvalidArgument, ""},
		{"SELECT nothing(1)", adbc.StatusNotFound, "42883"},
		{"INSERT INTO trips VALUES (1)", adbc.StatusNotImplemented, "25006"},
		{"/* x */ create TABLE x(a INT)", adbc.StatusNotImplemented, "25006"},
		{"EXPLAIN ANALYZE COPY (SELECT 1) TO '/nowhere/x'", adbc.StatusNotImplemented, "25006"},
		{"WITH x AS (SELECT 1 AS id) DELETE FROM trips", adbc.StatusInvalidArgument, ""},
		{"PRAGMA threads = 2", adbc.StatusNotImplemented, "25006"},
		{"SET threads = 2", adbc.StatusNotImplemented, "25006"},
		{"SELECT ?", adbc.StatusInvalidState, "07001"},
	} {
		s := statement(t, c, q.sql)
		r, n, err := s.ExecuteQuery(context.Background())
		if err == nil {
			r.Release()
			t.Errorf("%s: no error", q.sql)
			continue
		}
		e := errorOf(t, err)
		if e.Code != q.code || q.state != "" && string(e.SqlState[:]) != q.state || strings.Contains(e.Msg, "\n") || n != -1 {
			t.Errorf("%s: %v", q.sql, err)
		}
		if _, err := s.ExecuteUpdate(context.Background()); errorOf(t, err).Code != q.code {
			t.Errorf("%s: %v", q.sql, err)
		}
		if _, _, _, err := s.ExecutePartitions(context.Background()); err == nil {
			t.Errorf("%s: has partitions", q.sql)
		}
	}
	s := statement(t, c, "SELECT 1 // (CASE WHEN id = 3 THEN 'x' ELSE '1' END)::INT FROM trips ORDER BY 1")
	r, _, err := s.ExecuteQuery(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if e := errorOf(t, r.Err()); e.Code != adbc.StatusInvalidData || string(e.SqlState[:]) != "22018" {
		t.Error(e)
	}
}

func params(t testing.TB, fields string, rows string) arrow.RecordBatch {
	t.Helper()
	types := map[string]arrow.DataType{
		"int64": arrow.PrimitiveTypes.Int64, "int32": arrow.PrimitiveTypes.Int32, "text": arrow.BinaryTypes.String, "double": arrow.PrimitiveTypes.Float64,
		"date": arrow.FixedWidthTypes.Date32, "timestamp": arrow.FixedWidthTypes.Timestamp_us, "decimal": &arrow.Decimal128Type{Precision: 10, Scale: 2},
		"bool": arrow.FixedWidthTypes.Boolean, "binary": arrow.BinaryTypes.Binary, "list": arrow.ListOf(arrow.PrimitiveTypes.Int32),
		"struct": arrow.StructOf(arrow.Field{Name: "a'b", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), "view": arrow.BinaryTypes.StringView, "null": arrow.Null, "uint64": arrow.PrimitiveTypes.Uint64,
	}
	var all []arrow.Field
	for i, f := range strings.Fields(fields) {
		name, typ, ok := strings.Cut(f, ":")
		if !ok {
			name, typ = fmt.Sprint(i), f
		}
		all = append(all, arrow.Field{Name: name, Type: types[typ], Nullable: true})
	}
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(all, nil), strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Release)
	return b
}

func TestParameters(t *testing.T) {
	c := open(t, lake(t))
	for _, q := range []struct{ sql, fields, rows, want string }{
		{"SELECT id FROM trips WHERE id > ? AND city IN (?, ?)", "int64 text text", `[{"0": 1, "1": "osaka", "2": "lisbon"}]`, "2"},
		{"SELECT id FROM trips WHERE city = $2 OR id = $1", "int32 text", `[{"0": 3, "1": "osaka"}]`, "1;3"},
		{"SELECT id FROM trips WHERE city = $c OR id = $n", "n:int32 c:text", `[{"n": 3, "c": "osaka"}]`, "1;3"},
		{"SELECT id FROM trips LIMIT ?", "int64", `[{"0": 1}]`, "1"},
		{"SELECT id FROM trips WHERE fare > ?", "double", `[{"0": 7.5}]`, "2"},
		{"SELECT id FROM trips WHERE fare > ? ORDER BY ALL", "double", `[{"0": 7.25}, {"0": 7.5}, {"0": 100}]`, "1;2;2"},
		{"SELECT id FROM trips WHERE id = ?", "int64", `[{"0": 2}, {"0": null}, {"0": 1}]`, "2;1"},
		{"SELECT id FROM trips WHERE id = ?", "int64", `[]`, ""},
		{"SELECT ?, ?", "int64 text", `[{"0": 1, "1": "it's"}, {"0": null, "1": "?"}]`, "1,it's;(null),?"},
		{"SELECT ? + 1 AS n", "double", `[{"0": 1.5}]`, "2.5"},
		{"SELECT ?::DATE - DATE '2024-01-01', ?", "date timestamp", `[{"0": "2024-01-03", "1": "2024-05-06 07:08:09.123456Z"}]`, "2,2024-05-06T07:08:09.123456Z"},
		{"SELECT ? * 2, ? AND true, ?", "decimal bool binary", `[{"0": "12.34", "1": true, "2": "AP8="}]`, "24.68,true,AP8="},
		{"SELECT list_sum(?), ?, upper(?)", "list struct view", `[{"0": [1, 2, null], "1": {"a'b": 3}, "2": "x"}]`, `3,{"a'b":3},X`},
		{"SELECT ?, ?", "null uint64", `[{"0": null, "1": 18446744073709551615}]`, "(null),18446744073709551615"},
		{"SELECT count(*) FROM trips WHERE city LIKE ? AND '?' = '?'", "text", `[{"0": "%o%"}]`, "2"},
	} {
		s := statement(t, c, q.sql)
		if err := s.Prepare(context.Background()); err != nil {
			t.Errorf("%s: %v", q.sql, err)
			continue
		}
		unbound, err := s.(adbc.StatementExecuteSchema).ExecuteSchema(context.Background())
		if err != nil {
			t.Errorf("%s: %v", q.sql, err)
			continue
		}
		if err := s.Bind(context.Background(), params(t, q.fields, q.rows)); err != nil {
			t.Fatal(err)
		}
		k := run(t, s)
		if got := k.text(); got != q.want {
			t.Errorf("%s: %s, want %s", q.sql, got, q.want)
		}
		for i, f := range unbound.Fields() {
			if f.Name != k.schema.Field(i).Name && !strings.Contains(q.sql, "list") {
				t.Errorf("%s: column %s without parameters, %s with", q.sql, f.Name, k.schema.Field(i).Name)
			}
		}
		if again := run(t, s).text(); again != q.want {
			t.Errorf("%s again: %s", q.sql, again)
		}
	}
}

func TestParametersRefused(t *testing.T) {
	c := open(t, lake(t))
	s := statement(t, c, "SELECT id FROM trips WHERE id = ? AND id < ?")
	if err := s.Bind(context.Background(), params(t, "int64", `[{"0": 2}]`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ExecuteQuery(context.Background()); errorOf(t, err).Code != adbc.StatusInvalidArgument {
		t.Error(err)
	}
	if err := s.SetSqlQuery("SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Bind(context.Background(), params(t, "int64", `[{"0": 2}]`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ExecuteQuery(context.Background()); errorOf(t, err).Code != adbc.StatusInvalidArgument {
		t.Error(err)
	}
	if err := s.SetSqlQuery("SELECT ?"); err != nil {
		t.Fatal(err)
	}
	if err := s.Bind(context.Background(), params(t, "text", "[{\"0\": \"a\\u0000b\"}]")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ExecuteQuery(context.Background()); errorOf(t, err).Code != adbc.StatusNotImplemented {
		t.Error(err)
	}
	// Rows of other types than the first one's.
	stream, err := array.NewRecordReader(arrow.NewSchema([]arrow.Field{{Name: "0", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil),
		[]arrow.RecordBatch{params(t, "int64", `[{"0": 2}]`), params(t, "int64", `[{"0": 3}, {"0": 4}]`)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Release()
	if err := s.SetSqlQuery("SELECT id FROM trips WHERE id = ?"); err != nil {
		t.Fatal(err)
	}
	if err := s.BindStream(context.Background(), stream); err != nil {
		t.Fatal(err)
	}
	if got := run(t, s).text(); got != "2;3" {
		t.Errorf("of a stream: %s", got)
	}
}

func TestParameterSchema(t *testing.T) {
	c := open(t, lake(t))
	s := statement(t, c, "SELECT id FROM trips WHERE id > ? AND city = ?")
	if err := s.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	p, err := s.GetParameterSchema()
	if err != nil {
		t.Fatal(err)
	}
	if p.NumFields() != 2 || p.Field(0).Type.ID() != arrow.INT64 || p.Field(1).Type.ID() != arrow.STRING || p.Field(0).Name != "" {
		t.Error(p)
	}
	if err := s.SetSqlQuery("SELECT $x::INTEGER"); err != nil {
		t.Fatal(err)
	}
	if p, err = s.GetParameterSchema(); err != nil || p.NumFields() != 1 || p.Field(0).Name != "x" {
		t.Error(p, err)
	}
}

// TestFilter hands a condition over as Substrait.
func TestFilter(t *testing.T) {
	c := open(t, lake(t))
	schema, err := c.GetTableSchema(context.Background(), nil, nil, "trips")
	if err != nil {
		t.Fatal(err)
	}
	filter, err := pushdown.WriteSubstrait(pushdown.Col("id").Gt(1), schema)
	if err != nil {
		t.Fatal(err)
	}
	s := statement(t, c, "SELECT id FROM trips WHERE id < 3")
	o := s.(adbc.GetSetOptions)
	if err := o.SetOptionBytes(hudi.OptionFilter, filter); err != nil {
		t.Fatal(err)
	}
	if got := run(t, s).text(); got != "2" {
		t.Errorf("rows %s", got)
	}
	if got := readAll(t, c, s).text(); got != "2" {
		t.Errorf("of partitions: rows %s", got)
	}
	if err := s.SetSqlQuery("SELECT max(id) FROM trips"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ExecuteQuery(context.Background()); errorOf(t, err).Code != adbc.StatusInvalidArgument {
		t.Error(err)
	}
}

// TestBroken: a table of a folder that can't be read harms no other, and says
// why.
func TestBroken(t *testing.T) {
	dir := lake(t)
	if err := os.WriteFile(filepath.Join(dir, "v9", "other", ".hoodie", "hoodie.properties"), []byte("hoodie.table.name=other\nhoodie.table.version=99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	if got := execute(t, c, "SELECT count(*) FROM trips").text(); got != "3" {
		t.Error(got)
	}
	for _, sql := range []string{"SELECT id FROM v9.other", "SELECT count(*) FROM v9.other", "SELECT o.id FROM trips JOIN v9.other o USING (id)"} {
		_, _, err := statement(t, c, sql).ExecuteQuery(context.Background())
		if e := errorOf(t, err); e.Code != adbc.StatusNotImplemented || !strings.Contains(e.Msg, "99") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	r, err := c.GetObjects(context.Background(), adbc.ObjectDepthAll, nil, nil, nil, nil, nil)
	all := objectsOf(t, r, err, adbc.GetObjectsSchema)
	if tables := all[0].Schemas[1].Tables; len(tables) != 1 || tables[0].Name != "other" || tables[0].Columns != nil {
		t.Errorf("%+v", tables)
	}
}

// TestViews asks for incremental and CDC queries by options.
func TestViews(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	const begin, end = "20261129212635318", "20261129212648898"
	c := open(t, dir, hudi.OptionQueryType, "incremental", hudi.OptionBegin, begin, hudi.OptionEnd, end)
	plain := execute(t, c, "SELECT * FROM cow_basic")
	engine := execute(t, c, "SELECT * FROM cow_basic ORDER BY 1")
	j := newJudge(t)
	j.know(t, "plain", plain)
	j.know(t, "engine", engine)
	j.same(t, "(FROM plain)", "(FROM engine)")
	j.same(t, "(SELECT count(*) FROM plain)", "(SELECT count(*) FROM read_parquet('../testdata/tables/v9/cow_basic/expected/incremental_"+begin+"_"+end+".parquet'))")
	s := statement(t, c, "SELECT count(*) FROM cow_basic")
	for _, kv := range [][2]string{{hudi.OptionQueryType, "snapshot"}, {hudi.OptionBegin, ""}, {hudi.OptionEnd, ""}} {
		if err := s.SetOption(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := run(t, s).text(); got != "109" {
		t.Errorf("snapshot: %s", got)
	}
	c = open(t, dir, hudi.OptionQueryType, "incremental", hudi.OptionBegin, begin, hudi.OptionDeletes, "true")
	with := execute(t, c, "SELECT id, _hoodie_operation AS op FROM cow_basic")
	j.know(t, "changes", with)
	j.know(t, "sorted", execute(t, c, "SELECT id, _hoodie_operation AS op FROM cow_basic ORDER BY 1"))
	j.same(t, "(FROM changes)", "(FROM sorted)")
	c = open(t, tabletest.Open(t, "v9/cdc_data_before_after_cow"), hudi.OptionQueryType, "cdc")
	all := execute(t, c, `SELECT * FROM cdc_data_before_after_cow`)
	j.know(t, "cdc", all)
	j.know(t, "ops", execute(t, c, `SELECT op FROM cdc_data_before_after_cow`))
	j.same(t, "(SELECT op FROM cdc)", "(FROM ops)")
	j.know(t, "inserts", readAll(t, c, statement(t, c, `SELECT * FROM cdc_data_before_after_cow WHERE op = 'i'`)))
	j.same(t, "(FROM cdc WHERE op = 'i')", "(FROM inserts)")
}
