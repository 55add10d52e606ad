package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/hamba/avro/v2/ocf"

	"github.com/hudi-go/hudi/internal/storage"
)

// A fake is a table held in memory, put together by a test.
type fake struct {
	version int
	props   map[string]string
	files   map[string][]byte
	history []historyLine
}

type historyLine struct{ requested, completed, action, metadata string }

func newFake(version int) *fake {
	f := &fake{version: version, files: map[string][]byte{}, props: map[string]string{
		"hoodie.table.name": "t", "hoodie.table.type": MergeOnRead, "hoodie.table.version": fmt.Sprint(version),
		"hoodie.table.partition.fields": "p",
	}}
	return f
}

func (f *fake) dir() string {
	if f.version < 8 {
		return ".hoodie/"
	}
	return ".hoodie/timeline/"
}

// instant adds the files of an action that got to a state. completed is the
// completion time of layout 2; "requested" and "inflight" end it earlier.
func (f *fake) instant(requested, action, completed string, metadata, plan []byte) {
	name := action
	if f.version < 8 && action == ActionClustering {
		name = ActionReplaceCommit
	}
	f.files[f.dir()+requested+"."+name+".requested"] = plan
	if completed == "requested" {
		return
	}
	inflight := "." + name + ".inflight"
	if name == ActionCommit {
		inflight = ".inflight"
	}
	f.files[f.dir()+requested+inflight] = nil
	if completed == "inflight" {
		return
	}
	if f.version >= 8 && completed != "legacy" {
		requested += "_" + completed
	}
	f.files[f.dir()+requested+"."+completedAs(name)] = metadata
}

func (f *fake) storage(t testing.TB) storage.Storage {
	t.Helper()
	var b strings.Builder
	for k, v := range f.props {
		b.WriteString(k + "=" + strings.ReplaceAll(v, "\\", "\\\\") + "\n")
	}
	f.files[propertiesFile] = []byte(b.String())
	if len(f.history) > 0 {
		f.files[".hoodie/timeline/history/_version_"] = []byte("1")
		f.files[".hoodie/timeline/history/manifest_1"] = []byte(`{"files":[{"fileName":"1_2_0.parquet","fileLen":1}]}`)
		f.files[".hoodie/timeline/history/1_2_0.parquet"] = historyFile(t, f.history)
	}
	return storage.NewMemory(f.files)
}

func (f *fake) open(t testing.TB, o Options) *Snapshot {
	t.Helper()
	s, err := Open(t.Context(), f.storage(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// historyFile writes a file of the archived timeline of layout 2.
func historyFile(t testing.TB, lines []historyLine) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "instantTime", Type: arrow.BinaryTypes.String}, {Name: "completionTime", Type: arrow.BinaryTypes.String},
		{Name: "action", Type: arrow.BinaryTypes.String}, {Name: "metadata", Type: arrow.BinaryTypes.Binary, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, l := range lines {
		b.Field(0).(*array.StringBuilder).Append(l.requested)
		b.Field(1).(*array.StringBuilder).Append(l.completed)
		b.Field(2).(*array.StringBuilder).Append(l.action)
		b.Field(3).(*array.BinaryBuilder).Append([]byte(l.metadata))
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, nil, pqarrow.DefaultWriterProps())
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

// replaceMetadata is the metadata of a replacecommit that took groups away,
// each "partition/fileId".
func replaceMetadata(t testing.TB, groups []string) []byte {
	t.Helper()
	m := CommitMetadata{ReplacedFileIDs: map[string][]string{}}
	for _, g := range groups {
		at := strings.LastIndexByte(g, '/')
		m.ReplacedFileIDs[g[:at]] = append(m.ReplacedFileIDs[g[:at]], g[at+1:])
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compactionPlan is an Avro container with a plan over groups.
func compactionPlan(t testing.TB, groups []string) []byte {
	t.Helper()
	type operation struct {
		FileID    *string `avro:"fileId"`
		Partition *string `avro:"partitionPath"`
	}
	var plan struct {
		Operations []operation `avro:"operations"`
	}
	for _, g := range groups {
		at := strings.LastIndexByte(g, '/')
		partition, id := g[:at], g[at+1:]
		plan.Operations = append(plan.Operations, operation{FileID: &id, Partition: &partition})
	}
	return container(t, `{"type":"record","name":"HoodieCompactionPlan","fields":[{"name":"operations","type":["null",{"type":"array","items":
		{"type":"record","name":"HoodieCompactionOperation","fields":[{"name":"fileId","type":["null","string"]},{"name":"partitionPath","type":["null","string"]}]}}]}]}`, plan)
}

func container(t testing.TB, schema string, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := ocf.NewEncoder(schema, &out)
	if err == nil {
		err = e.Encode(v)
	}
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cleanMetadata is what a clean leaves.
func cleanMetadata(t testing.TB, earliest string) []byte {
	t.Helper()
	return container(t, `{"type":"record","name":"HoodieCleanMetadata","fields":[{"name":"earliestCommitToRetain","type":"string"},
		{"name":"partitionMetadata","type":{"type":"map","values":{"type":"record","name":"P","fields":[{"name":"successDeleteFiles","type":{"type":"array","items":"string"}}]}}}]}`,
		avroClean{Earliest: earliest, Partitions: map[string]avroCleanPartition{"p": {Deleted: []string{"f"}}}})
}

// rollbackMetadata says which instants a rollback took away.
func rollbackMetadata(t testing.TB, instants []string) []byte {
	t.Helper()
	return container(t, `{"type":"record","name":"HoodieRollbackMetadata","fields":[{"name":"commitsRollback","type":{"type":"array","items":"string"}}]}`,
		avroRollback{instants})
}
