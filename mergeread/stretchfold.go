package mergeread

import "math/bits"

// stretchRows is how many positions are folded at a time: few enough for their
// states to stay in a near cache.
const stretchRows = 1 << 13

// A stretchFold is the log side of a stretch of the base file: the state of
// each position that a record has.
type stretchFold struct {
	start  int64
	has    [stretchRows / 64]uint64 // positions, from start on
	states [stretchRows]state
}

// begin begins another stretch.
func (f *stretchFold) begin(start int64) { f.start, f.has = start, [stretchRows / 64]uint64{} }

// join applies one more record to a position.
func (f *stretchFold) join(m *resolver, st *step, pos int64, r ref) error {
	i := uint64(pos - f.start)
	s := &f.states[i]
	if word, bit := &f.has[i/64], uint64(1)<<(i%64); *word&bit == 0 {
		*word |= bit
		*s = state{r, noOverlay}
		return nil
	}
	var err error
	*s, err = m.apply(st, *s, state{r, noOverlay})
	return err
}

// at is the state of a position that has one.
func (f *stretchFold) at(pos int64) state { return f.states[pos-f.start] }

// first gives the first position with a state.
func (f *stretchFold) first() (pos int64, ok bool) { return f.after(f.start - 1) }

// after gives the next position with a state.
func (f *stretchFold) after(pos int64) (int64, bool) {
	i := uint64(pos + 1 - f.start)
	for word := i / 64; word < uint64(len(f.has)); word++ {
		rest := f.has[word]
		if word == i/64 {
			rest &= ^uint64(0) << (i % 64)
		}
		if rest != 0 {
			return f.start + int64(word*64) + int64(bits.TrailingZeros64(rest)), true
		}
	}
	return 0, false
}
