package cli

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// typeNames are the names that Spark, which writes most Hudi tables, has for
// types without parameters.
var typeNames = map[arrow.Type]string{
	arrow.BOOL: "boolean", arrow.INT8: "tinyint", arrow.INT16: "smallint", arrow.INT32: "int", arrow.INT64: "bigint",
	arrow.FLOAT32: "float", arrow.FLOAT64: "double", arrow.STRING: "string", arrow.LARGE_STRING: "string",
	arrow.BINARY: "binary", arrow.LARGE_BINARY: "binary", arrow.DATE32: "date", arrow.TIME32: "time(ms)",
}

// typeName names a column's type as Spark SQL does. Units are named where they
// are not microseconds.
func typeName(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.TimestampType:
		name := "timestamp_ntz"
		if t.TimeZone != "" {
			name = "timestamp"
		}
		if t.Unit != arrow.Microsecond {
			name += "(" + t.Unit.String() + ")"
		}
		return name
	case *arrow.Time64Type:
		return "time(" + t.Unit.String() + ")"
	case arrow.DecimalType:
		return fmt.Sprintf("decimal(%d,%d)", t.GetPrecision(), t.GetScale())
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("binary(%d)", t.ByteWidth)
	case *arrow.MapType:
		return "map<" + typeName(t.KeyType()) + "," + typeName(t.ItemType()) + ">"
	case *arrow.StructType:
		fields := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = f.Name + ":" + typeName(f.Type)
		}
		return "struct<" + strings.Join(fields, ",") + ">"
	case *arrow.DictionaryType:
		return typeName(t.ValueType)
	case arrow.ListLikeType:
		return "array<" + typeName(t.Elem()) + ">"
	}
	if name, ok := typeNames[t.ID()]; ok {
		return name
	}
	return t.String()
}
