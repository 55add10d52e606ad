package pushdown

// Mark gives the selection of some rows of a batch, by their ordinals.
func Mark(rows int, ordinals []int64) Selection {
	s := newSelection(rows)
	for _, o := range ordinals {
		s.words[o/64] |= 1 << (o % 64)
	}
	s.trim()
	return s
}
