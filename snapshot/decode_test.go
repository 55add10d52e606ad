package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// records gives values of base files of real metadata tables with their
// schemas, a few of each partition.
func records(t testing.TB, do func(partition, schema string, value []byte)) {
	t.Helper()
	for _, name := range []string{"v9/mdt_full", "v6/mdt_full_mor"} {
		s := openSnapshot(t, tabletest.Open(t, name))
		m, err := s.Metadata(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, partition := range s.Config().MetadataPartitions {
			groups, err := m.Groups(t.Context(), partition)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				if g.Base != nil {
					someRecords(t, m.st, g.Base.Path, func(schema string, value []byte) { do(partition, schema, value) })
				}
			}
		}
	}
}

func someRecords(t testing.TB, st storage.Storage, file string, do func(schema string, value []byte)) {
	t.Helper()
	f, err := st.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := hfile.Open(f, f.Size())
	if err != nil {
		t.Fatal(err)
	}
	schema, _ := h.Info("schema")
	n := 0
	for e, err := range h.Entries("") {
		if err != nil {
			t.Fatal(err)
		}
		do(string(schema), e.Value)
		if n++; n == 3 {
			return
		}
	}
}

// TestDecodeCut decodes real records, and fails on each of their beginnings.
func TestDecodeCut(t *testing.T) {
	seen := 0
	records(t, func(partition, schema string, value []byte) {
		d, err := metadataDecoderFor(schema)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.decode(value)
		if err != nil {
			t.Fatalf("%s: %v", partition, err)
		}
		if r.Files == nil && r.Stats == nil && r.Bloom == nil && r.Location == nil && r.kind != recordSecondary {
			t.Errorf("%s: nothing in %+v", partition, r)
		}
		for n := range min(len(value), 300) {
			if _, err := d.decode(value[:n]); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s: %d of %d bytes: %v", partition, n, len(value), err)
			}
		}
		if _, err := d.decode(append(value[:len(value):len(value)], 0)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: a byte too many: %v", partition, err)
		}
		seen++
	})
	if seen < 10 {
		t.Errorf("only %d records", seen)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	d, err := metadataDecoderFor(string(seeds(f, "testdata/records/*.json")[0]))
	if err != nil {
		f.Fatal(err)
	}
	for _, value := range seeds(f, "testdata/records/*.bin") {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := d.decode(value)
		if err == nil && len(r.Files) > len(value) {
			t.Errorf("%d files out of %d bytes", len(r.Files), len(value))
		}
	})
}

func FuzzRecordSchema(f *testing.F) {
	values := seeds(f, "testdata/records/*.bin")
	f.Add(seeds(f, "testdata/records/*.json")[0])
	f.Add([]byte(`{"type":"record","name":"r","fields":[{"name":"ColumnStatsMetadata","type":["null","r"]}]}`))
	f.Add([]byte(bomb(60)))
	f.Fuzz(func(t *testing.T, schema []byte) {
		root, err := parseAvroNode(string(schema))
		if err != nil || root.kind != avroRecord {
			return
		}
		for _, value := range values {
			(&metadataDecoder{root}).decode(value)
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	for _, data := range seeds(f, "testdata/commits/*") {
		f.Add(data)
	}
	f.Add([]byte("Obj\x01"))
	f.Add([]byte(" {}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseCommit(data)
		if err == nil && m == nil {
			t.Error("neither metadata nor an error")
		}
	})
}

// bomb is a schema whose records hold two records each, n deep, and no data.
func bomb(n int) string {
	schema := `{"type":"record","name":"r0","fields":[]}`
	for i := range n {
		schema = fmt.Sprintf(`{"type":"record","name":"r%d","fields":[{"name":"a","type":%s},{"name":"b","type":"r%d"}]}`, i+1, schema, i)
	}
	return schema
}

// seeds reads files of this package's testdata, cut from real tables.
func seeds(t testing.TB, pattern string) [][]byte {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all [][]byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

func TestParseCommit(t *testing.T) {
	for name, data := range map[string]string{
		"json":           `{"partitionToWriteStats":{"p":[{"fileId":"f","path":"p/f","numWrites":3,"unknown":{"x":[1]},"cdcStats":null,"prevCommit":"null"}]},"extraMetadata":{"schema":"s","x":null},"operationType":"UPSERT","fileIdAndRelativePaths":{}}`,
		"leading blanks": "\n  {\"partitionToWriteStats\":{\"p\":[{\"fileId\":\"f\",\"path\":\"p/f\",\"numWrites\":3}]},\"extraMetadata\":{\"schema\":\"s\"},\"operationType\":\"UPSERT\"}",
	} {
		m, err := parseCommit([]byte(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Schema() != "s" || m.OperationType != "UPSERT" || m.WriteStats["p"][0].NumWrites != 3 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m, err := parseCommit(nil); err != nil || m.Schema() != "" {
		t.Errorf("empty file: %+v, %v", m, err)
	}
	for _, data := range []string{"{", "x", "Obj\x01", "Obj\x01\x02\x16avro.schema", "{\"extraMetadata\":3}"} {
		if _, err := parseCommit([]byte(data)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// TestFaults opens and lists real tables whose storage fails at each access in
// turn: each fault must come out as an error, or leave the answer as it is.
func TestFaults(t *testing.T) {
	fault := errors.New("fault")
	for _, f := range tabletest.All(t) {
		switch f.Name {
		case "v6/upgraded", "v9/mor_pending_compaction", "v9/archived_cow", "v6/bootstrap_metadata_only":
		default:
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			o := Options{Hudi: f.Options(t)}
			for at := 0; ; at++ {
				n, hit := 0, ""
				st := storage.Failing(f.Storage(t), func(op storage.Op, path string) error {
					if n++; n == at {
						hit = string(op) + " " + path
						return fault
					}
					return nil
				})
				err := ask(t, st, o)
				if err == nil && hit != "" || err != nil && !errors.Is(err, fault) {
					t.Errorf("%s: %v", hit, err)
				}
				if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), st.Root())) {
					t.Errorf("message: %v", err)
				}
				if at > 0 && hit == "" {
					return
				}
			}
		})
	}
}

// ask asks a table everything.
func ask(t *testing.T, st storage.Storage, o Options) error {
	s, err := Open(t.Context(), st, o)
	if err != nil {
		return err
	}
	if _, err := s.Slices(t.Context(), SliceOptions{}); err != nil {
		return err
	}
	if _, err := s.Schema(t.Context()); err != nil {
		return err
	}
	_, err = s.Timeline().All(t.Context())
	return err
}

// TestSchema takes the schema of the instant asked for.
func TestSchema(t *testing.T) {
	meta := func(schema, latest string) []byte {
		return []byte(`{"partitionToWriteStats":{},"extraMetadata":{"schema":"` + schema + `","latest_schema":"` + latest + `"}}`)
	}
	f := newFake(9)
	f.props["hoodie.table.create.schema"] = "declared"
	for _, step := range []struct {
		name string
		do   func()
		o    Options
		want TableSchema
	}{
		{"declared", func() {}, Options{}, TableSchema{Avro: "declared"}},
		{"no commit has one", func() { f.instant("001", ActionCommit, "002", nil, nil) }, Options{}, TableSchema{Avro: "declared"}},
		{"archived", func() { f.history = []historyLine{{"000", "000", ActionCommit, string(meta("archived", ""))}} }, Options{}, TableSchema{Avro: "archived", Instant: "000"}},
		{"committed", func() { f.instant("003", ActionCommit, "004", meta("a", ""), nil) }, Options{}, TableSchema{Avro: "a", Instant: "003"}},
		{"pending", func() { f.instant("005", ActionCommit, "inflight", meta("b", ""), nil) }, Options{}, TableSchema{Avro: "a", Instant: "003"}},
		{"newer", func() {
			f.instant("005", ActionCommit, "006", meta("b", ""), nil)
			f.instant("007", ActionClean, "008", cleanMetadata(t, ""), nil)
		}, Options{}, TableSchema{Avro: "b", Instant: "005"}},
		{"as of", func() {}, Options{AsOf: "004"}, TableSchema{Avro: "a", Instant: "003"}},
		{"internal without history", func() { f.instant("010", ActionCommit, "011", meta("c", "i1"), nil) }, Options{},
			TableSchema{Avro: "c", Instant: "010", Internal: "i1"}},
		{"history", func() {
			f.files[".hoodie/.schema/010.schemacommit"] = []byte("h1")
			f.files[".hoodie/.schema/012.schemacommit"] = []byte("of no commit")
			f.files[".hoodie/.schema/010.schemacommit.inflight"] = []byte("x")
		}, Options{}, TableSchema{Avro: "c", Instant: "010", Internal: "i1", History: "h1"}},
		{"a later write carries none on", func() { f.instant("020", ActionCommit, "021", meta("d", ""), nil) }, Options{},
			TableSchema{Avro: "d", Instant: "020", Internal: "i1", History: "h1"}},
		{"as of before", func() {}, Options{AsOf: "009"}, TableSchema{Avro: "b", Instant: "005"}},
	} {
		step.do()
		got, err := f.open(t, step.o).Schema(t.Context())
		if err != nil || got != step.want {
			t.Errorf("%s: %+v, %v", step.name, got, err)
		}
	}
}

// TestSchemaOfFile falls back on the newest file that a commit wrote rows to.
func TestSchemaOfFile(t *testing.T) {
	for name, log := range map[string]bool{"v9/mor_pending_compaction": false, "v6/leftovers_mor": true} {
		s := openSnapshot(t, tabletest.Open(t, name))
		want, err := s.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Slices(t.Context(), SliceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		file := all[0].Base.Path
		if log {
			file = all[0].Logs[0].Path
		}
		var got TableSchema
		if err := s.schemaOfFile(t.Context(), file, &got); err != nil {
			t.Fatal(err)
		}
		if !log { // written by Spark, whose files carry no Avro schema
			if got.File != file || got.Avro != "" {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		// The file has the meta columns, too.
		if !strings.Contains(got.Avro, `"_hoodie_record_key"`) || strings.Count(got.Avro, `"name"`) != strings.Count(want.Avro, `"name"`)+5 {
			t.Errorf("%s: %s has %s, want %s", name, path.Base(file), got.Avro, want.Avro)
		}
	}
}

func TestBootstrap(t *testing.T) {
	for _, f := range tabletest.All(t) {
		if f.Name != "v9/bootstrap_metadata_only" && f.Name != "v6/bootstrap_metadata_only_mor" {
			continue
		}
		dir := f.Open(t)
		st, err := storage.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Hudi: f.Options(t)}
		s, err := Open(t.Context(), st, o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Slices(t.Context(), SliceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		skeletons := 0
		for _, slice := range all {
			if slice.Base == nil || slice.Base.Instant != bootstrapInstant {
				if slice.Base != nil && slice.Base.Bootstrap != nil {
					t.Errorf("%s: %+v is no skeleton", f.Name, slice.Base)
				}
				continue
			}
			skeletons++
			b := slice.Base.Bootstrap
			source, err := storage.Open(t.Context(), b.Root, nil)
			if err != nil {
				t.Fatal(err)
			}
			in, err := source.Open(t.Context(), b.Path)
			if err != nil {
				t.Fatal(err)
			}
			if in.Size() != b.Size || b.Partition != slice.Partition {
				t.Errorf("%s: %+v has %d bytes", f.Name, b, in.Size())
			}
			in.Close()
		}
		if skeletons == 0 {
			t.Errorf("%s: no skeletons", f.Name)
		}
		// Without the index, the data columns are lost.
		broken := storage.Failing(st, func(op storage.Op, path string) error {
			if strings.HasPrefix(path, bootstrapFileIDs) {
				return errors.New("fault")
			}
			return nil
		})
		if s, err = Open(t.Context(), broken, o); err == nil {
			_, err = s.Slices(t.Context(), SliceOptions{})
		}
		var te *TableError
		if !errors.As(err, &te) || te.File != bootstrapFileIDs {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
