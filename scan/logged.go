package scan

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
)

// keyColumn is the record key in a CDC file that lacks an image.
const keyColumn = "record_key"

// logged reads a change from the CDC files of a write. What they hold tells the
// supplemental logging mode:
//
//   - both images: they are the answer;
//   - the image before: the one after is looked up by key in the file group
//     after the write;
//   - neither: both are looked up.
type logged struct {
	ctx     context.Context
	env     *Env
	change  *incremental.Change
	writer  *changeWriter
	threads int
	side    sides
	hash    hasher

	ops     map[keyHash]loggedOp
	was     [][]arrow.Array // images before, by batch
	wasRows int64
	joined  []arrow.Array // was, as one; with KeyOnly the held rows after
	held    [][]arrow.Array
	ready   []arrow.RecordBatch
	stage   func() error
	in      batch.Reader
	err     error
}

// A loggedOp is what a CDC file says of a key.
type loggedOp struct {
	op    byte
	image int64 // place of the image before, or of the held row after, + 1
}

func (e *Env) openLogged(ctx context.Context, c *incremental.Change, w *changeWriter, threads int) (batch.Reader, error) {
	l := &logged{ctx: ctx, env: e, change: c, writer: w, threads: threads, hash: newHasher(), ops: map[keyHash]loggedOp{}}
	l.stage = l.readFiles
	return l, nil
}

func (l *logged) Schema() *arrow.Schema { return l.env.Output }

func (l *logged) Next() (arrow.RecordBatch, error) {
	for {
		if len(l.ready) > 0 {
			b := l.ready[0]
			l.ready = l.ready[1:]
			return b, nil
		}
		if l.err != nil {
			return nil, l.err
		}
		l.err = l.stage()
	}
}

func (l *logged) Close() error {
	for _, b := range l.ready {
		b.Release()
	}
	for _, b := range append(l.was, l.held...) {
		releaseArrays(b)
	}
	releaseArrays(l.joined)
	l.ready, l.was, l.held, l.joined = nil, nil, nil, nil
	if l.err == nil {
		l.err = io.EOF
	}
	return l.closeInput()
}

func (l *logged) closeInput() error {
	if l.in == nil {
		return nil
	}
	err := l.in.Close()
	l.in = nil
	return err
}

// readFiles reads the CDC files, which are about as big as what changed.
func (l *logged) readFiles() error {
	for _, path := range l.change.Logged {
		if err := l.readFile(path); err != nil {
			return l.env.FileError(path, l.change.Instant, err)
		}
	}
	if len(l.ops) == 0 {
		return l.finish()
	}
	if len(l.change.After.Slices) == 0 {
		return l.env.FileError(l.change.Logged[0], l.change.Instant, fmt.Errorf("the file lacks images though hoodie.table.cdc.supplemental.logging.mode says DATA_BEFORE_AFTER: the mode was changed after it was written, and changes of before can't be told"))
	}
	return l.lookUp()
}

// finish ends the reader.
func (l *logged) finish() error {
	if err := l.closeInput(); err != nil {
		return err
	}
	return io.EOF
}

// readFile reads a CDC file, inline or native.
func (l *logged) readFile(path string) error {
	f, err := l.env.Storage.Open(l.ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, native := hudilog.ParseNativeName(path); native {
		pf, err := parquet.Open(f)
		if err != nil {
			return err
		}
		r, err := pf.Read(l.ctx, parquet.ReadOptions{BatchSize: l.env.Options.BatchSize, Allocator: l.env.Allocator, Threads: l.threads})
		if err != nil {
			return err
		}
		return l.readBatches(r)
	}
	blocks, err := hudilog.Blocks(l.ctx, f)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if b.Corrupt {
			l.env.Warn(l.ctx, "a stretch of a file of changes can't be read: the changes in it are left out",
				path, l.change.Instant, "offset", b.Offset, "bytes", b.ContentLength)
		}
		if b.Corrupt || b.Type != hudilog.CDCDataBlock {
			continue
		}
		if err := l.readBlock(b); err != nil {
			return fmt.Errorf("block at %d: %w", b.Offset, err)
		}
	}
	return nil
}

func (l *logged) readBatches(r batch.Reader) (err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = l.add(b)
		b.Release()
		if err != nil {
			return err
		}
	}
}

func (l *logged) readBlock(b *hudilog.Block) error {
	schema, err := avro.Parse(b.Header[hudilog.Schema])
	if err != nil {
		return err
	}
	content, err := b.Content()
	if err != nil {
		return err
	}
	_, records, err := hudilog.AvroRecords(content)
	if err != nil {
		return err
	}
	d, err := avro.NewDecoder(schema, nil, l.env.Allocator)
	if err != nil {
		return err
	}
	defer d.Release()
	flush := func() error {
		batch := d.NewBatch()
		defer batch.Release()
		return l.add(batch)
	}
	for rec, err := range records {
		if err == nil {
			err = d.Append(rec)
		}
		if errors.Is(err, avro.ErrBatchFull) {
			if err = flush(); err == nil {
				err = d.Append(rec)
			}
		}
		if err != nil {
			return err
		}
	}
	return flush()
}

// add takes a batch of a CDC file.
func (l *logged) add(b arrow.RecordBatch) error {
	if b.NumRows() == 0 {
		return nil
	}
	ops, err := opsOf(b)
	if err != nil {
		return err
	}
	was, err := l.image(b, BeforeColumn)
	if err != nil {
		return err
	}
	defer func() { releaseArrays(was) }()
	is, err := l.image(b, AfterColumn)
	if err != nil {
		return err
	}
	defer releaseArrays(is)
	l.writer.loggedBefore, l.writer.loggedAfter = was != nil, is != nil
	if is != nil && was != nil {
		out, err := l.writer.batch(ops, was, is)
		if err == nil {
			l.ready = append(l.ready, out)
		}
		return err
	}
	if err := l.note(b, ops, was != nil); err != nil || was == nil {
		return err
	}
	l.was, l.wasRows = append(l.was, was), l.wasRows+b.NumRows()
	was = nil
	return nil
}

// note keeps the operation of each key.
func (l *logged) note(b arrow.RecordBatch, ops []byte, images bool) error {
	keys, ok := textColumn(b, keyColumn)
	if !ok {
		return fmt.Errorf("a CDC file without column %s", keyColumn)
	}
	for row, op := range ops {
		if keys.IsNull(row) {
			return fmt.Errorf("a CDC file with a null %s", keyColumn)
		}
		o := loggedOp{op: op}
		if images && op != opInsert {
			o.image = l.wasRows + int64(row) + 1
		}
		l.ops[l.hash.key(keys.Value(row))] = o
	}
	return nil
}

func opsOf(b arrow.RecordBatch) ([]byte, error) {
	col, ok := textColumn(b, OpColumn)
	if !ok {
		return nil, fmt.Errorf("a CDC file without column %s", OpColumn)
	}
	ops := make([]byte, b.NumRows())
	for i := range ops {
		switch v := col.Value(i); v {
		case "i", "u", "d":
			ops[i] = v[0]
		default:
			return nil, fmt.Errorf("a CDC file with the operation %q", v)
		}
	}
	return ops, nil
}

func textColumn(b arrow.RecordBatch, name string) (*array.String, bool) {
	at := b.Schema().FieldIndices(name)
	if len(at) != 1 {
		return nil, false
	}
	col, ok := b.Column(at[0]).(*array.String)
	return col, ok
}

// image gives the columns of an image in the output's form, nil if the file
// has none. The caller owns them.
func (l *logged) image(b arrow.RecordBatch, name string) ([]arrow.Array, error) {
	at := b.Schema().FieldIndices(name)
	if len(at) != 1 {
		return nil, nil
	}
	s, ok := b.Column(at[0]).(*array.Struct)
	if !ok {
		return nil, fmt.Errorf("a CDC file whose column %s is %s, not a record", name, b.Column(at[0]).DataType())
	}
	fields := s.DataType().(*arrow.StructType).Fields()
	file := arrow.NewSchema(fields, nil)
	a, err := l.env.Adapter(file, l.writer.rows, l.change.Instant, l.partition())
	if err != nil {
		return nil, err
	}
	needed := a.FileColumns()
	columns, picked := make([]arrow.Array, len(needed)), make([]arrow.Field, len(needed))
	for i, n := range needed {
		f := file.FieldIndices(n)[0]
		columns[i], picked[i] = s.Field(f), fields[f]
	}
	raw := array.NewRecordBatch(arrow.NewSchema(picked, nil), columns, b.NumRows())
	defer raw.Release()
	adapted, err := a.Adapt(raw)
	if err != nil {
		return nil, err
	}
	defer adapted.Release()
	out := adapted.Columns()
	for _, c := range out {
		c.Retain()
	}
	return append([]arrow.Array{}, out...), nil
}

// partition is the folder of the CDC files.
func (l *logged) partition() string {
	if p := l.change.Partition(); p != "" {
		return p
	}
	path := l.change.Logged[0]
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return ""
}
