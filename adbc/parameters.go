package adbc

import (
	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/duckdb"
)

// parameters are the values that a statement is executed with: once for each
// row. Nil means none.
type parameters struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	named   bool // each parameter takes the column of its name, none that at its place
}

func (p *parameters) release() {
	if p == nil {
		return
	}
	for _, b := range p.batches {
		b.Release()
	}
	p.batches = nil
}

// clone is another holder of the same values.
func (p *parameters) clone() *parameters {
	if p == nil {
		return nil
	}
	for _, b := range p.batches {
		b.Retain()
	}
	return &parameters{p.schema, p.batches, p.named}
}

// rows is the number of executions.
func (p *parameters) rows() int {
	n := 0
	for _, b := range p.batches {
		n += int(b.NumRows())
	}
	return n
}

// column finds the column of a parameter: that of its name, or at its place.
func (p *parameters) column(at int, name string) (int, error) {
	if name != "" {
		if found := p.schema.FieldIndices(name); len(found) == 1 {
			return found[0], nil
		}
	}
	if p.named {
		return 0, sqlErrorf(adbc.StatusInvalidArgument, stateParameters, "no value for parameter %d ($%s): values are bound by name, there are %v", at+1, name, columnNames(p.schema))
	}
	return at, nil
}

func columnNames(s *arrow.Schema) []string {
	names := make([]string, s.NumFields())
	for i, f := range s.Fields() {
		names[i] = "$" + f.Name
	}
	return names
}

// text writes the values of a row into a statement.
func (p *parameters) text(sql string, row int) (string, error) {
	var batch arrow.RecordBatch
	for _, b := range p.batches {
		if int64(row) < b.NumRows() {
			batch = b
			break
		}
		row -= int(b.NumRows())
	}
	return p.substitute(sql, func(column int) (string, error) { return literal(batch.Column(column), row) })
}

// substitute writes what value gives for each column into a statement.
func (p *parameters) substitute(sql string, value func(column int) (string, error)) (string, error) {
	columns := p.schema.NumFields()
	text, n, err := duckdb.SubstituteParameters(sql, func(at int, name string) (string, error) {
		at, err := p.column(at, name)
		if err != nil || at >= columns {
			return "", err // too many are counted below
		}
		return value(at)
	})
	if err == nil && n != columns {
		err = sqlErrorf(adbc.StatusInvalidArgument, stateParameters, "the statement has %d parameters, %d columns are bound", n, columns)
	}
	return text, err
}

// sample writes any value of the right types into a statement, for its schema.
func (p *parameters) sample(sql string) (string, error) {
	return p.substitute(sql, func(column int) (string, error) {
		b := array.NewBuilder(memory.DefaultAllocator, p.schema.Field(column).Type)
		defer b.Release()
		b.AppendEmptyValue()
		one := b.NewArray()
		defer one.Release()
		return literal(one, 0)
	})
}

// nulls writes nulls of the right types into a statement.
func (p *parameters) nulls(sql string) (string, error) {
	return p.substitute(sql, func(column int) (string, error) {
		t := p.schema.Field(column).Type
		if t.ID() == arrow.NULL {
			t = arrow.PrimitiveTypes.Int32
		}
		typ, err := sqlType(t)
		return "(CAST(NULL AS " + typ + "))", err
	})
}
