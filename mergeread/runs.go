package mergeread

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/schema"
)

// run makes a [Run] of a block.
func (s *slice) run(b *logBlock) (Run, error) {
	r := Run{Kind: Data, Name: b.name(), Instant: b.instant()}
	var err error
	if r.Positions, err = s.positions(b); err != nil {
		return r, err
	}
	b.prunable = r.Positions == nil
	if b.Type == hudilog.DeleteBlock {
		r.Kind = Delete
		r.Open = func(ctx context.Context) (batch.Reader, error) { return s.openDeletes(ctx, b) }
		return r, nil
	}
	if b.bare || b.Header[hudilog.IsPartial] == "true" {
		if r.Present, err = s.present(b); err != nil {
			return r, err
		}
		b.prunable = b.prunable && r.Present == nil
	}
	all := make([]int, s.layout.working.NumFields())
	for i := range all {
		all[i] = i
	}
	r.Some = func(ctx context.Context, columns []int) (batch.Reader, error) {
		return s.layout.open(columns, false, func(t target) (batch.Reader, error) { return s.openData(ctx, b, t) })
	}
	r.Open = func(ctx context.Context) (batch.Reader, error) { return r.Some(ctx, all) }
	return r, nil
}

// positions are the ordinals of a block's records in the base file, nil where
// the block has none or they belong to another base file.
func (s *slice) positions(b *logBlock) ([]int64, error) {
	text := b.Header[hudilog.RecordPositions]
	base := s.task.Slice.Base
	if text == "" || base == nil || base.Bootstrap != nil || b.Header[hudilog.BaseFileInstantOfPositions] != base.Instant {
		return nil, nil
	}
	decode := hudilog.Positions
	if b.native != nil {
		decode = hudilog.NativePositions
	}
	list, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("record positions: %w", err)
	}
	return list, nil
}

// present tells which working columns a partial block has. A bare native log
// does not say whether it is partial: it is if it lacks columns.
func (s *slice) present(b *logBlock) ([]bool, error) {
	file, err := b.fileSchema()
	if err != nil {
		return nil, err
	}
	a, err := s.env.Adapter(file, s.layout.working, b.instant(), s.task.Slice.Partition)
	if err != nil {
		return nil, err
	}
	out := make([]bool, s.layout.working.NumFields())
	partial := !b.bare
	for i := range out {
		out[i] = !a.Missing(i) || i == s.layout.key
		partial = partial || !out[i]
	}
	if !partial {
		return nil, nil
	}
	return out, nil
}

func (b *logBlock) avroSchema() (*avro.Schema, error) {
	text := b.Header[hudilog.Schema]
	if text == "" {
		return nil, fmt.Errorf("the block has no SCHEMA header")
	}
	return avro.Parse(text)
}

// openData streams the records of a data block in a schema derived from the
// table's.
func (s *slice) openData(ctx context.Context, b *logBlock, t target) (batch.Reader, error) {
	switch b.Type {
	case hudilog.ParquetDataBlock:
		pf, err := b.parquetFile()
		if err != nil {
			return nil, b.failed(err)
		}
		return s.openBlock(ctx, b, pf, t, s.logOptions(b))
	case hudilog.AvroDataBlock, hudilog.HFileDataBlock:
		r, err := s.openAvro(ctx, b, t)
		if err != nil {
			return nil, b.failed(err)
		}
		return r, nil
	}
	return nil, b.failed(fmt.Errorf("blocks of type %s hold no records", b.Type))
}

// openAvro decodes the Avro records of a block.
func (s *slice) openAvro(ctx context.Context, b *logBlock, t target) (batch.Reader, error) {
	as, err := b.avroSchema()
	if err != nil {
		return nil, err
	}
	file, err := as.Arrow()
	if err != nil {
		return nil, err
	}
	a, err := s.env.Adapter(file, t, b.instant(), s.task.Slice.Partition)
	if err != nil {
		return nil, err
	}
	d, err := avro.NewDecoder(as, append([]string{}, a.FileColumns()...), s.env.Allocator)
	if err != nil {
		return nil, err
	}
	r := &recordReader{ctx: ctx, block: b, decoder: d, adapter: a, rows: logBatchRows, bytes: logBatchBytes}
	if s.streamed {
		r.rows, r.bytes = streamedRows, streamedBytes
	}
	if n := s.env.Options.BatchSize; n > 0 && s.asIs {
		r.rows = min(n, r.rows)
	}
	if b.Type == hudilog.HFileDataBlock {
		if err = d.SetKey(s.keyColumn(file)); err == nil {
			r.keyed, err = b.keyedRecords()
		}
	} else if r.plain, err = b.inline.Records(); err == nil {
		d.Expect(min(r.plain.Len(), r.rows), r.bytes)
	}
	if err != nil {
		d.Release()
		return nil, err
	}
	return r, nil
}

// keyColumn is the column that an HFile keeps as its key and blanks in the
// records.
func (s *slice) keyColumn(file *arrow.Schema) string {
	if _, ok := schema.Lookup(file, schema.RecordKeyColumn); !ok && len(s.env.Config.RecordKeys) > 0 {
		return s.env.Config.RecordKeys[0]
	}
	return schema.RecordKeyColumn
}
