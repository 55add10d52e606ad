package functions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteString(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }

// flatNames are SQL's names of the types that package vector maps flat Arrow
// types to.
var flatNames = map[arrow.Type]string{
	arrow.NULL: "INTEGER", arrow.BOOL: "BOOLEAN",
	arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "FLOAT", arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR",
	arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
	arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME",
}

// TypeName gives SQL's name of the DuckDB type that an Arrow type becomes.
func TypeName(t arrow.DataType) (string, error) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE", nil
		}
		return [...]string{"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"}[t.Unit], nil
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return "TIME_NS", nil
		}
		return "TIME", nil
	case arrow.DecimalType:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.GetPrecision(), t.GetScale()), nil
	case *arrow.StructType:
		fields := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			name, err := TypeName(f.Type)
			if err != nil {
				return "", err
			}
			fields[i] = quoteName(f.Name) + " " + name
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")", nil
	case *arrow.MapType:
		key, err := TypeName(t.KeyType())
		if err != nil {
			return "", err
		}
		item, err := TypeName(t.ItemType())
		return "MAP(" + key + ", " + item + ")", err
	case *arrow.DictionaryType:
		return TypeName(t.ValueType)
	case arrow.ListLikeType:
		elem, err := TypeName(t.Elem())
		return elem + "[]", err
	}
	if name, ok := flatNames[t.ID()]; ok {
		return name, nil
	}
	return "", fmt.Errorf("duckdb has no type for arrow %s", t)
}

// literal writes the first value of an array so that a cast to its type gives
// it back; false where no text does so for sure.
func literal(a arrow.Array) (string, bool) {
	if a.IsNull(0) {
		return "NULL", true
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.FormatBool(a.Value(0)), true
	case *array.Int32:
		return strconv.FormatInt(int64(a.Value(0)), 10), true
	case *array.Int64:
		return quoteString(strconv.FormatInt(a.Value(0), 10)), true
	case *array.String:
		s := a.Value(0)
		return quoteString(s), !strings.ContainsRune(s, 0)
	case *array.Decimal128:
		return quoteString(a.Value(0).ToString(a.DataType().(*arrow.Decimal128Type).Scale)), true
	case *array.Date32:
		return timeText(a.Value(0).ToTime().Year(), a.Value(0).FormattedString())
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		at := a.Value(0).ToTime(t.Unit).UTC()
		s := at.Format("2006-01-02 15:04:05.999999")
		if t.TimeZone != "" {
			s += "+00"
		}
		ok := t.Unit != arrow.Nanosecond
		s, inRange := timeText(at.Year(), s)
		return s, ok && inRange
	}
	return "", false
}

// timeText takes years that all calendars' texts agree on.
func timeText(year int, s string) (string, bool) {
	return quoteString(s), year >= 1 && year <= 9999
}
