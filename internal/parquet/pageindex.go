package parquet

import (
	"fmt"
	"sort"
)

// A PageLocation is where a data page lies and which rows it holds.
type PageLocation struct {
	Offset   int64 // of the page header in the file
	Size     int64 // header and compressed data
	FirstRow int64 // counted in the row group
}

// An OffsetIndex lists the data pages of a column chunk.
type OffsetIndex struct {
	Pages []PageLocation
	Rows  int64 // of the row group
}

// End is the row after the last one of page i, counted in the row group.
func (x *OffsetIndex) End(i int) int64 {
	if i+1 < len(x.Pages) {
		return x.Pages[i+1].FirstRow
	}
	return x.Rows
}

// page finds the page that holds a row.
func (x *OffsetIndex) page(row int64) int {
	return sort.Search(len(x.Pages), func(i int) bool { return x.Pages[i].FirstRow > row }) - 1
}

// A ColumnIndex holds statistics of the data pages of a column chunk.
type ColumnIndex struct {
	Pages []PageStatistics
	// Order tells whether the bounds rise or fall from page to page.
	Order BoundaryOrder
}

// PageStatistics are those of one page. Bounds are encoded as in [Statistics]
// and may be truncated: they bound the values but need not occur.
type PageStatistics struct {
	AllNull  bool // no bounds then
	Min, Max []byte
	Nulls    int64
	HasNulls bool
}

// BoundaryOrder is the order of the pages' bounds.
type BoundaryOrder int32

// The orders, numbered as in the format.
const (
	Unordered BoundaryOrder = iota
	Ascending
	Descending
)

// OffsetIndex reads the offset index of the chunk; nil if it has none.
func (c Chunk) OffsetIndex() (*OffsetIndex, error) {
	m := c.meta()
	if m.offsetIndexLength == 0 {
		return nil, nil
	}
	b, err := c.file.section(m.offsetIndexOffset, m.offsetIndexLength)
	if err != nil {
		return nil, c.wrap("offset index", err)
	}
	x, err := decodeOffsetIndex(b, m, c.file.meta.groups[c.group].rows)
	return x, c.wrap("offset index", err)
}

// ColumnIndex reads the column index of the chunk; nil if it has none.
func (c Chunk) ColumnIndex() (*ColumnIndex, error) {
	m := c.meta()
	if m.columnIndexLength == 0 {
		return nil, nil
	}
	b, err := c.file.section(m.columnIndexOffset, m.columnIndexLength)
	if err != nil {
		return nil, c.wrap("column index", err)
	}
	x, err := decodeColumnIndex(b)
	return x, c.wrap("column index", err)
}

func (c Chunk) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("parquet: %s: column %q, row group %d: %s: %w", c.file.name, c.Path, c.group, what, err)
}

// section reads a piece of metadata.
func (f *File) section(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || n > maxFooter || off > f.size-n {
		return nil, fmt.Errorf("%w: %d bytes at %d in a file of %d", ErrCorrupt, n, off, f.size)
	}
	b := make([]byte, n)
	return b, readFull(f.src, b, off)
}

// decodeOffsetIndex reads and checks an offset index: its pages must lie in
// the chunk, and pages and rows must rise.
func decodeOffsetIndex(b []byte, m *columnMeta, rows int64) (*OffsetIndex, error) {
	r := &thriftReader{data: b}
	x := &OffsetIndex{Rows: rows}
	r.structure(func(id int16, typ byte) {
		if id != 1 {
			r.skip(typ)
			return
		}
		r.list(typ, thriftStruct, func() { x.Pages = append(x.Pages, r.pageLocation()) })
	})
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, r.err)
	}
	if len(x.Pages) == 0 && rows > 0 {
		return nil, fmt.Errorf("%w: no pages", ErrCorrupt)
	}
	pos, row := m.start(), int64(0)
	end := pos + m.compressed
	for i, p := range x.Pages {
		if p.Offset < pos || p.Size <= 0 || p.Size > end-p.Offset {
			return nil, fmt.Errorf("%w: page %d lies outside of its column chunk", ErrCorrupt, i)
		}
		if p.FirstRow < row || p.FirstRow > rows || (i == 0 && p.FirstRow != 0) {
			return nil, fmt.Errorf("%w: page %d begins with row %d", ErrCorrupt, i, p.FirstRow)
		}
		pos, row = p.Offset+p.Size, p.FirstRow
	}
	return x, nil
}

func (r *thriftReader) pageLocation() (p PageLocation) {
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			p.Offset = r.i64(typ)
		case 2:
			p.Size = r.i64(typ)
		case 3:
			p.FirstRow = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return p
}

func decodeColumnIndex(b []byte) (*ColumnIndex, error) {
	r := &thriftReader{data: b}
	x := &ColumnIndex{}
	var allNull []bool
	var mins, maxs [][]byte
	var nulls []int64
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			r.list(typ, thriftTrue, func() { allNull = append(allNull, r.byte() == thriftTrue) })
		case 2:
			r.list(typ, thriftBinary, func() { mins = append(mins, r.bytes()) })
		case 3:
			r.list(typ, thriftBinary, func() { maxs = append(maxs, r.bytes()) })
		case 4:
			x.Order = BoundaryOrder(r.i32(typ))
		case 5:
			r.list(typ, thriftI64, func() { nulls = append(nulls, r.varint()) })
		default:
			r.skip(typ)
		}
	})
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, r.err)
	}
	if len(mins) != len(allNull) || len(maxs) != len(allNull) || (nulls != nil && len(nulls) != len(allNull)) {
		return nil, fmt.Errorf("%w: lists of different lengths", ErrCorrupt)
	}
	x.Pages = make([]PageStatistics, len(allNull))
	for i := range x.Pages {
		p := &x.Pages[i]
		p.AllNull = allNull[i]
		if !p.AllNull {
			p.Min, p.Max = mins[i], maxs[i]
		}
		if nulls != nil {
			p.Nulls, p.HasNulls = nulls[i], true
		}
	}
	return x, nil
}
