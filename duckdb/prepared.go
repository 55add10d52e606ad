package duckdb

import (
	"context"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Prepare binds a text of one statement. The result has the columns that it
// will give and the files that it will read; nothing is executed before its
// first Next. Statements with parameters can't be executed: their values have
// to stand in the text; columns whose type hangs on them are null here. The context is that of all reading of the result, which
// must be closed.
func (c *Conn) Prepare(ctx context.Context, sql string) (*Result, error) {
	r, err := c.bindOne(ctx, sql)
	if err != nil {
		return nil, err
	}
	bindings.ConnectionGetArrowOptions(c.conn, &r.options)
	r.schema, err = r.arrowSchema(bindings.PreparedStatementColumnCount(r.stmt), func(i bindings.IdxT) (bindings.LogicalType, string) {
		name := bindings.PreparedStatementColumnName(r.stmt, i)
		if bindings.PreparedStatementColumnType(r.stmt, i) == bindings.TypeInvalid {
			return bindings.CreateLogicalType(bindings.TypeSQLNull), name
		}
		return bindings.PreparedStatementColumnLogicalType(r.stmt, i), name
	})
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// bindOne binds a text of one statement.
func (c *Conn) bindOne(ctx context.Context, sql string) (*Result, error) {
	s, err := c.Statements(sql)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.n != 1 {
		return nil, &Error{Kind: "Invalid Input Error", Message: fmt.Sprintf("one statement is wanted, not %d", s.n)}
	}
	return s.bind(ctx, 0)
}

// Reads tells whether the statement is one that changes nothing: SELECT and
// what DuckDB takes for one, as DESCRIBE and SHOW, and EXPLAIN.
func (r *Result) Reads() bool {
	switch bindings.PreparedStatementType(r.stmt) {
	case bindings.StatementTypeSelect, bindings.StatementTypeExplain:
		return true
	}
	return false
}

// Parameters gives the statement's parameters in order: their names, "" for
// those that have a number only, and the types that DuckDB expects, null where
// any will do.
func (r *Result) Parameters() (*arrow.Schema, error) {
	n := bindings.NParams(r.stmt)
	fields := make([]arrow.Field, n)
	for i := range fields {
		at := bindings.IdxT(i + 1)
		name := bindings.ParameterName(r.stmt, at)
		if _, err := strconv.Atoi(name); err == nil {
			name = ""
		}
		fields[i] = arrow.Field{Name: name, Type: arrow.Null, Nullable: true}
		switch bindings.ParamType(r.stmt, at) {
		case bindings.TypeInvalid, bindings.TypeAny, bindings.TypeSQLNull:
			continue
		}
		one, err := r.arrowSchema(1, func(bindings.IdxT) (bindings.LogicalType, string) {
			return bindings.ParamLogicalType(r.stmt, at), name
		})
		if err != nil {
			return nil, err
		}
		fields[i].Type = one.Field(0).Type
	}
	return arrow.NewSchema(fields, nil), nil
}
