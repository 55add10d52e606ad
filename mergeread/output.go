package mergeread

import (
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// An output is a batch in the making: the rows that it will have, in order.
type output struct {
	spans    []span
	rows     int
	overlays bool   // some span is an overlay
	dels     []bool // rows that stand for deleted keys, if they are wanted
	wantDels bool
	room     room
}

// reset begins another batch, made of rows of the room.
func (o *output) reset(from room) {
	*o = output{spans: o.spans[:0], dels: o.dels[:0], wantDels: o.wantDels, room: from}
}

// add appends rows of one source.
func (o *output) add(src, row, n int) {
	o.rows += n
	if o.wantDels {
		o.dels = append(o.dels, make([]bool, n)...)
	}
	if k := len(o.spans) - 1; k >= 0 {
		if s := &o.spans[k]; s.src == int32(src) && src != overlaySource && s.row+s.n == int32(row) {
			s.n += int32(n)
			return
		}
	}
	o.spans = append(o.spans, span{int32(src), int32(row), int32(n)})
}

// addState appends one record, which is a deleted one if del is set.
func (o *output) addState(s state, del bool) {
	if s.overlay >= 0 {
		o.overlays = true
		o.add(overlaySource, int(s.overlay), 1)
	} else {
		o.add(s.head.src(), s.head.row(), 1)
	}
	if o.wantDels {
		o.dels[o.rows-1] = del
	}
}

// insert adds what the logs have of a key without base row: a row, or a deleted
// one if these are wanted.
func (m *resolver) insert(s state, o *output, stats *Stats) {
	switch del := m.deleted(s); {
	case !del:
		stats.Inserted++
		o.addState(s, false)
	case o.wantDels:
		o.addState(s, true)
	}
}

// update gives what comes of a base row and what the logs have of its key, and
// counts it. A base row that stays comes back as it is.
func (m *resolver) update(base ref, newer state, stats *Stats) (s state, del bool, err error) {
	older := state{base, noOverlay}
	if s, err = m.apply(&m.alg.final, older, newer); err != nil {
		return s, false, err
	}
	switch del = m.deleted(s); {
	case s == older:
		stats.Kept++
	case del:
		stats.Deleted++
	default:
		stats.Updated++
	}
	return s, del, nil
}

// A builder makes record batches of outputs.
type builder struct {
	in      *Input
	mem     memory.Allocator
	schema  *arrow.Schema
	columns []*gatherer // by working column; nil = not in the output
	first   []int       // for each output column, the first of the same working column
	spans   []span      // scratch
	sel     selection   // scratch
}

func newBuilder(in *Input, mem memory.Allocator) *builder {
	b := &builder{in: in, mem: mem, schema: in.OutputSchema(), columns: make([]*gatherer, in.Schema.NumFields())}
	for _, c := range in.Output {
		if b.columns[c] == nil {
			b.columns[c] = newGatherer(in.Schema.Field(c).Type, mem)
		}
		b.first = append(b.first, slices.Index(in.Output, c))
	}
	return b
}

// set makes s the source of a number.
func (b *builder) set(n int, s *source) {
	for c, g := range b.columns {
		switch {
		case g == nil:
		case s == nil || s.present != nil && !s.present[c]:
			g.set(n, nil)
		default:
			g.set(n, s.cols[c])
		}
	}
}

// build makes the batches of an output: one, unless a column grows too long.
func (b *builder) build(m *resolver, o *output, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if o.rows == 0 {
		return to, nil
	}
	rec, err := b.batch(m, o)
	if err == nil {
		return append(to, rec), nil
	}
	if !errors.Is(err, errTooLong) || o.rows == 1 {
		return to, err
	}
	first, second := o.split()
	if to, err = b.build(m, &first, to); err != nil {
		return to, err
	}
	return b.build(m, &second, to)
}

// split halves an output of at least two rows.
func (o *output) split() (a, b output) {
	half := o.rows / 2
	a = output{overlays: o.overlays, wantDels: o.wantDels, rows: half}
	b = output{overlays: o.overlays, wantDels: o.wantDels, rows: o.rows - half}
	if o.wantDels {
		a.dels, b.dels = o.dels[:half], o.dels[half:]
	}
	for _, s := range o.spans {
		n := min(int32(half), s.n)
		if n > 0 {
			a.spans = append(a.spans, span{s.src, s.row, n})
			half -= int(n)
		}
		if n < s.n {
			b.spans = append(b.spans, span{s.src, s.row + n, s.n - n})
		}
	}
	return a, b
}

func (b *builder) batch(m *resolver, o *output) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, len(b.in.Output), b.schema.NumFields())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	b.sel.reset(o.spans, o.rows, o.room)
	// What can fail comes first: rows merged in place are gone from the base.
	waits := false
	for i, c := range b.in.Output {
		g := b.columns[c]
		b.narrow(m, o, c)
		if b.first[i] < i || g.fitsInPlace(&b.sel) {
			waits = true
			continue
		}
		var err error
		if cols[i], err = g.gather(&b.sel); err != nil {
			return nil, err
		}
	}
	for i, c := range b.in.Output {
		switch {
		case !waits || cols[i] != nil:
		case b.first[i] < i:
			cols[i] = cols[b.first[i]]
			cols[i].Retain()
		default:
			b.narrow(m, o, c)
			cols[i] = b.columns[c].inPlace(&b.sel)
		}
	}
	if o.wantDels {
		bld := array.NewBooleanBuilder(b.mem)
		bld.AppendValues(o.dels, nil)
		cols = append(cols, bld.NewArray())
		bld.Release()
	}
	return array.NewRecordBatch(b.schema, cols, int64(o.rows)), nil
}

// narrow makes the selection that of a column, where columns differ.
func (b *builder) narrow(m *resolver, o *output, c int) {
	if o.overlays {
		b.sel.reset(b.resolve(m, o.spans, c), o.rows, o.room)
	}
}

// resolve replaces overlays by the rows that have the values of a column.
func (b *builder) resolve(m *resolver, spans []span, c int) []span {
	b.spans = b.spans[:0]
	for _, s := range spans {
		if s.src == overlaySource {
			s = span{nullSource, 0, 1}
			if v := m.overlays[int(spans[len(b.spans)].row)*m.width+c]; v != noRef {
				s = span{int32(v.src()), int32(v.row()), 1}
				if v.isMade() {
					s = m.placeMade(v, c, b.columns[c])
				}
			}
		}
		b.spans = append(b.spans, s)
	}
	return b.spans
}
