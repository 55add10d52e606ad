package mergeread

import (
	"fmt"
	"io"
	"sort"

	"github.com/hudi-go/hudi/internal/batch"
)

// A positionRun reads the records of a run in the order of their positions.
type positionRun struct {
	path    *positionPath
	run     *Run
	number  int
	columns []int   // asked of data runs; nil = all
	rules   ruleset // by which its records join those of older runs
	rd      batch.Reader
	left    []int64 // positions of the rows that were not folded yet

	s   *source // the current batch; nil before the first
	n   int     // its number
	row int     // the next one in it
}

// open opens the run and looks whether it has as many rows as positions. A
// reader that can't tell is read in advance, whatever the memory limit: keys
// can't take the place of positions where a base file has one twice.
func (r *positionRun) open() (err error) {
	if r.rd, err = r.run.open(r.path.ctx, r.columns); err != nil {
		return err
	}
	rows, known := batch.Rows(r.rd)
	if !known {
		all, err := batch.Collect(r.rd)
		if err != nil {
			return err
		}
		for _, rec := range all {
			rows += rec.NumRows()
		}
		r.rd = batch.FromSlice(r.rd.Schema(), all)
	}
	if rows != int64(len(r.left)) {
		return errPositions
	}
	return nil
}

// load goes on to the next batch with rows.
func (r *positionRun) load() error {
	p := r.path
	rec, err := nextRows(p.ctx, r.rd)
	if err == io.EOF {
		return fmt.Errorf("%w: %d rows are missing", errPositions, len(r.left))
	}
	if err != nil {
		return err
	}
	s, err := p.binding.logs(rec, r.columns, r.number, p.opts.Stats)
	if err != nil {
		return err
	}
	r.s, r.n, r.row = s, p.window.keep(s), 0
	return nil
}

// fold joins the records up to a position to those of older runs.
func (r *positionRun) fold(last int64, to *stretchFold) error {
	if len(r.left) == 0 || r.left[0] > last {
		return nil
	}
	m := r.path.m
	m.ruleset = r.rules
	positions := r.left[:sort.Search(len(r.left), func(i int) bool { return r.left[i] > last })]
	for len(positions) > 0 {
		if r.s == nil || r.row == r.s.rows {
			if err := r.load(); err != nil {
				return err
			}
		}
		st := m.stepOf(r.s)
		n := min(len(positions), r.s.rows-r.row)
		for i, pos := range positions[:n] {
			if err := to.join(m, st, pos, makeRef(r.n, r.row+i)); err != nil {
				return err
			}
		}
		r.row += n
		r.left, positions = r.left[n:], positions[n:]
	}
	return nil
}

// has tells whether rows of the batch of a number are still to be folded.
func (r *positionRun) has(n int) bool { return r.s != nil && r.n == n && r.row < r.s.rows }

func (r *positionRun) close() error {
	if r.rd == nil {
		return nil
	}
	return r.rd.Close()
}
