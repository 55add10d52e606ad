package parquet

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// batchBytes is about the most memory that the values of one batch take:
// batches of wide rows have fewer rows.
const batchBytes = 16 << 20

// minBatchRows keeps batches from being cut to nothing by a bad estimate.
const minBatchRows = 64

// A column reads one top-level column batch by batch.
type column struct {
	asm   assembler
	cur   cursor
	left  int64 // rows
	batch int
	lead  *column     // nil unless the column is the twin of another, which reads for it
	twins []*column   // of the column
	given arrow.Array // by the lead, for next
}

// A source yields the arrays of the columns of a read. Arrays of different
// columns need not be of the same length.
type source interface {
	// next gives the next array of a column.
	next(i int) (arrow.Array, error)
	close()
}

// A reader lines up the columns' arrays to batches.
type reader struct {
	schema   *arrow.Schema
	src      source
	heads    []arrow.Array // what is left of each column's current array
	left     int64         // rows
	batch    int
	position *positions
	err      error
}

// Read streams rows of the file. Cancelling ctx makes Next fail soon; the
// reader must be closed in any case.
func (f *File) Read(ctx context.Context, o ReadOptions) (batch.Reader, error) {
	nodes, err := f.pick(o.Columns)
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", f.name, err)
	}
	ranges := []RowRange{{0, f.meta.rows}}
	var selected *picks
	if o.Rows != nil {
		selected = &picks{file: f, ranges: o.Rows}
		ranges = o.Rows
	}
	ranges, total, err := checkRanges(ranges, f.meta.rows)
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", f.name, err)
	}
	if selected != nil {
		selected.ranges = ranges
	}
	if o.Allocator == nil {
		o.Allocator = memory.DefaultAllocator
	}
	if o.BatchSize <= 0 {
		o.BatchSize = DefaultBatchSize
	}
	r := &reader{left: total, batch: f.batchRows(nodes, o.BatchSize), heads: make([]arrow.Array, len(nodes))}
	fields := make([]arrow.Field, len(nodes))
	columns := make([]*column, len(nodes))
	start := cursor{ranges: ranges, first: f.first, rows: f.meta.rows}
	for i, n := range nodes {
		fields[i] = n.field
		columns[i] = &column{asm: f.assembler(n, selected, o.Allocator), cur: start, left: total, batch: r.batch}
	}
	if o.Position {
		fields = append(fields, arrow.Field{Name: PositionColumn, Type: arrow.PrimitiveTypes.Int64})
		r.position = &positions{mem: o.Allocator, cur: start}
	}
	r.schema = arrow.NewSchema(fields, nil)
	f.findTwins(columns)
	if o.Threads > 1 && len(columns) > 1 && total > 0 {
		r.src = newPool(ctx, columns, f.weights(nodes), o.Threads)
	} else {
		r.src = &serial{ctx: ctx, columns: columns}
	}
	return r, nil
}

// pick finds top-level columns by name.
func (f *File) pick(names []string) ([]*node, error) {
	if names == nil {
		return f.nodes, nil
	}
	nodes := make([]*node, len(names))
	for i, name := range names {
		at := f.schema.FieldIndices(name)
		if len(at) == 0 {
			return nil, fmt.Errorf("no column %q", name)
		}
		nodes[i] = f.nodes[at[0]]
	}
	return nodes, nil
}

func (f *File) assembler(n *node, selected *picks, mem memory.Allocator) assembler {
	a := assembler{mem: mem, node: n}
	for _, l := range n.leaves {
		r := &leafReader{file: f, leaf: l, keep: n.kind != leafNode, picks: selected, group: -1}
		r.pages.src, r.pages.fileSize, r.pages.leaf = f.src, f.size, l
		r.vals.leaf, r.out.leaf, r.out.mem = l, l, mem
		a.leaves = append(a.leaves, r)
	}
	return a
}

// weights gives the compressed size of each node's columns.
func (f *File) weights(nodes []*node) []int64 {
	w := make([]int64, len(nodes))
	for i, n := range nodes {
		for _, g := range f.meta.groups {
			for _, l := range n.leaves {
				w[i] += g.columns[l.index].compressed
			}
		}
	}
	return w
}

// batchRows lowers the size of batches where rows are wide.
func (f *File) batchRows(nodes []*node, rows int) int {
	size := int64(0)
	for _, n := range nodes {
		for _, g := range f.meta.groups {
			for _, l := range n.leaves {
				size += max(0, g.columns[l.index].uncompressed)
			}
		}
	}
	if size <= 0 || f.meta.rows == 0 {
		return rows
	}
	fit := float64(batchBytes) / (float64(size) / float64(f.meta.rows))
	return min(rows, max(minBatchRows, int(min(fit, 1<<30))))
}

// next reads the column's part of the next batch.
func (c *column) next(ctx context.Context) (arrow.Array, error) {
	want := int(min(int64(c.batch), c.left))
	if want == 0 {
		return nil, io.EOF
	}
	hint := want
	for want > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		group, row, n := c.cur.next(want)
		got, err := c.asm.read(group, row, n, hint)
		if err != nil {
			c.asm.release()
			return nil, err
		}
		c.cur.advance(got)
		c.left -= int64(got)
		want -= got
		if got < n && (want < hint || !c.part()) { // twins part between batches
			break
		}
	}
	a, err := c.asm.array()
	if err != nil {
		return nil, err
	}
	c.give(a)
	return a, nil
}

// serial reads the columns in the goroutine of the caller.
type serial struct {
	ctx     context.Context
	columns []*column
}

func (s *serial) next(i int) (arrow.Array, error) {
	c := s.columns[i]
	if a := c.taken(); a != nil { // leads come before their twins
		return a, nil
	}
	return c.next(s.ctx)
}

func (s *serial) close() {
	for _, c := range s.columns {
		c.release()
	}
}

func (r *reader) Schema() *arrow.Schema { return r.schema }

// Rows implements [batch.Counter].
func (r *reader) Rows() (n int64, known bool) { return r.left, true }

func (r *reader) Next() (arrow.RecordBatch, error) {
	if r.err != nil {
		return nil, r.err
	}
	b, err := r.nextBatch()
	if err != nil {
		r.err = err
		r.release()
	}
	return b, err
}

func (r *reader) nextBatch() (arrow.RecordBatch, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	rows := int(min(r.left, int64(r.batch)))
	for i := range r.heads {
		if r.heads[i] == nil {
			a, err := r.src.next(i)
			if err != nil {
				return nil, err
			}
			r.heads[i] = a
		}
		rows = min(rows, r.heads[i].Len())
	}
	columns := make([]arrow.Array, len(r.heads), len(r.heads)+1)
	for i, a := range r.heads {
		if a.Len() == rows {
			columns[i], r.heads[i] = a, nil
			continue
		}
		columns[i] = array.NewSlice(a, 0, int64(rows))
		r.heads[i] = array.NewSlice(a, int64(rows), int64(a.Len()))
		a.Release()
	}
	if r.position != nil {
		columns = append(columns, r.position.array(rows))
	}
	r.left -= int64(rows)
	b := array.NewRecordBatch(r.schema, columns, int64(rows))
	for _, a := range columns {
		a.Release()
	}
	return b, nil
}

func (r *reader) Close() error {
	if r.err == nil {
		r.err = io.ErrClosedPipe
	}
	r.release()
	return nil
}

// release gives up everything held; it may be called again.
func (r *reader) release() {
	r.src.close()
	for i, a := range r.heads {
		if a != nil {
			a.Release()
			r.heads[i] = nil
		}
	}
}

// positions makes the column of row ordinals.
type positions struct {
	mem memory.Allocator
	cur cursor
}

func (p *positions) array(rows int) arrow.Array {
	buf := batch.NewBuffer(p.mem, 8*rows)
	defer buf.Release()
	dst := arrow.Int64Traits.CastFromBytes(buf.Bytes())[:rows]
	for len(dst) > 0 {
		group, row, n := p.cur.next(len(dst))
		first := p.cur.first[group] + row
		for i := range n {
			dst[i] = first + int64(i)
		}
		p.cur.advance(n)
		dst = dst[n:]
	}
	data := array.NewData(arrow.PrimitiveTypes.Int64, rows, []*memory.Buffer{nil, buf}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
