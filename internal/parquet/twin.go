package parquet

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// Twins
//
// Some columns hold the same values, and then their chunks hold the same bytes.
// Nearly every Hudi table has such: _hoodie_record_key repeats the key column,
// and a merge reads both. Inflating and decoding them once will do.
//
// Sizes in the footer tell which columns may be alike. The first of them leads:
// it is read as any column is, and its twins get copies of its arrays. What
// proves that they are theirs is that all bytes that the lead consumes, headers
// of pages included, stand at the same place of the twin's chunk: they are
// compared page by page. Where a page differs, the lead ends its batch in front
// of the page, and from that row on the twin reads by itself.

// minTwin is the size of a chunk below which there is nothing to gain, and from
// which chunks are hardly ever of the same size by chance.
const minTwin = 4 << 10

// chunkSizes are what twins have in common of each row group.
type chunkSizes struct {
	physical                         Physical
	codec                            int32
	values, compressed, uncompressed int64
}

func (m *columnMeta) sizes() chunkSizes {
	return chunkSizes{m.typ, m.codec, m.values, m.compressed, m.uncompressed}
}

// findTwins makes columns twins of the first one that they may be alike to.
func (f *File) findTwins(columns []*column) {
	if len(f.meta.groups) == 0 {
		return
	}
	leads := map[chunkSizes]*column{}
	for _, c := range columns {
		if c.asm.node.kind != leafNode {
			continue
		}
		key := f.meta.groups[0].columns[c.leaf().leaf.index].sizes()
		lead := leads[key]
		switch {
		case key.compressed < minTwin:
		case lead == nil:
			leads[key] = c
		case f.alike(lead.leaf().leaf, c.leaf().leaf):
			c.lead = lead
			lead.twins = append(lead.twins, c)
			pages := &lead.leaf().pages
			pages.twins = append(pages.twins, &c.leaf().pages)
		}
	}
}

// alike tells whether the same bytes give the same arrays, and whether the
// chunks may hold the same.
func (f *File) alike(a, b *leaf) bool {
	if a.physical != b.physical || a.length != b.length || a.maxDef != b.maxDef || a.conv != b.conv ||
		!arrow.TypeEqual(a.typ, b.typ) {
		return false
	}
	for i := range f.meta.groups {
		g := &f.meta.groups[i]
		if g.columns[a.index].sizes() != g.columns[b.index].sizes() {
			return false
		}
	}
	return true
}

// leaf is the reader of a column without others below it.
func (c *column) leaf() *leafReader { return c.asm.leaves[0] }

// give makes copies of an array for the twins. They share no memory with it:
// whoever gets a batch may own its columns.
func (c *column) give(a arrow.Array) {
	for _, t := range c.twins {
		t.given = clone(a, c.asm.mem)
	}
}

func clone(a arrow.Array, mem memory.Allocator) arrow.Array {
	data := a.Data()
	buffers := make([]*memory.Buffer, len(data.Buffers()))
	for i, b := range data.Buffers() {
		if b != nil {
			buffers[i] = batch.NewBuffer(mem, b.Len())
			copy(buffers[i].Bytes(), b.Bytes())
			defer buffers[i].Release()
		}
	}
	copied := array.NewData(data.DataType(), data.Len(), buffers, nil, data.NullN(), data.Offset())
	defer copied.Release()
	return array.MakeFromData(copied)
}

// part lets go of the twins that have turned out to differ: they read by
// themselves from the next row on. It tells whether there were any.
func (c *column) part() bool {
	if len(c.twins) == 0 || !c.leaf().pages.parting {
		return false
	}
	c.twins = slices.DeleteFunc(c.twins, func(t *column) bool {
		differs := t.leaf().pages.differs
		if differs {
			t.cur, t.left, t.lead = c.cur, c.left, nil
		}
		return differs
	})
	c.leaf().pages.part()
	return true
}

// taken gives the array that the lead has left here, if any. It is taken before
// the lead reads the next one.
func (c *column) taken() arrow.Array {
	a := c.given
	c.given = nil
	return a
}

// release gives up what was read.
func (c *column) release() {
	c.asm.release()
	if a := c.taken(); a != nil {
		a.Release()
	}
}

// openTwins begins the chunks of the twins as well.
func (r *leafReader) openTwins() {
	for _, t := range r.pages.twins {
		if t.open(&r.file.meta.groups[r.group].columns[t.leaf.index]) != nil || !r.sameIndex(t) {
			r.pages.differ(t)
		}
	}
}

// sameIndex tells whether the offset index, by which the reader jumps, says
// the same of the twin's chunk. Bytes that are jumped over are not compared.
func (r *leafReader) sameIndex(t *pageReader) bool {
	if r.index == nil {
		return true
	}
	x, err := r.picks.offsetIndex(t.leaf, r.group)
	if err != nil || x == nil {
		return false
	}
	return slices.EqualFunc(r.index.Pages, x.Pages, func(a, b PageLocation) bool {
		return a.FirstRow == b.FirstRow && b.Offset == a.Offset+r.pages.shift(t)
	})
}

// shift is how much further behind in the file the twin's chunk lies.
func (p *pageReader) shift(t *pageReader) int64 { return t.meta.start() - p.meta.start() }

// confirm looks whether the twins have the same bytes as those at pos.
func (p *pageReader) confirm(b []byte) {
	for _, t := range p.twins {
		if t.differs {
			continue
		}
		t.win.want = p.win.want + p.shift(t)
		// A twin that can't be read finds out why when it reads by itself.
		if c, err := t.win.bytes(p.pos+p.shift(t), len(b)); err != nil || !bytes.Equal(b, c) {
			p.differ(t)
		}
	}
}

// differ notes that a twin is none.
func (p *pageReader) differ(t *pageReader) { t.differs, p.parting = true, true }

// part forgets the twins that are none.
func (p *pageReader) part() {
	p.twins = slices.DeleteFunc(p.twins, func(t *pageReader) bool { return t.differs })
	p.parting = false
}
