package parquet

import (
	"bytes"
	"fmt"
	"io"
)

// segmentSlots is the most slots of strings decoded between looks at their
// total size.
const segmentSlots = 1024

// batchStrings is the size of a batch's strings at which a column ends its
// part of the batch early.
const batchStrings = 64 << 20

// entriesAhead is how many levels of a nested column are decoded at a time.
const entriesAhead = 4096

// A leafReader reads rows of one leaf column: it walks the pages of its chunks
// and hands levels and values to its output.
type leafReader struct {
	file  *File
	leaf  *leaf
	keep  bool // levels are wanted
	picks *picks
	pages pageReader
	vals  values
	def   hybrid
	rep   hybrid
	left  int   // entries of the page that are not decoded yet
	claim int64 // rows that the offset index gives the next page; -1: not known
	group int   // the open row group
	row   int64 // next row, counted in its row group
	index *OffsetIndex
	spans []span  // of the chunk, from the current place on
	defs  []uint8 // levels decoded ahead; reps as long, for repeated leaves
	reps  []uint8
	lo    int // the first of them that is not consumed
	out   output
}

// seek makes the row of the row group the next one that is read. Rows only
// ever go up.
func (r *leafReader) seek(group int, row int64) error {
	if group != r.group {
		if err := r.openGroup(group); err != nil {
			return err
		}
	}
	if row > r.row && r.index != nil {
		if err := r.jump(row); err != nil {
			return err
		}
	}
	if row > r.row {
		return r.skip(int(row - r.row))
	}
	return nil
}

func (r *leafReader) openGroup(group int) error {
	r.group, r.row, r.left, r.index, r.claim = group, 0, 0, nil, -1
	r.defs, r.reps, r.lo = r.defs[:0], r.reps[:0], 0
	if err := r.pages.open(&r.file.meta.groups[group].columns[r.leaf.index]); err != nil {
		return err
	}
	if r.picks != nil {
		var err error
		if r.index, err = r.picks.offsetIndex(r.leaf, group); err != nil {
			return err
		}
	}
	if r.index != nil {
		r.picks.plan(r, group)
	}
	r.openTwins()
	return nil
}

// jump goes to the page that holds the row, unless it is the current one.
func (r *leafReader) jump(row int64) error {
	i := r.index.page(row)
	first := r.index.Pages[i].FirstRow
	if first <= r.row && r.row > 0 {
		return nil
	}
	if err := r.pages.loadDictionary(); err != nil {
		return err
	}
	r.pages.pos = r.index.Pages[i].Offset
	r.row, r.left, r.claim = first, 0, r.index.End(i)-first
	r.defs, r.reps, r.lo = r.defs[:0], r.reps[:0], 0
	r.picks.aim(r)
	return nil
}

// nextPage opens the next data page.
func (r *leafReader) nextPage() error {
	h, err := r.nextHeader()
	if err != nil {
		return err
	}
	return r.openPage(h)
}

// nextHeader gives the header of the next data page. After a jump it must
// agree with the offset index, whose word is all there is for what rows it has.
func (r *leafReader) nextHeader() (pageHeader, error) {
	h, err := r.pages.nextData()
	claim := r.claim
	r.claim = -1
	if err == nil && claim >= 0 && r.leaf.maxRep == 0 && int64(h.values) != claim {
		return h, fmt.Errorf("%w: row group %d: page of %d rows, the offset index says %d", ErrCorrupt, r.group, h.values, claim)
	}
	return h, err
}

func (r *leafReader) openPage(h pageHeader) error {
	pg, err := r.pages.read(h)
	if err != nil {
		return err
	}
	r.left = pg.values
	r.def.reset(pg.def, levelWidth(r.leaf.maxDef))
	r.rep.reset(pg.rep, levelWidth(r.leaf.maxRep))
	return r.vals.reset(pg, &r.pages.dict, r.pages.hasDict)
}

// read reads up to n rows of the open row group, fewer only where their
// strings are very long or twins part.
func (r *leafReader) read(n, hint int) (rows int, err error) {
	if r.leaf.maxRep > 0 {
		rows, err = n, r.readRepeated(n, true)
	} else {
		rows, err = r.readFlat(n, hint)
	}
	r.row += int64(rows)
	if err == nil && r.picks == nil && r.row == r.file.meta.groups[r.group].rows {
		err = r.end()
	}
	return rows, err
}

// end checks that the chunk ends where its last row has been read.
func (r *leafReader) end() error {
	more := r.left > 0 || r.lo < len(r.defs)
	for !more {
		h, err := r.pages.nextData()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.pages.skip(h)
		more = h.values > 0
	}
	return fmt.Errorf("%w: row group %d has more rows than the footer says", ErrCorrupt, r.group)
}

func (r *leafReader) readFlat(n, hint int) (rows int, err error) {
	for rows < n {
		if r.pages.parting { // before the values of the page that differs
			return rows, nil
		}
		if r.left == 0 {
			if err := r.nextPage(); err != nil {
				return rows, r.short(err)
			}
			continue
		}
		k := min(n-rows, r.left)
		if r.leaf.conv == convStrings {
			if r.out.text.used >= batchStrings && !r.keep {
				return rows, nil
			}
			k = min(k, segmentSlots)
		}
		if err := r.flatSegment(k, hint); err != nil {
			return rows, err
		}
		r.left -= k
		rows += k
	}
	return rows, nil
}

// short explains the end of a chunk before its last row.
func (r *leafReader) short(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: row group %d has fewer rows than the footer says", ErrCorrupt, r.group)
	}
	return err
}

// flatSegment reads the next k entries of the page.
func (r *leafReader) flatSegment(k, hint int) error {
	r.out.room(k, hint)
	ones := k
	var err error
	switch {
	case r.leaf.maxDef == 0:
	case r.leaf.maxDef == 1 && !r.keep:
		ones, err = r.def.bitmap(r.out.valid.Bytes(), r.out.slots, k)
	default:
		r.defs = grow(r.defs, k)
		if err = r.def.levels(r.defs, r.leaf.maxDef); err == nil {
			err = r.out.keepLevels(r.defs, nil)
		}
		if err == nil {
			_, ones = r.out.validBits(r.defs, 0)
		}
		r.defs = r.defs[:0]
	}
	if err != nil {
		return err
	}
	if r.keep && r.leaf.maxDef == 0 {
		r.defs = grow(r.defs, k)
		clear(r.defs)
		if err := r.out.keepLevels(r.defs, nil); err != nil {
			return err
		}
		r.defs = r.defs[:0]
	}
	return r.out.take(&r.vals, k, ones)
}

// readRepeated consumes all entries of the next n rows. Where a row ends is
// known only when the next one begins.
func (r *leafReader) readRepeated(n int, wanted bool) error {
	started := 0
	for {
		if r.lo == len(r.defs) {
			if started == n && r.left == 0 && r.index != nil {
				return nil // pages of indexed chunks begin with a row
			}
			err := r.ahead()
			if err == io.EOF && started == n {
				return nil
			}
			if err != nil {
				return r.short(err)
			}
			continue
		}
		if started == 0 && r.reps[r.lo] != 0 {
			return fmt.Errorf("%w: row group %d: a page begins within a row that is not there", ErrCorrupt, r.group)
		}
		hi := len(r.reps)
		if rows := bytes.Count(r.reps[r.lo:], rowStart); started+rows <= n {
			started += rows
		} else {
			hi, started = r.lo+rowsEnd(r.reps[r.lo:], n-started), n
		}
		if err := r.repeatedSegment(hi, wanted); err != nil {
			return err
		}
		if r.lo < len(r.defs) {
			return nil
		}
	}
}

// rowStart is the repetition level of the first entry of a row.
var rowStart = []byte{0}

// rowsEnd gives the number of entries before the one that begins row number n.
func rowsEnd(reps []uint8, n int) int {
	for i, rep := range reps {
		if rep == 0 {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(reps)
}

// ahead decodes more levels, all of one page.
func (r *leafReader) ahead() error {
	for r.left == 0 {
		if err := r.nextPage(); err != nil {
			return err
		}
	}
	k := min(r.left, entriesAhead)
	r.defs, r.reps, r.lo = grow(r.defs, k), grow(r.reps, k), 0
	r.left -= k
	if err := r.rep.levels(r.reps, r.leaf.maxRep); err != nil {
		return err
	}
	return r.def.levels(r.defs, r.leaf.maxDef)
}

// repeatedSegment consumes the levels decoded ahead up to hi, with their values.
func (r *leafReader) repeatedSegment(hi int, wanted bool) error {
	defs, reps := r.defs[r.lo:hi], r.reps[r.lo:hi]
	r.lo = hi
	if !wanted {
		ones := 0
		for _, d := range defs {
			if d == r.leaf.maxDef {
				ones++
			}
		}
		return r.vals.skip(ones)
	}
	if err := r.out.keepLevels(defs, reps); err != nil {
		return err
	}
	r.out.room(len(defs), 0)
	slots, ones := r.out.validBits(defs, r.leaf.slotDef)
	return r.out.take(&r.vals, slots, ones)
}

// skip passes over n rows of the open row group.
func (r *leafReader) skip(n int) error {
	r.row += int64(n)
	if r.leaf.maxRep > 0 {
		return r.readRepeated(n, false)
	}
	for n > 0 {
		if r.left == 0 {
			h, err := r.nextHeader()
			if err != nil {
				return r.short(err)
			}
			if int(h.values) <= n {
				r.pages.skip(h)
				n -= int(h.values)
				continue
			}
			if err := r.openPage(h); err != nil {
				return err
			}
			continue
		}
		k := min(n, r.left)
		if err := r.skipFlat(k); err != nil {
			return err
		}
		r.left -= k
		n -= k
	}
	return nil
}

// skipFlat passes over k entries of the page.
func (r *leafReader) skipFlat(k int) error {
	ones := k
	switch {
	case r.leaf.maxDef == 1:
		var err error
		if ones, err = r.def.skipOnes(k); err != nil {
			return err
		}
	case r.leaf.maxDef > 1:
		ones = 0
		for n := k; n > 0; n -= len(r.defs) {
			r.defs = grow(r.defs, min(n, entriesAhead))
			if err := r.def.levels(r.defs, r.leaf.maxDef); err != nil {
				return err
			}
			for _, d := range r.defs {
				if d == r.leaf.maxDef {
					ones++
				}
			}
		}
		r.defs = r.defs[:0]
	}
	return r.vals.skip(ones)
}
