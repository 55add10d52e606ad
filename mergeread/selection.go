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

// A room is the stretch of the current base batch that an output was made of:
// all of its rows are used up once the output is built. If the batch is the
// merge's own, the output can take their place in memory.
type room struct {
	src   int32 // number of the base batch; nullSource = none
	first int32
	end   int32
	rows  int32 // of the base batch
	owned bool
}

// noRoom is for outputs without a base batch.
var noRoom = room{src: nullSource}

// A selection is the rows that an array is made of, in order, prepared once
// for all columns.
type selection struct {
	spans   []span
	n       int
	sources []int32 // those in spans
	absent  bool    // some rows come from no source
	room    room

	// The same in another form: stretches of the base batch, in which single
	// rows are then replaced, as updates do.
	bulk    []stretch
	patches []patch
	inPlace bool // all of bulk is of the base batch, and each fits where it goes
}

// A stretch is a span and where in the selection it begins.
type stretch struct {
	span
	at int32
}

// A patch is a row in the place of another.
type patch struct {
	at   int32
	from int32 // 1 + index of its source in the selection's; 0 = none, it is null
	row  int32
}

// maxPatches is how long a span may be to count as so many patches.
const maxPatches = 8

// reset makes it the selection of other spans, which have n rows.
func (s *selection) reset(spans []span, n int, from room) {
	*s = selection{spans: spans, n: n, room: from, sources: s.sources[:0], bulk: s.bulk[:0], patches: s.patches[:0]}
	s.inPlace = from.owned
	if from.src >= 0 && from.first < from.rows {
		s.bulk = append(s.bulk, stretch{span: span{from.src, from.first, 0}})
	}
	at, last, number := int32(0), int32(nullSource), int32(0)
	for _, x := range spans {
		if x.src < 0 {
			s.absent, last, number = true, nullSource, 0
		} else if x.src != last {
			last, number = x.src, s.meet(x.src)
		}
		s.extend(x, at, number)
		at += x.n
	}
	if len(s.bulk) == 0 {
		return
	}
	if b := s.bulk[0]; b.n > 0 && b.src >= 0 {
		s.meet(b.src) // though all of its rows may be patched
	}
	if b := s.bulk[len(s.bulk)-1]; b.row+b.n > from.end {
		s.inPlace = false
	}
}

// meet notes a source and gives 1 + its index.
func (s *selection) meet(src int32) int32 {
	for i, known := range s.sources {
		if known == src {
			return int32(i) + 1
		}
	}
	s.sources = append(s.sources, src)
	return int32(len(s.sources))
}

// extend adds a span that begins at a row of the array; from is as in [patch].
// Single rows after a stretch of the base take the place of the base rows that
// would come next.
func (s *selection) extend(x span, at, from int32) {
	end := int32(0)
	if k := len(s.bulk) - 1; k >= 0 && s.bulk[k].src == s.room.src {
		b := &s.bulk[k]
		end = b.row + b.n
		switch {
		case x.src == s.room.src && x.row == end:
			b.n += x.n
			return
		case x.src != s.room.src && x.n <= maxPatches && end+x.n <= s.room.rows:
			b.n += x.n
			for i := range x.n {
				s.patches = append(s.patches, patch{at + i, from, x.row + i})
			}
			return
		}
	}
	// Rows can only move towards the front, over rows that are used up. A base
	// row that comes after one that was inserted would be overwritten before.
	s.inPlace = s.inPlace && x.src == s.room.src && x.row >= end
	s.bulk = append(s.bulk, stretch{x, at})
}
