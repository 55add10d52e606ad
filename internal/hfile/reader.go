package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
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

	mu       sync.Mutex // guards the last block of Get
	lastOff  int64
	lastData []byte
}

// Open reads what is needed before any lookup: trailer, root index and file
// info.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	f := &Reader{r: r, size: size, lastOff: -1}
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

// Get looks one key up. Where a file holds a key more than once (Hudi's
// writers refuse that by default) it gives the first.
func (r *Reader) Get(key string) ([]byte, bool, error) {
	target := []byte(key)
	for e, err := range r.dataBlocks(target) {
		if err != nil {
			return nil, false, err
		}
		// An index key is not greater than the first key of its block.
		if bytes.Compare(e.row, target) > 0 {
			return nil, false, nil
		}
		data, err := r.cachedBlock(e)
		if err != nil {
			return nil, false, err
		}
		for pos := 0; pos < len(data); {
			var c cell
			if c, pos, err = nextCell(data, pos, r.mvcc); err != nil {
				return nil, false, err
			}
			switch bytes.Compare(c.row, target) {
			case 0:
				return c.value, true, nil
			case 1:
				return nil, false, nil
			}
		}
	}
	return nil, false, nil
}

// cachedBlock gives the payload of a data block and remembers it, since
// lookups mostly come in key order.
func (r *Reader) cachedBlock(e indexEntry) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lastOff == e.offset {
		return r.lastData, nil
	}
	raw, err := r.bytes(e.offset, e.size)
	if err != nil {
		return nil, err
	}
	data, err := r.dataBlock(raw)
	if err != nil {
		return nil, err
	}
	r.lastOff, r.lastData = e.offset, data
	return data, nil
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

// Prefix yields the entries whose key begins with p, in key order. After an
// error it ends.
func (r *Reader) Prefix(p string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range r.Entries(p) {
			if err == nil && !strings.HasPrefix(e.Key, p) || !yield(e, err) {
				return
			}
		}
	}
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
	// Data blocks end where the load-on-open section begins.
	n := max(e.size, min(a.next, a.r.trailer.loadOnOpenOffset-e.offset))
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
