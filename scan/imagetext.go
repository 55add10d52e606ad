package scan

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/javatext"
	"github.com/hudi-go/hudi/schema"
)

// texts makes the JSON column of one side. Spark writes images in two ways:
// those that were looked up as compact JSON with the meta columns and without
// nulls, no image being null; those of CDC files as Avro prints a record, with
// nulls and without meta columns, no image being the text "null".
func (w *changeWriter) texts(ops []byte, columns []arrow.Array, absent byte, logged bool) (arrow.Array, error) {
	b := array.NewStringBuilder(w.mem)
	defer b.Release()
	t := texter{avro: logged}
	for row, o := range ops {
		switch {
		case o == absent && logged:
			b.Append("null")
		case o == absent:
			b.AppendNull()
		default:
			t.buf = t.buf[:0]
			if err := t.record(w.rows, columns, row); err != nil {
				return nil, err
			}
			b.BinaryBuilder.Append(t.buf)
		}
	}
	return b.NewArray(), nil
}

// texter writes values as JSON.
type texter struct {
	avro bool
	buf  []byte
}

func (t *texter) comma(first bool) {
	switch {
	case first:
	case t.avro:
		t.buf = append(t.buf, ", "...)
	default:
		t.buf = append(t.buf, ',')
	}
}

func (t *texter) colon() {
	t.buf = append(t.buf, ':')
	if t.avro {
		t.buf = append(t.buf, ' ')
	}
}

func (t *texter) record(s *arrow.Schema, columns []arrow.Array, row int) error {
	t.buf = append(t.buf, '{')
	first := true
	for i, c := range columns {
		name := s.Field(i).Name
		if t.avro && schema.IsMeta(name) || !t.avro && c.IsNull(row) {
			continue
		}
		t.comma(first)
		first = false
		t.text(name)
		t.colon()
		if err := t.value(c, row); err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	t.buf = append(t.buf, '}')
	return nil
}

func (t *texter) value(a arrow.Array, i int) error {
	if a.IsNull(i) {
		t.buf = append(t.buf, "null"...)
		return nil
	}
	switch a := a.(type) {
	case *array.String:
		t.text(a.Value(i))
	case *array.Boolean:
		t.buf = strconv.AppendBool(t.buf, a.Value(i))
	case *array.Int32:
		t.buf = strconv.AppendInt(t.buf, int64(a.Value(i)), 10)
	case *array.Int64:
		t.buf = strconv.AppendInt(t.buf, a.Value(i), 10)
	case *array.Float32:
		t.float(float64(a.Value(i)), 32)
	case *array.Float64:
		t.float(a.Value(i), 64)
	case *array.Decimal128:
		t.buf = append(t.buf, a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)...)
	case *array.Date32:
		t.buf = strconv.AppendInt(t.buf, int64(a.Value(i)), 10)
	case *array.Time32:
		t.buf = strconv.AppendInt(t.buf, int64(a.Value(i)), 10)
	case *array.Time64:
		t.buf = strconv.AppendInt(t.buf, int64(a.Value(i)), 10)
	case *array.Timestamp:
		t.buf = strconv.AppendInt(t.buf, int64(a.Value(i)), 10)
	case *array.Binary:
		t.bytes(a.Value(i))
	case *array.FixedSizeBinary:
		t.bytes(a.Value(i))
	default:
		return t.nested(a, i)
	}
	return nil
}

func (t *texter) nested(a arrow.Array, i int) error {
	switch a := a.(type) {
	case *array.Struct:
		s := arrow.NewSchema(a.DataType().(*arrow.StructType).Fields(), nil)
		columns := make([]arrow.Array, a.NumField())
		for f := range columns {
			columns[f] = a.Field(f)
		}
		return t.record(s, columns, i)
	case *array.List:
		t.buf = append(t.buf, '[')
		from, to := a.ValueOffsets(i)
		for j := from; j < to; j++ {
			t.comma(j == from)
			if err := t.value(a.ListValues(), int(j)); err != nil {
				return err
			}
		}
		t.buf = append(t.buf, ']')
	case *array.Map:
		t.buf = append(t.buf, '{')
		from, to := a.ValueOffsets(i)
		for j := from; j < to; j++ {
			t.comma(j == from)
			t.text(a.Keys().ValueStr(int(j)))
			t.colon()
			if err := t.value(a.Items(), int(j)); err != nil {
				return err
			}
		}
		t.buf = append(t.buf, '}')
	default:
		return fmt.Errorf("values of type %s have no text", a.DataType())
	}
	return nil
}

// float writes a number as Java does; what JSON has no number for is a text.
func (t *texter) float(v float64, bits int) {
	if v != v || v-v != 0 {
		t.buf = append(t.buf, '"')
		t.buf = javatext.AppendFloat(t.buf, v, bits)
		t.buf = append(t.buf, '"')
		return
	}
	t.buf = javatext.AppendFloat(t.buf, v, bits)
}

// bytes writes binary values: in Base64 as Jackson does, or as Avro does, a
// character for each byte.
func (t *texter) bytes(b []byte) {
	if !t.avro {
		t.buf = append(t.buf, '"')
		t.buf = base64.StdEncoding.AppendEncode(t.buf, b)
		t.buf = append(t.buf, '"')
		return
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	t.text(string(runes))
}

const hexDigits = "0123456789ABCDEF"

// text writes a string. Avro also escapes what is not for the eye.
func (t *texter) text(s string) {
	t.buf = append(t.buf, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			t.buf = append(t.buf, '\\', byte(r))
		case r == '\b':
			t.buf = append(t.buf, `\b`...)
		case r == '\f':
			t.buf = append(t.buf, `\f`...)
		case r == '\n':
			t.buf = append(t.buf, `\n`...)
		case r == '\r':
			t.buf = append(t.buf, `\r`...)
		case r == '\t':
			t.buf = append(t.buf, `\t`...)
		case r < 0x20 || t.avro && (r >= 0x7f && r <= 0x9f || r >= 0x2000 && r <= 0x20ff):
			t.buf = append(t.buf, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			t.buf = utf8.AppendRune(t.buf, r)
		}
	}
	t.buf = append(t.buf, '"')
}
