package functions

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// appendValue appends a Go value to a column: nil and nil pointers are NULL.
func appendValue(b array.Builder, v any) error {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
	case string:
		b.(*array.StringBuilder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case int64:
		b.(*array.Int64Builder).Append(v)
	case []string:
		l := b.(*array.ListBuilder)
		l.Append(true)
		for _, s := range v {
			l.ValueBuilder().(*array.StringBuilder).Append(s)
		}
	default:
		return fmt.Errorf("no column takes a %T", v)
	}
	return nil
}

// orNull is NULL for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
