package scan

import (
	"context"
	"errors"
	"io/fs"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

var errUneven = errors.New("the bootstrap skeleton and its source file have different numbers of rows: the source has changed since the bootstrap")

// openBootstrap joins a skeleton (the meta columns) with the source file that
// it stands for (everything else), row by row.
func (e *Env) openBootstrap(ctx context.Context, s *snapshot.FileSlice, target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	src := s.Base.Bootstrap
	var meta, data []arrow.Field
	pick := make([]int, target.NumFields())
	for i, f := range target.Fields() {
		if schema.IsMeta(f.Name) {
			pick[i] = len(meta)
			meta = append(meta, f)
		} else {
			pick[i] = -1 - len(data)
			data = append(data, f)
		}
	}
	for i, p := range pick {
		if p < 0 {
			pick[i] = len(meta) + -1 - p
		}
	}
	sourceStorage, err := storage.Open(ctx, src.Root, e.Job.Storage)
	if err != nil {
		return nil, e.bootstrapError(s, err)
	}
	source := parquetSource{path: src.Path, instant: s.Base.Instant, partition: src.Partition}
	skeleton := parquetSource{path: s.Base.Path, instant: s.Base.Instant, partition: s.Partition}
	rows, err := e.bootstrapRows(ctx, sourceStorage, source, skeleton, o)
	if err != nil {
		return nil, e.bootstrapError(s, err)
	}
	read := func(st storage.Storage, p parquetSource, fields []arrow.Field, position bool) (batch.Reader, error) {
		return e.openParquet(ctx, st, p, arrow.NewSchema(fields, nil), BaseOptions{Rows: rows, Threads: o.Threads, Position: position})
	}
	if len(meta) == 0 && !o.Position {
		r, err := read(sourceStorage, source, data, false)
		return r, e.bootstrapError(s, err)
	}
	right, err := read(sourceStorage, source, data, o.Position)
	if err != nil {
		return nil, e.bootstrapError(s, err)
	}
	left, err := read(e.Storage, skeleton, meta, false)
	if err != nil {
		return nil, errors.Join(err, right.Close())
	}
	out := target.Fields()
	if o.Position {
		pick = append(pick, len(meta)+len(data))
		out = append(append([]arrow.Field{}, out...), right.Schema().Field(len(data)))
	}
	return &zipped{left: left, right: right, schema: arrow.NewSchema(out, nil), pick: pick,
		wrap: func(err error) error { return e.bootstrapError(s, err) }}, nil
}

// bootstrapRows gives the rows that the condition can't rule out, by what the
// source and the skeleton know of their columns; nil means all. They are the
// same rows in both, if both have as many.
func (e *Env) bootstrapRows(ctx context.Context, st storage.Storage, source, skeleton parquetSource, o BaseOptions) ([]parquet.RowRange, error) {
	if o.Prune == nil || len(o.Prune.Conjuncts()) == 0 {
		return o.Rows, nil
	}
	left, skeletonFile, err := e.openFile(ctx, e.Storage, skeleton)
	if err != nil {
		return nil, err
	}
	defer left.Close()
	right, sourceFile, err := e.openFile(ctx, st, source)
	if err != nil {
		return nil, err
	}
	defer right.Close()
	if skeletonFile.NumRows() != sourceFile.NumRows() {
		return nil, errUneven
	}
	o.KeyFilter = true
	if o.Rows, err = e.survivors(skeletonFile, halfOf(e.fileColumns(skeletonFile, skeleton)), o); err != nil {
		return nil, err
	}
	o.KeyFilter = false
	return e.survivors(sourceFile, halfOf(e.fileColumns(sourceFile, source)), o)
}

func (e *Env) bootstrapError(s *snapshot.FileSlice, err error) error {
	if err == nil {
		return nil
	}
	var own *snapshot.TableError
	if errors.As(err, &own) && own.File == s.Base.Path {
		return err // the skeleton's
	}
	// The cause names a way out for files that a cleaner took: none for a source.
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		return &snapshot.TableError{Table: e.Job.URI, File: s.Base.Path, Key: snapshot.OptionBootstrapBase, Err: path,
			Reason: "the bootstrap source is gone: name its folder by this read option"}
	}
	return &snapshot.TableError{Table: e.Job.URI, File: s.Base.Path, Key: snapshot.OptionBootstrapBase, Err: err,
		Reason: "can't read the bootstrap source, whose folder this read option can name"}
}
