package keygen

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/javatext"
)

// Texts that stand for null and "" inside a key of several fields.
const (
	nullKey  = "__null__"
	emptyKey = "__empty__"
)

// RecordKeys gives the record key of each row, for tables that do not store it
// (hoodie.populate.meta.fields=false). fields are the columns named by
// s.KeyFields, nested ones resolved, in that order. The caller owns the
// answer.
func (s Spec) RecordKeys(mem memory.Allocator, fields []arrow.Array, rows int) (arrow.Array, error) {
	if len(fields) != len(s.KeyFields) || len(fields) == 0 {
		return nil, fmt.Errorf("record key needs the columns %v (hoodie.table.recordkey.fields)", s.KeyFields)
	}
	plain := len(fields) == 1 && s.Kind != Complex
	if plain && fields[0].DataType().ID() == arrow.STRING && fields[0].NullN() == 0 {
		fields[0].Retain()
		return fields[0], nil
	}
	texts := make([]texter, len(fields))
	for i, f := range fields {
		var err error
		if texts[i], err = textOf(f); err != nil {
			return nil, fmt.Errorf("record key field %s: %w", s.KeyFields[i], err)
		}
	}
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Reserve(rows)
	var key []byte
	for row := range rows {
		key = key[:0]
		for i, f := range fields {
			if plain {
				if f.IsNull(row) {
					return nil, fmt.Errorf("record key field %s is null", s.KeyFields[i])
				}
				key = texts[i](key, row)
				continue
			}
			key = s.appendPart(key, i, f, texts[i], row)
		}
		b.BinaryBuilder.Append(key)
	}
	return b.NewArray(), nil
}

// appendPart appends `field:value` of a key of several fields.
func (s Spec) appendPart(key []byte, i int, f arrow.Array, text texter, row int) []byte {
	if i > 0 {
		key = append(key, ',')
	}
	key = append(append(key, s.KeyFields[i]...), ':')
	start := len(key)
	if f.IsNull(row) {
		return append(key, nullKey...)
	}
	if key = text(key, row); len(key) == start {
		key = append(key, emptyKey...)
	}
	return key
}

// A texter appends the text of a row's value as
// HoodieAvroUtils.getNestedFieldValAsString has it.
type texter func(b []byte, row int) []byte

func textOf(a arrow.Array) (texter, error) {
	switch a := a.(type) {
	case *array.String:
		return func(b []byte, i int) []byte { return append(b, a.Value(i)...) }, nil
	case *array.Int32:
		return func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(a.Value(i)), 10) }, nil
	case *array.Int64:
		return func(b []byte, i int) []byte { return strconv.AppendInt(b, a.Value(i), 10) }, nil
	case *array.Boolean:
		return func(b []byte, i int) []byte { return strconv.AppendBool(b, a.Value(i)) }, nil
	case *array.Float32:
		return func(b []byte, i int) []byte { return javatext.AppendFloat(b, float64(a.Value(i)), 32) }, nil
	case *array.Float64:
		return func(b []byte, i int) []byte { return javatext.AppendFloat(b, a.Value(i), 64) }, nil
	case *array.Date32:
		return func(b []byte, i int) []byte {
			return a.Value(i).ToTime().AppendFormat(b, time.DateOnly)
		}, nil
	case *array.Timestamp:
		return func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(a.Value(i)), 10) }, nil
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(b []byte, i int) []byte { return append(b, a.Value(i).ToString(scale)...) }, nil
	case *array.Binary:
		return func(b []byte, i int) []byte { return hex.AppendEncode(b, a.Value(i)) }, nil
	}
	return nil, fmt.Errorf("type %s can't be a record key in a table without meta columns", a.DataType())
}
