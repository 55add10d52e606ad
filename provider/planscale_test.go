package provider_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hfile/hfiletest"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// metadataSchema is the schema of metadata records as Hudi 1.2.0 writes it,
// taken from a real table.
func metadataSchema(t testing.TB) string {
	t.Helper()
	st := tabletest.Fixture{Name: "v9/mdt_full", Dir: "../testdata/tables/v9/mdt_full"}.Storage(t)
	ctx := context.Background()
	entries, err := st.List(ctx, ".hoodie/metadata/files")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name, ".hfile") {
			continue
		}
		f, err := st.Open(ctx, ".hoodie/metadata/files/"+e.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := hfile.Open(f, f.Size())
		if err != nil {
			t.Fatal(err)
		}
		if schema, ok := r.Info("schema"); ok {
			return string(schema)
		}
	}
	t.Fatal("no HFile with a schema")
	return ""
}

// A metadataMaker makes records of the metadata table.
type metadataMaker struct {
	text   string
	schema any // as JSON
	named  map[string]any
}

func newMetadataMaker(t testing.TB) *metadataMaker {
	m := &metadataMaker{text: metadataSchema(t), named: map[string]any{}}
	if err := json.Unmarshal([]byte(m.text), &m.schema); err != nil {
		t.Fatal(err)
	}
	return m
}

type fields map[string]any

// append encodes a value in Avro's binary form. Values of unions other than
// null stand in a branch.
func (m *metadataMaker) append(b []byte, schema, value any) []byte {
	switch s := schema.(type) {
	case string:
		if known, ok := m.named[s]; ok {
			return m.append(b, known, value)
		}
		switch s {
		case "null":
			return b
		case "boolean":
			if value.(bool) {
				return append(b, 1)
			}
			return append(b, 0)
		case "int", "long":
			return binary.AppendVarint(b, value.(int64))
		case "string":
			return append(binary.AppendVarint(b, int64(len(value.(string)))), value.(string)...)
		}
	case []any:
		for i, of := range s {
			name, _ := of.(string)
			if o, ok := of.(map[string]any); ok {
				if name, ok = o["name"].(string); !ok {
					name = o["type"].(string)
				}
			}
			if v, ok := value.(branch); value == nil && name == "null" || ok && name == v.name {
				return m.append(binary.AppendVarint(b, int64(i)), of, v.value)
			}
		}
	case map[string]any:
		if name, ok := s["name"].(string); ok {
			m.named[name] = s
		}
		switch s["type"] {
		case "record":
			for _, f := range s["fields"].([]any) {
				f := f.(map[string]any)
				b = m.append(b, f["type"], value.(fields)[f["name"].(string)])
			}
			return b
		case "map":
			entries := value.(fields)
			b = binary.AppendVarint(b, int64(len(entries)))
			for k, v := range entries {
				b = m.append(m.append(b, "string", k), s["values"], v)
			}
			if len(entries) > 0 {
				b = append(b, 0)
			}
			return b
		default:
			return m.append(b, s["type"], value)
		}
	}
	panic(fmt.Sprintf("no form of %v in %v", value, schema))
}

type branch struct {
	name  string
	value any
}

func (m *metadataMaker) record(kind int64, field, typ string, value fields) []byte {
	return m.append(nil, m.schema, fields{"key": "", "type": kind, field: branch{typ, value}})
}

func (m *metadataMaker) files(kind int64, sizes map[string]int64) []byte {
	all := fields{}
	for name, size := range sizes {
		all[name] = fields{"size": size, "isDeleted": false}
	}
	return m.record(kind, "filesystemMetadata", "map", all)
}

// stats makes a record of column_stats with long bounds.
func (m *metadataMaker) stats(file, column string, low, high int64) []byte {
	long := func(n int64) branch { return branch{"LongWrapper", fields{"value": n}} }
	count := func(n int64) branch { return branch{"long", n} }
	return m.record(3, "ColumnStatsMetadata", "HoodieMetadataColumnStats", fields{
		"fileName": branch{"string", file}, "columnName": branch{"string", column}, "minValue": long(low), "maxValue": long(high),
		"valueCount": count(1000), "nullCount": count(0), "totalSize": count(8000), "totalUncompressedSize": count(8000),
		"isDeleted": false, "isTightBound": true, "valueType": branch{"HoodieValueTypeInfo", fields{"typeOrdinal": int64(4), "additionalInfo": nil}},
	})
}

// hfile makes a base file of the metadata table.
func (m *metadataMaker) hfile(records map[string][]byte) []byte {
	keys := make([]string, 0, len(records))
	for k := range records {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	w := hfiletest.Writer{Codec: hfiletest.GZ, PerBlock: 4000, Levels: 1, Info: map[string]string{"schema": m.text}}
	return w.Write(len(keys), func(i int) (string, []byte) { return keys[i], records[keys[i]] })
}

const metadataProperties = "hoodie.table.name=made_metadata\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\n" +
	"hoodie.table.base.file.format=HFILE\nhoodie.table.recordkey.fields=key\nhoodie.populate.meta.fields=false\n"

// manyFiles makes a table in memory whose metadata table lists partitions of
// ten files each, with statistics of the columns n (rising from file to file),
// a, b and c. The files themselves are not there.
func manyFiles(t testing.TB, partitions int) func() *provider.Table {
	t.Helper()
	const instant = "20240101000000000"
	uri := fmt.Sprintf("fixture://many/%d", partitions)
	open := func() *provider.Table {
		table, err := provider.Open(context.Background(), uri, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	if _, ok := inMemory().Load(uri); ok {
		return open
	}
	m := newMetadataMaker(t)
	files, stats := map[string][]byte{}, map[string][]byte{}
	all := map[string]int64{}
	for p := range partitions {
		partition := fmt.Sprintf("day=%05d", p)
		all[partition] = 0
		sizes := map[string]int64{}
		for f := range 10 {
			name := fmt.Sprintf("%08x-%04x-4000-8000-000000000000-0_0-1-2_%s.parquet", uint32(p*2654435761), f, instant)
			sizes[name] = 1 << 20
			for c, column := range []string{"n", "a", "b", "c"} {
				low := int64(p*10+f) * 1000
				if c > 0 {
					low = 0
				}
				stats[snapshot.PartitionStatsKey(column, partition)+snapshot.FileStatsSuffix(name)] = m.stats(name, column, low, low+999)
			}
		}
		files[partition] = m.files(2, sizes)
	}
	files["__all_partitions__"] = m.files(1, all)
	avroSchema := `{"type":"record","name":"many","fields":[{"name":"n","type":["null","long"],"default":null},{"name":"a","type":["null","long"],"default":null},
{"name":"b","type":["null","long"],"default":null},{"name":"c","type":["null","long"],"default":null},{"name":"day","type":["null","string"],"default":null}]}`
	commit, err := json.Marshal(map[string]any{"partitionToWriteStats": map[string]any{}, "operationType": "BULK_INSERT", "extraMetadata": map[string]string{"schema": avroSchema}})
	if err != nil {
		t.Fatal(err)
	}
	store := map[string][]byte{
		".hoodie/hoodie.properties": []byte("hoodie.table.name=many\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\n" +
			"hoodie.table.recordkey.fields=n\nhoodie.table.partition.fields=day\nhoodie.datasource.write.hive_style_partitioning=true\n" +
			"hoodie.table.keygenerator.class=org.apache.hudi.keygen.SimpleKeyGenerator\nhoodie.table.metadata.partitions=files,column_stats\n"),
		".hoodie/metadata/.hoodie/hoodie.properties":                      []byte(metadataProperties),
		".hoodie/metadata/files/files-0000-0_0-1-2_" + instant + ".hfile": m.hfile(files),
	}
	for n, part := range byGroup(stats, 2) {
		store[fmt.Sprintf(".hoodie/metadata/column_stats/col-stats-%04d-0_0-1-2_%s.hfile", n, instant)] = m.hfile(part)
	}
	for _, timeline := range []string{".hoodie/", ".hoodie/metadata/.hoodie/"} {
		store[timeline+instant+".commit.requested"], store[timeline+instant+".inflight"], store[timeline+instant+".commit"] = nil, nil, commit
	}
	inMemory().Store(uri, storage.NewMemory(store))
	return open
}

// byGroup puts records into the file groups that their keys hash to, as Java
// hashes texts of ASCII.
func byGroup(records map[string][]byte, n int) []map[string][]byte {
	groups := make([]map[string][]byte, n)
	for i := range groups {
		groups[i] = map[string][]byte{}
	}
	for k, v := range records {
		h := int32(0)
		for i := range len(k) {
			h = 31*h + int32(k[i])
		}
		groups[max(h, -h)%int32(n)][k] = v
	}
	return groups
}

var manyConditions = map[string]string{
	"all":       "",
	"partition": "day = '00042'",
	"range":     "n BETWEEN 4200000 AND 4200500",
	"hundredth": "day BETWEEN '00100' AND '00199'",
}

// BenchmarkPlan plans a table of 10,000 partitions and 100,000 files by its
// metadata table, from opening the table on.
func BenchmarkPlan(b *testing.B) {
	open := manyFiles(b, 10_000)
	for _, name := range []string{"all", "partition", "range", "hundredth"} {
		b.Run(name, func(b *testing.B) {
			old := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(old)
			b.ReportAllocs()
			tasks, before := 0, cpuTime()
			for b.Loop() {
				plan, err := open().Plan(context.Background(), provider.Query{Where: manyConditions[name]})
				if err != nil {
					b.Fatal(err)
				}
				tasks = len(plan.Tasks)
			}
			b.ReportMetric(float64(tasks), "files")
			b.ReportMetric((cpuTime()-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// TestPlanKeepsWhatSurvives: what is left of planning a big table goes with the
// files that survive, not with those that there are.
func TestPlanKeepsWhatSurvives(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a metadata table of 20,000 files")
	}
	open := manyFiles(t, 2000)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	kept := map[string]int64{}
	for name, where := range manyConditions {
		table := open()
		before := heap()
		plan, err := table.Plan(context.Background(), provider.Query{Where: where})
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = heap() - before
		t.Logf("%s: %d files, %d bytes", name, len(plan.Tasks), kept[name])
		if want := map[string]int{"all": 20_000, "partition": 10, "range": 1, "hundredth": 1000}[name]; len(plan.Tasks) != want {
			t.Errorf("%s: %d files, want %d", name, len(plan.Tasks), want)
		}
		runtime.KeepAlive(table)
	}
	for _, name := range []string{"partition", "range", "hundredth"} {
		if kept[name] > kept["all"]/4 {
			t.Errorf("%s keeps %d bytes, all files %d", name, kept[name], kept["all"])
		}
	}
}
