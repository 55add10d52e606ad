package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// Schema is the schema of the batches that a query gives.
func (t *Table) Schema(ctx context.Context, q Query) (*arrow.Schema, error) {
	if err := t.check(q); err != nil {
		return nil, err
	}
	snap, err := t.snapshotOf(ctx, q)
	if err != nil {
		return nil, err
	}
	p, err := t.newPlan(ctx, snap, q)
	if err != nil {
		return nil, err
	}
	return p.Schema(), nil
}

// tableSchema gives the full schema of a snapshot, meta columns included where
// the table stores them, and the history of its internal schemas (JSON).
func tableSchema(ctx context.Context, snap *snapshot.Snapshot) (*arrow.Schema, string, error) {
	src, err := snap.Schema(ctx)
	if err != nil {
		return nil, "", err
	}
	cfg := snap.Config()
	var s *arrow.Schema
	switch {
	case src.Internal != "":
		s, err = schema.ParseInternal(src.Internal)
	case src.Avro == "" && src.File != "":
		s, err = fileSchema(ctx, snap.Storage(), src.File)
	case src.Avro == "":
		err = errors.New("no write records a schema, and none is declared (hoodie.table.create.schema): write to the table once")
	default:
		s, err = schema.FromAvro(src.Avro)
	}
	if err != nil {
		return nil, "", &snapshot.TableError{Table: snap.Storage().Root(), Instant: snap.Instant(), Err: err, Reason: "the table schema can't be read"}
	}
	if cfg.PopulateMeta {
		operation, _ := cfg.Get("hoodie.allow.operation.metadata.field")
		s = schema.WithMeta(s, operation == "true")
	} else {
		s = schema.WithoutMeta(s)
	}
	if cfg.DropPartitions {
		s = withPartitionColumns(s, cfg.PartitionNames())
	}
	history := ""
	if src.Internal != "" {
		history = src.History
	}
	return s, history, nil
}

// fileSchema is the schema of a base file, for tables that record none.
func fileSchema(ctx context.Context, st storage.Storage, path string) (*arrow.Schema, error) {
	f, err := st.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pf, err := parquet.Open(f)
	if err != nil {
		return nil, err
	}
	return pf.Schema(), nil
}

// withPartitionColumns appends the partition columns that the schema lacks, as
// TableSchemaResolver does where data files drop them.
func withPartitionColumns(s *arrow.Schema, names []string) *arrow.Schema {
	fields := s.Fields()
	for _, n := range names {
		if _, ok := schema.Lookup(s, n); !ok {
			fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true})
		}
	}
	return arrow.NewSchema(fields, nil)
}

func columnNames(s *arrow.Schema) []string {
	names := make([]string, s.NumFields())
	for i, f := range s.Fields() {
		names[i] = f.Name
	}
	return names
}

// columns are the names of a query's output columns as the table spells them.
func (t *Table) columns(full *arrow.Schema, q Query) ([]string, error) {
	names := []string{}
	if q.Meta {
		for _, f := range full.Fields() {
			if schema.IsMeta(f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	if q.Columns == nil {
		for _, f := range full.Fields() {
			if !schema.IsMeta(f.Name) {
				names = append(names, f.Name)
			}
		}
		return names, nil
	}
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	for _, c := range q.Columns {
		i, ok := schema.Lookup(full, c)
		if !ok {
			return nil, fmt.Errorf("table %s at %s: %w", t.Name(), t.uri, &pushdown.UnknownColumnError{Column: pushdown.Column{c}, Have: columnNames(full)})
		}
		if name := full.Field(i).Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}
