package adbc_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestSparkAnswers reads each table as a plain scan, by its partitions and by
// DuckDB, and compares them with one another and with Spark's answer.
func TestSparkAnswers(t *testing.T) {
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" || testing.Short() && !strings.HasPrefix(f.Name, "v9/mor_c") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			dir, travelled := f.Open(t), false
			var options []string
			for key, value := range f.Options(t) {
				options = append(options, hudi.OptionHudiPrefix+key, value)
			}
			for _, q := range f.Manifest.Queries {
				view := []string{hudi.OptionMeta, "true"}
				switch q.Kind {
				case "snapshot":
				case "read_optimized":
					view = append(view, hudi.OptionQueryType, q.Kind)
				case "time_travel":
					if travelled || !strings.HasPrefix(f.Name, "v9/") { // package provider does it all
						continue
					}
					travelled = true
					view = append(view, hudi.OptionAsOf, q.Options.AsOf)
				default:
					continue
				}
				t.Run(q.Kind, func(t *testing.T) { compareWays(t, f, q, dir, append(view, options...)) })
			}
		})
	}
}

func compareWays(t *testing.T, f tabletest.Fixture, q tabletest.Query, dir string, options []string) {
	c, j := open(t, dir, options...), newJudge(t)
	table := onlyTable(t, c)
	from := " FROM " + duckdb.QuoteName(table)
	plain := execute(t, c, "SELECT *"+from)
	s, err := c.GetTableSchema(context.Background(), nil, nil, table)
	if err != nil {
		t.Fatal(err)
	}
	sameSchema(t, "GetTableSchema", s, plain.schema)
	parts := readAll(t, open(t, dir, options...), statement(t, c, "SELECT *"+from))
	sameSchema(t, "ExecuteQuery", plain.schema, parts.schema)
	j.know(t, "plain", plain)
	j.know(t, "parts", parts)
	j.know(t, "engine", execute(t, c, "SELECT *"+from+" ORDER BY 1"))
	j.same(t, "(FROM plain)", "(FROM parts)")
	j.same(t, "(FROM plain)", "(FROM engine)")
	if q.AnsweredBy == "" && !strings.Contains(f.Name, "keygen") { // where Spark shows another type
		compareSpark(t, j, plain.schema, filepath.Join(f.Dir, q.File))
	}
}

func compareSpark(t *testing.T, j *judge, s *arrow.Schema, file string) {
	spark := fmt.Sprintf("read_parquet(%s, hive_partitioning = false)", duckdb.QuoteString(file))
	r, err := j.conn.Prepare(context.Background(), "FROM "+spark)
	if err != nil {
		t.Fatal(err)
	}
	theirs := r.Schema()
	r.Close()
	var a, b []string
	for _, field := range s.Fields() {
		if len(theirs.FieldIndices(field.Name)) == 1 && field.Name != "_hoodie_file_name" {
			name := duckdb.QuoteName(field.Name)
			// Units of timestamps are not the same in Spark's file.
			a = append(a, name)
			b = append(b, fmt.Sprintf("CAST(%s AS %s) AS %[1]s", name, j.typeOf(t, "plain", field.Name)))
		}
	}
	if len(a) < theirs.NumFields()-1 {
		t.Errorf("columns %s, Spark has %s", s, theirs)
	}
	j.same(t, "(SELECT "+strings.Join(a, ", ")+" FROM plain)", "(SELECT "+strings.Join(b, ", ")+" FROM "+spark+")")
}

// onlyTable gives the name of a database's only table.
func onlyTable(t *testing.T, c adbc.Connection) string {
	t.Helper()
	r, err := c.GetObjects(context.Background(), adbc.ObjectDepthTables, nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	r.Next()
	schemas := r.RecordBatch().Column(1).(*array.List).ListValues().(*array.Struct)
	tables := schemas.Field(1).(*array.List).ListValues().(*array.Struct)
	if tables.Len() != 1 {
		t.Fatalf("%d tables", tables.Len())
	}
	return strings.Clone(tables.Field(0).(*array.String).Value(0))
}

// typeOf gives DuckDB's type of a column.
func (j *judge) typeOf(t *testing.T, table, column string) string {
	t.Helper()
	r, err := j.conn.Query(context.Background(), "SELECT column_type FROM (DESCRIBE FROM "+table+") WHERE column_name = "+duckdb.QuoteString(column))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	return strings.Clone(b.Column(0).ValueStr(0)) // the batch is DuckDB's memory
}

// readAll reads the rows of all partitions of a statement.
func readAll(t *testing.T, c adbc.Connection, s adbc.Statement) *kept {
	t.Helper()
	schema, parts, _, err := s.ExecutePartitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if int(parts.NumPartitions) != len(parts.PartitionIDs) {
		t.Errorf("%d partitions, %d descriptors", parts.NumPartitions, len(parts.PartitionIDs))
	}
	all := &kept{schema: schema}
	for _, id := range parts.PartitionIDs {
		r, err := c.ReadPartition(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		k := keep(t, r)
		sameSchema(t, "ExecutePartitions", schema, k.schema)
		all.batches = append(all.batches, k.batches...)
	}
	return all
}
