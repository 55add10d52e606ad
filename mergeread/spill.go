package mergeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

const (
	partitionBits = 4
	partitions    = 1 << partitionBits
	// maxLevel is how often the log side may be parted. What is still too
	// big then, at a 4096th, are many records of few keys, which no hash
	// can part: these are merged in memory.
	maxLevel = 3
)

// A spill merges a slice whose log side outgrew its memory. Log records go to
// disk in log order, parted by the hash of their key. The base is read once:
// rows whose key is in no log (a Bloom filter says so) pass, the others
// follow the log records to disk. Then each partition is a slice of its own,
// small enough to be merged by a hashPath.
type spill struct {
	p       *hashPath
	dir     string
	stop    func() bool // ends the removal of dir by a canceled context
	logs    *scatter
	bases   *scatter
	filter  bloom
	columns []int
	hashes  []uint64
	picked  output // candidates of a base batch

	part  int // partition being merged
	inner *hashPath
	stats Stats // of inner
}

// newSpill sends to disk what the fold has retained.
func newSpill(p *hashPath) (*spill, error) {
	dir, err := os.MkdirTemp(p.opts.SpillDir, "hudi-merge-")
	if err != nil {
		return nil, fmt.Errorf("spill log records: %w", err)
	}
	s := &spill{p: p, dir: dir, filter: newBloom(p.opts.MemoryLimit / 8)}
	s.stop = context.AfterFunc(p.ctx, func() { os.RemoveAll(dir) })
	s.logs = &scatter{name: "logs", spill: s, limit: p.opts.MemoryLimit / 4}
	s.bases = &scatter{name: "base", spill: s, limit: p.opts.MemoryLimit / 4}
	if err := s.moveOut(p.fold); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// moveOut empties a fold. Where records don't combine, the winner so far
// stands for all records of its key. Otherwise all records go, in order: the
// merge is not associative, so that what is folded must go on from the left.
func (s *spill) moveOut(f *fold) error {
	if f.combines() {
		sources := f.sources[1:]
		f.sources = f.sources[:1]
		for i, src := range sources {
			if err := s.log(src); err != nil {
				for _, rest := range sources[i+1:] {
					rest.release()
				}
				return err
			}
		}
	} else if err := s.logs.winners(f); err != nil {
		return err
	}
	f.release()
	f.table, f.heads, f.consumed, f.overs, f.overlays, f.free = keyTable{}, nil, nil, nil, nil, nil
	f.sources = []*source{nil}
	return nil
}

// log sends the records of a source to disk. It takes over the source.
func (s *spill) log(src *source) error {
	partial := slices.ContainsFunc(s.p.in.Runs[:src.run+1], Run.changesRules)
	s.hashes = hashFull(s.hashes, &src.keys, src.rows)
	for _, h := range s.hashes {
		s.filter.add(h)
	}
	return s.logs.add(src, s.hashes, partial)
}

// hashFull is hashAll with all bits.
func hashFull(hashes []uint64, keys *byteColumn, n int) []uint64 {
	hashes = hashes[:0]
	for i := range n {
		hashes = append(hashes, hashKey(keys.at(i)))
	}
	return hashes
}

// partitionOf is the partition of a key at the spill's level.
func (s *spill) partitionOf(hash uint64) int {
	return int(hash>>(32+partitionBits*s.p.level)) % partitions
}

func (s *spill) logsDone() error { return s.logs.flush() }

func (s *spill) openBase(to []arrow.RecordBatch) (_ []arrow.RecordBatch, err error) {
	s.p.stage = s.merge
	if s.p.in.Base == nil {
		return to, nil
	}
	s.columns = baseColumns(s.p.fold.resolver, true)
	s.p.base, err = s.p.in.Base(s.p.ctx, s.columns, false)
	s.p.stage = s.rows
	return to, err
}

// rows lets the base rows pass that no log record can concern.
func (s *spill) rows(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	p := s.p
	rec, err := p.base.Next()
	if err == io.EOF {
		p.stage = s.merge
		return to, errors.Join(p.closeBase(), s.bases.flush())
	}
	if err != nil {
		return to, err
	}
	p.opts.Stats.BaseRows += rec.NumRows()
	src, err := p.fold.data(rec, s.columns, -1, nil)
	if err != nil {
		return to, err
	}
	if err := s.pick(src); err != nil {
		src.release()
		return to, err
	}
	m := newBaseMerge(p.fold.resolver, p.builder, &p.out, p.opts.Stats, src)
	defer src.release()
	for _, c := range s.picked.spans {
		if to, err = m.pass(int(c.row), to); err != nil {
			return to, err
		}
		m.next = int(c.row + c.n)
	}
	return m.finish(to)
}

// pick sends the rows of a base batch to disk whose key may be in a log, and
// leaves them in picked.
func (s *spill) pick(src *source) error {
	s.hashes = hashFull(s.hashes, &src.keys, src.rows)
	s.picked.reset(noRoom)
	hashes := s.hashes[:0]
	for i, h := range s.hashes {
		if s.filter.has(h) {
			s.picked.add(baseSource, i, 1)
			hashes = append(hashes, h)
		}
	}
	recs, err := copyRows([]*source{src}, Data, &s.picked, s.p.opts.Allocator)
	if err != nil {
		return err
	}
	for i, rec := range recs {
		n := int(rec.NumRows())
		err := s.bases.add(&source{batch: rec, kind: Data, rows: n}, hashes[:n], false)
		if err != nil {
			for _, r := range recs[i+1:] {
				r.Release()
			}
			return err
		}
		hashes = hashes[n:]
	}
	return nil
}

// merge merges the partitions, one after another.
func (s *spill) merge(to []arrow.RecordBatch) ([]arrow.RecordBatch, error) {
	if s.inner == nil {
		if s.part == partitions {
			return to, io.EOF
		}
		in := s.partition(s.part)
		s.part++
		if len(in.Runs) == 0 {
			return to, nil
		}
		b, err := newBinding(in, s.p.opts.Allocator)
		if err != nil {
			return to, err
		}
		o := s.p.opts
		s.stats = Stats{}
		o.Stats, o.SpillDir = &s.stats, s.dir
		s.inner = newHashPath(s.p.ctx, in, o, b)
		s.inner.level = s.p.level + 1
	}
	to, err := s.inner.step(to)
	if err == io.EOF {
		err = s.finish()
	}
	return to, err
}

// finish ends the merge of a partition.
func (s *spill) finish() error {
	err := s.inner.close()
	s.inner = nil
	s.stats.BaseRows, s.stats.LogRecords, s.stats.LogDeletes = 0, 0, 0 // counted on their way to disk
	s.p.opts.Stats.Add(s.stats)
	return err
}

// partition is the slice that a partition makes.
func (s *spill) partition(n int) *Input {
	in := *s.p.in
	in.Sorted = false
	in.Runs = nil
	for _, c := range s.logs.chunks[n] {
		in.Runs = append(in.Runs, Run{Kind: c.kind, Present: c.present, partial: c.partial, Name: "spilled records", Open: c.open(s.p.opts.Allocator)})
	}
	// The base rows join by the rules of the end, though no record of the
	// partition may be of a partial block.
	if len(in.Runs) > 0 && slices.ContainsFunc(s.p.in.Runs, Run.changesRules) {
		in.Runs = append(in.Runs, Run{partial: true, Name: "end of spilled records", Open: func(context.Context) (batch.Reader, error) {
			return batch.Empty(in.Schema), nil
		}})
	}
	in.Base = nil
	if chunks := s.bases.chunks[n]; len(chunks) > 0 {
		in.Base = func(context.Context, []int, bool) (batch.Reader, error) {
			return &chunkReader{chunks: chunks, mem: s.p.opts.Allocator}, nil
		}
	}
	return &in
}

func (s *spill) close() error {
	var errs []error
	if s.inner != nil {
		errs = append(errs, s.finish())
	}
	errs = append(errs, s.logs.close(), s.bases.close())
	if s.stop() {
		errs = append(errs, os.RemoveAll(s.dir))
	} else {
		os.RemoveAll(s.dir)
	}
	s.part = partitions
	return errors.Join(errs...)
}

// A bloom filter holds the hashes of keys, one cache line access per key.
type bloom []uint64

// newBloom makes a filter of at most size bytes.
func newBloom(size int64) bloom { return make(bloom, max(1<<10, min(size, 1<<28)/8)) }

func (b bloom) word(hash uint64) *uint64 {
	return &b[(hash>>32)*uint64(len(b))>>32]
}

func bloomBits(hash uint64) uint64 {
	return 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63)
}

func (b bloom) add(hash uint64) { *b.word(hash) |= bloomBits(hash) }

func (b bloom) has(hash uint64) bool {
	bits := bloomBits(hash)
	return *b.word(hash)&bits == bits
}
