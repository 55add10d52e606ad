package adbc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
)

// sameMeaning gives a condition the meaning that it has for DuckDB. Where that
// can't be had, since types of different kinds are compared and one is
// converted to the other in ways of its own, the error is errNotPlain.
func sameMeaning(p pushdown.Predicate, s *arrow.Schema) (pushdown.Predicate, error) {
	switch p := p.(type) {
	case nil, pushdown.Constant:
		return p, nil
	case pushdown.And:
		parts, err := each(p, s)
		return pushdown.And(parts), err
	case pushdown.Or:
		parts, err := each(p, s)
		return pushdown.Or(parts), err
	case pushdown.Not:
		of, err := sameMeaning(p.Of, s)
		return pushdown.Not{Of: of}, err
	case pushdown.IsNull:
		_, err := columnType(s, p.Column)
		return p, err
	case pushdown.Compare:
		values, err := compared(s, p.Column, p.Value)
		if err == nil {
			p.Value = values[0]
		}
		return p, err
	case pushdown.In:
		values, err := compared(s, p.Column, p.Values...)
		p.Values = values
		return p, err
	case pushdown.Like:
		_, err := compared(s, p.Column, pushdown.String(""))
		return p, err
	}
	return nil, fmt.Errorf("%w: the condition %s", errNotPlain, p)
}

func each(all []pushdown.Predicate, s *arrow.Schema) ([]pushdown.Predicate, error) {
	out := make([]pushdown.Predicate, len(all))
	for i, p := range all {
		var err error
		if out[i], err = sameMeaning(p, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// columnType finds the type of a column, or of a part of one.
func columnType(s *arrow.Schema, c pushdown.Column) (arrow.DataType, error) {
	for i, name := range c {
		at, ok := schema.Lookup(s, name)
		if !ok {
			break
		}
		t := s.Field(at).Type
		if i == len(c)-1 {
			return t, nil
		}
		nested, ok := t.(*arrow.StructType)
		if !ok {
			break
		}
		s = arrow.NewSchema(nested.Fields(), nil)
	}
	return nil, fmt.Errorf("%w: there is no column %s", errNotPlain, c)
}

// compared gives the constants that a column is compared with, as DuckDB
// converts them.
func compared(s *arrow.Schema, c pushdown.Column, values ...pushdown.Value) ([]pushdown.Value, error) {
	t, err := columnType(s, c)
	if err != nil {
		return nil, err
	}
	out := make([]pushdown.Value, len(values))
	for i, v := range values {
		if t.ID() == arrow.FLOAT64 {
			v = toFloat(v)
		}
		if out[i] = v; !v.IsNull() && !sameKind(t, v) {
			return nil, fmt.Errorf("%w: column %s of type %s compared with %s", errNotPlain, c, t, v)
		}
	}
	return out, nil
}

// toFloat converts exact numbers that have no more digits than a float.
func toFloat(v pushdown.Value) pushdown.Value {
	if k := v.Kind(); k != pushdown.KindInteger && k != pushdown.KindDecimal {
		return v
	}
	text := v.String()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || len(strings.Trim(text, "-.")) > 15 {
		return v
	}
	return pushdown.Float(f)
}

var (
	plainDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	plainTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?$`)
)

// sameKind tells whether a column's type and a constant are of one kind. Texts
// are taken for dates and times where nobody reads them otherwise.
func sameKind(t arrow.DataType, v pushdown.Value) bool {
	k := v.Kind()
	switch t.ID() {
	case arrow.BOOL:
		return k == pushdown.KindBoolean
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DECIMAL128, arrow.DECIMAL32, arrow.DECIMAL64:
		return k == pushdown.KindInteger || k == pushdown.KindDecimal
	case arrow.FLOAT32, arrow.FLOAT64:
		return k == pushdown.KindFloat
	case arrow.STRING, arrow.LARGE_STRING:
		return k == pushdown.KindString
	case arrow.DATE32:
		return k == pushdown.KindDate || k == pushdown.KindString && plainDate.MatchString(v.Text())
	case arrow.TIMESTAMP:
		if t.(*arrow.TimestampType).TimeZone != "" {
			return k == pushdown.KindTimestampTZ || k == pushdown.KindString && plainTime.MatchString(v.Text())
		}
		return k == pushdown.KindTimestamp || k == pushdown.KindDate || k == pushdown.KindString && plainTime.MatchString(v.Text())
	}
	return false
}
