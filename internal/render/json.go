package render

import (
	"bufio"
	"io"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// jsonWriter writes an object a line.
type jsonWriter struct {
	w    *bufio.Writer
	keys [][]byte // `"name":`
	line []byte
}

func newJSON(w io.Writer, s *arrow.Schema) *jsonWriter {
	return &jsonWriter{w: bufio.NewWriterSize(w, 64<<10), keys: keysOf(s.Fields())}
}

func keysOf(fields []arrow.Field) [][]byte {
	keys := make([][]byte, len(fields))
	for i, f := range fields {
		keys[i] = append(appendQuoted(nil, f.Name), ':')
	}
	return keys
}

func (j *jsonWriter) Write(b arrow.RecordBatch) error {
	cells := make([]cell, b.NumCols())
	for i, c := range b.Columns() {
		cells[i] = inJSON.nullable(c)
	}
	for row := range int(b.NumRows()) {
		j.line = append(appendObject(j.line[:0], j.keys, cells, row), '\n')
		if _, err := j.w.Write(j.line); err != nil {
			return err
		}
	}
	return nil
}

func (j *jsonWriter) Close() error { return j.w.Flush() }

func appendObject(dst []byte, keys [][]byte, cells []cell, row int) []byte {
	dst = append(dst, '{')
	for i, c := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c(append(dst, keys[i]...), row)
	}
	return append(dst, '}')
}

// nested gives the cell of a list, struct or map, nil for other arrays.
func (s style) nested(a arrow.Array) cell {
	switch a := a.(type) {
	case *array.Struct:
		cells := make([]cell, a.NumField())
		for i := range cells {
			cells[i] = s.nullable(a.Field(i))
		}
		keys := keysOf(a.DataType().(*arrow.StructType).Fields())
		return func(dst []byte, i int) []byte { return appendObject(dst, keys, cells, i) }
	case *array.Map:
		return s.mapCell(a)
	case array.ListLike:
		values := s.nullable(a.ListValues())
		return func(dst []byte, i int) []byte {
			dst = append(dst, '[')
			start, end := a.ValueOffsets(i)
			for k := start; k < end; k++ {
				if k > start {
					dst = append(dst, ',')
				}
				dst = values(dst, int(k))
			}
			return append(dst, ']')
		}
	}
	return nil
}

// mapCell spells a map as an object. Keys are strings in JSON, so the plain
// text of any other key stands there.
func (s style) mapCell(a *array.Map) cell {
	keys, items := plain.cellOf(a.Keys()), s.nullable(a.Items())
	var key []byte
	return func(dst []byte, i int) []byte {
		dst = append(dst, '{')
		start, end := a.ValueOffsets(i)
		for k := start; k < end; k++ {
			if k > start {
				dst = append(dst, ',')
			}
			key = keys(key[:0], int(k))
			dst = append(appendQuoted(dst, string(key)), ':')
			dst = items(dst, int(k))
		}
		return append(dst, '}')
	}
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes a JSON string; what is not UTF-8 becomes U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = appendEscaped(append(dst, s[start:i]...), b)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscaped(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if b >= utf8.RuneSelf {
		return append(dst, "\ufffd"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
}
