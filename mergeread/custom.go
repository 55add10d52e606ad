package mergeread

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/guard"
)

// A Record is one of two records that a [Merger] combines.
type Record struct {
	r *resolver
	s state
}

// Deleted says that the record deletes its key.
func (r Record) Deleted() bool { return r.r.deleted(r.s) }

// Value gives the array and row that hold a column's value, by the column's
// number ([Record.Column]). A nil array stands for null, as for the columns of
// an entry of a delete block, which has none.
func (r Record) Value(column int) (arrow.Array, int) {
	asked(column)
	v := r.r.column(r.s, column)
	switch {
	case v == noRef:
		return nil, 0
	case v.isMade():
		return r.r.made.columns[column].chunk(v.src() - madeSource), v.row()
	}
	return r.r.sources[v.src()].cols[column], v.row()
}

// Column is the number of a column, the same for all records and rows of a
// merge; -1 if the table lacks it. Other columns than those of [Merger.Columns]
// are there or not, as the query asks for them or not.
func (r Record) Column(name string) int { return fieldIndex(r.r.in.Schema, name) }

// asked stops a merger that goes on with the number of a missing column.
func asked(column int) {
	if column < 0 {
		panic(fmt.Sprintf("column %d: the table lacks it, or Columns does not name it", column))
	}
}

// CompareOrdering compares the ordering values of two records: it is less than
// 0 if o's is the greater, 0 if they are equal. Of a record that was combined it
// takes that of the newest one.
func (r Record) CompareOrdering(o Record) int { return r.r.compare(r.s.head, o.s.head) }

// A Row is the record that a [Merger] combines two others to. A column whose
// value nobody sets is the newer record's.
type Row struct {
	schema    *arrow.Schema
	mem       memory.Allocator
	columns   []madeColumn // by working column; empty until a value is made
	fromOlder []bool
	fresh     []int // columns of which a value was begun
}

// TakeOlder takes a column, by its number, from the older record.
func (w *Row) TakeOlder(column int) {
	asked(column)
	w.fromOlder[column] = true
}

// Builder takes the builder of a column, by its number; the merger appends one
// value to it, a null perhaps. The builder is that of the column's type:
// *array.Int64Builder for BIGINT, and so on.
func (w *Row) Builder(column int) array.Builder {
	asked(column)
	if w.columns == nil {
		w.columns = make([]madeColumn, w.schema.NumFields())
	}
	c := &w.columns[column]
	if c.open == nil {
		c.open = array.NewBuilder(w.mem, w.schema.Field(column).Type)
	}
	if !slices.Contains(w.fresh, column) {
		c.begun = c.open.Len()
		w.fresh = append(w.fresh, column)
	}
	return c.open
}

// begin forgets what was said of the last record, and makes arrays of the
// values that the next two have: no array may be made while one is appended.
func (w *Row) begin(m *resolver, records ...state) {
	clear(w.fromOlder)
	w.fresh = w.fresh[:0]
	if w.columns == nil {
		return
	}
	for _, s := range records {
		if s.overlay < 0 {
			continue // a row as it was read
		}
		for _, c := range m.live {
			if v := m.column(s, c); v.isMade() {
				w.columns[c].chunk(v.src() - madeSource)
			}
		}
	}
}

// made says where the value is that the merger made for a column.
func (w *Row) made(column int) (ref, error) {
	c := &w.columns[column]
	if got := c.open.Len() - c.begun; got != 1 {
		return noRef, fmt.Errorf("mergeread: the merger appended %d values to the builder of column %s, not one", got, w.schema.Field(column).Name)
	}
	return makeRef(madeSource+len(c.chunks), c.begun), nil
}

func (w *Row) release() {
	for i := range w.columns {
		w.columns[i].release()
	}
	w.columns = nil
}

// madeSource is the first of the source numbers that stand for the chunks of
// a column that the merger made.
const madeSource = 1 << 30

// isMade says that the merger made the value.
func (r ref) isMade() bool { return r != noRef && r.src() >= madeSource }

// A madeColumn holds the values that a merger made for a column. They pile up
// in a builder, which becomes an array when one of them is asked for.
type madeColumn struct {
	chunks []arrow.Array // nil: forgotten
	open   array.Builder
	begun  int // length of the builder when the value in the making was begun
}

func (c *madeColumn) chunk(n int) arrow.Array {
	if n == len(c.chunks) {
		c.chunks = append(c.chunks, c.open.NewArray())
	}
	return c.chunks[n]
}

// forget releases a value that no record has any more, if it is easy.
func (c *madeColumn) forget(v ref) {
	n := v.src() - madeSource
	if n < len(c.chunks) && c.chunks[n].Len() == 1 {
		c.chunks[n].Release()
		c.chunks[n] = nil
	}
}

func (c *madeColumn) release() {
	for _, a := range c.chunks {
		if a != nil {
			a.Release()
		}
	}
	if c.open != nil {
		c.open.Release()
	}
}

// ask lets the registered merger decide.
func (m *resolver) ask(older, newer state) (state, error) {
	if older.overlay != dropped && (m.commitTimeDelete(older.head) || m.commitTimeDelete(newer.head)) {
		m.replace(older, newer)
		return newer, nil
	}
	m.made.begin(m, older, newer)
	final := m.sources[older.head.src()].run < 0
	v, err := m.callMerger(older, newer, final)
	if err != nil {
		return state{}, err
	}
	out := state{newer.head, dropped}
	switch v {
	case KeepOlder:
		out = older
	case KeepNewer:
		out = newer
	case Drop:
	case Combine:
		if out, err = m.combined(older, newer); err != nil {
			return state{}, err
		}
	default:
		return state{}, fmt.Errorf("mergeread: the registered merger %T: %d is no verdict", m.merger, v)
	}
	m.replace(older, out)
	m.replace(newer, out)
	return out, nil
}

// callMerger asks the registered merger. Its faults are not this program's.
func (m *resolver) callMerger(older, newer state, final bool) (v Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("mergeread: the registered merger %T panicked: %v (in %s)", m.merger, r, guard.Place())
		}
	}()
	v, err = m.merger.Merge(Record{m, older}, Record{m, newer}, final, &m.made)
	if err != nil {
		err = fmt.Errorf("mergeread: the registered merger %T: %w", m.merger, err)
	}
	return v, err
}

// combined makes the record that the merger described.
func (m *resolver) combined(older, newer state) (state, error) {
	n := m.newOverlay()
	values := m.overlays[int(n)*m.width:][:m.width]
	for _, c := range m.live {
		from := newer
		if m.made.fromOlder[c] {
			from = older
		}
		values[c] = m.column(from, c)
	}
	for _, c := range m.made.fresh {
		v, err := m.made.made(c)
		if err != nil {
			return state{}, err
		}
		values[c] = v
	}
	return state{newer.head, n}, nil
}

// replace gives back what a state held and the one in its place does not.
func (m *resolver) replace(s, by state) {
	if s.overlay < 0 || s == by {
		return
	}
	for _, c := range m.live {
		v := m.column(s, c)
		if v.isMade() && (by.overlay < 0 || m.column(by, c) != v) {
			m.made.columns[c].forget(v)
		}
	}
	m.drop(s)
}

// placeMade gives the values that a merger made for a column the numbers
// after those of the sources, where a gatherer finds them.
func (m *resolver) placeMade(v ref, column int, g *gatherer) span {
	n := v.src() - madeSource
	at := len(m.sources) + n
	arr := m.made.columns[column].chunk(n)
	if at >= len(g.views) || g.views[at].arr != arr {
		g.set(at, arr)
	}
	return span{int32(at), int32(v.row()), 1}
}
