package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// tailSize is how much of the file's end is read at first: enough for the
// trailer, the index and the file info of most files, and for all of a small
// file.
const tailSize = 64 << 10

// maxReadAhead bounds how much a scan reads at once.
const maxReadAhead = 4 << 20

// An Entry is one key and its value. The value aliases the block it comes
// from: do not change it; copy it to keep it without the block.
type Entry struct {
	Key   string
	Value []byte
}

// A Reader reads one HFile. It is safe for concurrent use.
type Reader struct {
	r       io.ReaderAt
	size    int64
	tail    []byte // the file's end, from size-len(tail)
	trailer trailer
	root    []indexEntry
	info    map[string][]byte
	mvcc    bool // a number follows each cell
}

// Open reads what is needed before any lookup: trailer, root index and file
// info.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	f := &Reader{r: r, size: size}
	if size < trailerSize {
		return nil, corruptf("%d bytes are less than a trailer", size)
	}
	if err := f.readTail(min(size, tailSize)); err != nil {
		return nil, err
	}
	var err error
	if f.trailer, err = parseTrailer(f.tail[len(f.tail)-trailerSize:]); err != nil {
		return nil, err
	}
	start := min(f.trailer.loadOnOpenOffset, f.trailer.fileInfoOffset)
	if start < 0 || max(f.trailer.loadOnOpenOffset, f.trailer.fileInfoOffset) > size-trailerSize {
		return nil, corruptf("trailer: offsets lie outside of the file")
	}
	if err := f.readTail(size - start); err != nil {
		return nil, err
	}
	if err := f.loadIndex(); err != nil {
		return nil, err
	}
	return f, f.loadInfo()
}

// readTail makes sure that the last n bytes are in memory.
func (r *Reader) readTail(n int64) error {
	if n <= int64(len(r.tail)) {
		return nil
	}
	b := make([]byte, n)
	more := n - int64(len(r.tail))
	if err := readFull(r.r, b[:more], r.size-n); err != nil {
		return err
	}
	copy(b[more:], r.tail)
	r.tail = b
	return nil
}

func (r *Reader) loadIndex() error {
	if r.trailer.rootEntries == 0 {
		return nil
	}
	b, err := r.tailBlock(r.trailer.loadOnOpenOffset, magicRootIndex)
	if err != nil {
		return err
	}
	r.root, err = parseRootIndex(b, r.trailer.rootEntries)
	return err
}

func (r *Reader) loadInfo() error {
	b, err := r.tailBlock(r.trailer.fileInfoOffset, magicFileInfo)
	if err != nil {
		return err
	}
	if r.info, err = parseFileInfo(b); err != nil {
		return err
	}
	if v := r.info["hfile.MAX_TAGS_LEN"]; len(v) > 0 {
		return unsupportedf("cells carry tags")
	}
	v := r.info["KEY_VALUE_VERSION"]
	r.mvcc = len(v) == 4 && binary.BigEndian.Uint32(v) == 1
	return nil
}

// tailBlock gives the payload of a block of the load-on-open section.
func (r *Reader) tailBlock(offset int64, magic string) ([]byte, error) {
	b, err := parseBlock(r.tail[int64(len(r.tail))-(r.size-offset):len(r.tail)-trailerSize], r.trailer.codec)
	if err != nil {
		return nil, err
	}
	if b.magic != magic {
		return nil, corruptf("%q where %s should be", b.magic, magic)
	}
	return b.payload, nil
}

// Len is the number of entries.
func (r *Reader) Len() int64 { return r.trailer.entries }

// Info gives an entry of the file info, such as "schema".
func (r *Reader) Info(name string) ([]byte, bool) {
	v, ok := r.info[name]
	return v, ok
}

// MinKey is the smallest key as the writer noted it; there is none in an
// empty file.
func (r *Reader) MinKey() (string, bool) { return r.keyInfo("minRecordKey") }

// MaxKey is the largest key as the writer noted it; there is none in an empty
// file.
func (r *Reader) MaxKey() (string, bool) { return r.keyInfo("maxRecordKey") }

func (r *Reader) keyInfo(name string) (string, bool) {
	v, ok := r.info[name]
	return string(v), ok && r.trailer.entries > 0
}

func (r *Reader) dataBlock(raw []byte) ([]byte, error) {
	b, err := parseBlock(raw, r.trailer.codec)
	if err != nil {
		return nil, err
	}
	if b.magic != magicData {
		return nil, corruptf("%q where a data block should be", b.magic)
	}
	return b.payload, nil
}

// Entries yields the entries in key order from the first key that is >= from
// on ("" = all). After an error it ends.
func (r *Reader) Entries(from string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		target := []byte(from)
		ahead := readAhead{r: r}
		skipping := from != ""
		for e, err := range r.dataBlocks(target) {
			var data []byte
			if err == nil {
				data, err = ahead.block(e)
			}
			for pos := 0; err == nil && pos < len(data); {
				var c cell
				if c, pos, err = nextCell(data, pos, r.mvcc); err != nil {
					break
				}
				if skipping && bytes.Compare(c.row, target) < 0 {
					continue
				}
				skipping = false
				if !yield(Entry{string(c.row), c.value}, nil) {
					return
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// Find yields the entries of some sorted keys, in key order. Where a file holds
// a key more than once (Hudi's writers refuse that by default) it gives the
// first. After an error it ends. Each block is read once at most.
func (r *Reader) Find(keys []string) iter.Seq2[Entry, error] {
	return r.find(keys, order, true)
}

// Prefixes yields the entries whose key begins with one of some sorted texts,
// none of which begins with another. Each block is read once at most.
func (r *Reader) Prefixes(prefixes []string) iter.Seq2[Entry, error] {
	return r.find(prefixes, func(row []byte, p string) int {
		return order(row[:min(len(row), len(p))], p)
	}, false)
}

// order compares without copying.
func order(row []byte, key string) int {
	switch {
	case string(row) < key:
		return -1
	case string(row) == key:
		return 0
	}
	return 1
}

// find goes through the file once for all targets. place tells whether a row
// lies before all rows of a target, is one, or lies behind them.
func (r *Reader) find(targets []string, place func(row []byte, target string) int, once bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f := finder{targets: targets, place: place, once: once, ahead: readAhead{r: r}, done: -1, yield: yield}
		for len(f.targets) > 0 {
			before := len(f.targets)
			found := false
			for e, err := range r.dataBlocks([]byte(f.targets[0])) {
				found = true
				if err != nil {
					yield(Entry{}, err)
					return
				}
				if e.offset <= f.done {
					continue
				}
				if !f.block(e) {
					break
				}
			}
			if f.stop || !found || len(f.targets) == before {
				return // all blocks have been seen
			}
		}
	}
}

// A finder looks for sorted targets.
type finder struct {
	targets []string // that are left
	place   func(row []byte, target string) int
	once    bool // one row is all there is of a target
	ahead   readAhead
	done    int64 // offset of the last block that was looked through
	yield   func(Entry, error) bool
	stop    bool
}

// behind drops the targets that lie before a row.
func (f *finder) behind(row []byte) {
	for len(f.targets) > 0 && f.place(row, f.targets[0]) > 0 {
		f.targets = f.targets[1:]
	}
}

// block looks through a block and tells whether the next one may go on.
// Otherwise it is better to look where the next target is.
func (f *finder) block(e indexEntry) bool {
	// An index key is not greater than the first key of its block.
	n := len(f.targets)
	if f.behind(e.row); len(f.targets) < n {
		return false
	}
	data, err := f.ahead.block(e)
	for pos := 0; err == nil && pos < len(data); {
		var c cell
		if c, pos, err = nextCell(data, pos, f.ahead.r.mvcc); err != nil {
			break
		}
		if f.behind(c.row); len(f.targets) == 0 {
			return false
		}
		if f.place(c.row, f.targets[0]) < 0 {
			continue
		}
		if !f.yield(Entry{string(c.row), c.value}, nil) {
			f.stop = true
			return false
		}
		if f.once {
			f.targets = f.targets[1:]
			if len(f.targets) == 0 {
				return false
			}
		}
	}
	if err != nil {
		f.stop = true
		f.yield(Entry{}, err)
		return false
	}
	f.done = e.offset
	return len(f.targets) == n
}

// A readAhead reads the data blocks of a scan, more of them at once the longer
// the scan goes on.
type readAhead struct {
	r      *Reader
	window []byte
	offset int64 // of window in the file
	next   int64 // length of the next read
}

func (a *readAhead) block(e indexEntry) ([]byte, error) {
	if in := e.offset - a.offset; in >= 0 && in+e.size <= int64(len(a.window)) {
		return a.r.dataBlock(a.window[in:])
	}
	n := e.size
	if e.offset == a.offset+int64(len(a.window)) {
		// Data blocks end where the load-on-open section begins.
		n = max(n, min(a.next, a.r.trailer.loadOnOpenOffset-e.offset))
	}
	b, err := a.r.bytes(e.offset, n)
	if err != nil {
		return nil, err
	}
	a.window, a.offset = b, e.offset
	a.next = min(max(2*n, tailSize), maxReadAhead)
	return a.r.dataBlock(b)
}

// bytes reads a range of the file, from memory where it can.
func (r *Reader) bytes(offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || n > r.size-offset {
		return nil, corruptf("block at %d of %d bytes lies outside of the file", offset, n)
	}
	if start := r.size - int64(len(r.tail)); offset >= start {
		return r.tail[offset-start : offset-start+n], nil
	}
	b := make([]byte, n)
	return b, readFull(r.r, b, offset)
}

// readFull fills b. Reaching the end of the file in the very last byte is no
// error.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes of HFile at %d: %w", len(b), offset, err)
}
