package mergeread

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/schema"
)

const defaultBatchSize = 8192

// record is one Avro record; key is set for records of HFiles.
type record struct {
	key  string
	data []byte
}

// recordReader decodes the records of a block into batches of the target
// schema. The block is decoded in one go at the first Next: an iterator that is
// left and entered for every batch would cost a switch per record.
type recordReader struct {
	ctx     context.Context
	block   *logBlock
	records iter.Seq2[record, error]
	decoder *avro.Decoder
	adapter *schema.Adapter
	rows    int
	done    bool
	ready   []arrow.RecordBatch
}

func (r *recordReader) Schema() *arrow.Schema { return r.adapter.Schema() }

func (r *recordReader) Next() (arrow.RecordBatch, error) {
	if !r.done {
		r.done = true
		if err := r.decode(); err != nil {
			return nil, r.block.failed(err)
		}
	}
	if len(r.ready) == 0 {
		return nil, io.EOF
	}
	b := r.ready[0]
	r.ready = r.ready[1:]
	return b, nil
}

func (r *recordReader) decode() error {
	for rec, err := range r.records {
		if err == nil {
			err = r.append(rec)
		}
		if err != nil {
			return err
		}
		if r.decoder.Len() >= r.rows {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	r.records = nil
	return r.flush()
}

func (r *recordReader) append(rec record) error {
	add := func() error {
		if r.block.Type == hudilog.HFileDataBlock {
			return r.decoder.AppendKeyed([]byte(rec.key), rec.data)
		}
		return r.decoder.Append(rec.data)
	}
	err := add()
	if errors.Is(err, avro.ErrBatchFull) {
		if err = r.flush(); err == nil {
			err = add()
		}
	}
	return err
}

// flush turns the decoded rows into a batch.
func (r *recordReader) flush() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.decoder.Len() == 0 {
		return nil
	}
	raw := r.decoder.NewBatch()
	defer raw.Release()
	b, err := r.adapter.Adapt(raw)
	if err == nil {
		r.ready = append(r.ready, b)
	}
	return err
}

func (r *recordReader) Close() error {
	for _, b := range r.ready {
		b.Release()
	}
	r.ready, r.done = nil, true
	if r.decoder != nil {
		r.decoder.Release()
		r.decoder = nil
	}
	return nil
}

// avroRecords iterates over the records of an Avro block.
func (b *logBlock) avroRecords() (iter.Seq2[record, error], error) {
	content, err := b.inline.Content()
	if err != nil {
		return nil, err
	}
	_, records, err := hudilog.AvroRecords(content)
	if err != nil {
		return nil, err
	}
	return func(yield func(record, error) bool) {
		for data, err := range records {
			if !yield(record{data: data}, err) {
				return
			}
		}
	}, nil
}

// hfileRecords iterates over the records of an HFile block.
func (b *logBlock) hfileRecords() (iter.Seq2[record, error], error) {
	h, err := b.hfileReader()
	if err != nil {
		return nil, err
	}
	return func(yield func(record, error) bool) {
		for e, err := range h.Entries("") {
			if !yield(record{key: e.Key, data: e.Value}, err) {
				return
			}
		}
	}, nil
}
