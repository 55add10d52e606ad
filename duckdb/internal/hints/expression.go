package hints

import (
	"encoding/json"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/pushdown"
)

// expression is a bound expression.
type expression struct {
	Class    string        `json:"expression_class"`
	Type     string        `json:"type"`
	Children []*expression `json:"children"`
	Left     *expression   `json:"left"`
	Right    *expression   `json:"right"`
	Index    int           `json:"index"`
	Value    *constant     `json:"value"`
	Name     string        `json:"name"`
	QName    struct {
		Path []string `json:"path"`
	} `json:"qname"` // DuckDB 2 has the name of a function here
	Input   *expression `json:"input"`
	Lower   *expression `json:"lower"`
	Upper   *expression `json:"upper"`
	LowerIn bool        `json:"lower_inclusive"`
	UpperIn bool        `json:"upper_inclusive"`
}

// columns names the columns that references by place stand for.
type columns func(at int) (pushdown.Column, bool)

// column reads a reference to a column.
func (e *expression) column(named columns) (pushdown.Column, bool) {
	if e == nil || e.Class != "BOUND_REF" {
		return nil, false
	}
	return named(e.Index)
}

// constant reads a constant.
func (e *expression) constant() (pushdown.Value, bool) {
	if e == nil || e.Class != "BOUND_CONSTANT" {
		return pushdown.Value{}, false
	}
	return e.Value.value()
}

// predicate reads a condition; nil where it is not understood.
func (e *expression) predicate(named columns) pushdown.Predicate {
	if e == nil {
		return nil
	}
	read := func(child *expression) pushdown.Predicate { return child.predicate(named) }
	switch e.Class {
	case "BOUND_CONJUNCTION":
		if e.Type == "CONJUNCTION_OR" {
			return disjunction(e.Children, read)
		}
		return conjunction(e.Children, read)
	case "BOUND_COMPARISON":
		return comparison(e.Type, e.Left, e.Right, named)
	case "BOUND_BETWEEN":
		return e.between(named)
	case "BOUND_OPERATOR":
		return e.operator(named)
	case "BOUND_FUNCTION":
		return e.function(named)
	}
	return nil
}

func comparison(name string, left, right *expression, named columns) pushdown.Predicate {
	op, known := comparisons[name]
	if !known {
		return nil
	}
	if _, ok := left.column(named); !ok {
		left, right = right, left
		if m, ok := mirrored[op]; ok {
			op = m
		}
	}
	c, isColumn := left.column(named)
	v, isConstant := right.constant()
	if !isColumn || !isConstant {
		return nil
	}
	return pushdown.Compare{Column: c, Op: op, Value: v}
}

func (e *expression) between(named columns) pushdown.Predicate {
	c, ok := e.Input.column(named)
	low, hasLow := e.Lower.constant()
	high, hasHigh := e.Upper.constant()
	if !ok || !hasLow || !hasHigh {
		return nil
	}
	from, to := pushdown.Gt, pushdown.Lt
	if e.LowerIn {
		from = pushdown.Ge
	}
	if e.UpperIn {
		to = pushdown.Le
	}
	return pushdown.And{pushdown.Compare{Column: c, Op: from, Value: low}, pushdown.Compare{Column: c, Op: to, Value: high}}
}

func (e *expression) operator(named columns) pushdown.Predicate {
	if len(e.Children) == 0 {
		return nil
	}
	c, ok := e.Children[0].column(named)
	if !ok {
		return nil
	}
	switch e.Type {
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL":
		return pushdown.IsNull{Column: c, Not: e.Type == "OPERATOR_IS_NOT_NULL"}
	case "COMPARE_IN":
		in := pushdown.In{Column: c}
		for _, child := range e.Children[1:] {
			v, ok := child.constant()
			if !ok {
				return nil
			}
			in.Values = append(in.Values, v)
		}
		return in
	}
	return nil
}

// function reads the functions that LIKE becomes, and comparisons, which are
// functions in DuckDB 2.
func (e *expression) function(named columns) pushdown.Predicate {
	if len(e.Children) != 2 {
		return nil
	}
	if _, known := comparisons[e.Type]; known {
		return comparison(e.Type, e.Children[0], e.Children[1], named)
	}
	name := e.Name
	if n := len(e.QName.Path); n > 0 {
		name = e.QName.Path[n-1]
	}
	c, isColumn := e.Children[0].column(named)
	v, isConstant := e.Children[1].constant()
	if !isColumn || !isConstant || v.Kind() != pushdown.KindString {
		return nil
	}
	switch name {
	case "prefix", "starts_with":
		return c.StartsWith(v.Text())
	case "~~":
		return c.Like(v.Text())
	}
	return nil
}

// constant is a value with its type.
type constant struct {
	Type struct {
		ID   string `json:"id"`
		Info *struct {
			Width int   `json:"width"`
			Scale int32 `json:"scale"`
		} `json:"type_info"`
	} `json:"type"`
	IsNull bool            `json:"is_null"`
	Value  json.RawMessage `json:"value"`
}

// value gives the constant for the types whose form is known.
func (c *constant) value() (pushdown.Value, bool) {
	none := pushdown.Value{}
	if c == nil || c.IsNull {
		return none, false
	}
	switch c.Type.ID {
	case "BOOLEAN":
		b, err := strconv.ParseBool(string(c.Value))
		return pushdown.Bool(b), err == nil
	case "VARCHAR":
		var text string
		err := json.Unmarshal(c.Value, &text)
		return pushdown.String(text), err == nil
	case "FLOAT":
		f, err := strconv.ParseFloat(string(c.Value), 32)
		return pushdown.Float32(float32(f)), err == nil
	case "DOUBLE":
		f, err := strconv.ParseFloat(string(c.Value), 64)
		return pushdown.Float(f), err == nil
	case "UBIGINT":
		n, err := strconv.ParseUint(string(c.Value), 10, 64)
		return pushdown.Uint(n), err == nil
	}
	n, err := strconv.ParseInt(string(c.Value), 10, 64)
	if err != nil {
		return none, false
	}
	switch c.Type.ID {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER":
		return pushdown.Int(n), true
	case "DATE":
		return pushdown.Date(int32(n)), n == int64(int32(n))
	case "TIMESTAMP":
		return pushdown.Timestamp(n, arrow.Microsecond), true
	case "TIMESTAMP WITH TIME ZONE":
		return pushdown.TimestampTZ(n, arrow.Microsecond), true
	case "DECIMAL":
		if c.Type.Info != nil {
			return pushdown.Decimal(big.NewInt(n), c.Type.Info.Scale), true
		}
	}
	return none, false
}

func valuesOf(all []*constant) ([]pushdown.Value, bool) {
	values := make([]pushdown.Value, len(all))
	for i, c := range all {
		var ok bool
		if values[i], ok = c.value(); !ok {
			return nil, false
		}
	}
	return values, len(values) > 0
}
