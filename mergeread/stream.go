package mergeread

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// A path is one way to merge a slice. Each step appends the batches that are
// ready, none perhaps, and returns io.EOF after the last.
type path interface {
	step(to []arrow.RecordBatch) ([]arrow.RecordBatch, error)
	close() error
}

// A stream is the batch.Reader over a path.
type stream struct {
	ctx    context.Context
	schema *arrow.Schema
	path   path
	queue  []arrow.RecordBatch
	next   int
	err    error
}

func (s *stream) Schema() *arrow.Schema { return s.schema }

func (s *stream) Next() (arrow.RecordBatch, error) {
	for s.next == len(s.queue) {
		if s.err != nil {
			return nil, s.err
		}
		s.queue, s.next = s.queue[:0], 0
		s.queue, s.err = s.path.step(s.queue)
		if s.err != nil && s.err != io.EOF {
			// What fails after a cancellation fails because of it: temporary
			// files are gone by then.
			if err := s.ctx.Err(); err != nil {
				s.err = err
			}
			s.drain()
			s.path.close()
		}
	}
	rec := s.queue[s.next]
	s.queue[s.next] = nil
	s.next++
	return rec, nil
}

func (s *stream) drain() {
	for _, rec := range s.queue[s.next:] {
		rec.Release()
	}
	s.queue, s.next = nil, 0
}

func (s *stream) Close() error {
	s.drain()
	if s.err == nil {
		s.err = io.EOF
	}
	return s.path.close()
}
