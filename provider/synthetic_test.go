package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
)

// madeTable makes a copy-on-write table in memory of files with as many rows
// each: id and n count on from file to file, the other columns are random.
func madeTable(t testing.TB, files, rows int) (table func(off string) *provider.Table, bytes int64) {
	t.Helper()
	const instant = "20240101000000000"
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "a", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "c", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "d", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	avro := `{"type":"record","name":"made","fields":[{"name":"id","type":["null","string"],"default":null},{"name":"n","type":["null","long"],"default":null},
{"name":"a","type":["null","double"],"default":null},{"name":"b","type":["null","long"],"default":null},{"name":"c","type":["null","long"],"default":null},
{"name":"d","type":["null","string"],"default":null}]}`
	commit, err := json.Marshal(map[string]any{"partitionToWriteStats": map[string]any{}, "operationType": "BULK_INSERT", "extraMetadata": map[string]string{"schema": avro}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{
		".hoodie/hoodie.properties": []byte("hoodie.table.name=made\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\n" +
			"hoodie.table.recordkey.fields=id\nhoodie.populate.meta.fields=false\nhoodie.table.keygenerator.class=org.apache.hudi.keygen.NonpartitionedKeyGenerator\n"),
		".hoodie/" + instant + ".commit.requested": {}, ".hoodie/" + instant + ".inflight": {}, ".hoodie/" + instant + ".commit": commit,
		".hoodie_partition_metadata": []byte("commitTime=" + instant + "\npartitionDepth=0\n"),
	}
	for f := range files {
		data := madeFile(t, schema, f, rows)
		all[fmt.Sprintf("%08x-0000-4000-8000-000000000000-0_0-1-2_%s.parquet", f, instant)] = data
		bytes += int64(len(data))
	}
	uri := fmt.Sprintf("fixture://made/%d/%d", files, rows)
	inMemory().Store(uri, storage.NewMemory(all))
	return func(off string) *provider.Table {
		table, err := provider.Open(context.Background(), uri, provider.Options{Hudi: map[string]string{scan.OptionPruningOff: off}})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}, bytes
}

// TestIndexedLookupReadsFewFiles looks a key up in a table of 1,000 files with
// a record index: one file is opened, and of it only the pages with the key.
func TestIndexedLookupReadsFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 1,000 files")
	}
	const files, rows = 1000, 100
	table, size := madeTable(t, files, rows)
	uri := addRecordIndex(t, files, rows)
	for off, most := range map[string]int64{"": 1, scan.PruneRecordIndex: files} {
		indexed, err := provider.Open(context.Background(), uri, provider.Options{Hudi: map[string]string{scan.OptionPruningOff: off}})
		if err != nil {
			t.Fatal(err)
		}
		n, stats, err := countRows(indexed, provider.Query{Where: "id = 'key-000000012345'"})
		if err != nil || n != 1 {
			t.Fatalf("%d rows, %v", n, err)
		}
		if int64(stats.Plan.Slices) > most {
			t.Errorf("%d files planned", stats.Plan.Slices)
		}
		t.Logf("off: %q, %d files, %d bytes of %d", off, stats.Plan.Slices, stats.BytesRead, size)
	}
	n, stats, err := countRows(table("all"), provider.Query{Where: "id = 'key-000000012345'"})
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	t.Logf("without pruning %d bytes", stats.BytesRead)
}

// addRecordIndex gives a table like that of madeTable a metadata table with
// files and record_index.
func addRecordIndex(t testing.TB, files, rows int) (uri string) {
	t.Helper()
	const instant = "20240101000000000"
	made, _ := inMemory().Load(fmt.Sprintf("fixture://made/%d/%d", files, rows))
	ctx := context.Background()
	all := map[string][]byte{}
	for _, dir := range []string{"", ".hoodie"} {
		entries, err := made.(storage.Storage).List(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir {
				continue
			}
			name := storage.Join(dir, e.Name)
			if all[name], err = storage.ReadFile(ctx, made.(storage.Storage), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := newMetadataMaker(t)
	names, index := map[string]int64{}, map[string][]byte{}
	for f := range files {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000-0", f)
		file := fmt.Sprintf("%s_0-1-2_%s.parquet", id, instant)
		names[file] = int64(len(all[file]))
		for i := range rows {
			index[fmt.Sprintf("key-%012d", f*rows+i)] = m.record(5, "recordIndexMetadata", "HoodieRecordIndexInfo", fields{
				"partitionName": branch{"string", ""}, "fileIdHighBits": branch{"long", int64(-1)}, "fileIdLowBits": branch{"long", int64(-1)},
				"fileIndex": branch{"int", int64(-1)}, "instantTime": branch{"long", int64(1704067200000)}, "fileIdEncoding": int64(1), "fileId": branch{"string", id},
			})
		}
	}
	all[".hoodie/hoodie.properties"] = append(all[".hoodie/hoodie.properties"], "hoodie.table.metadata.partitions=files,record_index\n"...)
	all[".hoodie/metadata/.hoodie/hoodie.properties"] = []byte(metadataProperties)
	all[".hoodie/metadata/files/files-0000-0_0-1-2_"+instant+".hfile"] = m.hfile(map[string][]byte{
		"__all_partitions__": m.files(1, map[string]int64{".": 0}), ".": m.files(2, names),
	})
	for n, part := range byGroup(index, 10) {
		all[fmt.Sprintf(".hoodie/metadata/record_index/record-index-%04d-0_0-1-2_%s.hfile", n, instant)] = m.hfile(part)
	}
	for _, state := range []string{".commit.requested", ".inflight", ".commit"} {
		all[".hoodie/metadata/.hoodie/"+instant+state] = all[".hoodie/"+instant+state]
	}
	uri = fmt.Sprintf("fixture://indexed/%d/%d", files, rows)
	inMemory().Store(uri, storage.NewMemory(all))
	return uri
}

func madeFile(t testing.TB, schema *arrow.Schema, file, rows int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(file), 1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range rows {
		n := int64(file*rows + i)
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("key-%012d", n))
		b.Field(1).(*array.Int64Builder).Append(n)
		b.Field(2).(*array.Float64Builder).Append(r.Float64())
		b.Field(3).(*array.Int64Builder).Append(r.Int64())
		b.Field(4).(*array.Int64Builder).Append(r.Int64())
		b.Field(5).(*array.StringBuilder).Append(fmt.Sprintf("%x", r.Uint64()))
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false),
		parquet.WithPageIndexEnabled(true), parquet.WithDataPageSize(64<<10), parquet.WithBatchSize(1024), parquet.WithMaxRowGroupLength(int64(rows))), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLookupReadsFewFiles looks a key up in a table of 1,000 files: all but one
// are left out by their footers.
func TestLookupReadsFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 1,000 files")
	}
	table, _ := madeTable(t, 1000, 100)
	n, stats, err := countRows(table(""), provider.Query{Where: "id = 'key-000000012345'"})
	if err != nil || n != 1 {
		t.Fatalf("%d rows, %v", n, err)
	}
	for _, l := range stats.Levels {
		if l.Level == "row groups" && (l.Seen != 1000 || l.Seen-l.Pruned > 3) {
			t.Errorf("%d of %d files' pages were read", l.Seen-l.Pruned, l.Seen)
		}
		if l.Level == "rows" && l.Seen > 300 {
			t.Errorf("%d rows were asked", l.Seen)
		}
	}
}

// TestRangeReadsFewBytes reads a hundredth of the rows of a big file, which are
// together.
func TestRangeReadsFewBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a file of 1,000,000 rows")
	}
	table, size := madeTable(t, 1, 1_000_000)
	q := provider.Query{Where: "n BETWEEN 500000 AND 509999"}
	start := time.Now()
	n, stats, err := countRows(table(""), q)
	pruned := time.Since(start)
	if err != nil || n != 10_000 {
		t.Fatalf("%d rows, %v", n, err)
	}
	start = time.Now()
	n, all, err := countRows(table("all"), q)
	whole := time.Since(start)
	if err != nil || n != 10_000 {
		t.Fatalf("%d rows without pruning, %v", n, err)
	}
	t.Logf("%d of %d bytes in %v; without pruning %d in %v", stats.BytesRead, size, pruned, all.BytesRead, whole)
	if stats.BytesRead > size*3/100 {
		t.Errorf("%d of %d bytes were read", stats.BytesRead, size)
	}
	// Where statistics can't tell, other columns are read late.
	q.Where = "d LIKE '%abcde%'"
	n, late, err := countRows(table(""), q)
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	n2, plain, err := countRows(table(scan.PruneLate), q)
	if err != nil || n2 != n {
		t.Fatalf("%d rows, want %d: %v", n2, n, err)
	}
	t.Logf("%d scattered rows: %d bytes, %d without late columns", n, late.BytesRead, plain.BytesRead)
	if late.BytesRead > plain.BytesRead*2/3 {
		t.Errorf("%d bytes with late columns, %d without", late.BytesRead, plain.BytesRead)
	}
}
