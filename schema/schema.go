// Package schema answers one question: how do the columns of a file become the
// columns of the table as the query sees it?
//
// A table's schema at an instant is an Arrow schema, made from the Avro schema
// that the commit recorded ([FromAvro]) or, where the table uses schema on
// read, from its internal schema with column ids ([ParseHistory]). A file
// (Parquet base file, block of a log) brings an Arrow schema of its own. An
// [Adapter], compiled once per file, turns batches of the one into batches of
// the other: columns are matched by id where both sides have ids and by name
// otherwise, at every level of nesting; types are promoted as Hudi promotes
// them; columns that the file lacks become null, their default, or a constant
// taken from the partition path.
//
// Data flow: file reader -> batches in the file's schema -> Adapter -> batches
// in the schema that the merge and the scan work on.
package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/avro"
)

// The meta columns that Hudi puts before the user's columns, in file order.
const (
	CommitTimeColumn    = "_hoodie_commit_time"
	CommitSeqnoColumn   = "_hoodie_commit_seqno"
	RecordKeyColumn     = "_hoodie_record_key"
	PartitionPathColumn = "_hoodie_partition_path"
	FileNameColumn      = "_hoodie_file_name"
	OperationColumn     = "_hoodie_operation"  // only with hoodie.allow.operation.metadata.field
	IsDeletedColumn     = "_hoodie_is_deleted" // an ordinary user column with a meaning
)

// metaColumns are the five meta columns of every table with meta fields.
var metaColumns = []string{CommitTimeColumn, CommitSeqnoColumn, RecordKeyColumn, PartitionPathColumn, FileNameColumn}

// Keys of Arrow field metadata that this package reads and writes.
const (
	idKey      = "hudi.id"      // column id of the internal schema, decimal
	defaultKey = "hudi.default" // non-null default value as JSON text, set by package avro
)

// IsMeta reports whether a column is one of Hudi's meta columns.
func IsMeta(name string) bool {
	switch name {
	case CommitTimeColumn, CommitSeqnoColumn, RecordKeyColumn, PartitionPathColumn, FileNameColumn, OperationColumn:
		return true
	}
	return false
}

// FromAvro gives the Arrow schema of an Avro record schema in JSON.
func FromAvro(json string) (*arrow.Schema, error) {
	s, err := avro.Parse(json)
	if err != nil {
		return nil, fmt.Errorf("table schema: %w", err)
	}
	return s.Arrow()
}

// WithMeta gives s with the meta columns in front: the five of every table,
// and _hoodie_operation where operation is true or s has it already.
func WithMeta(s *arrow.Schema, operation bool) *arrow.Schema {
	fields := make([]arrow.Field, 0, s.NumFields()+len(metaColumns)+1)
	for _, n := range metaColumns {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	if operation || s.HasField(OperationColumn) {
		fields = append(fields, arrow.Field{Name: OperationColumn, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	for _, f := range s.Fields() {
		if !IsMeta(f.Name) {
			fields = append(fields, f)
		}
	}
	return arrow.NewSchema(fields, nil)
}

// WithoutMeta gives s without Hudi's meta columns.
func WithoutMeta(s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, 0, s.NumFields())
	for _, f := range s.Fields() {
		if !IsMeta(f.Name) {
			fields = append(fields, f)
		}
	}
	return arrow.NewSchema(fields, nil)
}

// Lookup finds a top-level column: by its exact name, else by the only name
// that differs in letter case alone.
func Lookup(s *arrow.Schema, name string) (int, bool) {
	return lookup(s.Fields(), name)
}

func lookup(fields []arrow.Field, name string) (int, bool) {
	folded, n := -1, 0
	for i := range fields {
		if fields[i].Name == name {
			return i, true
		}
		if strings.EqualFold(fields[i].Name, name) {
			folded, n = i, n+1
		}
	}
	return folded, n == 1
}

// Strip gives s without metadata: what users of the table see.
func Strip(s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		fields[i] = stripField(f)
	}
	return arrow.NewSchema(fields, nil)
}

func stripField(f arrow.Field) arrow.Field {
	return arrow.Field{Name: f.Name, Type: mapChildren(f.Type, stripField), Nullable: f.Nullable}
}

// mapChildren rebuilds a nested type with each child field replaced by fn's
// answer; other types stay.
func mapChildren(t arrow.DataType, fn func(arrow.Field) arrow.Field) arrow.DataType {
	switch t := t.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = fn(f)
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(fn(t.ElemField()))
	case *arrow.MapType:
		k, v := fn(t.KeyField()), fn(t.ItemField())
		m := arrow.MapOfFields(k, v)
		m.KeysSorted = t.KeysSorted
		return m
	}
	return t
}

// fieldID gives the id of a column in the internal schema.
func fieldID(f arrow.Field) (int, bool) {
	s, ok := f.Metadata.GetValue(idKey)
	if !ok {
		return 0, false
	}
	id, err := strconv.Atoi(s)
	return id, err == nil
}

func withID(f arrow.Field, id int) arrow.Field {
	keys, values := []string{idKey}, []string{strconv.Itoa(id)}
	if d, ok := f.Metadata.GetValue(defaultKey); ok {
		keys, values = append(keys, defaultKey), append(values, d)
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}
