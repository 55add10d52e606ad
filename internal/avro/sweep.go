package avro

// sweepRecords is how many records are decoded together: few enough for their
// bytes to stay in the nearest cache, enough to make the start of a sweep
// cheap.
const sweepRecords = 128

// A sweep reads one field of many records, one record after the other: a loop
// without choices, whose rounds do not wait for one another. Where each record
// goes on is noted between the sweeps of its fields.
type sweep struct {
	// fast reads the field of as many records as it can, from the first one
	// on, moves their places and tells how many these were. It stops at a null,
	// at a value of a rare form and near the end of buf. It does not look where
	// a record ends: a place beyond the end says at last that something was
	// wrong. nil: there is no such loop for the type.
	fast func(s *sweep, buf []byte, at []uint32) int
	// lengthy goes on at a long value, at which fast stops.
	lengthy func(s *sweep, buf []byte, at []uint32) int

	node  *node // how one value is read
	col   *column
	count int // fields alike to step over; 1 where there is a column

	want byte // of a union: the byte of the branch that is a value
	null int  // the byte of the null branch, -1 if there is none

	size int // of a fixed, or of a known length to step over
}

// sweeps compiles the fields of a record.
func sweeps(fields []*node) []sweep {
	var list []sweep
	for _, n := range fields {
		s := newSweep(n)
		if last := len(list) - 1; last >= 0 && s.alike(&list[last]) {
			list[last].count++
			continue
		}
		list = append(list, s)
	}
	return list
}

func newSweep(n *node) sweep {
	s := sweep{node: n, col: n.col, count: 1, null: -1}
	optional := n.union || n.op == opOptional
	if optional {
		s.want = n.valueByte
		if n.nullBranch >= 0 {
			s.null = int(n.nullBranch << 1)
		}
	}
	value := n
	if n.op == opOptional {
		value = n.elem
	}
	if optional {
		compileSweep[[1]byte](&s, value)
	} else {
		compileSweep[[0]byte](&s, value)
	}
	return s
}

// compileSweep chooses the loops for a field whose values n reads.
func compileSweep[L lead](s *sweep, n *node) {
	if s.col != nil {
		s.fast, s.size = decodingSweep[L](n)
	} else {
		s.fast, s.size = skippingSweep[L](n)
	}
	s.lengthy = lengthySweep[L](n, s.col != nil)
}

// alike tells whether the field of s can be stepped over together with the
// ones of t.
func (s *sweep) alike(t *sweep) bool {
	same := func(n, m *node) bool { return n.op == m.op && n.known == m.known && n.size == m.size }
	if s.col != nil || t.col != nil || s.fast == nil || !same(s.node, t.node) {
		return false
	}
	return s.node.op != opOptional || s.want == t.want && same(s.node.elem, t.node.elem)
}

// AppendAll adds records that lie in buf: record i is buf[from[i]:to[i]]. It
// tells how many were added; if that is not all, the error is about the next
// one.
//
// Fields behind the last wanted one are not looked at.
func (d *Decoder) AppendAll(buf []byte, from, to []uint32) (n int, err error) {
	d.key = nil
	for n < len(from) && err == nil {
		end := min(n+sweepRecords, len(from))
		var k int
		k, err = d.appendSome(buf, from[n:end], to[n:end])
		n += k
	}
	return n, err
}

// appendSome is AppendAll for up to sweepRecords records. At a fault in one of
// them, the ones before are carried on with.
func (d *Decoder) appendSome(buf []byte, from, to []uint32) (n int, err error) {
	at := d.at[:copy(d.at[:], from)]
	for i := range d.sweeps {
		if n, e := d.sweep(&d.sweeps[i], buf, at, to); e != nil {
			at, err = at[:n], e
		}
	}
	for i, p := range at {
		if e := d.checkEnd(int(p), int(to[i])); e != nil {
			at, err = at[:i], e
			break
		}
	}
	d.n += len(at)
	if err != nil {
		d.truncate()
	}
	return len(at), err
}

// sweep reads one field of all records; it tells at which one there is a fault.
func (d *Decoder) sweep(s *sweep, buf []byte, at, to []uint32) (int, error) {
	for i := 0; i < len(at); {
		if s.fast != nil {
			if i += s.fast(s, buf, at[i:]); i == len(at) {
				break
			}
		}
		if k := s.nulls(buf, at[i:], to[i:]); k > 0 {
			i += k
			continue
		}
		if s.lengthy != nil {
			if k := s.lengthy(s, buf, at[i:]); k > 0 {
				i += k
				continue
			}
		}
		if at[i] > to[i] {
			return i, errShort
		}
		d.cursor = cursor{buf: buf[:to[i]], pos: int(at[i])}
		if s.col != nil {
			d.decode(s.node)
		} else {
			for range s.count {
				d.skip(s.node)
			}
		}
		if d.err != nil {
			return i, d.err
		}
		at[i] = uint32(d.pos)
		i++
	}
	return len(at), nil
}

// nulls appends a null for each record up to the first that has none, and
// tells how many these were.
func (s *sweep) nulls(buf []byte, at, to []uint32) int {
	if s.col == nil || s.null < 0 {
		return 0
	}
	k := 0
	for k < len(at) && at[k] < to[k] && int(buf[at[k]]) == s.null {
		at[k]++
		k++
	}
	if k > 0 {
		s.col.appendNulls(k)
	}
	return k
}
