package hfile

import (
	"bytes"
	"encoding/binary"
	"iter"
	"sort"
)

// An indexEntry points to a data block or to an index block one level below.
type indexEntry struct {
	row    []byte // not greater than the block's first key
	offset int64
	size   int64 // on disk, header included
}

// parseRootIndex takes the root index apart: n entries with a
// variable-length key each.
func parseRootIndex(b []byte, n int) ([]indexEntry, error) {
	if n > len(b)/13 {
		return nil, corruptf("root index of %d entries in %d bytes", n, len(b))
	}
	entries := make([]indexEntry, 0, n)
	for range n {
		if len(b) < 12 {
			return nil, corruptf("root index is cut off")
		}
		e, err := parsePointer(b)
		if err != nil {
			return nil, err
		}
		b = b[12:]
		keyLen, used := vint(b)
		if used == 0 || keyLen < 0 || keyLen > int64(len(b)-used) {
			return nil, corruptf("root index: key does not fit")
		}
		if e.row, err = rowOf(b[used : used+int(keyLen)]); err != nil {
			return nil, err
		}
		b = b[used+int(keyLen):]
		entries = append(entries, e)
	}
	return entries, nil
}

// parseIndexBlock takes a leaf or intermediate index block apart: a count,
// count+1 relative offsets, then the entries, each up to the next offset.
func parseIndexBlock(b []byte) ([]indexEntry, error) {
	if len(b) < 4 {
		return nil, corruptf("index block is cut off")
	}
	n := int64(int32(binary.BigEndian.Uint32(b)))
	b = b[4:]
	if n < 0 || (n+1)*4 > int64(len(b)) {
		return nil, corruptf("index block of %d entries in %d bytes", n, len(b))
	}
	offsets, body := b[:(n+1)*4], b[(n+1)*4:]
	at := func(i int64) int64 { return int64(int32(binary.BigEndian.Uint32(offsets[i*4:]))) }
	entries := make([]indexEntry, 0, n)
	for i := range n {
		from, to := at(i), at(i+1)
		if from < 0 || to > int64(len(body)) || to-from < 12 {
			return nil, corruptf("index block: entry %d does not fit", i)
		}
		e, err := parsePointer(body[from:to])
		if err != nil {
			return nil, err
		}
		if e.row, err = rowOf(body[from+12 : to]); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parsePointer reads the offset and size at the beginning of an index entry.
func parsePointer(b []byte) (indexEntry, error) {
	e := indexEntry{
		offset: int64(binary.BigEndian.Uint64(b)),
		size:   int64(int32(binary.BigEndian.Uint32(b[8:]))),
	}
	if e.offset < 0 || e.size < blockHeaderSize {
		return e, corruptf("index entry points to %d bytes at %d", e.size, e.offset)
	}
	return e, nil
}

// dataBlocks yields the index entries of the data blocks that may hold keys
// >= from, in order.
func (r *Reader) dataBlocks(from []byte) iter.Seq2[indexEntry, error] {
	return func(yield func(indexEntry, error) bool) {
		w := indexWalk{r: r, from: from, yield: yield, last: -1}
		w.walk(r.root, r.trailer.indexLevels)
	}
}

// An indexWalk descends the index depth first.
type indexWalk struct {
	r     *Reader
	from  []byte
	yield func(indexEntry, error) bool
	last  int64 // offset of the last data block
}

// walk visits entries whose blocks are level levels above the data (1 = they
// are data blocks) and tells whether to go on.
func (w *indexWalk) walk(entries []indexEntry, level int) bool {
	// The block before the first one whose key is >= from may end with keys
	// >= from: index keys may be made up, and keys may repeat.
	start := sort.Search(len(entries), func(i int) bool { return bytes.Compare(entries[i].row, w.from) >= 0 })
	lastIndex := int64(-1)
	for _, e := range entries[max(start-1, 0):] {
		if level > 1 {
			// Offsets that do not grow would let a damaged file send us in circles.
			if e.offset <= lastIndex {
				w.yield(indexEntry{}, corruptf("index blocks out of order"))
				return false
			}
			lastIndex = e.offset
			below, err := w.r.indexBlock(e)
			if err != nil {
				w.yield(indexEntry{}, err)
				return false
			}
			if !w.walk(below, level-1) {
				return false
			}
			continue
		}
		if e.offset <= w.last {
			w.yield(indexEntry{}, corruptf("data blocks out of order"))
			return false
		}
		w.last = e.offset
		if !w.yield(e, nil) {
			return false
		}
	}
	return true
}

// indexBlock reads a leaf or intermediate index block.
func (r *Reader) indexBlock(e indexEntry) ([]indexEntry, error) {
	raw, err := r.bytes(e.offset, e.size)
	if err != nil {
		return nil, err
	}
	b, err := parseBlock(raw, r.trailer.codec)
	if err != nil {
		return nil, err
	}
	if b.magic != magicLeafIndex && b.magic != magicIntermediate {
		return nil, corruptf("%q where an index block should be", b.magic)
	}
	return parseIndexBlock(b.payload)
}
