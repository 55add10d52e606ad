package pushdown

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
)

// A RowGroup is a row group of a Parquet file as a container.
type RowGroup struct {
	group   parquet.RowGroup
	columns FileColumns
	noNaN   bool
	blooms  map[*Field]*chunkBloom
}

// NewRowGroup makes a container of a row group.
func NewRowGroup(f *parquet.File, g parquet.RowGroup, columns FileColumns) *RowGroup {
	if columns == nil {
		columns = SameNames
	}
	return &RowGroup{group: g, columns: columns, noNaN: boundsHoldNaN(f.CreatedBy())}
}

// boundsHoldNaN tells whether a writer makes NaN a bound where it occurs, so
// that bounds without it prove its absence. Java's does, as it orders NaN above
// all numbers; others leave NaN out.
func boundsHoldNaN(createdBy string) bool { return strings.HasPrefix(createdBy, "parquet-mr") }

// chunk finds the column chunk of a field.
func (g *RowGroup) chunk(f *Field) (c parquet.Chunk, absent, ok bool) {
	path, presence := g.columns(f)
	switch presence {
	case Absent:
		return c, true, false
	case Present:
		c, ok = g.group.Column(path)
	}
	return c, false, ok
}

// Stats gives the statistics of a column of the row group.
func (g *RowGroup) Stats(f *Field) Stats {
	c, absent, ok := g.chunk(f)
	if absent {
		return Stats{AllNulls: true}
	}
	if !ok {
		return Stats{}
	}
	s, ok := c.Statistics()
	if !ok {
		return Stats{}
	}
	return ParquetStats(s, c, g.noNaN)
}

// A chunkBloom is the Bloom filter of a column chunk.
type chunkBloom struct {
	filter *parquet.BloomFilter
	chunk  parquet.Chunk
}

// ReadBlooms reads the Bloom filters of the columns that the condition asks
// for single values; [Bound.Prune] then uses them. It is worth it where the
// statistics alone have not ruled the row group out.
func (g *RowGroup) ReadBlooms(b *Bound) error {
	for _, c := range b.conjuncts {
		for _, i := range c.Fields {
			f := b.fields[i]
			chunk, _, ok := g.chunk(f)
			if !ok || g.blooms[f] != nil || !sameValues(chunk.Type, f.Type) || !asksPoints(c.root, i, f.domain) {
				continue
			}
			filter, err := chunk.BloomFilter()
			if err != nil {
				return err
			}
			if filter != nil {
				if g.blooms == nil {
					g.blooms = map[*Field]*chunkBloom{}
				}
				g.blooms[f] = &chunkBloom{filter, chunk}
			}
		}
	}
	return nil
}

// sameValues tells whether a value has one form in both types.
func sameValues(file, table arrow.DataType) bool {
	return arrow.TypeEqual(file, table) || file.ID() == arrow.INT32 && table.ID() == arrow.INT64
}

// asksPoints tells whether a tree asks a field for single values.
func asksPoints(n node, field int, d domain) bool {
	ask := func(p node) bool { return asksPoints(p, field, d) }
	switch n := n.(type) {
	case *leaf:
		_, ok := n.points(d)
		return ok && n.field == field && !n.null
	case andNode:
		return slices.ContainsFunc(n, ask)
	case orNode:
		return slices.ContainsFunc(n, ask)
	}
	return false
}

// Excludes asks the Bloom filters that have been read.
func (g *RowGroup) Excludes(f *Field, v Value) bool {
	b := g.blooms[f]
	if b == nil {
		return false
	}
	plain, ok := plainForm(v, b.chunk.Physical)
	return ok && !b.filter.MayContain(plain)
}

// plainForm gives a value in plain encoding, if it has one form only.
func plainForm(v Value, p parquet.Physical) ([]byte, bool) {
	switch v.kind {
	case KindInteger, KindDate, KindTime, KindTimestamp, KindTimestampTZ:
		switch {
		case p == parquet.Int64:
			return binary.LittleEndian.AppendUint64(nil, uint64(v.num)), true
		case p == parquet.Int32 && int64(int32(v.num)) == v.num:
			return binary.LittleEndian.AppendUint32(nil, uint32(v.num)), true
		}
	case KindFloat:
		switch {
		case v.float == 0 || isNaN(v):
		case p == parquet.Double:
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v.float)), true
		case p == parquet.Float && v.single:
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v.float))), true
		}
	case KindString, KindBinary:
		return []byte(v.text), p == parquet.ByteArray || p == parquet.FixedLenByteArray
	}
	return nil, false
}

// ParquetStats tells what the statistics of a column chunk prove. noNaN says
// that the writer makes NaN a bound.
func ParquetStats(s parquet.Statistics, c parquet.Chunk, noNaN bool) Stats {
	var out Stats
	if s.HasNulls && c.Values > 0 {
		out.NoNulls = s.Nulls == 0
		out.AllNulls = s.Nulls == c.Values && !s.HasMinMax
	}
	if s.HasMinMax && (!s.Deprecated || signedOrder(c)) {
		out.Min, out.Max = plainValue(s.Min, c.Physical, c.Type), untruncated(plainValue(s.Max, c.Physical, c.Type))
		out.NoNaN = noNaN
	}
	return out
}

// signedOrder tells whether the old fields for bounds, whose order is that of
// signed numbers whatever the column, can be used.
func signedOrder(c parquet.Chunk) bool {
	switch c.Physical {
	case parquet.Boolean, parquet.Float, parquet.Double:
		return true
	case parquet.Int32, parquet.Int64:
		return !arrow.IsUnsignedInteger(c.Type.ID())
	}
	return false
}

// plainValue reads a value in plain encoding; NULL if it is not understood.
func plainValue(b []byte, p parquet.Physical, t arrow.DataType) Value {
	var n int64
	switch p {
	case parquet.Boolean:
		if len(b) != 1 {
			return Value{}
		}
		return Bool(b[0]&1 != 0)
	case parquet.Int32:
		if len(b) != 4 {
			return Value{}
		}
		n = int64(int32(binary.LittleEndian.Uint32(b)))
	case parquet.Int64:
		if len(b) != 8 {
			return Value{}
		}
		n = int64(binary.LittleEndian.Uint64(b))
	case parquet.Float:
		if len(b) != 4 {
			return Value{}
		}
		return Float32(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case parquet.Double:
		if len(b) != 8 {
			return Value{}
		}
		return Float(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return plainBytes(b, t)
	default:
		return Value{}
	}
	return integerAs(n, t)
}

// integerAs gives a number of an INT32 or INT64 its logical type.
func integerAs(n int64, t arrow.DataType) Value {
	switch t := t.(type) {
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		return Int(n)
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type:
		return Int(int64(uint32(n)))
	case *arrow.Uint64Type:
		return Uint(uint64(n))
	case *arrow.Date32Type:
		return Date(int32(n))
	case *arrow.Time32Type:
		return Time(n, t.Unit)
	case *arrow.Time64Type:
		return Time(n, t.Unit)
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return TimestampTZ(n, t.Unit)
		}
		return Timestamp(n, t.Unit)
	case *arrow.Decimal128Type:
		return Decimal(big.NewInt(n), t.Scale)
	}
	return Value{}
}

func plainBytes(b []byte, t arrow.DataType) Value {
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType:
		return String(string(b))
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType:
		return Binary(b)
	case *arrow.Decimal128Type:
		if len(b) == 0 || len(b) > 32 {
			return Value{}
		}
		return Decimal(signedBytes(b), t.Scale)
	}
	return Value{}
}

// signedBytes reads a big-endian two's complement number.
func signedBytes(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// Rows gives the rows of the row group that may fulfil the condition, by the
// column and offset indexes: sorted ordinals of the file. Columns without
// indexes prune nothing. Indexes are read through the file that the row group
// belongs to.
func (g *RowGroup) Rows(b *Bound) ([]parquet.RowRange, error) {
	whole := []parquet.RowRange{{Start: g.group.FirstRow, End: g.group.FirstRow + g.group.Rows}}
	r := pageReader{group: g, bound: b, pages: map[int]*pages{}, whole: whole}
	out := whole
	for _, c := range b.conjuncts {
		part, err := r.rows(c.root)
		if err != nil {
			return nil, err
		}
		out = intersectRows(out, part)
	}
	return out, nil
}

// pages are the pages of one column with their statistics.
type pages struct {
	index    *parquet.ColumnIndex
	offsets  *parquet.OffsetIndex
	physical parquet.Physical
	typ      arrow.DataType
	noNaN    bool
}

type pageReader struct {
	group *RowGroup
	bound *Bound
	pages map[int]*pages // by field; nil without indexes
	whole []parquet.RowRange
}

func (r *pageReader) rows(n node) ([]parquet.RowRange, error) {
	switch n := n.(type) {
	case constNode:
		if !n {
			return nil, nil
		}
	case andNode:
		out := r.whole
		for _, p := range n {
			part, err := r.rows(p)
			if err != nil {
				return nil, err
			}
			out = intersectRows(out, part)
		}
		return out, nil
	case orNode:
		var out []parquet.RowRange
		for _, p := range n {
			part, err := r.rows(p)
			if err != nil {
				return nil, err
			}
			out = uniteRows(out, part)
		}
		return out, nil
	case *leaf:
		p, err := r.load(n.field)
		if err != nil || p == nil {
			return r.whole, err
		}
		return r.matching(n, p), nil
	}
	return r.whole, nil
}

// load reads the indexes of a field once.
func (r *pageReader) load(field int) (*pages, error) {
	if p, ok := r.pages[field]; ok {
		return p, nil
	}
	r.pages[field] = nil
	c, _, ok := r.group.chunk(r.bound.fields[field])
	if !ok {
		return nil, nil
	}
	index, err := c.ColumnIndex()
	if err != nil || index == nil {
		return nil, err
	}
	offsets, err := c.OffsetIndex()
	if err != nil || offsets == nil || len(offsets.Pages) != len(index.Pages) {
		return nil, err
	}
	r.pages[field] = &pages{index: index, offsets: offsets, physical: c.Physical, typ: c.Type, noNaN: r.group.noNaN}
	return r.pages[field], nil
}

// matching gives the rows of the pages that a leaf does not rule out.
func (r *pageReader) matching(l *leaf, p *pages) []parquet.RowRange {
	var out []parquet.RowRange
	first := r.whole[0].Start
	for i := range p.index.Pages {
		start, end := p.offsets.Pages[i].FirstRow, p.offsets.End(i)
		var excluded bool
		if start == end || l.answer(r.bound.fields[l.field], page{p, i}, &excluded) == No {
			continue
		}
		if n := len(out); n > 0 && out[n-1].End == first+start {
			out[n-1].End = first + end
			continue
		}
		out = append(out, parquet.RowRange{Start: first + start, End: first + end})
	}
	return out
}

// A page is one page as a container of one column.
type page struct {
	*pages
	at int
}

// Stats gives what the column index proves about the page.
func (p page) Stats(*Field) Stats {
	s := p.index.Pages[p.at]
	rows := p.offsets.End(p.at) - p.offsets.Pages[p.at].FirstRow
	out := Stats{NoNulls: s.HasNulls && s.Nulls == 0 && !s.AllNull}
	if s.AllNull {
		out.AllNulls = !s.HasNulls || s.Nulls == rows
		return out
	}
	out.Min, out.Max, out.NoNaN = plainValue(s.Min, p.physical, p.typ), untruncated(plainValue(s.Max, p.physical, p.typ)), p.noNaN
	return out
}

func intersectRows(a, b []parquet.RowRange) []parquet.RowRange {
	var out []parquet.RowRange
	for i, j := 0, 0; i < len(a) && j < len(b); {
		start, end := max(a[i].Start, b[j].Start), min(a[i].End, b[j].End)
		if start < end {
			out = append(out, parquet.RowRange{Start: start, End: end})
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

func uniteRows(a, b []parquet.RowRange) []parquet.RowRange {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y parquet.RowRange) int {
		switch {
		case x.Start < y.Start:
			return -1
		case x.Start > y.Start:
			return 1
		}
		return 0
	})
	var out []parquet.RowRange
	for _, r := range all {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
			continue
		}
		out = append(out, r)
	}
	return out
}
