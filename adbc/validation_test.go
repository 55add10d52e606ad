package adbc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/validation"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/suite"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/version"
)

// TestValidation runs the test suite that the ADBC project has for drivers in
// Go. docs/ADBC.md names the tests that do not apply.
func TestValidation(t *testing.T) {
	q := &quirks{dir: t.TempDir(), mem: memory.NewCheckedAllocator(memory.DefaultAllocator)}
	// A folder without a table is no database.
	seed := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil), []arrow.Array{array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, 0, []*memory.Buffer{nil, nil}, nil, 0, 0))}, 0)
	if err := writeTable(filepath.Join(q.dir, "seed"), seed); err != nil {
		t.Fatal(err)
	}
	t.Run("database", func(t *testing.T) { suite.Run(t, &validation.DatabaseTests{Quirks: q}) })
	t.Run("connection", func(t *testing.T) { suite.Run(t, &validation.ConnectionTests{Quirks: q}) })
	t.Run("statement", func(t *testing.T) { suite.Run(t, &validation.StatementTests{Quirks: q}) })
	q.mem.AssertSize(t, 0)
}

// quirks tell the suite what the driver can.
type quirks struct {
	dir string
	mem *memory.CheckedAllocator
}

func (q *quirks) SetupDriver(*testing.T) adbc.Driver     { return hudi.NewDriver(q.mem) }
func (q *quirks) TearDownDriver(*testing.T, adbc.Driver) {}
func (q *quirks) DatabaseOptions() map[string]string {
	return map[string]string{adbc.OptionKeyURI: "hudi://" + q.dir}
}
func (q *quirks) BindParameter(i int) string { return fmt.Sprintf("$%d", i+1) }
func (q *quirks) Alloc() memory.Allocator    { return q.mem }
func (q *quirks) Catalog() string            { return "hudi" }
func (q *quirks) DBSchema() string           { return "main" }

// Tables are read, never written.
func (q *quirks) SupportsBulkIngest(string) bool              { return false }
func (q *quirks) SupportsErrorIngestIncompatibleSchema() bool { return false }
func (q *quirks) SupportsTransactions() bool                  { return false }

// The suite takes SELECT 42 apart, which is no scan of a table;
// TestPartitions takes tables apart.
func (q *quirks) SupportsPartitionedData() bool { return false }

func (q *quirks) SupportsConcurrentStatements() bool    { return true }
func (q *quirks) SupportsCurrentCatalogSchema() bool    { return true }
func (q *quirks) SupportsGetSetOptions() bool           { return true }
func (q *quirks) SupportsExecuteSchema() bool           { return true }
func (q *quirks) SupportsStatistics() bool              { return true }
func (q *quirks) SupportsGetParameterSchema() bool      { return true }
func (q *quirks) SupportsDynamicParameterBinding() bool { return true }

func (q *quirks) GetMetadata(code adbc.InfoCode) any {
	switch code {
	case adbc.InfoDriverName:
		return "hudi-go ADBC driver"
	case adbc.InfoVendorName:
		return "Apache Hudi"
	case adbc.InfoDriverVersion, adbc.InfoVendorVersion:
		return version.Text()
	case adbc.InfoDriverArrowVersion, adbc.InfoVendorArrowVersion:
		return arrow.PkgVersion
	case adbc.InfoDriverADBCVersion:
		return adbc.AdbcVersion1_1_0
	}
	return nil
}

func (q *quirks) CreateSampleTable(name string, b arrow.RecordBatch) error {
	return writeTable(filepath.Join(q.dir, name), b)
}

func (q *quirks) SampleTableSchemaMetadata(string, arrow.DataType) arrow.Metadata {
	return arrow.Metadata{}
}

func (q *quirks) DropTable(_ adbc.Connection, name string) error {
	return os.RemoveAll(filepath.Join(q.dir, name))
}

// writeTable writes a copy-on-write table of one file.
func writeTable(dir string, b arrow.RecordBatch) error {
	properties := "hoodie.table.name=" + filepath.Base(dir) + "\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\n" +
		"hoodie.populate.meta.fields=false\nhoodie.table.keygenerator.class=org.apache.hudi.keygen.NonpartitionedKeyGenerator\n"
	const instant = "20240101000000000"
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, ".hoodie"), 0o755),
		os.WriteFile(filepath.Join(dir, ".hoodie", "hoodie.properties"), []byte(properties), 0o644),
		os.WriteFile(filepath.Join(dir, ".hoodie_partition_metadata"), []byte("commitTime="+instant+"\npartitionDepth=0\n"), 0o644),
		writeCommit(dir, instant, b))
}

// writeCommit adds a file of new rows to a table.
func writeCommit(dir, instant string, b arrow.RecordBatch) error {
	var fields []map[string]any
	for _, f := range b.Schema().Fields() {
		typ := map[arrow.Type]string{arrow.INT64: "long", arrow.STRING: "string", arrow.FLOAT64: "double"}[f.Type.ID()]
		fields = append(fields, map[string]any{"name": f.Name, "type": []string{"null", typ}, "default": nil})
	}
	schema, err := json.Marshal(map[string]any{"type": "record", "name": "made", "fields": fields})
	if err != nil {
		return err
	}
	commit, err := json.Marshal(map[string]any{"partitionToWriteStats": map[string]any{}, "operationType": "BULK_INSERT", "extraMetadata": map[string]string{"schema": string(schema)}})
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(dir, "00000000-0000-4000-8000-"+instant[:12]+"-0_0-1-2_"+instant+".parquet"))
	if err != nil {
		return err
	}
	w, err := pqarrow.NewFileWriter(b.Schema(), out, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	if err := errors.Join(w.Write(b), w.Close()); err != nil {
		return err
	}
	for name, data := range map[string]string{".commit.requested": "", ".inflight": "", ".commit": string(commit)} {
		if err := os.WriteFile(filepath.Join(dir, ".hoodie", instant+name), []byte(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}
