package mergeread

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/schema"
)

const (
	// logBatchRows is the most rows of a batch of log records: few batches make
	// few sources to look rows up in.
	logBatchRows = 32 << 10
	// logBatchBytes is about the most memory of such a batch.
	logBatchBytes = 8 << 20
	// streamedRows and streamedBytes are the same where a batch of each block is
	// in memory at a time, and used up soon.
	streamedRows  = 4 << 10
	streamedBytes = 1 << 20
	// sizeEvery is the number of rows between looks at the size of a batch, and
	// at whether anyone still waits for it.
	sizeEvery = 512
)

// recordReader decodes the records of a block into batches of the target
// schema.
type recordReader struct {
	ctx     context.Context
	block   *logBlock
	plain   *hudilog.Records // of an Avro block
	spans   hudilog.Spans    // records of plain that are still to decode
	keyed   *keyedRecords    // of an HFile block
	decoder *avro.Decoder
	adapter *schema.Adapter
	rows    int    // most of a batch
	bytes   int64  // about the most memory of it
	waiting []byte // record of keyed that was too much for the last batch
	err     error
}

func (r *recordReader) Schema() *arrow.Schema { return r.adapter.Schema() }

// Rows implements [batch.Counter]. HFiles don't tell.
func (r *recordReader) Rows() (n int64, known bool) {
	if r.plain == nil {
		return 0, false
	}
	return int64(r.plain.Left() + len(r.spans.From) + r.decoder.Len()), true
}

func (r *recordReader) Next() (arrow.RecordBatch, error) {
	if r.err == nil {
		if r.err = r.decode(); r.err != nil && r.err != io.EOF {
			r.err = r.block.failed(r.err)
		}
	}
	if r.err != nil && (r.err != io.EOF || r.decoder.Len() == 0) {
		return nil, r.err
	}
	raw := r.decoder.NewBatch()
	defer raw.Release()
	return r.adapter.Adapt(raw)
}

// decode fills the decoder with the rows of a batch. It gives io.EOF with the
// last ones.
func (r *recordReader) decode() error {
	d := r.decoder
	for check := 0; d.Len() < r.rows; {
		if d.Len() >= check {
			check = d.Len() + sizeEvery
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if d.Size() > r.bytes {
				return nil
			}
		}
		err := r.append(d)
		if d.Len() > 0 && errors.Is(err, avro.ErrBatchFull) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append decodes the next records.
func (r *recordReader) append(d *avro.Decoder) error {
	if r.keyed != nil {
		return r.appendKeyed(d)
	}
	s := &r.spans
	if len(s.From) == 0 {
		var err error
		if *s, err = r.plain.Next(); err != nil {
			return err
		}
	}
	most := min(len(s.From), r.rows-d.Len())
	n, err := d.AppendAll(s.Bytes, s.From[:most], s.To[:most])
	s.From, s.To = s.From[n:], s.To[n:]
	return err
}

// appendKeyed decodes the next record of an HFile.
func (r *recordReader) appendKeyed(d *avro.Decoder) (err error) {
	rec := r.waiting
	if rec == nil {
		if rec, err = r.keyed.next(); err != nil {
			return err
		}
	}
	err = d.AppendKeyed(r.keyed.key, rec)
	if r.waiting = nil; err != nil {
		r.waiting = rec
	}
	return err
}

func (r *recordReader) Close() error {
	if r.decoder == nil {
		return nil
	}
	if r.plain != nil {
		r.plain.Close()
	} else {
		r.keyed.stop()
	}
	r.decoder.Release()
	r.decoder, r.err = nil, io.ErrClosedPipe
	return nil
}

// keyedRecords is a cursor over the records of an HFile block.
type keyedRecords struct {
	pull func() (hfile.Entry, error, bool)
	stop func()
	key  []byte
}

func (b *logBlock) keyedRecords() (*keyedRecords, error) {
	h, err := b.hfileReader()
	if err != nil {
		return nil, err
	}
	k := &keyedRecords{}
	k.pull, k.stop = iter.Pull2(h.Entries(""))
	return k, nil
}

func (k *keyedRecords) next() ([]byte, error) {
	e, err, more := k.pull()
	if !more {
		return nil, io.EOF
	}
	k.key = append(k.key[:0], e.Key...)
	return e.Value, err
}
