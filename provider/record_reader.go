package provider

import (
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// RecordReader gives the result as Arrow's own reader interface. Releasing the
// last reference closes the result.
func (r *Result) RecordReader() array.RecordReader {
	rr := &recordReader{result: r}
	rr.refs.Add(1)
	return rr
}

type recordReader struct {
	refs    atomic.Int64
	result  *Result
	current arrow.RecordBatch
	err     error
}

func (r *recordReader) Retain() { r.refs.Add(1) }

func (r *recordReader) Release() {
	if r.refs.Add(-1) > 0 {
		return
	}
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	r.result.Close()
}

func (r *recordReader) Schema() *arrow.Schema { return r.result.Schema() }

func (r *recordReader) Next() bool {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	if r.err != nil {
		return false
	}
	b, err := r.result.Next()
	if err == io.EOF {
		return false
	}
	r.current, r.err = b, err
	return err == nil
}

func (r *recordReader) RecordBatch() arrow.RecordBatch { return r.current }
func (r *recordReader) Record() arrow.RecordBatch      { return r.current }
func (r *recordReader) Err() error                     { return r.err }
