package mergeread

import (
	"fmt"
)

// A resume makes a hashPath go on where a sortedPath had to stop: it knows
// how many rows of each source went into the rows that were yielded.
//
// What was yielded of a key is right if all its records were among these
// rows, and the key is new if none was. A key with records on both sides was
// yielded wrong: that is an error.
type resume struct {
	fold  *fold
	marks []int64 // by source: base, then runs
	read  []int64 // rows seen of each source
	seen  []uint8 // by entry: which side its records are on
}

const (
	yieldedSide = 1
	freshSide   = 2
)

// note takes down on which side the rows of a folded source are.
func (r *resume) note(s *source) {
	run := s.run
	if r.read == nil {
		r.read = make([]int64, len(r.marks))
	}
	for i := range s.rows {
		key := s.keys.at(i)
		e := r.fold.find(uint32(hashKey(key)), key)
		for len(r.seen) <= e {
			r.seen = append(r.seen, 0)
		}
		if r.read[run+1] < r.marks[run+1] {
			r.seen[e] |= yieldedSide
		} else {
			r.seen[e] |= freshSide
		}
		r.read[run+1]++
	}
}

func (r *resume) check() error {
	if r == nil {
		return nil
	}
	for e, seen := range r.seen {
		if seen == yieldedSide|freshSide {
			return r.failed(e)
		}
	}
	return nil
}

func (r *resume) failed(e int) error {
	return fmt.Errorf("record key %q was merged before all its records were seen, as a file of the slice breaks the key order of the lsm_tree layout: %w",
		r.fold.key(e), ErrUnsorted)
}

// rest is what is left of a base batch without the rows that were yielded;
// nil if nothing is.
func (r *resume) rest(p *hashPath, s *source) (*source, error) {
	if r == nil {
		return s, nil
	}
	if r.read == nil {
		r.read = make([]int64, len(r.marks))
	}
	gone := int(min(int64(s.rows), r.marks[0]-r.read[0]))
	if gone <= 0 {
		return s, nil
	}
	defer s.release()
	r.read[0] += int64(gone)
	for i := range gone {
		key := s.keys.at(i)
		e := r.fold.find(uint32(hashKey(key)), key)
		if e < 0 || r.fold.consumed[e] {
			continue
		}
		r.fold.consumed[e] = true
		if r.seen[e] == freshSide {
			return nil, r.failed(e)
		}
	}
	if gone == s.rows {
		return nil, nil
	}
	return p.fold.data(s.batch.NewSlice(int64(gone), int64(s.rows)), p.columns, -1, nil)
}

// outside checks an entry that meets a base row which was not yielded.
func (r *resume) outside(e int) error {
	if r != nil && r.seen[e] == yieldedSide {
		return r.failed(e)
	}
	return nil
}

// take uses up the entries that were yielded.
func (r *resume) take() {
	if r == nil {
		return
	}
	for e, seen := range r.seen {
		if seen == yieldedSide {
			r.fold.consumed[e] = true
		}
	}
}
