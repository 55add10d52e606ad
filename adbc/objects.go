package adbc

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/schema"
)

// A pattern matches names, in any letter case: % stands for any text, _ for one
// character. Nil matches all.
type pattern struct{ like *string }

func (p pattern) matches(name string) bool {
	return p.like == nil || likeMatches([]rune(strings.ToLower(*p.like)), []rune(strings.ToLower(name)))
}

func likeMatches(like, name []rune) bool {
	retryLike, retryName := -1, 0
	at, n := 0, 0
	for n < len(name) {
		switch {
		case at < len(like) && like[at] == '%':
			retryLike, retryName = at, n
			at++
		case at < len(like) && (like[at] == '_' || like[at] == name[n]):
			at++
			n++
		case retryLike >= 0: // % takes one character more
			retryName++
			at, n = retryLike+1, retryName
		default:
			return false
		}
	}
	return strings.Trim(string(like[at:]), "%") == ""
}

// listed are the tables of a schema.
type listed struct {
	schema string
	tables []duckdb.TableName
}

// list gives the schemas and tables whose names match, as they are in the
// folder now.
func (e *engine) list(ctx context.Context, dbSchema, table pattern) ([]listed, error) {
	e.binding.Lock()
	err := e.tables.Add(ctx, "", e.path)
	all := e.tables.List()
	e.binding.Unlock()
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, s := range e.schemas() {
		if !dbSchema.matches(s) {
			continue
		}
		one := listed{schema: s}
		for _, t := range all {
			if strings.EqualFold(schemaOf(t), s) && table.matches(t.Name) {
				one.tables = append(one.tables, t)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// lookup gives the schemas and tables whose names fit, and the engine that has
// them, which must be released.
func (c *connection) lookup(ctx context.Context, dbSchema, tableName *string) (*engine, settings, []listed, error) {
	set, _, err := c.state()
	if err != nil {
		return nil, set, nil, err
	}
	e, err := c.db.engine(ctx, set.view)
	if err != nil {
		return nil, set, nil, wrap(err)
	}
	objects, err := e.list(ctx, pattern{dbSchema}, pattern{tableName})
	if err != nil {
		e.release()
		return nil, set, nil, wrap(err)
	}
	return e, set, objects, nil
}

// GetObjects lists the catalog, its schemas, tables and columns down to a
// depth. Tables that can't be read have no list of columns.
func (c *connection) GetObjects(ctx context.Context, depth adbc.ObjectDepth, catalogName, dbSchema, tableName, columnName *string, tableTypes []string) (array.RecordReader, error) {
	e, set, objects, err := c.lookup(ctx, dbSchema, tableName)
	if err != nil {
		return nil, err
	}
	defer e.release()
	if len(tableTypes) > 0 && !slices.Contains(tableTypes, tableType) {
		for i := range objects {
			objects[i].tables = nil
		}
	}
	w := objectWriter{ctx: ctx, engine: e, query: set.query(), depth: depth, columns: pattern{columnName}}
	r, err := c.oneBatch(adbc.GetObjectsSchema, func(b *array.RecordBuilder) {
		if !(pattern{catalogName}).matches(catalog) {
			return
		}
		b.Field(0).(*array.StringBuilder).Append(catalog)
		w.schemas(b.Field(1).(*array.ListBuilder), objects)
	})
	return unlessDone(ctx, r, err)
}

// unlessDone gives a reader, but not what a context that is done left of it.
func unlessDone(ctx context.Context, r array.RecordReader, err error) (array.RecordReader, error) {
	if err == nil && ctx.Err() != nil {
		r.Release()
		r, err = nil, wrap(ctx.Err())
	}
	return r, err
}

// objectWriter writes the nested lists of GetObjects.
type objectWriter struct {
	ctx     context.Context
	engine  *engine
	query   provider.Query
	depth   adbc.ObjectDepth
	columns pattern
}

func (w *objectWriter) schemas(b *array.ListBuilder, all []listed) {
	if w.depth == adbc.ObjectDepthCatalogs {
		b.AppendNull()
		return
	}
	b.Append(true)
	one := b.ValueBuilder().(*array.StructBuilder)
	for _, s := range all {
		one.Append(true)
		appendText(one.FieldBuilder(0), s.schema)
		w.tables(one.FieldBuilder(1).(*array.ListBuilder), s.tables)
	}
}

func (w *objectWriter) tables(b *array.ListBuilder, all []duckdb.TableName) {
	if w.depth == adbc.ObjectDepthDBSchemas {
		b.AppendNull()
		return
	}
	b.Append(true)
	one := b.ValueBuilder().(*array.StructBuilder)
	for _, t := range all {
		one.Append(true)
		appendText(one.FieldBuilder(0), t.Name)
		appendText(one.FieldBuilder(1), tableType)
		w.table(one.FieldBuilder(2).(*array.ListBuilder), one.FieldBuilder(3).(*array.ListBuilder), t)
	}
}

// table writes the columns and constraints of a table.
func (w *objectWriter) table(columns, constraints *array.ListBuilder, t duckdb.TableName) {
	if w.depth == adbc.ObjectDepthTables {
		columns.AppendNull()
		constraints.AppendNull()
		return
	}
	s, keys, err := w.engine.describe(w.ctx, t, w.query)
	if err != nil {
		columns.AppendNull()
		constraints.AppendNull()
		return
	}
	columns.Append(true)
	one := columns.ValueBuilder().(*array.StructBuilder)
	for i, f := range s.Fields() {
		if w.columns.matches(f.Name) {
			writeColumn(one, i+1, f)
		}
	}
	constraints.Append(true)
	if len(keys) == 0 {
		return
	}
	key := constraints.ValueBuilder().(*array.StructBuilder)
	key.Append(true)
	key.FieldBuilder(0).AppendNull()
	appendText(key.FieldBuilder(1), "PRIMARY KEY")
	names := key.FieldBuilder(2).(*array.ListBuilder)
	names.Append(true)
	for _, k := range keys {
		appendText(names.ValueBuilder(), k)
	}
	key.FieldBuilder(3).AppendNull()
}

// describe gives a table's schema and the columns of its record key, none
// where it is not of columns alone.
func (e *engine) describe(ctx context.Context, t duckdb.TableName, q provider.Query) (*arrow.Schema, []string, error) {
	e.binding.Lock()
	defer e.binding.Unlock()
	table, err := e.table(ctx, schemaOf(t), t.Name)
	if err != nil {
		return nil, nil, err
	}
	s, err := table.Schema(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var keys []string
	for _, k := range table.Config().RecordKeys {
		at, ok := schema.Lookup(s, k)
		if !ok {
			return s, nil, nil
		}
		keys = append(keys, s.Field(at).Name)
	}
	return s, keys, nil
}

func appendText(b array.Builder, text string) { b.(*array.StringBuilder).Append(text) }

// writeColumn writes a column with what JDBC and ODBC tell of its type.
func writeColumn(b *array.StructBuilder, at int, f arrow.Field) {
	b.Append(true)
	x := xdbcOf(f.Type)
	values := map[string]any{
		"column_name": f.Name, "ordinal_position": int32(at), "xdbc_type_name": x.name, "xdbc_data_type": x.code, "xdbc_sql_data_type": x.sqlCode,
		"xdbc_datetime_sub": x.datetimeSub, "xdbc_column_size": x.size, "xdbc_decimal_digits": x.digits, "xdbc_num_prec_radix": x.radix,
		"xdbc_nullable": int16(0), "xdbc_is_nullable": "NO", "xdbc_is_autoincrement": false, "xdbc_is_generatedcolumn": false,
	}
	if f.Nullable {
		values["xdbc_nullable"], values["xdbc_is_nullable"] = int16(1), "YES"
	}
	for i, field := range adbc.ColumnSchema.Fields() {
		switch v := values[field.Name].(type) {
		case string:
			appendText(b.FieldBuilder(i), v)
		case bool:
			b.FieldBuilder(i).(*array.BooleanBuilder).Append(v)
		case int16:
			b.FieldBuilder(i).(*array.Int16Builder).Append(v)
		case int32:
			b.FieldBuilder(i).(*array.Int32Builder).Append(v)
		default:
			b.FieldBuilder(i).AppendNull()
		}
	}
}
