package mergeread

import (
	"context"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/keygen"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
)

// deleteFields are the columns of delete batches: the key and, where ordering
// values matter, one column for each ordering field, typed as in the table.
func (s *slice) deleteFields() []arrow.Field {
	fields := []arrow.Field{{Name: schema.RecordKeyColumn, Type: arrow.BinaryTypes.String}}
	if s.rules.Mode == CommitTime {
		return fields
	}
	for _, name := range s.rules.Ordering {
		t, ok := fieldType(s.layout.working, name)
		if !ok {
			continue // no such column: every record has the default ordering value
		}
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	return fields
}

// fieldType is the type of a column given by its dotted path.
func fieldType(in *arrow.Schema, path string) (arrow.DataType, bool) {
	name, rest, nested := strings.Cut(path, ".")
	i, ok := schema.Lookup(in, name)
	if !ok {
		return nil, false
	}
	t := in.Field(i).Type
	for nested {
		st, ok := t.(*arrow.StructType)
		if !ok {
			return nil, false
		}
		name, rest, nested = strings.Cut(rest, ".")
		f, ok := st.FieldByName(name)
		if !ok {
			return nil, false
		}
		t = f.Type
	}
	return t, true
}

// openDeletes streams a delete block or a native delete file.
func (s *slice) openDeletes(ctx context.Context, b *logBlock) (batch.Reader, error) {
	fields := s.deleteFields()
	if b.native != nil {
		return s.openBlock(ctx, b, b.native, arrow.NewSchema(fields, nil), scan.BaseOptions{})
	}
	content, err := b.inline.Content()
	if err != nil {
		return nil, b.failed(err)
	}
	rec, err := s.deleteBatch(fields, content)
	if err != nil {
		return nil, b.failed(err)
	}
	return batch.FromSlice(rec.Schema(), []arrow.RecordBatch{rec}), nil
}

// deleteBatch makes a batch of a delete block's entries. An ordering value
// that has another class than its field can't be compared; such entries are
// marked, and win.
func (s *slice) deleteBatch(fields []arrow.Field, content []byte) (arrow.RecordBatch, error) {
	fields = append(fields, arrow.Field{Name: OtherClassColumn, Type: arrow.FixedWidthTypes.Boolean})
	b := array.NewRecordBuilder(s.env.Allocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	keys := b.Field(0).(*array.StringBuilder)
	other := b.Field(len(fields) - 1).(*array.BooleanBuilder)
	n := len(fields) - 2
	prefix, err := s.keyPrefix(content)
	if err != nil {
		return nil, err
	}
	var one [1]hudilog.OrderingValue
	err = hudilog.VisitDeletes(content, func(key string, v *hudilog.OrderingValue) {
		keys.Append(prefix + key)
		values, ok := orderingValues(v, n, &one)
		for f := range n {
			if !ok || values == nil || values[f].IsDefault() {
				b.Field(1 + f).AppendNull()
				continue
			}
			if !appendOrdering(b.Field(1+f), &values[f]) {
				b.Field(1 + f).AppendNull()
				ok = false
			}
		}
		other.Append(!ok)
	})
	if err != nil {
		return nil, err
	}
	return b.NewRecordBatch(), nil
}

// keyPrefix is what a block's keys lack to be those that are computed of rows.
// Key generators for several fields write a single one as "field:value", but
// those of Hudi 0.14.1 to 1.0.2 as the value alone, and no property tells.
func (s *slice) keyPrefix(content []byte) (string, error) {
	k := s.layout.keys
	if !s.layout.computed || k.Kind != keygen.Complex || len(k.KeyFields) != 1 {
		return "", nil
	}
	prefix, bare := k.KeyFields[0]+":", false
	err := hudilog.VisitDeletes(content, func(key string, _ *hudilog.OrderingValue) {
		bare = bare || !strings.HasPrefix(key, prefix)
	})
	if !bare {
		prefix = ""
	}
	return prefix, err
}

// orderingValues takes an entry's ordering value apart, one for each field; nil
// is no value. It reports whether their number fits. one is scratch.
func orderingValues(v *hudilog.OrderingValue, n int, one *[1]hudilog.OrderingValue) ([]hudilog.OrderingValue, bool) {
	switch {
	case v.IsDefault() || n == 0:
		return nil, true
	case v.Kind == hudilog.OrderingArray:
		return v.List, len(v.List) == n
	}
	one[0] = *v
	return one[:], n == 1
}

// appendOrdering appends an ordering value to a column if it can be one of its
// type: exactly, or as a wider number.
func appendOrdering(b array.Builder, v *hudilog.OrderingValue) bool {
	integer := v.Kind == hudilog.OrderingInt || v.Kind == hudilog.OrderingLong
	float := v.Kind == hudilog.OrderingFloat || v.Kind == hudilog.OrderingDouble
	days := v.Kind == hudilog.OrderingDate || v.Kind == hudilog.OrderingLocalDate
	switch b := b.(type) {
	case *array.Int32Builder:
		return fits(v.Kind == hudilog.OrderingInt, func() { b.Append(int32(v.I64)) })
	case *array.Int64Builder:
		return fits(integer, func() { b.Append(v.I64) })
	case *array.Float32Builder:
		return fits(v.Kind == hudilog.OrderingFloat, func() { b.Append(float32(v.F64)) })
	case *array.Float64Builder:
		return fits(float || integer, func() { b.Append(v.F64 + float64(v.I64)) })
	case *array.BooleanBuilder:
		return fits(v.Kind == hudilog.OrderingBool, func() { b.Append(v.I64 != 0) })
	case *array.StringBuilder:
		return fits(v.Kind == hudilog.OrderingString, func() { b.Append(v.Str) })
	case *array.BinaryBuilder:
		return fits(v.Kind == hudilog.OrderingBytes, func() { b.Append([]byte(v.Str)) })
	case *array.Date32Builder:
		return fits(days || v.Kind == hudilog.OrderingInt, func() { b.Append(arrow.Date32(v.I64)) })
	case *array.Time64Builder:
		return fits(v.Kind == hudilog.OrderingTimeMicros || integer, func() { b.Append(arrow.Time64(v.I64)) })
	case *array.TimestampBuilder:
		return appendTimestamp(b, v, integer)
	case *array.Decimal128Builder:
		return v.Kind == hudilog.OrderingDecimal && appendDecimal(b, v.Str)
	}
	return false
}

func fits(ok bool, add func()) bool {
	if ok {
		add()
	}
	return ok
}

// appendTimestamp takes the raw number of Avro writers as it is, and microseconds
// of engines that knew a timestamp in the column's unit.
func appendTimestamp(b *array.TimestampBuilder, v *hudilog.OrderingValue, raw bool) bool {
	unit := b.Type().(*arrow.TimestampType).Unit
	switch {
	case raw:
		b.Append(arrow.Timestamp(v.I64))
	case v.Kind == hudilog.OrderingTimestampMicros && unit == arrow.Millisecond:
		b.Append(arrow.Timestamp(v.I64 / 1000))
	case v.Kind == hudilog.OrderingTimestampMicros && unit == arrow.Microsecond:
		b.Append(arrow.Timestamp(v.I64))
	default:
		return false
	}
	return true
}

// orderingScale is the scale of decimals in delete blocks.
const orderingScale = 15

// appendDecimal rescales an unscaled value of scale 15.
func appendDecimal(b *array.Decimal128Builder, unscaled string) bool {
	n := new(big.Int).SetBytes([]byte(unscaled))
	if len(unscaled) > 0 && unscaled[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(unscaled))))
	}
	scale := b.Type().(*arrow.Decimal128Type).Scale
	ten := big.NewInt(10)
	if scale >= orderingScale {
		n.Mul(n, new(big.Int).Exp(ten, big.NewInt(int64(scale-orderingScale)), nil))
	} else {
		var rest big.Int
		n.QuoRem(n, new(big.Int).Exp(ten, big.NewInt(int64(orderingScale-scale)), nil), &rest)
		if rest.Sign() != 0 {
			return false
		}
	}
	if n.BitLen() > 127 {
		return false
	}
	b.Append(decimal128.FromBigInt(n))
	return true
}
