package avro

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	hamba "github.com/hamba/avro/v2"

	"github.com/hudi-go/hudi/internal/hudilog"
)

type osFile struct {
	*os.File
	size int64
}

func (f osFile) Size() int64  { return f.size }
func (f osFile) Path() string { return f.Name() }

// blockOf gives the schema and the records of a log file with one Avro block.
func blockOf(t testing.TB, name string) (*Schema, [][]byte) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	blocks, err := hudilog.Blocks(context.Background(), osFile{f, info.Size()})
	if err != nil || len(blocks) != 1 {
		t.Fatal(len(blocks), err)
	}
	s, err := Parse(blocks[0].Header[hudilog.Schema])
	if err != nil {
		t.Fatal(err)
	}
	content, err := blocks[0].Content()
	if err != nil {
		t.Fatal(err)
	}
	_, seq, err := hudilog.AvroRecords(content)
	if err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for rec, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return s, records
}

func decodeAll(t testing.TB, s *Schema, records [][]byte, columns []string, mem memory.Allocator) arrow.RecordBatch {
	t.Helper()
	d, err := NewDecoder(s, columns, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	for _, rec := range records {
		if err := d.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	return d.NewBatch()
}

// Records that Hudi 1.2.0 wrote, all column types, compared with the answer
// that Spark gave for them.
func TestRealRecordsAgainstSpark(t *testing.T) {
	for _, tt := range []struct{ log, spark string }{
		{"all_types.log", "all_types_spark.parquet"},
		{"all_types_ntz.log", "all_types_ntz_spark.parquet"},
	} {
		t.Run(tt.log, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			s, records := blockOf(t, tt.log)
			got := decodeAll(t, s, records, nil, mem)
			defer got.Release()
			want := sparkRows(t, tt.spark)
			same := 0
			for i := range records {
				key := rowText(got, "_hoodie_record_key", i) + rowText(got, "_hoodie_commit_time", i)
				row, ok := want[key]
				if !ok {
					continue // updated or deleted later
				}
				same++
				for _, f := range got.Schema().Fields() {
					if f.Name == "_hoodie_file_name" {
						continue
					}
					if g := rowText(got, f.Name, i); g != row[f.Name] {
						t.Errorf("row %s column %s is %s, want %s", key, f.Name, g, row[f.Name])
					}
				}
			}
			if same < len(records)/2 {
				t.Errorf("only %d of %d rows are in the answer", same, len(records))
			}
		})
	}
}

// sparkRows reads a Parquet file of Spark by record key and commit time.
func sparkRows(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	r, err := file.OpenParquetFile(filepath.Join("testdata", name), false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := fr.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	rows := make(map[string]map[string]string)
	tr := array.NewTableReader(table, 0)
	defer tr.Release()
	for tr.Next() {
		b := tr.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make(map[string]string)
			for _, f := range b.Schema().Fields() {
				row[f.Name] = rowText(b, f.Name, i)
			}
			rows[row["_hoodie_record_key"]+row["_hoodie_commit_time"]] = row
		}
	}
	return rows
}

func rowText(b arrow.RecordBatch, column string, i int) string {
	at := b.Schema().FieldIndices(column)
	if len(at) != 1 {
		return "no column"
	}
	col := b.Column(at[0])
	if ts, ok := col.(*array.Timestamp); ok && ts.IsValid(i) {
		unit := ts.DataType().(*arrow.TimestampType).Unit
		return ts.Value(i).ToTime(unit).String()
	}
	return strings.ReplaceAll(arrowText(col, i), "\x00", "")
}

// The same records compared with hamba/avro, all columns of all rows.
func TestRealRecordsAgainstOracle(t *testing.T) {
	for _, log := range []string{"all_types.log", "all_types_ntz.log"} {
		s, records := blockOf(t, log)
		var root map[string]any
		if err := json.Unmarshal([]byte(s.String()), &root); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(plain(root))
		oracle, err := hamba.ParseWithCache(string(text), "", &hamba.SchemaCache{})
		if err != nil {
			t.Fatal(err)
		}
		got := decodeAll(t, s, records, nil, memory.DefaultAllocator)
		defer got.Release()
		for i, rec := range records {
			var v map[string]any
			if err := hamba.Unmarshal(oracle, rec, &v); err != nil {
				t.Fatal(err)
			}
			for c, f := range root["fields"].([]any) {
				f := f.(map[string]any)
				if g, w := arrowText(got.Column(c), i), oracleText(f["type"], v[f["name"].(string)]); g != w {
					t.Fatalf("%s row %d column %v is %s, want %s", log, i, f["name"], g, w)
				}
			}
		}
	}
}
