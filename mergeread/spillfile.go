package mergeread

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// A chunk is a stretch of a spill file: an Arrow IPC stream.
type chunk struct {
	file    *os.File
	off, n  int64
	kind    Kind
	present []bool
	partial bool
}

// A scatter parts rows by the hash of their key and writes them to one file
// per partition, in the order in which they came.
type scatter struct {
	name   string
	spill  *spill
	limit  int64 // bytes that may wait
	files  [partitions]*os.File
	ends   [partitions]int64
	chunks [partitions][]chunk

	pending []*source // of one kind and one set of columns
	parts   [partitions]output
	bytes   int64
	partial bool
}

// add takes over a source whose rows have the given hashes.
func (c *scatter) add(src *source, hashes []uint64, partial bool) error {
	if k := len(c.pending); k > 0 {
		if last := c.pending[k-1]; last.kind != src.kind || !samePresent(last.present, src.present) || c.partial != partial || c.bytes > c.limit {
			if err := c.flush(); err != nil {
				src.release()
				return err
			}
		}
	}
	c.partial = partial
	n := len(c.pending)
	c.pending = append(c.pending, src)
	c.bytes += batchBytes(src.batch)
	for i, h := range hashes {
		c.parts[c.spill.partitionOf(h)].add(n, i, 1)
	}
	return nil
}

func samePresent(a, b []bool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// flush writes what waits.
func (c *scatter) flush() error {
	var err error
	if len(c.pending) > 0 {
		first := c.pending[0]
		err = c.write(c.pending, chunk{kind: first.kind, present: first.present, partial: c.partial})
	}
	for _, src := range c.pending {
		src.release()
	}
	c.pending, c.bytes = c.pending[:0], 0
	return err
}

// winners writes the head rows of a fold's entries.
func (c *scatter) winners(f *fold) error {
	for _, kind := range []Kind{Data, Delete} {
		for e, h := range f.heads {
			if f.sources[h.src()].kind == kind {
				hash := hashKey(f.key(e))
				c.spill.filter.add(hash)
				c.parts[c.spill.partitionOf(hash)].add(h.src(), h.row(), 1)
			}
		}
		if err := c.write(f.sources, chunk{kind: kind}); err != nil {
			return err
		}
	}
	return nil
}

// write copies the rows in parts out of sources and writes them.
func (c *scatter) write(sources []*source, like chunk) error {
	for n := range c.parts {
		recs, err := copyRows(sources, like.kind, &c.parts[n], c.spill.p.opts.Allocator)
		c.parts[n].reset(noRoom)
		if err == nil {
			err = c.append(n, like, recs)
		}
		for _, rec := range recs {
			rec.Release()
		}
		if err != nil {
			return fmt.Errorf("spill records: %w", err)
		}
	}
	return nil
}

// append writes batches to a partition's file as one chunk.
func (c *scatter) append(n int, like chunk, recs []arrow.RecordBatch) (err error) {
	if len(recs) == 0 {
		return nil
	}
	if c.files[n] == nil {
		if c.files[n], err = os.Create(filepath.Join(c.spill.dir, fmt.Sprintf("%s-%02d", c.name, n))); err != nil {
			return err
		}
	}
	out := &countingWriter{w: c.files[n]}
	buffered := bufio.NewWriterSize(out, 1<<16)
	w := ipc.NewWriter(buffered, ipc.WithSchema(recs[0].Schema()), ipc.WithAllocator(c.spill.p.opts.Allocator))
	for _, rec := range recs {
		err = errors.Join(err, w.Write(rec))
	}
	if err = errors.Join(err, w.Close(), buffered.Flush()); err != nil {
		return err
	}
	like.file, like.off, like.n = c.files[n], c.ends[n], out.n
	c.ends[n] += out.n
	c.chunks[n] = append(c.chunks[n], like)
	c.spill.p.opts.Stats.Spilled += out.n
	return nil
}

func (c *scatter) close() error {
	for _, src := range c.pending {
		src.release()
	}
	c.pending = nil
	var errs []error
	for n, f := range c.files {
		if f != nil {
			errs = append(errs, f.Close())
			c.files[n] = nil
		}
	}
	return errors.Join(errs...)
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	w.n += int64(n)
	return n, err
}

// open reads one chunk as a run.
func (c chunk) open(mem memory.Allocator) func(context.Context) (batch.Reader, error) {
	return func(context.Context) (batch.Reader, error) {
		return &chunkReader{chunks: []chunk{c}, mem: mem}, nil
	}
}

// A chunkReader reads chunks one after another.
type chunkReader struct {
	chunks []chunk
	mem    memory.Allocator
	ipc    *ipc.Reader
	schema *arrow.Schema
}

func (r *chunkReader) Schema() *arrow.Schema { return r.schema }

func (r *chunkReader) Next() (arrow.RecordBatch, error) {
	for {
		if r.ipc == nil {
			if len(r.chunks) == 0 {
				return nil, io.EOF
			}
			c := r.chunks[0]
			r.chunks = r.chunks[1:]
			var err error
			r.ipc, err = ipc.NewReader(bufio.NewReaderSize(io.NewSectionReader(c.file, c.off, c.n), 1<<16), ipc.WithAllocator(r.mem))
			if err != nil {
				return nil, fmt.Errorf("read spilled records: %w", err)
			}
			r.schema = r.ipc.Schema()
		}
		if r.ipc.Next() {
			rec := r.ipc.RecordBatch()
			rec.Retain()
			return rec, nil
		}
		err := r.ipc.Err()
		r.ipc.Release()
		r.ipc = nil
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read spilled records: %w", err)
		}
	}
}

func (r *chunkReader) Close() error {
	if r.ipc != nil {
		r.ipc.Release()
		r.ipc = nil
	}
	r.chunks = nil
	return nil
}
