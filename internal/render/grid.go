package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A Column is a column of a table.
type Column struct {
	Name  string
	Right bool // numbers stand on the right
}

// field is a value in a table.
type field struct {
	text string
	null bool
}

// minWidth is the least width to which a column is cut to fit the terminal; if
// that is not enough, rows are printed one below the other.
const minWidth = 10

const separator = " │ "

// grid lays out a table. If it is too wide for the terminal, wide columns are
// cut, and if that would leave too little, each row gets a block of lines.
type grid struct {
	w        *bufio.Writer
	o        Options
	columns  []Column
	widths   []int
	vertical bool
	printed  int64
}

func newGrid(w io.Writer, o Options) *grid {
	return &grid{w: bufio.NewWriterSize(w, 64<<10), o: o}
}

// print prints a page of rows. The first one decides on the layout.
func (g *grid) print(page [][]field) error {
	if g.widths == nil {
		g.layout(page)
		if !g.vertical {
			g.header()
		}
	}
	for _, row := range page {
		g.printed++
		if g.vertical {
			g.block(row)
		} else {
			g.line(row)
		}
	}
	return g.w.Flush()
}

func (g *grid) close(rows int64) error {
	if g.o.Quiet {
		return nil
	}
	noun := "rows"
	if rows == 1 {
		noun = "row"
	}
	fmt.Fprintf(g.w, "%s\n", g.dim(fmt.Sprintf("(%d %s)", rows, noun)))
	return g.w.Flush()
}

func textWidth(s string) int { return text.StringWidthWithoutEscSequences(s) }

func (g *grid) layout(page [][]field) {
	g.widths = make([]int, len(g.columns))
	for i, c := range g.columns {
		g.widths[i] = textWidth(visible(c.Name))
		for _, row := range page {
			g.widths[i] = max(g.widths[i], textWidth(row[i].text))
		}
	}
	if g.o.Width <= 0 || len(g.columns) == 0 {
		return
	}
	room := g.o.Width - len(g.columns)*2 - (len(g.columns) - 1)
	if most := widest(g.widths, room); most < minWidth && sum(g.widths) > room {
		g.vertical = true
	} else {
		for i := range g.widths {
			g.widths[i] = min(g.widths[i], most)
		}
	}
}

func sum(widths []int) (n int) {
	for _, w := range widths {
		n += w
	}
	return n
}

// widest is the greatest width to which columns can be cut so that all fit.
func widest(widths []int, room int) int {
	sorted := slices.Sorted(slices.Values(widths))
	for i, w := range sorted {
		rest := len(sorted) - i
		if w*rest > room {
			return max(room/rest, 0)
		}
		room -= w
	}
	return sorted[len(sorted)-1]
}

func (g *grid) header() {
	var names, rule []string
	for i, c := range g.columns {
		name := fit(visible(c.Name), g.widths[i])
		if g.o.Color {
			name = text.Bold.Sprint(name)
		}
		names = append(names, pad(name, g.widths[i], c.Right))
		rule = append(rule, strings.Repeat("─", g.widths[i]+2))
	}
	g.writeLine(names)
	fmt.Fprintln(g.w, strings.Join(rule, "┼"))
}

func (g *grid) line(row []field) {
	cells := make([]string, len(row))
	for i, f := range row {
		s := f.text
		if g.o.Width > 0 {
			s = fit(s, g.widths[i])
		}
		if f.null {
			s = g.dim(s)
		}
		cells[i] = pad(s, g.widths[i], g.columns[i].Right)
	}
	g.writeLine(cells)
}

// writeLine writes cells with separators, and no blanks at the line's end.
func (g *grid) writeLine(cells []string) {
	g.w.WriteString(strings.TrimRight(" "+strings.Join(cells, separator), " "))
	g.w.WriteByte('\n')
}

// block prints a row as lines of names and values.
func (g *grid) block(row []field) {
	width := 0
	for _, c := range g.columns {
		width = max(width, textWidth(visible(c.Name)))
	}
	title := fmt.Sprintf("─── row %d ", g.printed)
	fmt.Fprintln(g.w, title+strings.Repeat("─", max(min(g.o.Width, 80)-textWidth(title), 0)))
	for i, f := range row {
		s := f.text
		if f.null {
			s = g.dim(s)
		}
		fmt.Fprintln(g.w, pad(visible(g.columns[i].Name), width, false)+separator+s)
	}
}

func (g *grid) dim(s string) string {
	if g.o.Color {
		return text.Faint.Sprint(s)
	}
	return s
}

// fit cuts a text to a width.
func fit(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	return text.Trim(s, max(width-1, 0)) + "…"
}

// pad fills a text up to a width.
func pad(s string, width int, right bool) string {
	blanks := strings.Repeat(" ", max(width-textWidth(s), 0))
	if right {
		return blanks + s
	}
	return s + blanks
}
