package adbc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/tabletest"
)

// object is a row of GetObjects or GetStatistics.
type object struct {
	Catalog string `json:"catalog_name"`
	Schemas []struct {
		Name   string `json:"db_schema_name"`
		Tables []struct {
			Name    string `json:"table_name"`
			Type    string `json:"table_type"`
			Columns []struct {
				Name     string `json:"column_name"`
				Position int    `json:"ordinal_position"`
				Code     *int   `json:"xdbc_data_type"`
				Type     string `json:"xdbc_type_name"`
				Size     *int   `json:"xdbc_column_size"`
				Digits   *int   `json:"xdbc_decimal_digits"`
				Nullable string `json:"xdbc_is_nullable"`
			} `json:"table_columns"`
			Constraints []struct {
				Type    string   `json:"constraint_type"`
				Columns []string `json:"constraint_column_names"`
			} `json:"table_constraints"`
		} `json:"db_schema_tables"`
		Statistics []struct {
			Table       string `json:"table_name"`
			Column      string `json:"column_name"`
			Key         int    `json:"statistic_key"`
			Value       []any  `json:"statistic_value"`
			Approximate bool   `json:"statistic_is_approximate"`
		} `json:"db_schema_statistics"`
	} `json:"catalog_db_schemas"`
}

func objectsOf(t *testing.T, r array.RecordReader, err error, schema *arrow.Schema) (all []object) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	sameSchema(t, "the interface", schema, r.Schema())
	for r.Next() {
		for row := range int(r.RecordBatch().NumRows()) {
			var o object
			one := r.RecordBatch().NewSlice(int64(row), int64(row)+1)
			text, err := one.MarshalJSON()
			one.Release()
			if err != nil {
				t.Fatal(err)
			}
			var list []object
			if err := json.Unmarshal(text, &list); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			o = list[0]
			all = append(all, o)
		}
	}
	return all
}

func TestGetObjects(t *testing.T) {
	c := open(t, lake(t))
	text := func(s string) *string { return &s }
	for _, q := range []struct {
		depth                          adbc.ObjectDepth
		catalog, schema, table, column *string
		types                          []string
		want                           string
	}{
		{depth: adbc.ObjectDepthCatalogs, want: "hudi()"},
		{depth: adbc.ObjectDepthDBSchemas, want: "hudi(main[] v9[])"},
		{depth: adbc.ObjectDepthTables, want: "hudi(main[a b: Trips:] v9[other:])"},
		{depth: adbc.ObjectDepthAll, want: "hudi(main[a b:id,city,fare Trips:id,city,fare] v9[other:id,city,fare])"},
		{depth: adbc.ObjectDepthAll, schema: text("v_"), want: "hudi(v9[other:id,city,fare])"},
		{depth: adbc.ObjectDepthAll, table: text("t%"), column: text("_i%"), want: "hudi(main[Trips:city] v9[])"},
		{depth: adbc.ObjectDepthTables, table: text("a b"), want: "hudi(main[a b:] v9[])"},
		{depth: adbc.ObjectDepthTables, types: []string{"VIEW"}, want: "hudi(main[] v9[])"},
		{depth: adbc.ObjectDepthTables, types: []string{"VIEW", "TABLE"}, schema: text("main"), want: "hudi(main[a b: Trips:])"},
		{depth: adbc.ObjectDepthAll, catalog: text("other"), want: ""},
		{depth: adbc.ObjectDepthAll, catalog: text(""), want: ""},
		{depth: adbc.ObjectDepthAll, catalog: text("h%i"), schema: text(""), want: "hudi()"},
	} {
		r, err := c.GetObjects(context.Background(), q.depth, q.catalog, q.schema, q.table, q.column, q.types)
		var all []string
		for _, o := range objectsOf(t, r, err, adbc.GetObjectsSchema) {
			var schemas []string
			for _, s := range o.Schemas {
				var tables []string
				for _, one := range s.Tables {
					var columns []string
					for _, column := range one.Columns {
						columns = append(columns, column.Name)
					}
					tables = append(tables, one.Name+":"+strings.Join(columns, ","))
				}
				schemas = append(schemas, s.Name+"["+strings.Join(tables, " ")+"]")
			}
			all = append(all, o.Catalog+"("+strings.Join(schemas, " ")+")")
		}
		if got := strings.Join(all, " "); got != q.want {
			t.Errorf("%+v: %s, want %s", q, got, q.want)
		}
	}
}

// TestColumns: types and keys, as JDBC and ODBC have them.
func TestColumns(t *testing.T) {
	c := open(t, tabletest.Open(t, "v9/all_types_cow"))
	r, err := c.GetObjects(context.Background(), adbc.ObjectDepthAll, nil, nil, nil, nil, nil)
	all := objectsOf(t, r, err, adbc.GetObjectsSchema)
	table := all[0].Schemas[0].Tables[0]
	var got []string
	number := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	for i, column := range table.Columns {
		if column.Position != i+1 || column.Nullable != "YES" {
			t.Errorf("%+v", column)
		}
		got = append(got, strings.Join([]string{column.Name, column.Type, number(column.Code), number(column.Size), number(column.Digits)}, " "))
	}
	for _, want := range []string{
		"id VARCHAR 12 - -", "ts BIGINT -5 19 0", "c_int INTEGER 4 10 0", "c_double DOUBLE 8 53 -", "c_float FLOAT 7 24 -", "c_bool BOOLEAN -7 1 -", "c_date DATE 91 10 0",
		"c_ts TIMESTAMPTZ 93 26 6", "c_bin BLOB -3 - -",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no column %s", want)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
	if len(table.Constraints) != 1 || table.Constraints[0].Type != "PRIMARY KEY" || !slices.Equal(table.Constraints[0].Columns, []string{"id"}) || table.Type != "TABLE" {
		t.Errorf("%+v", table.Constraints)
	}
}

func TestGetTableSchema(t *testing.T) {
	c := open(t, lake(t))
	text := func(s string) *string { return &s }
	for _, q := range []struct {
		catalog, schema *string
		table           string
		code            adbc.Status
	}{
		{nil, nil, "trips", adbc.StatusOK}, {text("hudi"), text("v9"), "OTHER", adbc.StatusOK}, {nil, text("main"), "a b", adbc.StatusOK},
		{nil, nil, "other", adbc.StatusNotFound}, {text("x"), nil, "trips", adbc.StatusNotFound}, {nil, text("v9"), "trips", adbc.StatusNotFound},
	} {
		s, err := c.GetTableSchema(context.Background(), q.catalog, q.schema, q.table)
		if q.code == adbc.StatusOK {
			if err != nil || s.NumFields() != 3 {
				t.Errorf("%s: %s, %v", q.table, s, err)
			}
		} else if errorOf(t, err).Code != q.code {
			t.Errorf("%s: %v", q.table, err)
		}
	}
}

// TestStatistics compares statistics with the rows.
func TestStatistics(t *testing.T) {
	for _, name := range []string{"v9/cow_basic", "v9/mor_compacted"} {
		c := open(t, tabletest.Open(t, name))
		table := onlyTable(t, c)
		stats := c.(adbc.ConnectionGetStatistics)
		for _, approximate := range []bool{false, true} {
			r, err := stats.GetStatistics(context.Background(), nil, nil, nil, approximate)
			exact, rows := 0, 0
			for _, s := range objectsOf(t, r, err, adbc.GetStatisticsSchema)[0].Schemas[0].Statistics {
				if s.Table != table {
					t.Errorf("%+v", s)
				}
				if s.Approximate {
					continue
				}
				exact++
				question := map[int]string{
					adbc.StatisticRowCountKey: "count(*)", adbc.StatisticNullCountKey: `count(*) - count("` + s.Column + `")`,
					adbc.StatisticMinValueKey: `min("` + s.Column + `")`, adbc.StatisticMaxValueKey: `max("` + s.Column + `")`,
				}[s.Key]
				if question == "" {
					continue
				}
				if s.Key == adbc.StatisticRowCountKey {
					rows++
				}
				answer := execute(t, c, "SELECT ("+question+")::VARCHAR FROM "+table).text()
				if got := fmt.Sprint(s.Value[1]); got != answer && !sameNumber(got, answer) && !isBinary(s.Value, answer) {
					t.Errorf("%s, %s of %s: %v, the rows say %s", name, question, s.Column, s.Value, answer)
				}
			}
			if name == "v9/cow_basic" && (rows != 1 || exact < 10) && !approximate {
				t.Errorf("%d exact statistics", exact)
			}
		}
	}
	c := open(t, lake(t))
	r, err := c.(adbc.ConnectionGetStatistics).GetStatisticNames(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	sameSchema(t, "the interface", adbc.GetStatisticNamesSchema, r.Schema())
	if !r.Next() || r.RecordBatch().NumRows() != 1 {
		t.Error("no names of statistics")
	}
}

func sameNumber(a, b string) bool {
	var x, y float64
	_, err := fmt.Sscan(a, &x)
	_, err2 := fmt.Sscan(b, &y)
	return err == nil && err2 == nil && x == y
}

// isBinary compares a binary member of the union, which JSON has as base64,
// with a text.
func isBinary(value []any, text string) bool {
	b, _ := json.Marshal([]byte(text))
	return strings.Trim(string(b), `"`) == fmt.Sprint(value[1]) || text == "true" && fmt.Sprint(value[1]) == "1" || text == "false" && fmt.Sprint(value[1]) == "0"
}

func TestGetInfo(t *testing.T) {
	c := open(t, lake(t))
	for _, codes := range [][]adbc.InfoCode{nil, {adbc.InfoDriverName, 9999, adbc.InfoVendorSql}} {
		r, err := c.GetInfo(context.Background(), codes)
		if err != nil {
			t.Fatal(err)
		}
		sameSchema(t, "the interface", adbc.GetInfoSchema, r.Schema())
		want := int64(16)
		if codes != nil {
			want = 2
		}
		if n := rowsOf(r); n != want {
			t.Errorf("%d facts", n)
		}
		r.Release()
	}
}
