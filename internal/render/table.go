package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// null is how no value is shown.
const null = "NULL"

// pageRows is how many rows are looked at to find the widths of the columns.
const pageRows = 10_000

// tableWriter prints aligned columns. The first page of rows decides on the
// widths; later rows follow them.
type tableWriter struct {
	grid *grid
	page [][]field
	rows int64
}

func newTable(w io.Writer, s *arrow.Schema, o Options) *tableWriter {
	t := &tableWriter{grid: newGrid(w, o)}
	for _, f := range s.Fields() {
		t.grid.columns = append(t.grid.columns, Column{Name: f.Name, Right: isNumber(f.Type)})
	}
	return t
}

func isNumber(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

func (t *tableWriter) Write(b arrow.RecordBatch) error {
	cells := make([]cell, b.NumCols())
	for i, c := range b.Columns() {
		cells[i] = plain.cellOf(c)
	}
	var text []byte
	for row := range int(b.NumRows()) {
		fields := make([]field, len(cells))
		for i, c := range cells {
			if isNull(b.Column(i), row) {
				fields[i] = field{text: null, null: true}
				continue
			}
			text = c(text[:0], row)
			fields[i] = field{text: notNull(visible(string(text)))}
		}
		if t.page = append(t.page, fields); len(t.page) == pageRows {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// notNull puts a text that looks like no value in quotes.
func notNull(s string) string {
	if s == null {
		return "'" + null + "'"
	}
	return s
}

func (t *tableWriter) flush() error {
	t.rows += int64(len(t.page))
	err := t.grid.print(t.page)
	t.page = t.page[:0]
	return err
}

func (t *tableWriter) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.grid.close(t.rows)
}

// visible replaces what would move the cursor.
func visible(s string) string {
	clean := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			clean = false
			break
		}
	}
	if clean && strings.ToValidUTF8(s, "") == s && !strings.ContainsFunc(s, isC1) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f || isC1(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isC1 tells the control characters beyond ASCII.
func isC1(r rune) bool { return r >= 0x80 && r < 0xa0 }

// List prints rows that are at hand as a table.
func List(w io.Writer, columns []Column, rows [][]string, o Options) error {
	g := newGrid(w, o)
	g.columns = columns
	page := make([][]field, len(rows))
	for i, r := range rows {
		page[i] = make([]field, len(r))
		for k, s := range r {
			page[i][k] = field{text: visible(s)}
		}
	}
	if err := g.print(page); err != nil {
		return err
	}
	return g.close(int64(len(rows)))
}

// Pairs prints names and values, one pair a line.
func Pairs(w io.Writer, pairs [][2]string) error {
	width := 0
	for _, p := range pairs {
		width = max(width, textWidth(p[0]))
	}
	out := bufio.NewWriter(w)
	for _, p := range pairs {
		fmt.Fprintf(out, "%s%s  %s\n", p[0], strings.Repeat(" ", width-textWidth(p[0])), visible(p[1]))
	}
	return out.Flush()
}
