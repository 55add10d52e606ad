package adbc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb"
)

// literal writes a value of an Arrow array in SQL, with its type. It stands in
// parentheses, so that it fits wherever a parameter does.
func literal(a arrow.Array, row int) (string, error) {
	if a.DataType().ID() == arrow.NULL {
		return "(NULL)", nil
	}
	if d, ok := a.(*array.Dictionary); ok {
		if d.IsNull(row) {
			return literal(array.NewNull(1), 0)
		}
		return literal(d.Dictionary(), d.GetValueIndex(row))
	}
	typ, err := sqlType(a.DataType())
	if err != nil {
		return "", err
	}
	text := "NULL"
	if !a.IsNull(row) {
		if text, err = valueText(a, row); err != nil {
			return "", err
		}
	}
	return "(CAST(" + text + " AS " + typ + "))", nil
}

// valueText writes a value that is not null, in quotes unless it nests.
func valueText(a arrow.Array, row int) (string, error) {
	switch a := a.(type) {
	case *array.Float32:
		return quoteFloat(float64(a.Value(row)), 32), nil
	case *array.Float64:
		return quoteFloat(a.Value(row), 64), nil
	case *array.Float16:
		return quoteFloat(float64(a.Value(row).Float32()), 32), nil
	case *array.Date32:
		return quoteTime(a.Value(row).ToTime(), "2006-01-02")
	case *array.Date64:
		return quoteTime(a.Value(row).ToTime(), "2006-01-02")
	case *array.Time32:
		return quoteTime(a.Value(row).ToTime(a.DataType().(*arrow.Time32Type).Unit), "15:04:05.999999")
	case *array.Time64:
		return quoteTime(a.Value(row).ToTime(a.DataType().(*arrow.Time64Type).Unit), "15:04:05.999999999")
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		if t.TimeZone != "" {
			return quoteTime(a.Value(row).ToTime(t.Unit), "2006-01-02 15:04:05.999999-07:00")
		}
		return quoteTime(a.Value(row).ToTime(t.Unit), "2006-01-02 15:04:05.999999999")
	case interface{ Value(int) []byte }:
		var b strings.Builder
		for _, c := range a.Value(row) {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
		return "'" + b.String() + "'", nil
	case interface{ Value(int) string }:
		if strings.ContainsRune(a.Value(row), 0) {
			return "", sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "a parameter has a text with a NUL in it")
		}
		return duckdb.QuoteString(a.Value(row)), nil
	case array.ListLike:
		return listText(a, row)
	case *array.Struct:
		return structText(a, row)
	}
	return duckdb.QuoteString(a.ValueStr(row)), nil // numbers, booleans
}

func listText(a array.ListLike, row int) (string, error) {
	from, to := a.ValueOffsets(row)
	parts := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		part, err := literal(a.ListValues(), int(i))
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

func structText(a *array.Struct, row int) (string, error) {
	parts := make([]string, a.NumField())
	for i := range parts {
		part, err := literal(a.Field(i), row)
		if err != nil {
			return "", err
		}
		parts[i] = duckdb.QuoteString(a.DataType().(*arrow.StructType).Field(i).Name) + ": " + part
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

func quoteFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "'nan'"
	case math.IsInf(f, 1):
		return "'inf'"
	case math.IsInf(f, -1):
		return "'-inf'"
	}
	return "'" + strconv.FormatFloat(f, 'e', -1, bits) + "'"
}

func quoteTime(t time.Time, layout string) (string, error) {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return "", sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "a parameter has the year %d: only 1 to 9999 are supported", t.Year())
	}
	return "'" + t.Format(layout) + "'", nil
}

// sqlTypes are DuckDB's names of types without parameters.
var sqlTypes = map[arrow.Type]string{
	arrow.BOOL: "BOOLEAN", arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "FLOAT", arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.STRING_VIEW: "VARCHAR",
	arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.BINARY_VIEW: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
	arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME", arrow.TIME64: "TIME",
}

// sqlType is DuckDB's name of a type.
func sqlType(t arrow.DataType) (string, error) {
	if name, ok := sqlTypes[t.ID()]; ok {
		return name, nil
	}
	switch t := t.(type) {
	case *arrow.TimestampType:
		switch {
		case t.TimeZone != "":
			return "TIMESTAMPTZ", nil
		case t.Unit == arrow.Nanosecond:
			return "TIMESTAMP_NS", nil
		}
		return "TIMESTAMP", nil
	case arrow.DecimalType:
		if t.GetPrecision() <= 38 {
			return fmt.Sprintf("DECIMAL(%d, %d)", t.GetPrecision(), t.GetScale()), nil
		}
	case arrow.ListLikeType:
		if t.ID() == arrow.MAP {
			break
		}
		element, err := sqlType(t.Elem())
		return element + "[]", err
	case *arrow.StructType:
		parts := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			typ, err := sqlType(f.Type)
			if err != nil {
				return "", err
			}
			parts[i] = duckdb.QuoteName(f.Name) + " " + typ
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")", nil
	}
	return "", sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "parameters of type %s are not supported", t)
}
