package hudilog

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/hudi-go/hudi/internal/storage"
)

const (
	magic = "#HUDI#"
	// preambleSize is the length of magic and block size, which the block size
	// does not count.
	preambleSize = int64(len(magic)) + 8
	// minBlockSize is the size of a block without header entries and content:
	// version, type, header count, content length, footer count, reverse pointer.
	minBlockSize = 4 + 4 + 4 + 8 + 4 + 8
	// formatVersion is the one format version that exists since Hudi 0.5.
	formatVersion = 1
)

const (
	// smallFile is read in one go.
	smallFile = 1 << 20
	// chunkSize is what a read of a larger file takes at least; it holds the
	// end of a block and the header of the next.
	chunkSize = 128 << 10
	// searchSize is what is searched at once for the next block after a
	// corrupt one.
	searchSize = 1 << 20
)

// A Reader yields the blocks of one inline log file in file order. It reads
// headers and steps over contents.
type Reader struct {
	f      storage.File
	size   int64
	pos    int64
	window []byte // bytes of the file from start on
	start  int64
	err    error
}

// Open gives a reader of an open log file, which must stay open as long as
// contents of its blocks are wanted. Nothing is read yet.
func Open(f storage.File) *Reader { return &Reader{f: f, size: f.Size()} }

// Blocks reads the headers of all blocks of a file.
func Blocks(ctx context.Context, f storage.File) ([]*Block, error) {
	r := Open(f)
	var all []*Block
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
}

// Next gives the next block, or io.EOF. A stretch that is no whole block, left
// by a writer that died, is yielded as one corrupt block; a file that does not
// begin with a block is an error.
func (r *Reader) Next() (*Block, error) {
	if r.err != nil {
		return nil, r.err
	}
	b, err := r.next()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("log file %s at %d: %w", r.f.Path(), r.pos, err)
	}
	r.err = err
	return b, err
}

func (r *Reader) next() (*Block, error) {
	if r.pos+int64(len(magic)) > r.size {
		return nil, io.EOF
	}
	m, err := r.bytes(r.pos, int64(len(magic)))
	if err != nil {
		return nil, err
	}
	if string(m) != magic {
		return nil, corruptf("no block begins here")
	}
	blockSize, err := r.blockSize()
	if err != nil {
		return nil, err
	}
	if blockSize < 0 {
		return r.corruptBlock()
	}
	end := r.pos + preambleSize + blockSize
	// The header comes first, while its bytes are at hand; what it holds counts
	// only if the block's end is in order.
	b, headerErr := r.header(end)
	whole, err := r.isWhole(blockSize, end)
	if err != nil {
		return nil, err
	}
	if !whole {
		return r.corruptBlock()
	}
	if headerErr != nil {
		return nil, headerErr
	}
	r.pos = end
	return b, nil
}

// blockSize reads the size of the block at hand, -1 if there is none that fits
// the file.
func (r *Reader) blockSize() (int64, error) {
	if r.pos+preambleSize > r.size {
		return -1, nil
	}
	b, err := r.bytes(r.pos+int64(len(magic)), 8)
	if err != nil {
		return 0, err
	}
	n := int64(binary.BigEndian.Uint64(b))
	if n < minBlockSize || n > r.size-r.pos-preambleSize {
		return -1, nil
	}
	return n, nil
}

// isWhole tells whether the block ends as it should: with its own size, and
// followed by another block or the end of the file.
func (r *Reader) isWhole(blockSize, end int64) (bool, error) {
	b, err := r.bytes(end-8, min(8+int64(len(magic)), r.size-end+8))
	if err != nil {
		return false, err
	}
	if int64(binary.BigEndian.Uint64(b))-int64(len(magic)) != blockSize {
		return false, nil
	}
	return len(b) < 8+len(magic) || string(b[8:]) == magic, nil
}

// header reads the block at hand up to its content.
func (r *Reader) header(end int64) (*Block, error) {
	s := section{r: r, pos: r.pos + preambleSize, end: end - 8}
	b := &Block{File: r.f.Path(), Offset: r.pos, file: r.f}
	b.Version = int(s.int32())
	b.Type = BlockType(s.int32())
	switch {
	case s.err != nil:
		return nil, s.err
	case b.Version == 0:
		return nil, unsupportedf("log format version 0 of Hudi before 0.5; compact the table with a Hudi release that reads it")
	case b.Version != formatVersion:
		return nil, unsupportedf("log format version %d is newer than version %d", b.Version, formatVersion)
	case b.Type < 0 || b.Type > CDCDataBlock:
		return nil, unsupportedf("%v", b.Type)
	}
	b.Header = s.header()
	b.ContentLength = s.int64()
	b.ContentOffset = s.pos
	if s.err == nil && (b.ContentLength < 0 || b.ContentLength > s.end-s.pos) {
		return nil, corruptf("content of %d bytes does not fit its block", b.ContentLength)
	}
	if s.err != nil {
		return nil, s.err
	}
	if b.Type == CommandBlock && b.Header[CommandBlockType] != rollbackCommand {
		return nil, unsupportedf("command block of type %q", b.Header[CommandBlockType])
	}
	b.Corrupt = b.Type == CorruptBlock
	if at := b.ContentOffset - r.start; at >= 0 && at+b.ContentLength <= int64(len(r.window)) {
		b.content = r.window[at : at+b.ContentLength : at+b.ContentLength]
	}
	return b, nil
}

// rollbackCommand is the only command there is.
const rollbackCommand = "0"

// corruptBlock steps over what is no whole block, up to the next magic.
func (r *Reader) corruptBlock() (*Block, error) {
	b := &Block{
		BlockInfo: BlockInfo{Type: CorruptBlock},
		File:      r.f.Path(), Offset: r.pos, ContentOffset: r.pos, Corrupt: true, file: r.f,
	}
	next := r.size
	for at := r.pos + int64(len(magic)); at < r.size; at += searchSize {
		// Windows overlap, for a magic may lie across their border.
		w, err := r.bytes(at, min(searchSize+int64(len(magic))-1, r.size-at))
		if err != nil {
			return nil, err
		}
		if i := bytes.Index(w, []byte(magic)); i >= 0 {
			next = at + int64(i)
			break
		}
	}
	b.ContentLength = next - r.pos
	r.pos = next
	return b, nil
}

// bytes gives a range of the file, which must lie within it. The slice is good
// until the file is closed.
func (r *Reader) bytes(off, n int64) ([]byte, error) {
	if at := off - r.start; at >= 0 && at+n <= int64(len(r.window)) {
		return r.window[at : at+n], nil
	}
	start, size := off, max(n, chunkSize)
	if r.size <= smallFile {
		start, size = 0, r.size
	}
	// Blocks may hold parts of the old window, so it is not written over.
	w := make([]byte, min(size, r.size-start))
	if err := readFull(r.f, w, start); err != nil {
		return nil, err
	}
	r.window, r.start = w, start
	return w[off-start : off-start+n], nil
}

// A section reads numbers and maps between two offsets of the file. The first
// fault is kept.
type section struct {
	r        *Reader
	pos, end int64
	err      error
}

func (s *section) take(n int64) []byte {
	if s.err == nil && (n < 0 || n > s.end-s.pos) {
		s.err = corruptf("header does not fit its block")
	}
	if s.err != nil {
		return nil
	}
	var b []byte
	b, s.err = s.r.bytes(s.pos, n)
	s.pos += n
	return b
}

func (s *section) int32() int32 {
	if b := s.take(4); s.err == nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (s *section) int64() int64 {
	if b := s.take(8); s.err == nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// header reads a map of numbered entries; unknown numbers are kept.
func (s *section) header() map[HeaderKey]string {
	n := s.int32()
	if n < 0 || int64(n) > (s.end-s.pos)/8 {
		s.err = corruptf("header of %d entries", n)
		return nil
	}
	h := make(map[HeaderKey]string, n)
	for range n {
		key := HeaderKey(s.int32())
		value := s.take(int64(s.int32()))
		if s.err != nil {
			return nil
		}
		h[key] = string(value)
	}
	return h
}
