package scan

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/snapshot"
)

// Late columns
//
// A base file that is read for a condition is read in windows of rows. In each,
// the columns of the condition come first, and the others only for the rows
// for which it is true: pages without such rows are not even read. Where too
// many rows fulfil the condition, or few that lie in nearly all pages, that is
// dearer than to read all columns at once, so that the rest of the file is read
// that way.
const (
	lateWindow = 1 << 17 // rows
	// lateShare is how many rows there are for each that fulfils the condition,
	// at least, for late columns to pay.
	lateShare = 8
	// latePage is about how many rows a page has.
	latePage = 1 << 14
)

// openBaseWhere reads the rows of a base file that fulfil the condition.
func (e *Env) openBaseWhere(ctx context.Context, t Task, threads int) (batch.Reader, error) {
	slice := &t.Slice
	base := slice.Base
	src := parquetSource{path: base.Path, instant: base.Instant, partition: slice.Partition}
	failed := func(err error) error { return e.FileError(src.path, src.instant, err) }
	f, err := e.Storage.Open(ctx, src.path)
	if err != nil {
		return nil, failed(err)
	}
	pf, err := parquet.Open(f)
	if err != nil {
		return nil, failed(errors.Join(err, f.Close()))
	}
	rows, err := e.survivors(pf, e.fileColumns(pf, src), BaseOptions{Rows: t.Rows, Prune: e.where, KeyFilter: true})
	if err != nil {
		return nil, failed(errors.Join(err, f.Close()))
	}
	r := &lateReader{env: e, ctx: ctx, file: pf, src: src, threads: threads, rest: rows}
	if rows == nil {
		r.rest = []parquet.RowRange{{Start: 0, End: pf.NumRows()}}
	}
	if r.first, err = e.Project(e.where.Columns()); err != nil {
		return nil, failed(errors.Join(err, f.Close()))
	}
	r.plain = !e.latePays(pf, r.rest, slice)
	return &closing{Reader: r, file: f, wrap: failed}, nil
}

// latePays tells whether there is much to read besides the columns of the
// condition.
func (e *Env) latePays(pf *parquet.File, rows []parquet.RowRange, s *snapshot.FileSlice) bool {
	if !e.off.On(PruneLate) || s.Base.Bootstrap != nil {
		return false
	}
	n := int64(0)
	for _, r := range rows {
		n += r.End - r.Start
	}
	if n < minLateRows {
		return false
	}
	asked := map[string]bool{}
	for _, c := range e.where.Columns() {
		asked[c] = true
	}
	var first, others int64
	for _, c := range pf.RowGroups()[0].Columns() {
		top, _ := cutPath(c.Path)
		switch {
		case asked[top]:
			first += c.Bytes
		case e.Output.HasField(top):
			others += c.Bytes
		}
	}
	return others > first
}

// minLateRows is the number of rows below which two passes are not worth it.
const minLateRows = 4096

func cutPath(path string) (top, rest string) {
	for i := range len(path) {
		if path[i] == '.' {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}

// lateReader reads a base file window by window.
type lateReader struct {
	env     *Env
	ctx     context.Context
	file    *parquet.File
	src     parquetSource
	threads int
	first   *arrow.Schema // columns of the condition
	rest    []parquet.RowRange
	plain   bool // read all columns of the rest at once
	current batch.Reader
}

func (r *lateReader) Schema() *arrow.Schema { return r.env.Output }

func (r *lateReader) Next() (arrow.RecordBatch, error) {
	for {
		if r.current == nil {
			if len(r.rest) == 0 {
				return nil, io.EOF
			}
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
			if err := r.open(); err != nil {
				return nil, err
			}
			continue
		}
		b, err := r.current.Next()
		if err != io.EOF {
			return b, err
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
}

// Close ends the window that is being read.
func (r *lateReader) Close() error {
	if r.current == nil {
		return nil
	}
	err := r.current.Close()
	r.current = nil
	return err
}

// open starts the next window, or all that is left.
func (r *lateReader) open() error {
	if r.plain {
		in, err := r.read(r.env.inside.Output, BaseOptions{Rows: r.rest, Threads: r.threads})
		if err != nil {
			return err
		}
		r.rest = nil
		r.current, err = r.env.filter(in)
		return err
	}
	window := r.window()
	rows, count, err := r.matching(window)
	if err != nil {
		return err
	}
	r.plain = count > lateWindow/lateShare || inMostPages(rows, window)
	if count > 0 {
		r.current, err = r.read(r.env.Output, BaseOptions{Rows: rows, Threads: r.threads})
	}
	return err
}

// inMostPages tells whether rows lie in three of four pages of a window.
func inMostPages(rows, window []parquet.RowRange) bool {
	return 4*pagesOf(rows) >= 3*pagesOf(window)
}

// pagesOf is about how many pages sorted ranges of rows touch.
func pagesOf(ranges []parquet.RowRange) int {
	n, last := 0, int64(-1)
	for _, r := range ranges {
		from, to := max(r.Start/latePage, last+1), (r.End-1)/latePage
		if to >= from {
			n += int(to - from + 1)
			last = to
		}
	}
	return n
}

func (r *lateReader) read(target *arrow.Schema, o BaseOptions) (batch.Reader, error) {
	return r.env.ReadParquet(r.ctx, r.file, r.src.instant, r.src.partition, target, o)
}

// window takes rows from the rest.
func (r *lateReader) window() []parquet.RowRange {
	var out []parquet.RowRange
	for left := int64(lateWindow); left > 0 && len(r.rest) > 0; {
		next := &r.rest[0]
		n := min(left, next.End-next.Start)
		out = append(out, parquet.RowRange{Start: next.Start, End: next.Start + n})
		left -= n
		if next.Start += n; next.Start == next.End {
			r.rest = r.rest[1:]
		}
	}
	return out
}

// matching gives the rows of a window for which the condition is true.
func (r *lateReader) matching(window []parquet.RowRange) (rows []parquet.RowRange, count int, err error) {
	in, err := r.read(r.first, BaseOptions{Rows: window, Threads: r.threads, Position: true})
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	for {
		b, err := in.Next()
		if err == io.EOF {
			return rows, count, nil
		}
		if err != nil {
			return nil, 0, err
		}
		s, err := r.env.where.Filter(b)
		if err == nil {
			r.env.countRows(s)
			count += s.Count()
			positions := b.Column(int(b.NumCols()) - 1).(*array.Int64).Int64Values()
			for start, end := range s.Ranges() {
				rows = appendRows(rows, positions[start:end])
			}
		}
		b.Release()
		if err != nil {
			return nil, 0, err
		}
	}
}

// appendRows adds rows, sorted, to sorted ranges.
func appendRows(to []parquet.RowRange, rows []int64) []parquet.RowRange {
	for len(rows) > 0 {
		n := len(rows)
		if rows[n-1]-rows[0] != int64(n-1) { // there are gaps
			for n = 1; n < len(rows) && rows[n] == rows[n-1]+1; n++ {
			}
		}
		r := parquet.RowRange{Start: rows[0], End: rows[n-1] + 1}
		if last := len(to) - 1; last >= 0 && to[last].End == r.Start {
			to[last].End = r.End
		} else {
			to = append(to, r)
		}
		rows = rows[n:]
	}
	return to
}
