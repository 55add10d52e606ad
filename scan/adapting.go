package scan

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/schema"
)

func isEOF(err error) bool { return err == io.EOF }

// adapting is a reader whose batches go through an adapter.
type adapting struct {
	in       batch.Reader
	adapter  *schema.Adapter
	schema   *arrow.Schema
	position bool
}

func (r *adapting) Schema() *arrow.Schema { return r.schema }
func (r *adapting) Close() error          { return r.in.Close() }

// Owned implements [batch.Owner].
func (r *adapting) Owned() bool { return batch.Owned(r.in) && r.adapter.Distinct() }

// Rows implements [batch.Counter].
func (r *adapting) Rows() (n int64, known bool) { return batch.Rows(r.in) }

func (r *adapting) Next() (arrow.RecordBatch, error) {
	b, err := r.in.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	out, err := r.adapter.Adapt(b)
	if err != nil || !r.position {
		return out, err
	}
	defer out.Release()
	return array.NewRecordBatch(r.schema, append(append([]arrow.Array{}, out.Columns()...), b.Column(int(b.NumCols())-1)), b.NumRows()), nil
}

// zipped joins two readers of the same rows, column by column: the skeleton of
// a bootstrapped file and its source.
type zipped struct {
	left, right batch.Reader
	l, r        arrow.RecordBatch // rests of the current batches
	schema      *arrow.Schema
	wrap        func(error) error
	pick        []int // for each output column: its place in left, or len(left)+ its place in right
}

func (z *zipped) Schema() *arrow.Schema { return z.schema }

func (z *zipped) Next() (arrow.RecordBatch, error) {
	var err error
	if z.l, err = refill(z.left, z.l); err != nil && err != io.EOF {
		return nil, err
	}
	leftErr := err
	if z.r, err = refill(z.right, z.r); err != nil && err != io.EOF {
		return nil, err
	}
	if leftErr == io.EOF || err == io.EOF {
		if leftErr != err {
			return nil, z.wrap(errUneven)
		}
		return nil, io.EOF
	}
	n := min(z.l.NumRows(), z.r.NumRows())
	left, right := z.l.NewSlice(0, n), z.r.NewSlice(0, n)
	defer left.Release()
	defer right.Release()
	cols := make([]arrow.Array, len(z.pick))
	for i, p := range z.pick {
		if p < int(left.NumCols()) {
			cols[i] = left.Column(p)
		} else {
			cols[i] = right.Column(p - int(left.NumCols()))
		}
	}
	z.l, z.r = advance(z.l, n), advance(z.r, n)
	return array.NewRecordBatch(z.schema, cols, n), nil
}

func (z *zipped) Close() error {
	for _, b := range []arrow.RecordBatch{z.l, z.r} {
		if b != nil {
			b.Release()
		}
	}
	z.l, z.r = nil, nil
	err := z.left.Close()
	if e := z.right.Close(); err == nil {
		err = e
	}
	return err
}

// refill gives the rest of a batch, or the next one with rows.
func refill(r batch.Reader, b arrow.RecordBatch) (arrow.RecordBatch, error) {
	for b == nil || b.NumRows() == 0 {
		if b != nil {
			b.Release()
		}
		var err error
		if b, err = r.Next(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// advance drops the first n rows of a batch.
func advance(b arrow.RecordBatch, n int64) arrow.RecordBatch {
	defer b.Release()
	return b.NewSlice(n, b.NumRows())
}
