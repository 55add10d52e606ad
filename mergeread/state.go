package mergeread

import (
	"slices"
	"strings"
)

// A state is what is known of one key after some of its records: the row that
// won so far and, if columns of other rows took part, an overlay that says
// where each column's value is.
type state struct {
	head    ref
	overlay int32 // number of the overlay, or one of the below
}

const (
	noOverlay = -1
	dropped   = -2 // a merger deleted the key though neither record was a delete
)

// A resolver applies the algebra to records. It knows rows by reference and
// never copies them: combining two records fills an overlay.
type resolver struct {
	*binding
	ruleset
	sources  []*source // baseSource is the current base batch
	overlays []ref     // width references each
	free     []int32   // overlays that can be used again
	width    int
	live     []int  // working columns that come out or that a merger reads
	meta     []bool // working columns that are Hudi's own
	merger   Merger
	made     Row // what the merger made
	compared int64
}

// A ruleset is the algebra that records are combined by, and what it asks of
// their columns.
type ruleset struct {
	alg   algebra
	gives []columnTest // by working column
}

func newResolver(b *binding) *resolver {
	m := &resolver{binding: b, sources: []*source{nil}, width: b.in.Schema.NumFields()}
	for _, f := range b.in.Schema.Fields() {
		m.meta = append(m.meta, strings.HasPrefix(f.Name, "_hoodie_") && f.Name != isDeletedField)
	}
	m.live = slices.Clone(b.in.Output)
	if b.in.Rules.Mode == Custom {
		c, _ := b.in.Rules.custom()
		m.merger = c.merger
		m.made = Row{schema: b.in.Schema, mem: b.mem, fromOlder: make([]bool, m.width)}
		for _, f := range c.columns(b.in.Rules, b.in.Schema) {
			if i := fieldIndex(b.in.Schema, f); i >= 0 {
				m.live = append(m.live, i)
			}
		}
	}
	slices.Sort(m.live)
	m.live = slices.Compact(m.live)
	m.use(b.in.Rules.compile(false))
	return m
}

// use makes alg the algebra of what follows.
func (m *resolver) use(alg algebra) {
	m.alg = alg
	combine := max(alg.delta.combine, alg.final.combine)
	m.gives = make([]columnTest, m.width)
	for i, f := range m.in.Schema.Fields() {
		m.gives[i] = newColumnTest(combine, f, m.in.Rules)
	}
}

// enter takes the algebra of a run: from the first partial block on, the
// slice merges by which columns the blocks store.
func (m *resolver) enter(run Run) {
	if run.changesRules() && m.alg.delta.combine != overAbsent {
		m.use(m.in.Rules.compile(true))
	}
}

// combines says that states may have overlays.
func (m *resolver) combines() bool {
	return m.alg.delta.combine != whole || m.merger != nil
}

func (m *resolver) isDelete(r ref) bool {
	s := m.sources[r.src()]
	return s.kind == Delete || s.dels != nil && s.dels[r.row()]
}

func (m *resolver) deleted(s state) bool {
	return s.overlay == dropped || m.isDelete(s.head)
}

// commitTimeDelete says that the record is a delete without ordering value,
// which takes part by its place in the log alone.
func (m *resolver) commitTimeDelete(r ref) bool {
	if !m.isDelete(r) {
		return false
	}
	s, i := m.sources[r.src()], r.row()
	if s.other != nil && s.other.IsValid(i) && s.other.Value(i) {
		return true
	}
	if len(s.order) == 1 {
		c := &s.order[0]
		return c.null(i) || c.kind == orderInt32 && c.i32[i] == 0
	}
	// Of several ordering values a delete entry needs all, a row that is
	// flagged as deleted at least one.
	missing := 0
	for k := range s.order {
		if s.order[k].null(i) {
			missing++
		}
	}
	return missing == len(s.order) || missing > 0 && s.kind == Delete
}

// compare compares the ordering values of two records.
func (m *resolver) compare(a, b ref) int {
	m.compared++
	as, bs := m.sources[a.src()], m.sources[b.src()]
	for i := range as.order {
		if c := compareOrder(&as.order[i], a.row(), &bs.order[i], b.row()); c != 0 {
			return c
		}
	}
	return 0
}

// sameClass says that two ordering values have one Java class: a missing
// value is an Integer, whatever the field's type.
func (m *resolver) sameClass(a, b ref) bool {
	as, bs := m.sources[a.src()], m.sources[b.src()]
	for i := range as.order {
		ac, bc := &as.order[i], &bs.order[i]
		if max(ac.kind, bc.kind) != orderInt32 && ac.null(a.row()) != bc.null(b.row()) {
			return false
		}
	}
	return true
}

// olderWins decides between two records.
func (m *resolver) olderWins(c choice, older, newer state) bool {
	o, n := older.head, newer.head
	switch c {
	case latest:
		return false
	case byEvent:
		return !m.commitTimeDelete(n) && !m.commitTimeDelete(o) && m.compare(o, n) > 0
	case deleteByEvent:
		if m.commitTimeDelete(o) {
			return true
		}
		return !m.commitTimeDelete(n) && m.sameClass(o, n) && m.compare(o, n) > 0
	case greaterOrDelete, greaterOrEntry:
		if m.isEntry(n) || m.isEntry(o) || c == greaterOrDelete && m.isDelete(n) {
			return false
		}
		return !m.commitTimeDelete(n) && !m.commitTimeDelete(o) && m.ordered(o) && m.sameClass(o, n) && m.compare(o, n) > 0
	}
	return false
}

// isEntry says that the record is of a delete block or file: it has no columns.
func (m *resolver) isEntry(r ref) bool { return m.sources[r.src()].kind == Delete }

// ordered says that the record has an ordering value.
func (m *resolver) ordered(r ref) bool {
	s := m.sources[r.src()]
	for i := range s.order {
		if !s.order[i].null(r.row()) {
			return true
		}
	}
	return false
}

// stepOf is the step by which the rows of a source join the log side.
func (m *resolver) stepOf(s *source) *step {
	if s.kind == Delete {
		return &m.alg.deletes
	}
	return &m.alg.delta
}

// apply combines two records of one key by a step.
func (m *resolver) apply(st *step, older, newer state) (state, error) {
	if st.choose == byMerger {
		return m.ask(older, newer)
	}
	high, low := newer, older
	swap := m.olderWins(st.choose, older, newer)
	if swap {
		high, low = older, newer
	}
	if st.combine == whole && !(swap && st.metaFromNewer) || m.deleted(high) || !m.lends(st, low) {
		m.drop(low)
		return high, nil
	}
	return m.combine(st, high, low, swap), nil
}

// lends says whether the winner can take columns from the loser.
func (m *resolver) lends(st *step, low state) bool {
	if !m.deleted(low) {
		return true
	}
	return st.overDeleted && low.overlay != dropped && !m.isEntry(low.head) && !m.commitTimeDelete(low.head)
}

// combine makes the record that has the columns of high, or of low where high
// gives way.
func (m *resolver) combine(st *step, high, low state, swap bool) state {
	if st.combine == overAbsent && high.overlay == noOverlay && m.sources[high.head.src()].present == nil {
		m.drop(low)
		return high
	}
	out := noOverlay
	for _, c := range m.live {
		first, second := high, low
		if swap && st.metaFromNewer && m.meta[c] {
			first, second = low, high
		}
		v := m.column(first, c)
		if v == noRef || m.gives[c].test(m, v, c) {
			v = m.column(second, c)
		}
		if out == noOverlay {
			if v == m.column(high, c) {
				continue
			}
			out = int(m.overlayFor(high, low, c))
		}
		m.overlays[out*m.width+c] = v
	}
	if out == noOverlay {
		m.drop(low)
		return high
	}
	return state{high.head, int32(out)}
}

// overlayFor gives the overlay that the combination of two records goes to:
// one that either has already, else a new one. Its columns before c are set
// to those of high.
func (m *resolver) overlayFor(high, low state, c int) int32 {
	switch {
	case high.overlay >= 0:
		m.drop(low)
		return high.overlay
	case low.overlay >= 0:
		for _, i := range m.live {
			if i < c {
				m.overlays[int(low.overlay)*m.width+i] = m.column(high, i)
			}
		}
		return low.overlay
	}
	n := m.newOverlay()
	for _, i := range m.live {
		m.overlays[int(n)*m.width+i] = m.column(high, i)
	}
	return n
}

func (m *resolver) newOverlay() int32 {
	if k := len(m.free); k > 0 {
		n := m.free[k-1]
		m.free = m.free[:k-1]
		return n
	}
	n := len(m.overlays) / m.width
	for range m.width {
		m.overlays = append(m.overlays, noRef)
	}
	return int32(n)
}

// drop gives back the overlay of a state that is no longer needed.
func (m *resolver) drop(s state) {
	if s.overlay >= 0 {
		m.free = append(m.free, s.overlay)
	}
}

// column is where the value of a working column of a record is.
func (m *resolver) column(s state, c int) ref {
	if s.overlay >= 0 {
		return m.overlays[int(s.overlay)*m.width+c]
	}
	src := m.sources[s.head.src()]
	if src.present != nil && !src.present[c] || src.cols[c] == nil {
		return noRef
	}
	return s.head
}
