package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/scalar"

	"github.com/hudi-go/hudi/internal/batch"
)

// filler gives the column of a field that the file lacks: the constant of the
// partition path, the field's default, or nulls.
func filler(f arrow.Field, constants map[string]*string) (func(memory.Allocator, int) (arrow.Array, error), error) {
	nulls := func(mem memory.Allocator, n int) (arrow.Array, error) {
		return batch.Nulls(mem, f.Type, n), nil
	}
	text, isConstant := constants[f.Name]
	if isConstant && text == nil {
		return nulls, nil
	}
	var value scalar.Scalar
	var err error
	if isConstant {
		value, err = ParseValue(*text, f.Type)
	} else if d, ok := f.Metadata.GetValue(defaultKey); ok {
		value, err = defaultValue(d, f.Type)
	} else {
		return nulls, nil
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", f.Name, err)
	}
	return func(mem memory.Allocator, n int) (arrow.Array, error) {
		return scalar.MakeArrayFromScalar(value, n, mem)
	}, nil
}

// ParseValue reads a text, as it stands in a partition path, as a value of a
// flat type.
func ParseValue(text string, t arrow.DataType) (scalar.Scalar, error) {
	switch t := t.(type) {
	case *arrow.StringType:
		return scalar.NewStringScalar(text), nil
	case *arrow.BinaryType:
		return scalar.NewBinaryScalar(memory.NewBufferBytes([]byte(text)), t), nil
	case *arrow.BooleanType:
		switch strings.ToLower(text) {
		case "true", "false":
			return scalar.NewBooleanScalar(strings.EqualFold(text, "true")), nil
		}
		return nil, fmt.Errorf("%q is no boolean", text)
	}
	one, err := parseArray(text, t)
	if err != nil {
		return nil, err
	}
	defer one.Release()
	return scalar.GetScalar(one, 0)
}

// parseArray reads a text into an array of one value, by the promotions of a
// string where there is one, else by Arrow's parser.
func parseArray(text string, t arrow.DataType) (arrow.Array, error) {
	mem := memory.DefaultAllocator
	if c := castString(t); c != nil {
		b := array.NewStringBuilder(mem)
		defer b.Release()
		b.Append(text)
		s := b.NewArray()
		defer s.Release()
		a, err := c(mem, s)
		if err == nil && a.IsNull(0) {
			a.Release()
			err = fmt.Errorf("%q is no %s", text, t)
		}
		return a, err
	}
	b := array.NewBuilder(mem, t)
	defer b.Release()
	if err := b.AppendValueFromString(text); err != nil {
		return nil, fmt.Errorf("%q is no %s: %w", text, t, err)
	}
	return b.NewArray(), nil
}

// defaultValue reads an Avro default (JSON).
func defaultValue(text string, t arrow.DataType) (scalar.Scalar, error) {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return ParseValue(s, t)
	}
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	if err := b.UnmarshalJSON([]byte("[" + text + "]")); err != nil {
		return nil, fmt.Errorf("default %s is no %s: %w", text, t, err)
	}
	a := b.NewArray()
	defer a.Release()
	return scalar.GetScalar(a, 0)
}
