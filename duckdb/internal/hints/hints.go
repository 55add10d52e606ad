// Package hints reads, from a plan that DuckDB made of a query and serialized,
// what the query asks of the rows of each table that it scans.
//
// DuckDB's optimizer has pushed conditions down to the scans already, through
// joins, common table expressions, subqueries and views. What it pushed stands
// in a scan's table filters, or in the filter right above the scan. Here both
// become conditions of package pushdown. What is not understood is left out, so
// that the conditions say less than the query and never more: they are hints,
// and DuckDB asks the rows again.
package hints

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hudi-go/hudi/pushdown"
)

// A Scan is one scan of a table.
type Scan struct {
	Schema, Table string
	// Where is true for all rows that matter to the query; nil says nothing.
	Where pushdown.Predicate
}

// Read gives the scans of the plans that json_serialize_plan made.
func Read(text []byte) ([]Scan, error) {
	var top struct {
		Error   bool   `json:"error"`
		Message string `json:"error_message"`
		Plans   []*operator
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&top); err != nil {
		return nil, err
	}
	if top.Error {
		return nil, errors.New(top.Message)
	}
	var scans []Scan
	for _, p := range top.Plans {
		scans = p.scans(scans, nil)
	}
	return scans, nil
}

// operator is a node of a plan.
type operator struct {
	Type        string        `json:"type"`
	Children    []*operator   `json:"children"`
	Expressions []*expression `json:"expressions"`

	// of scans
	Names         []string `json:"names"`
	ProjectionIDs []int    `json:"projection_ids"`
	ColumnIndexes []struct {
		Index json.Number `json:"index"`
		Parts []any       `json:"child_indexes"` // what is read of a struct
	} `json:"column_indexes"`
	// ByColumn is set by DuckDB 2: keys of filters are places in ColumnIndexes,
	// and no longer in Names.
	ByColumn     bool `json:"table_filters_by_projection"`
	TableFilters struct {
		Filters []struct {
			Key   int     `json:"key"`
			Value *filter `json:"value"`
		} `json:"filters"`
	} `json:"table_filters"`
	FunctionData struct {
		Schema string `json:"schema"`
		Table  string `json:"table"`
	} `json:"function_data"`
}

// scans adds the scans below an operator; above is the filter right above it.
func (o *operator) scans(to []Scan, above []*expression) []Scan {
	if o == nil {
		return to
	}
	if o.Type == "LOGICAL_GET" {
		if o.FunctionData.Table != "" {
			to = append(to, Scan{Schema: o.FunctionData.Schema, Table: o.FunctionData.Table, Where: o.where(above)})
		}
		return to
	}
	if o.Type == "LOGICAL_FILTER" {
		above = o.Expressions
	} else {
		above = nil
	}
	for _, c := range o.Children {
		to = c.scans(to, above)
	}
	return to
}

// where joins the conditions on a scan.
func (o *operator) where(above []*expression) pushdown.Predicate {
	var all pushdown.And
	for _, f := range o.TableFilters.Filters {
		c, ok := o.filtered(f.Key)
		if !ok {
			continue
		}
		if p := f.Value.predicate(c); p != nil {
			all = append(all, p)
		}
	}
	for _, e := range above {
		if p := e.predicate(o.column); p != nil {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// filtered names the column of a filter.
func (o *operator) filtered(key int) (pushdown.Column, bool) {
	if o.ByColumn {
		return o.scanned(key)
	}
	if key < 0 || key >= len(o.Names) {
		return nil, false
	}
	return pushdown.Column{o.Names[key]}, true
}

// column names an output column of a scan.
func (o *operator) column(at int) (pushdown.Column, bool) {
	if len(o.ProjectionIDs) > 0 {
		if at < 0 || at >= len(o.ProjectionIDs) {
			return nil, false
		}
		at = o.ProjectionIDs[at]
	}
	return o.scanned(at)
}

// scanned names a column that a scan reads.
func (o *operator) scanned(at int) (pushdown.Column, bool) {
	if at < 0 || at >= len(o.ColumnIndexes) {
		return nil, false
	}
	n, err := o.ColumnIndexes[at].Index.Int64()
	if err != nil || len(o.ColumnIndexes[at].Parts) > 0 || n < 0 || n >= int64(len(o.Names)) {
		return nil, false
	}
	return pushdown.Column{o.Names[n]}, true
}

var comparisons = map[string]pushdown.Operator{
	"COMPARE_EQUAL": pushdown.Eq, "COMPARE_NOTEQUAL": pushdown.Ne,
	"COMPARE_LESSTHAN": pushdown.Lt, "COMPARE_LESSTHANOREQUALTO": pushdown.Le,
	"COMPARE_GREATERTHAN": pushdown.Gt, "COMPARE_GREATERTHANOREQUALTO": pushdown.Ge,
	"COMPARE_DISTINCT_FROM": pushdown.IsDistinct, "COMPARE_NOT_DISTINCT_FROM": pushdown.IsNotDistinct,
}

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[pushdown.Operator]pushdown.Operator{
	pushdown.Lt: pushdown.Gt, pushdown.Le: pushdown.Ge, pushdown.Gt: pushdown.Lt, pushdown.Ge: pushdown.Le,
}

// filter is a condition on one column of a scan.
type filter struct {
	Type       string      `json:"filter_type"`
	Comparison string      `json:"comparison_type"`
	Constant   *constant   `json:"constant"`
	Values     []*constant `json:"values"`
	Child      *filter     `json:"child_filter"`
	Children   []*filter   `json:"child_filters"`
	ChildName  string      `json:"child_name"`
	Expression *expression `json:"expr"`
}

// predicate reads a filter; nil where it says nothing that is understood.
func (f *filter) predicate(c pushdown.Column) pushdown.Predicate {
	if f == nil {
		return nil
	}
	switch strings.TrimPrefix(f.Type, "LEGACY_") { // as DuckDB 2 calls them
	case "CONSTANT_COMPARISON":
		op, known := comparisons[f.Comparison]
		v, ok := f.Constant.value()
		if known && ok {
			return pushdown.Compare{Column: c, Op: op, Value: v}
		}
	case "IS_NULL", "IS_NOT_NULL":
		return pushdown.IsNull{Column: c, Not: strings.HasSuffix(f.Type, "IS_NOT_NULL")}
	case "IN_FILTER":
		if values, ok := valuesOf(f.Values); ok {
			return pushdown.In{Column: c, Values: values}
		}
	case "OPTIONAL_FILTER":
		return f.Child.predicate(c)
	case "STRUCT_EXTRACT":
		if f.ChildName != "" {
			return f.Child.predicate(append(c[:len(c):len(c)], f.ChildName))
		}
	case "CONJUNCTION_AND":
		return conjunction(f.Children, func(child *filter) pushdown.Predicate { return child.predicate(c) })
	case "CONJUNCTION_OR":
		return disjunction(f.Children, func(child *filter) pushdown.Predicate { return child.predicate(c) })
	case "EXPRESSION_FILTER":
		return f.Expression.predicate(func(int) (pushdown.Column, bool) { return c, true })
	}
	return nil
}

// conjunction leaves out what is not understood.
func conjunction[T any](parts []T, read func(T) pushdown.Predicate) pushdown.Predicate {
	var all pushdown.And
	for _, p := range parts {
		if one := read(p); one != nil {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// disjunction is understood as a whole or not at all.
func disjunction[T any](parts []T, read func(T) pushdown.Predicate) pushdown.Predicate {
	var all pushdown.Or
	for _, p := range parts {
		one := read(p)
		if one == nil {
			return nil
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Join gives what is true for the rows that matter to any of some scans.
func Join(scans []Scan) pushdown.Predicate {
	return disjunction(scans, func(s Scan) pushdown.Predicate { return s.Where })
}
