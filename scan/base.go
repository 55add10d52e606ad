package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// BaseOptions say what of a base file is read.
type BaseOptions struct {
	Rows     []parquet.RowRange // nil means all
	Position bool               // append the column parquet.PositionColumn (int64, row ordinal)
	Threads  int
	// Prune, if set, is a condition: rows that can't fulfil it may be left out.
	Prune     *pushdown.Bound
	KeyFilter bool // the file may have a filter of record keys in its footer
}

// OpenBase streams the base file of a slice in a schema derived from the
// table's. Columns that neither the file nor the partition path has are null.
func (e *Env) OpenBase(ctx context.Context, s *snapshot.FileSlice, target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	if e.Job.Blocks.Range != nil {
		return e.openBaseInRange(ctx, s, target, o)
	}
	if s.Base.Bootstrap != nil {
		return e.openBootstrap(ctx, s, target, o)
	}
	o.KeyFilter = true
	return e.openParquet(ctx, e.Storage, parquetSource{
		path: s.Base.Path, instant: s.Base.Instant, partition: s.Partition,
	}, target, o)
}

// parquetSource is a Parquet file and what its columns depend on.
type parquetSource struct{ path, instant, partition string }

func (e *Env) openParquet(ctx context.Context, st storage.Storage, src parquetSource, target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	f, pf, err := e.openFile(ctx, st, src)
	if err != nil {
		return nil, err
	}
	r, err := e.ReadParquet(ctx, pf, src.instant, src.partition, target, o)
	if err != nil {
		return nil, e.FileError(src.path, src.instant, errors.Join(err, f.Close()))
	}
	return &closing{Reader: r, file: f, wrap: func(err error) error { return e.FileError(src.path, src.instant, err) }}, nil
}

// openFile opens a Parquet file and reads its footer.
func (e *Env) openFile(ctx context.Context, st storage.Storage, src parquetSource) (storage.File, *parquet.File, error) {
	f, err := st.Open(ctx, src.path)
	if err != nil {
		return nil, nil, e.FileError(src.path, src.instant, err)
	}
	pf, err := parquet.Open(f)
	if err != nil {
		return nil, nil, e.FileError(src.path, src.instant, errors.Join(err, f.Close()))
	}
	return f, pf, nil
}

// ReadParquet streams an open Parquet file in a schema derived from the
// table's; base files, Parquet blocks of logs and native logs come through
// here. It does not take over the file.
func (e *Env) ReadParquet(ctx context.Context, pf *parquet.File, instant, partition string, target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	a, err := e.Adapter(pf.Schema(), target, instant, partition)
	if err != nil {
		return nil, err
	}
	columns := a.FileColumns()
	if columns == nil {
		columns = []string{}
	}
	rows, err := e.survivors(pf, e.fileColumns(pf, parquetSource{instant: instant, partition: partition}), o)
	if err != nil {
		return nil, err
	}
	r, err := pf.Read(ctx, parquet.ReadOptions{
		Columns: columns, Rows: rows, BatchSize: e.Options.BatchSize, Allocator: e.Allocator,
		Threads: o.Threads, Position: o.Position,
	})
	if err != nil {
		return nil, err
	}
	return adapt(r, a, o.Position), nil
}

// FileError names table, file and instant, and says what to do about a file
// that is gone.
func (e *Env) FileError(path, instant string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the file is gone: the cleaner may have removed it since the table was opened at instant %s; open the table again or read a later instant: %w", e.Job.Instant, err)
	}
	return &snapshot.TableError{Table: e.Job.URI, File: path, Instant: instant, Err: err}
}

// closing closes a file with its reader and names it in errors.
type closing struct {
	batch.Reader
	file storage.File
	wrap func(error) error
}

func (c *closing) Next() (arrow.RecordBatch, error) {
	b, err := c.Reader.Next()
	if err != nil && !isEOF(err) {
		err = c.wrap(err)
	}
	return b, err
}

// Owned implements [batch.Owner].
func (c *closing) Owned() bool { return batch.Owned(c.Reader) }

func (c *closing) Close() error {
	err := c.Reader.Close()
	if c.file != nil {
		err = errors.Join(err, c.file.Close())
		c.file = nil
	}
	return err
}

// adapt runs batches through an adapter; with position, the last column passes
// through untouched.
func adapt(r batch.Reader, a *schema.Adapter, position bool) batch.Reader {
	out := a.Schema()
	if position {
		out = arrow.NewSchema(append(append([]arrow.Field{}, out.Fields()...), r.Schema().Field(r.Schema().NumFields()-1)), nil)
	}
	return &adapting{in: r, adapter: a, schema: out, position: position}
}
