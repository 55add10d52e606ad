package parquet

import (
	"fmt"
	"io"

	"github.com/hudi-go/hudi/internal/storage"
)

// readAhead is how many bytes of a column chunk one read asks for, unless the
// file is a distant one. Two such buffers' worth of memory per column is what a
// scan costs.
const readAhead = 1 << 19

// A window gives the bytes of a column chunk, reading ahead of the pages by a
// bounded amount.
type window struct {
	src   io.ReaderAt
	buf   []byte
	off   int64 // place of buf[0] in the file
	limit int64 // end of the chunk
	want  int64 // reads ahead stop here
}

func (w *window) reset(src io.ReaderAt, off, limit int64) {
	w.src, w.off, w.limit, w.want, w.buf = src, off, limit, limit, w.buf[:0]
}

// bytes gives n bytes at a place, valid until the next call.
func (w *window) bytes(off int64, n int) ([]byte, error) {
	b, err := w.upTo(off, n)
	if err == nil && len(b) < n {
		return nil, fmt.Errorf("%w: %d bytes at %d lie outside of the column chunk, which ends at %d", ErrCorrupt, n, off, w.limit)
	}
	return b, err
}

// upTo is like bytes, but gives less at the end of the chunk.
func (w *window) upTo(off int64, n int) ([]byte, error) {
	if int64(n) > w.limit-off {
		n = int(max(0, w.limit-off))
	}
	if i := off - w.off; i >= 0 && i+int64(n) <= int64(len(w.buf)) {
		return w.buf[i : i+int64(n)], nil
	}
	if err := w.fill(off, n); err != nil {
		return nil, err
	}
	return w.buf[:n], nil
}

// fill makes the window begin at off and hold at least n bytes.
func (w *window) fill(off int64, n int) error {
	size := max(n, int(min(int64(max(readAhead, storage.Stride(w.src))), w.want-off)))
	have := 0
	if i := off - w.off; i >= 0 && i < int64(len(w.buf)) {
		rest := w.buf[i:]
		have = len(rest)
		if cap(w.buf) < size {
			w.buf = append(make([]byte, 0, size), rest...)
		} else {
			copy(w.buf, rest)
		}
	} else if cap(w.buf) < size {
		w.buf = make([]byte, 0, size)
	}
	w.buf = w.buf[:size]
	w.off = off
	if err := readFull(w.src, w.buf[have:], off+int64(have)); err != nil {
		w.buf = w.buf[:0]
		return err
	}
	return nil
}
