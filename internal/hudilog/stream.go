package hudilog

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/hudi-go/hudi/internal/storage"
)

// recordWindow is how much of a content is read at once: little enough to be in
// a near cache when the records are decoded. Where reads cost a round trip it
// is more, see [storage.Stride].
const recordWindow = 256 << 10

// windows keeps the windows of blocks that were read: fresh ones would cost
// more to fault in than to fill.
var windows = sync.Pool{New: func() any { return new([]byte) }}

// Records reads the records of an Avro data (or change data) block one after
// the other: plain binary records that follow the block's SCHEMA. Of the
// content, no more than a window is in memory. It must be closed.
type Records struct {
	b     *Block
	buf   []byte // what of the content is at hand
	pos   int    // in buf
	next  int64  // in the content: what follows buf
	n     int
	left  int
	err   error
	whole *[]byte // from the pool; nil if buf is of its own

	from, to [maxSpans]uint32
}

// maxSpans is the most records that are given at once.
const maxSpans = 256

// Spans are records in bytes that they share: record i is
// Bytes[From[i]:To[i]].
type Spans struct {
	Bytes    []byte
	From, To []uint32
}

// Records opens the block for reading records.
func (b *Block) Records() (*Records, error) {
	r := &Records{b: b}
	switch {
	case b.content != nil:
		r.buf, r.next = b.content, b.ContentLength
	case b.ContentLength >= recordWindow:
		r.whole = windows.Get().(*[]byte)
		if size := min(int64(max(recordWindow, storage.Stride(b.file))), b.ContentLength); int64(cap(*r.whole)) < size {
			*r.whole = make([]byte, 0, size)
		}
		r.buf = *r.whole
	default:
		r.buf = make([]byte, 0, b.ContentLength)
	}
	err := r.head()
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// head reads the content version and the number of records.
func (r *Records) head() error {
	if r.b.ContentLength < 8 {
		return corruptf("Avro block of %d bytes", r.b.ContentLength)
	}
	if err := r.fill(8); err != nil {
		return err
	}
	n, err := recordCount(r.buf, r.b.ContentLength)
	r.n, r.left, r.pos = n, n, 8
	return err
}

// Len is the number of records.
func (r *Records) Len() int { return r.n }

// Left is the number of records that Next has not given yet.
func (r *Records) Left() int { return r.left }

// Next gives the next records, one at least, which are good until the next
// call, or io.EOF. It stays at an error.
func (r *Records) Next() (Spans, error) {
	if s := r.spans(); len(s.From) > 0 {
		return s, nil
	}
	if r.left == 0 && r.err == nil {
		r.err = io.EOF
	}
	if r.err == nil {
		r.err = r.across()
	}
	if r.err != nil {
		r.buf, r.pos, r.next, r.left = nil, 0, r.b.ContentLength, 0
		return Spans{}, r.err
	}
	return r.spans(), nil
}

// spans gives the records that the window has whole.
func (r *Records) spans() Spans {
	s := Spans{Bytes: r.buf[r.pos:]}
	if most := math.MaxInt32 + 4; len(s.Bytes) > most { // the longest record
		s.Bytes = s.Bytes[:most]
	}
	n, pos := 0, 0
	for most := min(r.left, maxSpans); n < most; n++ {
		rest := s.Bytes[pos:]
		if len(rest) < 4 {
			break
		}
		size := int(int32(binary.BigEndian.Uint32(rest)))
		if uint(size) > uint(len(rest)-4) {
			break
		}
		pos += 4 + size
		r.from[n], r.to[n] = uint32(pos-size), uint32(pos)
	}
	r.pos += pos
	r.left -= n
	s.From, s.To = r.from[:n], r.to[:n]
	return s
}

// across moves the window to the next record, at whose head it ends.
func (r *Records) across() error {
	if r.rest() < 4 {
		return corruptf("record %d of %d is cut off", r.n-r.left, r.n)
	}
	if err := r.fill(4); err != nil {
		return err
	}
	size := int64(int32(binary.BigEndian.Uint32(r.buf[r.pos:])))
	if size < 0 || size > r.rest()-4 {
		return corruptf("record %d of %d has %d bytes, %d are left", r.n-r.left, r.n, size, r.rest()-4)
	}
	return r.fill(4 + int(size))
}

// rest is the number of bytes that are left of the content.
func (r *Records) rest() int64 { return int64(len(r.buf)-r.pos) + r.b.ContentLength - r.next }

// fill moves the window so that n bytes from the current place on are in it,
// which the content must have.
func (r *Records) fill(n int) error {
	have := len(r.buf) - r.pos
	if have >= n {
		return nil
	}
	size := have + int(min(int64(max(n, cap(r.buf))-have), r.b.ContentLength-r.next))
	buf := r.buf[:0]
	if size > cap(buf) {
		buf = make([]byte, 0, size)
	}
	buf = append(buf, r.buf[r.pos:]...)[:size]
	if err := readFull(r.b.file, buf[have:], r.b.ContentOffset+r.next); err != nil {
		return fmt.Errorf("log file %s: %w", r.b.File, err)
	}
	r.next += int64(size - have)
	r.buf, r.pos = buf, 0
	return nil
}

// Close gives the window back. Records that were given are no longer good.
func (r *Records) Close() {
	if r.whole != nil {
		windows.Put(r.whole)
	}
	r.whole, r.buf, r.pos, r.left = nil, nil, 0, 0
}
