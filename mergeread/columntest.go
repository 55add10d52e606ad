package mergeread

import (
	"encoding/json"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// defaultKey is the field metadata key with the JSON text of an Avro field's
// default value, where that is not null.
const defaultKey = "hudi.default"

// A columnTest says whether a winner's value gives way to the loser's.
type columnTest func(arr arrow.Array, row int) bool

func (t columnTest) test(m *resolver, v ref, c int) bool {
	return t != nil && t(m.sources[v.src()].cols[c], v.row())
}

func isNull(arr arrow.Array, row int) bool { return arr.IsNull(row) }

// newColumnTest compiles a combination for one column; nil never gives way.
func newColumnTest(c combination, f arrow.Field, r Rules) columnTest {
	switch c {
	case overNulls:
		return isNull
	case overDefaults:
		if text, ok := f.Metadata.GetValue(defaultKey); ok {
			return equalsDefault(f.Type, text)
		}
		return isNull
	case overUnavailable:
		if r.Unavailable == "" {
			return nil
		}
		if f.Type.ID() == arrow.BINARY {
			return nil // Spark compares the marker as a text, which bytes never equal
		}
		return equalsText(f.Type, r.Unavailable)
	}
	return nil
}

// equalsText tests strings and binary values.
func equalsText(dt arrow.DataType, text string) columnTest {
	switch dt.ID() {
	case arrow.STRING:
		return func(arr arrow.Array, row int) bool {
			return arr.IsValid(row) && arr.(*array.String).Value(row) == text
		}
	case arrow.BINARY:
		return func(arr arrow.Array, row int) bool {
			return arr.IsValid(row) && string(arr.(*array.Binary).Value(row)) == text
		}
	case arrow.LARGE_STRING:
		return func(arr arrow.Array, row int) bool {
			return arr.IsValid(row) && arr.(*array.LargeString).Value(row) == text
		}
	}
	return nil
}

// equalsDefault tests for the default value of an Avro field, given as JSON.
// Records, arrays and maps never equal their default, as in Hudi, which
// compares the objects' identity.
func equalsDefault(dt arrow.DataType, text string) columnTest {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return isNull
	case string:
		return equalsText(dt, v)
	case bool:
		if dt.ID() != arrow.BOOL {
			return nil
		}
		return func(arr arrow.Array, row int) bool { return arr.IsValid(row) && arr.(*array.Boolean).Value(row) == v }
	case float64:
		return equalsNumber(dt, text, v)
	}
	return nil
}

func equalsNumber(dt arrow.DataType, text string, v float64) columnTest {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = int64(v)
	}
	return func(arr arrow.Array, row int) bool {
		if arr.IsNull(row) {
			return false
		}
		switch a := arr.(type) {
		case *array.Float32:
			return a.Value(row) == float32(v)
		case *array.Float64:
			return a.Value(row) == v
		case *array.Int32:
			return int64(a.Value(row)) == n
		case *array.Int64:
			return a.Value(row) == n
		case *array.Date32:
			return int64(a.Value(row)) == n
		case *array.Time32:
			return int64(a.Value(row)) == n
		case *array.Time64:
			return int64(a.Value(row)) == n
		case *array.Timestamp:
			return int64(a.Value(row)) == n
		}
		return false
	}
}
