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

	// The same for values of a fixed width: stretches of the base batch, in
	// which single rows are then replaced, as updates do.
	bulk    []span
	patches []patch
}

// A patch is a row in the place of another.
type patch struct{ at, src, row int32 }

// reset makes it the selection of other spans, which have n rows; base is the
// number of rows that baseSource has.
func (s *selection) reset(spans []span, n, base int) {
	*s = selection{spans: spans, n: n, sources: s.sources[:0], bulk: s.bulk[:0], patches: s.patches[:0]}
	at, last := int32(0), int32(-1)
	for _, x := range spans {
		if x.src < 0 {
			s.absent = true
		} else if x.src != last {
			s.meet(x.src)
			last = x.src
		}
		s.extend(x, at, int32(base))
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
// stretch of the base takes the place of the base row that would come next.
func (s *selection) extend(x span, at, base int32) {
	if k := len(s.bulk) - 1; k >= 0 && s.bulk[k].src == baseSource {
		b := &s.bulk[k]
		switch next := b.row + b.n; {
		case x.src == baseSource && x.row == next:
			b.n += x.n
			return
		case x.src > baseSource && x.n == 1 && next < base:
			b.n++
			s.patches = append(s.patches, patch{at, x.src, x.row})
			return
		}
	}
	s.bulk = append(s.bulk, x)
}
