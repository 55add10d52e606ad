package functions

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

var (
	text   = arrow.BinaryTypes.String
	number = arrow.PrimitiveTypes.Int64
	flag   = arrow.FixedWidthTypes.Boolean
	moment = arrow.FixedWidthTypes.Timestamp_us
	texts  = arrow.ListOf(arrow.BinaryTypes.String)
)

// columns makes a schema of names and types, in turn.
func columns(pairs ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, arrow.Field{Name: pairs[i].(string), Type: pairs[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// A lister gives the rows of a function that tells about a table.
type lister func(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error

// lists are the functions that tell about a table.
var lists = []struct {
	name   string
	named  []tablefunc.Parameter // beside those of opening
	schema *arrow.Schema
	rows   lister
}{
	{"hudi_timeline", []tablefunc.Parameter{{Name: "archived", Kind: tablefunc.Flag}}, columns(
		"instant", text, "action", text, "state", text, "completion", text, "time", moment, "archived", flag), timelineRows},
	{"hudi_files", selecting, columns(
		"partition", text, "file_id", text, "instant", text, "base_file", text, "base_size", number,
		"log_files", texts, "log_size", number), fileRows},
	{"hudi_partitions", selecting, columns(
		"partition", text, "file_slices", number, "base_files", number, "log_files", number, "size", number), partitionRows},
	{"hudi_properties", nil, columns("key", text, "value", text), propertyRows},
	{"hudi_schema", []tablefunc.Parameter{{Name: asOf}, {Name: metaColumns, Kind: tablefunc.Flag}}, columns(
		"column_name", text, "column_type", text, "nullable", flag), schemaRows},
	{"hudi_column_stats", nil, columns(
		"file", text, "column_name", text, "min", text, "max", text, "row_count", number, "null_count", number, "size", number), statsRows},
	{"hudi_indexes", nil, columns(
		"name", text, "type", text, "columns", texts, "function", text), indexRows},
	{"hudi_plan", planning, columns(
		"step", text, "seen", number, "pruned", number, "by", text), planRows},
}

// selecting are the parameters that choose file slices, planning those that
// choose rows.
var (
	selecting = []tablefunc.Parameter{{Name: asOf}, {Name: queryType}, {Name: where}}
	planning  = append([]tablefunc.Parameter{{Name: beginTime}, {Name: endTime}}, selecting...)
)

// registerLists adds all lists and hudi_tables.
func (f *Functions) registerLists(add func(string, tablefunc.Function) error) error {
	for _, l := range lists {
		err := add(l.name, tablefunc.Function{
			Named: append(slices.Clone(l.named), opening...),
			Resolve: func(ctx context.Context, a tablefunc.Arguments) (tablefunc.Source, error) {
				t, err := f.open(ctx, a)
				if err != nil {
					return nil, err
				}
				return rowsOf(l.schema, func(add func(...any)) error { return l.rows(ctx, f, t, a, add) })
			},
		})
		if err != nil {
			return err
		}
	}
	return add("hudi_tables", tablefunc.Function{Named: opening, Resolve: f.tables})
}

func timelineRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	instants, err := t.Timeline(ctx, a.Named["archived"] == "true")
	if err != nil {
		return err
	}
	loc := f.options.Provider.Location
	if loc == nil {
		loc = time.Local
	}
	if t.Config().TimelineUTC {
		loc = time.UTC
	}
	for _, i := range instants {
		var at any
		if when, ok := snapshot.InstantTime(i.Requested, loc); ok {
			at = when
		}
		add(i.Requested, i.Action, i.State, orNull(i.Completed), at, i.Archived)
	}
	return nil
}

// filesOf gives the slices that a call chooses.
func (f *Functions) filesOf(ctx context.Context, t *provider.Table, a tablefunc.Arguments) ([]snapshot.FileSlice, error) {
	q, err := f.query(a)
	if err != nil {
		return nil, err
	}
	p, err := t.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	all := make([]snapshot.FileSlice, 0, len(p.Tasks))
	for _, task := range p.Tasks {
		all = append(all, task.Slice)
	}
	return all, nil
}

func fileRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	all, err := f.filesOf(ctx, t, a)
	for _, s := range all {
		var base, size any
		if s.Base != nil {
			base, size = s.Base.Path, s.Base.Size
		}
		logs, bytes := []string{}, int64(0)
		for _, l := range s.Logs {
			logs, bytes = append(logs, l.Path), bytes+l.Size
		}
		add(s.Partition, s.FileID, s.BaseInstant, base, size, logs, bytes)
	}
	return err
}

func partitionRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	all, err := f.filesOf(ctx, t, a)
	if err != nil {
		return err
	}
	for _, p := range provider.ByPartition(all) {
		add(p.Partition, int64(p.Slices), int64(p.BaseFiles), int64(p.LogFiles), p.Bytes)
	}
	return nil
}

func propertyRows(_ context.Context, _ *Functions, t *provider.Table, _ tablefunc.Arguments, add func(...any)) error {
	all := t.Config().Properties()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		add(key, all[key])
	}
	return nil
}

func schemaRows(ctx context.Context, _ *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	s, err := t.Schema(ctx, provider.Query{AsOf: a.Named[asOf], Meta: a.Named[metaColumns] == "true"})
	if err != nil {
		return err
	}
	for _, field := range s.Fields() {
		name, err := TypeName(field.Type)
		if err != nil {
			return err
		}
		add(field.Name, name, field.Nullable)
	}
	return nil
}

// snapshotOf opens what provider keeps to itself: the table's metadata table.
func (f *Functions) snapshotOf(ctx context.Context, t *provider.Table, a tablefunc.Arguments) (*snapshot.Snapshot, error) {
	st, err := storage.Open(ctx, t.URI(), merged(f.options.Provider.Storage, a.Maps[storageOptions]))
	if err != nil {
		return nil, err
	}
	return snapshot.Open(ctx, st, snapshot.Options{
		Location: f.options.Provider.Location, Hudi: merged(f.options.Provider.Hudi, a.Maps[readOptions]),
	})
}

func statsRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	const partition = "column_stats"
	if !t.Config().HasMetadataPartition(partition) {
		return nil
	}
	snap, err := f.snapshotOf(ctx, t, a)
	if err != nil {
		return err
	}
	m, err := snap.Metadata(ctx)
	if err != nil || m == nil {
		return err
	}
	records, err := m.Scan(ctx, partition)
	if err != nil {
		return err
	}
	var all []*snapshot.ColumnStats
	for _, r := range records {
		if r.Stats != nil {
			all = append(all, r.Stats)
		}
	}
	slices.SortFunc(all, func(x, y *snapshot.ColumnStats) int {
		if c := strings.Compare(x.File, y.File); c != 0 {
			return c
		}
		return strings.Compare(x.Column, y.Column)
	})
	full, err := t.Schema(ctx, provider.Query{Meta: true})
	if err != nil {
		return err
	}
	for _, s := range all {
		var rows, nulls any
		var column arrow.DataType
		if at := full.FieldIndices(s.Column); len(at) == 1 {
			column = full.Field(at[0]).Type
		}
		if s.HasCounts {
			rows, nulls = s.ValueCount, s.NullCount
		}
		add(s.File, s.Column, typedText(s.Min, column), typedText(s.Max, column), rows, nulls, s.TotalSize)
	}
	return nil
}

func indexRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	names, _ := t.Config().Get("hoodie.table.metadata.partitions")
	defs := map[string]snapshot.IndexDefinition{}
	snap, err := f.snapshotOf(ctx, t, a)
	if err != nil {
		return err
	}
	if m, err := snap.Metadata(ctx); err != nil {
		return err
	} else if m != nil {
		if defs, err = m.IndexDefinitions(ctx); err != nil {
			return err
		}
	}
	for _, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if d, ok := defs[name]; ok {
			add(name, d.Type, d.Fields, orNull(d.Function))
		} else {
			add(name, name, nil, nil)
		}
	}
	return nil
}

func (f *Functions) tables(ctx context.Context, a tablefunc.Arguments) (tablefunc.Source, error) {
	o := f.options.Provider
	o.Storage = merged(o.Storage, a.Maps[storageOptions])
	found, err := provider.Discover(ctx, a.Positional[0], o)
	if err != nil {
		return nil, err
	}
	return rowsOf(columns("name", text, "path", text, "create_view", text), func(add func(...any)) error {
		for _, name := range slices.Sorted(maps.Keys(found)) {
			schema, table, nested := strings.Cut(name, ".")
			sql := ""
			target := quoteName(name)
			if nested {
				sql = "CREATE SCHEMA IF NOT EXISTS " + quoteName(schema) + "; "
				target = quoteName(schema) + "." + quoteName(table)
			}
			add(name, found[name], sql+"CREATE OR REPLACE VIEW "+target+" AS FROM "+quoteName(prefix+found[name])+";")
		}
		return nil
	})
}
