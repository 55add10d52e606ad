package render

import (
	"bufio"
	"bytes"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// csvWriter writes RFC 4180 with a header line; lines end in LF alone, as all
// readers take it and tools on Unix want it.
type csvWriter struct {
	w       *bufio.Writer
	line    []byte
	header  []string
	started bool
}

func newCSV(w io.Writer, s *arrow.Schema) *csvWriter {
	c := &csvWriter{w: bufio.NewWriterSize(w, 64<<10)}
	for _, f := range s.Fields() {
		c.header = append(c.header, f.Name)
	}
	return c
}

func (c *csvWriter) start() error {
	if c.started {
		return nil
	}
	c.started = true
	c.line = c.line[:0]
	for i, name := range c.header {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		c.line = quoteField(append(c.line, name...), len(c.line))
	}
	_, err := c.w.Write(append(c.line, '\n'))
	return err
}

func (c *csvWriter) Write(b arrow.RecordBatch) error {
	if err := c.start(); err != nil {
		return err
	}
	cells, quoted := make([]cell, b.NumCols()), make([]bool, b.NumCols())
	for i, column := range b.Columns() {
		cells[i] = plain.cellOf(column)
		quoted[i] = !isNumber(column.DataType())
	}
	for row := range int(b.NumRows()) {
		c.line = c.line[:0]
		for i, f := range cells {
			if i > 0 {
				c.line = append(c.line, ',')
			}
			if isNull(b.Column(i), row) {
				continue
			}
			start := len(c.line)
			if c.line = f(c.line, row); quoted[i] {
				c.line = quoteField(c.line, start)
			}
		}
		if _, err := c.w.Write(append(c.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) Close() error {
	if err := c.start(); err != nil {
		return err
	}
	return c.w.Flush()
}

// quoteField puts line[start:] in quotes if it needs them; the empty string
// does, to differ from NULL.
func quoteField(line []byte, start int) []byte {
	field := line[start:]
	if len(field) > 0 && !slices.ContainsFunc(field, isSpecial) && field[0] != ' ' && field[len(field)-1] != ' ' {
		return line
	}
	quoted := bytes.ReplaceAll(field, []byte{'"'}, []byte{'"', '"'})
	return append(append(append(line[:start], '"'), quoted...), '"')
}

func isSpecial(c byte) bool { return c == ',' || c == '"' || c == '\n' || c == '\r' }

// isNull also knows NULLs of the null type and NULLs within a dictionary.
func isNull(a arrow.Array, row int) bool {
	if a.IsNull(row) || a.DataType().ID() == arrow.NULL {
		return true
	}
	if d, ok := a.(interface {
		GetValueIndex(int) int
		Dictionary() arrow.Array
	}); ok {
		return d.Dictionary().IsNull(d.GetValueIndex(row))
	}
	return false
}
