package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
)

// whereReader streams the rows for which a condition holds, in the types of the
// table, and owns the engine that filters them.
type whereReader struct {
	ctx    context.Context
	engine *duckdb.Engine
	conn   *duckdb.Conn
	result *duckdb.Result
	target *arrow.Schema
}

func (w *whereReader) start(ctx context.Context, s *source, q provider.Query) error {
	w.ctx = ctx
	if err := w.engine.Register(ctx, "", "table", s); err != nil {
		return err
	}
	var err error
	if w.conn, err = w.engine.Connect(); err != nil {
		return err
	}
	columns := make([]string, w.target.NumFields())
	for i, f := range w.target.Fields() {
		columns[i] = f.Name
	}
	check, err := w.conn.Prepare(ctx, checkSQL(q.Where))
	if err != nil {
		return conditionError(q.Where, err)
	}
	check.Close()
	if w.result, err = w.conn.Prepare(ctx, whereSQL(columns, q)); err != nil {
		return conditionError(q.Where, errors.New("a condition alone is wanted, without clauses that follow it"))
	}
	return nil
}

var linePlace = regexp.MustCompile(`\n\nLINE (\d+):`)

// conditionError says what is wrong with the user's condition, which begins on
// the second line of the statement.
func conditionError(where string, err error) error {
	var sql *duckdb.Error
	if !errors.As(err, &sql) {
		return fmt.Errorf("--where %s: %w", oneLine(where), err)
	}
	own := &duckdb.Error{Kind: sql.Kind, Message: linePlace.ReplaceAllStringFunc(sql.Message, func(s string) string {
		n, _ := strconv.Atoi(linePlace.FindStringSubmatch(s)[1])
		return fmt.Sprintf("\n\nLINE %d:", max(n-1, 1))
	})}
	if strings.Contains(own.Message, "Cannot extract field") && strings.Contains(own.Message, "is not a struct") {
		return fmt.Errorf("--where %s: images of changes are text unless --option %s=struct: %w", oneLine(where), provider.OptionCDCFormat, own)
	}
	return fmt.Errorf("--where %s: %w", oneLine(where), own)
}

// Schema is the table's, for the columns of the output.
func (w *whereReader) Schema() *arrow.Schema { return w.target }

// Next gives the next batch.
func (w *whereReader) Next() (arrow.RecordBatch, error) {
	b, err := w.result.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	columns := make([]arrow.Array, b.NumCols())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range b.Columns() {
		if columns[i], err = retype(w.ctx, c, w.target.Field(i).Type); err != nil {
			return nil, fmt.Errorf("column %q: %w", w.target.Field(i).Name, err)
		}
	}
	return array.NewRecordBatch(w.target, columns, b.NumRows()), nil
}

// Close ends the statement and the engine.
func (w *whereReader) Close() error {
	if w.conn != nil {
		w.conn.Close()
	}
	return w.engine.Close()
}

// retype gives an array the type that the table has for it. DuckDB names the
// children of lists otherwise, and has fewer units for instants.
func retype(ctx context.Context, a arrow.Array, t arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(a.DataType(), t) {
		a.Retain()
		return a, nil
	}
	var fields []arrow.DataType
	switch t := t.(type) {
	case *arrow.MapType:
		fields = []arrow.DataType{t.Elem()}
	case *arrow.ListType:
		fields = []arrow.DataType{t.Elem()}
	case *arrow.StructType:
		for _, f := range t.Fields() {
			fields = append(fields, f.Type)
		}
	default:
		return compute.CastArray(ctx, a, compute.SafeCastOptions(t))
	}
	d := a.Data()
	if a.DataType().ID() != t.ID() || len(d.Children()) != len(fields) {
		return nil, fmt.Errorf("the SQL engine gives %s for %s", a.DataType(), t)
	}
	children := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		old := array.MakeFromData(d.Children()[i])
		child, err := retype(ctx, old, f)
		old.Release()
		if err != nil {
			return nil, err
		}
		defer child.Release()
		children[i] = child.Data()
	}
	data := array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	defer data.Release()
	return array.MakeFromData(data), nil
}
