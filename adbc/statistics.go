package adbc

import (
	"context"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// statisticBytes is the key of the sizes of a table's files, a statistic of the
// driver's own.
const (
	statisticBytes     = 1024
	statisticBytesName = "adbc.hudi.statistic.file_bytes"
)

// The members of the union of values.
const (
	statisticInt64 = iota
	statisticUint64
	statisticFloat64
	statisticBinary
)

// GetStatisticNames gives the statistics of the driver's own.
func (c *connection) GetStatisticNames(context.Context) (array.RecordReader, error) {
	if _, _, err := c.state(); err != nil {
		return nil, err
	}
	return c.oneBatch(adbc.GetStatisticNamesSchema, func(b *array.RecordBuilder) {
		appendText(b.Field(0), statisticBytesName)
		b.Field(1).(*array.Int16Builder).Append(statisticBytes)
	})
}

// GetStatistics tells how many rows tables have, and of their columns the
// smallest and greatest value and how many are null. Unless approximate ones
// will do, the footers of all base files are read; what is not exact even so is
// marked. Tables that can't be read have none.
func (c *connection) GetStatistics(ctx context.Context, catalogName, dbSchema, tableName *string, approximate bool) (array.RecordReader, error) {
	e, set, objects, err := c.lookup(ctx, dbSchema, tableName)
	if err != nil {
		return nil, err
	}
	defer e.release()
	r, err := c.oneBatch(adbc.GetStatisticsSchema, func(b *array.RecordBuilder) {
		if !(pattern{catalogName}).matches(catalog) {
			return
		}
		appendText(b.Field(0), catalog)
		schemas := b.Field(1).(*array.ListBuilder)
		schemas.Append(true)
		one := schemas.ValueBuilder().(*array.StructBuilder)
		for _, s := range objects {
			one.Append(true)
			appendText(one.FieldBuilder(0), s.schema)
			all := one.FieldBuilder(1).(*array.ListBuilder)
			all.Append(true)
			for _, t := range s.tables {
				if found, err := e.statistics(ctx, t, set.query(), approximate); err == nil {
					w := statisticWriter{all.ValueBuilder().(*array.StructBuilder), t.Name}
					w.table(found)
				}
			}
		}
	})
	return unlessDone(ctx, r, err)
}

func (e *engine) statistics(ctx context.Context, t duckdb.TableName, q provider.Query, approximate bool) (*provider.Statistics, error) {
	s, _, err := e.describe(ctx, t, q)
	if err != nil {
		return nil, err
	}
	o := provider.StatisticsOptions{}
	if approximate {
		o.Footers = -1
	}
	if q.Type == provider.Snapshot || q.Type == provider.ReadOptimized {
		for _, f := range s.Fields() {
			o.Columns = append(o.Columns, f.Name)
		}
	}
	e.binding.Lock()
	table, err := e.table(ctx, schemaOf(t), t.Name)
	e.binding.Unlock()
	if err != nil {
		return nil, err
	}
	return table.Statistics(ctx, q, o)
}

// A statisticWriter writes the statistics of a table.
type statisticWriter struct {
	b    *array.StructBuilder
	name string
}

func (w statisticWriter) table(s *provider.Statistics) {
	w.count("", adbc.StatisticRowCountKey, s.Rows)
	w.count("", statisticBytes, s.Bytes)
	for _, c := range s.Columns {
		w.count(c.Name, adbc.StatisticNullCountKey, c.Nulls)
		w.extreme(c.Name, adbc.StatisticMinValueKey, c.Min)
		w.extreme(c.Name, adbc.StatisticMaxValueKey, c.Max)
	}
}

// begin writes all of a statistic but its value.
func (w statisticWriter) begin(column string, key int16, exact bool, member int8) array.Builder {
	w.b.Append(true)
	appendText(w.b.FieldBuilder(0), w.name)
	if column == "" {
		w.b.FieldBuilder(1).AppendNull()
	} else {
		appendText(w.b.FieldBuilder(1), column)
	}
	w.b.FieldBuilder(2).(*array.Int16Builder).Append(key)
	w.b.FieldBuilder(4).(*array.BooleanBuilder).Append(!exact)
	union := w.b.FieldBuilder(3).(*array.DenseUnionBuilder)
	union.Append(member)
	return union.Child(int(member))
}

func (w statisticWriter) count(column string, key int16, n provider.Count) {
	switch {
	case n.N < 0:
	case n.Exact:
		w.begin(column, key, true, statisticInt64).(*array.Int64Builder).Append(n.N)
	default:
		w.begin(column, key, false, statisticFloat64).(*array.Float64Builder).Append(float64(n.N))
	}
}

// extreme writes a bound of a column's values. Dates are days, times and
// timestamps numbers of the column's unit, as Arrow has them; decimals, which
// the union has no member for, are left out.
func (w statisticWriter) extreme(column string, key int16, e provider.Extreme) {
	v := e.Value
	switch v.Kind() {
	case pushdown.KindBoolean, pushdown.KindInteger, pushdown.KindDate, pushdown.KindTime, pushdown.KindTimestamp, pushdown.KindTimestampTZ:
		w.begin(column, key, e.Exact, statisticInt64).(*array.Int64Builder).Append(v.Int64())
	case pushdown.KindFloat:
		w.begin(column, key, e.Exact, statisticFloat64).(*array.Float64Builder).Append(v.Float64())
	case pushdown.KindString, pushdown.KindBinary:
		w.begin(column, key, e.Exact, statisticBinary).(*array.BinaryBuilder).Append([]byte(v.Text()))
	}
}
