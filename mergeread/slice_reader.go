package mergeread

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// sliceReader closes the log files of a slice with the merge that reads them.
type sliceReader struct {
	batch.Reader
	slice  *slice
	report func(Stats)
	closed bool
}

func (r *sliceReader) Next() (arrow.RecordBatch, error) {
	b, err := r.Reader.Next()
	if err != nil && err != io.EOF {
		err = r.slice.failed(err)
	}
	return b, err
}

func (r *sliceReader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	err := errors.Join(r.Reader.Close(), r.slice.closeFiles())
	if r.report != nil {
		r.report(r.slice.stats)
	}
	return err
}
