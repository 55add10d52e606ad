package mergeread

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// A baseMerge merges one base batch: it is told which rows meet what the logs
// have of their keys, in row order, and lets the rows in between pass.
type baseMerge struct {
	m     *resolver
	b     *builder
	out   *output
	stats *Stats
	s     *source
	next  int // first row that has not gone anywhere
}

func newBaseMerge(m *resolver, b *builder, out *output, stats *Stats, s *source) *baseMerge {
	m.sources[baseSource] = s
	b.set(baseSource, s)
	out.reset(s.room(baseSource, 0))
	return &baseMerge{m: m, b: b, out: out, stats: stats, s: s}
}

// meet merges a base row with the state of its key in the logs.
func (m *baseMerge) meet(row int, newer state, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	base := makeRef(baseSource, row)
	s, del, err := m.m.update(base, newer, m.stats)
	if err != nil || s == (state{base, noOverlay}) {
		return to, err
	}
	if to, err = m.pass(row, to); err != nil {
		return to, err
	}
	m.next = row + 1
	if !del || m.out.wantDels {
		m.out.addState(s, del)
	}
	return to, nil
}

// pass lets the rows before end go on unchanged.
func (m *baseMerge) pass(end int, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	n := end - m.next
	if n <= 0 {
		return to, nil
	}
	if n < passRows && n < m.s.rows {
		m.out.add(baseSource, m.next, n)
		return to, nil
	}
	// What was collected before goes first, then the stretch as a slice.
	to, err := m.flush(m.next, to)
	if err != nil {
		return to, err
	}
	m.out.add(baseSource, m.next, n)
	m.stats.PassedSlice += int64(n)
	return m.flush(end, to)
}

// flush makes a batch of what was collected of the rows before end.
func (m *baseMerge) flush(end int, to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	m.out.room.end = int32(end)
	to, err := m.b.build(m.m, m.out, to)
	m.out.reset(m.s.room(baseSource, end))
	return to, err
}

// finish lets the rest of the batch pass.
func (m *baseMerge) finish(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	to, err := m.pass(m.s.rows, to)
	if err != nil {
		return to, err
	}
	return m.flush(m.s.rows, to)
}
