package render

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// arrowWriter writes an IPC stream.
type arrowWriter struct{ w *ipc.Writer }

func newArrow(w io.Writer, s *arrow.Schema) arrowWriter {
	return arrowWriter{ipc.NewWriter(w, ipc.WithSchema(s), ipc.WithDictionaryDeltas(false))}
}

func (a arrowWriter) Write(b arrow.RecordBatch) error { return a.w.Write(b) }
func (a arrowWriter) Close() error                    { return a.w.Close() }

const (
	rowGroupBytes = 128 << 20
	rowGroupRows  = 1 << 20
)

// parquetWriter writes a Parquet file: Zstandard, the types of the result and
// no Arrow schema beside them, so that every reader sees the same.
type parquetWriter struct {
	w      *pqarrow.FileWriter
	schema *arrow.Schema // as written
}

func newParquet(w io.Writer, s *arrow.Schema) (Writer, error) {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		t, err := parquetType(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		fields[i] = arrow.Field{Name: f.Name, Type: t, Nullable: f.Nullable}
	}
	schema := arrow.NewSchema(fields, nil)
	properties := parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithMaxRowGroupLength(rowGroupRows),
		parquet.WithCreatedBy("hudi-go"))
	// The library closes what it writes to if it can.
	fw, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w}, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return &parquetWriter{w: fw, schema: schema}, nil
}

// parquetType is the type as which a column is written: dictionaries are
// decoded and extensions written as what they are stored as.
func parquetType(t arrow.DataType) (arrow.DataType, error) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return parquetType(t.ValueType)
	case arrow.ExtensionType:
		return parquetType(t.StorageType())
	case *arrow.MonthDayNanoIntervalType, *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.DurationType:
		return nil, fmt.Errorf("parquet has no type for %s; cast it to VARCHAR", t)
	case *arrow.DenseUnionType, *arrow.SparseUnionType:
		return nil, fmt.Errorf("parquet has no unions; cast it to VARCHAR")
	}
	return t, nil
}

func (p *parquetWriter) Write(b arrow.RecordBatch) error {
	columns := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		var err error
		if columns[i], err = storable(c, p.schema.Field(i).Type); err != nil {
			return fmt.Errorf("column %q: %w", p.schema.Field(i).Name, err)
		}
		defer columns[i].Release()
	}
	out := array.NewRecordBatch(p.schema, columns, b.NumRows())
	defer out.Release()
	if p.w.RowGroupTotalBytesWritten() > rowGroupBytes {
		if err := p.w.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
	}
	return p.w.WriteBuffered(out)
}

func (p *parquetWriter) Close() error { return p.w.Close() }

// storable brings an array to the type that it is written as.
func storable(a arrow.Array, t arrow.DataType) (arrow.Array, error) {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			break
		}
		a = e.Storage()
	}
	d, ok := a.(*array.Dictionary)
	if !ok {
		a.Retain()
		return a, nil
	}
	taken, err := compute.TakeArray(context.Background(), d.Dictionary(), d.Indices())
	if err != nil {
		return nil, fmt.Errorf("decode a dictionary: %w", err)
	}
	defer taken.Release()
	return storable(taken, t)
}
