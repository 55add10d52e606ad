// Package batch holds the one form in which rows travel between packages: a
// pull stream of Arrow record batches with explicit ownership.
//
// Readers of files, adapters of schemas, the merge and the scan all produce a
// [Reader]; they compose by wrapping one another.
package batch

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Reader yields the record batches of one source in order.
//
// Next gives the next batch, or io.EOF after the last. The caller owns the
// batch and must Release it. After an error (io.EOF included) the reader stays
// at that error. Close releases everything that the reader holds, may be
// called at any time and more than once, but not concurrently with Next.
// Batches may be empty; their schema equals Schema().
type Reader interface {
	Schema() *arrow.Schema
	Next() (arrow.RecordBatch, error)
	Close() error
}

// An Owner is a reader that says whether its batches' memory is theirs alone.
type Owner interface {
	Reader
	// Owned is true if nothing but the batch refers to the values of its rows
	// and no two of its columns share any: whoever owns the batch may overwrite
	// values and offsets of these rows. Validity bitmaps are not among them,
	// since slices of one array meet within a byte.
	Owned() bool
}

// Owned tells whether the batches of a reader may be overwritten.
func Owned(r Reader) bool {
	o, ok := r.(Owner)
	return ok && o.Owned()
}

// A Counter is a reader that may know how many rows are to come.
type Counter interface {
	Reader
	// Rows is the number of rows that Next has not given yet; known is false if
	// only reading them can tell.
	Rows() (n int64, known bool)
}

// Rows gives the number of rows that are to come of a reader, if it knows it.
func Rows(r Reader) (n int64, known bool) {
	if c, ok := r.(Counter); ok {
		n, known = c.Rows()
	}
	if !known {
		n = 0
	}
	return n, known
}

// Empty gives a reader without batches.
func Empty(schema *arrow.Schema) Reader { return &sliceReader{schema: schema} }

// FromSlice gives a reader over batches that exist already. It takes over the
// caller's references.
func FromSlice(schema *arrow.Schema, batches []arrow.RecordBatch) Reader {
	return &sliceReader{schema: schema, rest: batches}
}

type sliceReader struct {
	schema *arrow.Schema
	rest   []arrow.RecordBatch
}

func (r *sliceReader) Schema() *arrow.Schema { return r.schema }

func (r *sliceReader) Next() (arrow.RecordBatch, error) {
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

// Rows implements [Counter].
func (r *sliceReader) Rows() (n int64, known bool) {
	for _, b := range r.rest {
		n += b.NumRows()
	}
	return n, true
}

func (r *sliceReader) Close() error {
	for _, b := range r.rest {
		b.Release()
	}
	r.rest = nil
	return nil
}

// Collect reads all batches of a reader and closes it. On an error nothing is
// kept.
func Collect(r Reader) ([]arrow.RecordBatch, error) {
	defer r.Close()
	var all []arrow.RecordBatch
	for {
		b, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			for _, b := range all {
				b.Release()
			}
			return nil, err
		}
		all = append(all, b)
	}
}
