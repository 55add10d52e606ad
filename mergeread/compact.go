package mergeread

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	// compactRows is how many superseded rows are worth a copy of the others.
	compactRows = 1 << 16
	// compactSources is how many batches of less than compactSmall rows each
	// the log side may consist of when the base comes.
	compactSources = 64
	compactSmall   = 1 << 10
	// compactBatch is the number of rows of a batch after compaction.
	compactBatch = 1 << 15
)

// batchBytes is the memory that a batch keeps alive.
func batchBytes(rec arrow.RecordBatch) int64 {
	n := int64(0)
	for _, c := range rec.Columns() {
		n += dataBytes(c.Data())
	}
	return n
}

func dataBytes(d arrow.ArrayData) int64 {
	n := int64(0)
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += dataBytes(c)
	}
	return n
}

// maybeCompact copies the rows that still count out of the retained batches
// when most of these rows were superseded, so that the log side holds what it
// needs and not what it read.
func (f *fold) maybeCompact(mem memory.Allocator) error {
	if f.combines() || f.rows < 2*len(f.heads)+compactRows {
		return nil
	}
	return f.compact(mem)
}

// settle prepares the log side for the base: few batches, near each other.
func (f *fold) settle(mem memory.Allocator) error {
	n := len(f.sources)
	if f.combines() || (n <= compactSources || f.rows >= n*compactSmall) && f.rows < 2*len(f.heads) {
		return nil
	}
	return f.compact(mem)
}

// compact rewrites the retained batches so that they hold the entries' rows
// alone, in entry order.
func (f *fold) compact(mem memory.Allocator) error {
	c := compaction{fold: f, mem: mem, old: f.sources}
	f.sources, f.rows, f.bytes = []*source{f.sources[baseSource]}, 0, 0
	moved := make([]ref, len(f.heads))
	err := c.run(moved)
	for _, s := range c.old[1:] {
		s.release()
	}
	if err != nil {
		return err
	}
	f.heads = moved
	return nil
}

// A compaction moves the rows of old sources to new ones.
type compaction struct {
	*fold
	mem   memory.Allocator
	old   []*source
	rows  [2]output // by kind
	owner [2][]int  // entries of these rows
}

func (c *compaction) run(moved []ref) error {
	for e, h := range c.heads {
		k := c.old[h.src()].kind
		c.rows[k].add(h.src(), h.row(), 1)
		c.owner[k] = append(c.owner[k], e)
		if c.rows[k].rows == compactBatch {
			if err := c.flush(k, moved); err != nil {
				return err
			}
		}
	}
	for k := range c.rows {
		if err := c.flush(Kind(k), moved); err != nil {
			return err
		}
	}
	return nil
}

// flush makes a source of the rows collected of a kind.
func (c *compaction) flush(k Kind, moved []ref) error {
	recs, err := copyRows(c.old, k, &c.rows[k], c.mem)
	if err != nil {
		return err
	}
	owner := c.owner[k]
	for i, rec := range recs {
		s, err := c.source(k, rec)
		if err != nil {
			for _, r := range recs[i+1:] {
				r.Release()
			}
			return err
		}
		n := c.retain(s)
		for row := range s.rows {
			moved[owner[row]] = makeRef(n, row)
		}
		owner = owner[s.rows:]
	}
	c.rows[k].reset(noRoom)
	c.owner[k] = c.owner[k][:0]
	return nil
}

func (c *compaction) source(k Kind, rec arrow.RecordBatch) (*source, error) {
	if k == Delete {
		return c.binding.deletes(rec, 0)
	}
	return c.binding.data(rec, nil, 0, nil)
}

// copyRows copies whole rows of retained sources of one kind: one batch,
// unless a column grows too long.
func copyRows(sources []*source, k Kind, o *output, mem memory.Allocator) ([]arrow.RecordBatch, error) {
	if o.rows == 0 {
		return nil, nil
	}
	schema := widestSchema(sources, k, o.spans)
	rec, err := copyBatch(sources, schema, o, mem)
	if err == nil {
		return []arrow.RecordBatch{rec}, nil
	}
	if !errors.Is(err, errTooLong) || o.rows == 1 {
		return nil, err
	}
	a, b := o.split()
	first, err := copyRows(sources, k, &a, mem)
	if err != nil {
		return nil, err
	}
	second, err := copyRows(sources, k, &b, mem)
	if err != nil {
		for _, r := range first {
			r.Release()
		}
	}
	return append(first, second...), err
}

// widestSchema is the schema of the source with the most columns: delete
// batches may lack ordering columns that others have.
func widestSchema(sources []*source, k Kind, spans []span) *arrow.Schema {
	var widest *arrow.Schema
	for _, s := range spans {
		if schema := sources[s.src].batch.Schema(); widest == nil || schema.NumFields() > widest.NumFields() {
			widest = schema
		}
		if k == Data {
			break
		}
	}
	return widest
}

// copyBatch copies rows column by column, by name in delete batches.
func copyBatch(sources []*source, schema *arrow.Schema, o *output, mem memory.Allocator) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, 0, schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	var sel selection
	sel.reset(o.spans, o.rows, noRoom)
	for i, f := range schema.Fields() {
		g := newGatherer(f.Type, mem)
		for _, src := range sel.sources {
			g.set(int(src), sameColumn(sources[src].batch, i, f))
		}
		arr, err := g.gather(&sel)
		if err != nil {
			return nil, err
		}
		cols = append(cols, arr)
	}
	return array.NewRecordBatch(schema, cols, int64(o.rows)), nil
}

func sameColumn(rec arrow.RecordBatch, i int, f arrow.Field) arrow.Array {
	if i < int(rec.NumCols()) && rec.ColumnName(i) == f.Name {
		return rec.Column(i)
	}
	for j, g := range rec.Schema().Fields() {
		if g.Name == f.Name {
			return rec.Column(j)
		}
	}
	return nil
}
