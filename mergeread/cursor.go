package mergeread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// ErrUnsorted is a source that breaks the promise of the sorted layout, found
// too late to merge the slice otherwise: rows of the same keys are out
// already. A merge with Input.Sorted off reads the slice.
var ErrUnsorted = errors.New("mergeread: keys are not sorted")

// An unsortedError is an [ErrUnsorted] of a source that is known.
type unsortedError struct{ c *cursor }

func (e *unsortedError) Error() string { return e.c.name + ": " + ErrUnsorted.Error() }
func (e *unsortedError) Unwrap() error { return ErrUnsorted }

// A cursor walks the rows of one sorted source.
type cursor struct {
	name   string
	run    int // number of the log run; -1 for the base
	rd     batch.Reader
	source func(arrow.RecordBatch) (*source, error)
	rules  ruleset // by which its records join those of older runs; logs only

	s      *source
	n      int // number of s
	row    int
	key    []byte // of the row; logs only
	prefix uint64 // its beginning
	codes  keyCodes
	done   bool
	plain  bool   // the batch has neither deletes nor equal keys
	last   []byte // greatest key so far
	taken  int64  // rows left behind in earlier batches
}

// load goes on to the next batch with rows and checks its order before any
// row of it can leave.
func (c *cursor) load(ctx context.Context, w *window) error {
	if c.s != nil {
		c.taken += int64(c.s.rows)
		c.s = nil
	}
	rec, err := nextRows(ctx, c.rd)
	if err == io.EOF {
		c.done = true
		return nil
	}
	if err != nil {
		return err
	}
	s, err := c.source(rec)
	if err != nil {
		return err
	}
	c.s, c.n = s, w.keep(s)
	if err := c.check(); err != nil {
		return err
	}
	c.moveTo(0)
	return nil
}

// check verifies that keys do not descend, and finds out whether the rows
// need a look one by one.
func (c *cursor) check() error {
	if k := c.s.cols; c.run < 0 && (k == nil || c.s.keys.off32 == nil && c.s.keys.off64 == nil) {
		return fmt.Errorf("%s: mergeread: base batch without the record key", c.name)
	}
	order := -1 // of the batch before to this one
	if c.last != nil {
		order = bytes.Compare(c.last, c.s.keys.at(0))
	}
	sorted, distinct := c.codes.reset(&c.s.keys, c.s.rows)
	if !sorted || order > 0 {
		return &unsortedError{c}
	}
	c.plain = c.s.kind == Data && c.s.dels == nil && distinct && order < 0
	c.last = append(c.last[:0:0], c.s.keys.at(c.s.rows-1)...)
	return nil
}

func (c *cursor) moveTo(row int) {
	c.row = row
	if c.run >= 0 {
		c.key = c.s.keys.at(row)
		c.prefix = keyPrefix(c.key)
	}
}

// advance moves by n rows of the current batch.
func (c *cursor) advance(ctx context.Context, w *window, n int) error {
	if c.row+n < c.s.rows {
		c.moveTo(c.row + n)
		return nil
	}
	return c.load(ctx, w)
}

// position is the number of rows that were taken.
func (c *cursor) position() int64 {
	if c.s == nil {
		return c.taken
	}
	return c.taken + int64(c.row)
}

// spent tells whether the rows of the base batch are used up, but more may come;
// nil is no base.
func (c *cursor) spent() bool { return c != nil && !c.done && c.row == c.s.rows }

// has tells whether the next row of the base batch has the key.
func (c *cursor) has(key []byte) bool {
	return c.row < c.s.rows && bytes.Equal(c.s.keys.at(c.row), key)
}

// seek gives the number of rows from here on, in this batch, whose keys are
// less than one, and tells whether the next row has that key.
func (c *cursor) seek(key []byte, compared *int64) (n int, met bool) {
	return c.codes.seek(c.row, key, compared)
}

// closed is the number of rows among the next n whose keys can't go on in the
// next batch: all, or at the end of the batch all but the last key's.
func (c *cursor) closed(n int) int {
	if c.row+n < c.s.rows {
		return n
	}
	last := c.s.keys.at(c.s.rows - 1)
	for n > 0 && bytes.Equal(c.s.keys.at(c.row+n-1), last) {
		n--
	}
	return n
}

// A window numbers the batches that rows in the making refer to.
type window struct {
	m       *resolver
	b       *builder
	numbers []int // in use
	free    []int
}

// keep gives a source a number.
func (w *window) keep(s *source) int {
	n := len(w.m.sources)
	if k := len(w.free); k > 0 {
		n, w.free = w.free[k-1], w.free[:k-1]
		w.m.sources[n] = s
	} else {
		w.m.sources = append(w.m.sources, s)
	}
	w.b.set(n, s)
	w.numbers = append(w.numbers, n)
	return n
}

// shrink releases the batches that nobody uses any more; used tells, nil says
// so of all.
func (w *window) shrink(used func(n int) bool) {
	kept := w.numbers[:0]
	for _, n := range w.numbers {
		if used != nil && used(n) {
			kept = append(kept, n)
			continue
		}
		w.m.sources[n].release()
		w.m.sources[n] = nil
		w.b.set(n, nil)
		w.free = append(w.free, n)
	}
	w.numbers = kept
	w.m.overlays, w.m.free = w.m.overlays[:0], w.m.free[:0]
	w.m.made.release()
}
