package mergeread

// A span is a stretch of rows of one source.
type span struct {
	src int32 // source number, nullSource, or overlaySource
	row int32 // first row; the overlay's number for overlaySource
	n   int32
}

const (
	nullSource    = -1 // rows without a value
	overlaySource = -2 // one row whose columns come from different rows
)

// A selection is the rows that an array is made of, in order, prepared once
// for all columns.
type selection struct {
	spans   []span
	n       int
	sources []int32 // those in spans
	absent  bool    // some rows come from no source

	// The same for values of a fixed width: long stretches, in which single
	// rows are then replaced. Most updates are of this kind.
	bulk    []span
	patches []patch
}

// A patch is a row in the place of another.
type patch struct{ at, src, row int32 }

// reset makes it the selection of other spans, which have n rows.
func (s *selection) reset(spans []span, n int) {
	*s = selection{spans: spans, n: n, sources: s.sources[:0], bulk: s.bulk[:0], patches: s.patches[:0]}
	at, last := int32(0), int32(-1)
	for i, x := range spans {
		if x.src < 0 {
			s.absent = true
		} else if x.src != last {
			s.meet(x.src)
			last = x.src
		}
		s.extend(x, at, i+1 < len(spans))
		at += x.n
	}
}

// meet notes a source.
func (s *selection) meet(src int32) {
	for _, known := range s.sources {
		if known == src {
			return
		}
	}
	s.sources = append(s.sources, src)
}

// extend adds a span that begins at a row of the array. A single row after a
// stretch takes the place of the row that would go on with it, unless it is the
// last: the source may end there.
func (s *selection) extend(x span, at int32, more bool) {
	if k := len(s.bulk) - 1; k >= 0 && x.src >= 0 && s.bulk[k].src >= 0 {
		b := &s.bulk[k]
		if x.src == b.src && x.row == b.row+b.n {
			b.n += x.n
			return
		}
		if more && x.n == 1 && x.src != b.src {
			b.n++
			s.patches = append(s.patches, patch{at, x.src, x.row})
			return
		}
	}
	s.bulk = append(s.bulk, x)
}
