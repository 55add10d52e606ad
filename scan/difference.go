package scan

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/snapshot"
)

// keyBytes is about what a key takes in the table of a difference.
const keyBytes = 80

// difference compares some file groups at two moments by key, without knowing
// what was written:
//
//  1. the keys before are noted;
//  2. the rows after go by: those with an unknown key are inserts; the others
//     take their key off, and are updates if they changed. Where both images
//     are wanted, updates are held;
//  3. the rows before go by again: those whose key nobody took off are
//     deletes; held updates get their image.
//
// What is held is the keys of one partition, or of one file group, and the
// rows that one write updated in it. When keys exceed the memory limit, they
// are parted by hash and all is done once for each part.
type difference struct {
	ctx     context.Context
	env     *Env
	change  *incremental.Change
	writer  *changeWriter
	threads int
	side    sides
	sideErr error
	hash    hasher
	started bool

	part, parts uint64 // of the keys' hashes
	rest        [][2]uint64
	known       map[keyHash]keyState
	held        [][]arrow.Array // updates, by batch
	heldRows    int64
	joined      []arrow.Array // held, as one
	given       []bool        // of joined: given out
	stage       func() (arrow.RecordBatch, error)
	in          batch.Reader
	err         error
}

type keyState struct {
	row   uint64 // hash of the values before
	held  int64  // place of the held update + 1
	taken bool
}

func newDifference(ctx context.Context, e *Env, c *incremental.Change, w *changeWriter, threads int) *difference {
	d := &difference{ctx: ctx, env: e, change: c, writer: w, threads: threads, hash: newHasher(), parts: 1}
	d.side, d.sideErr = newSides(e, e.compares(c))
	return d
}

// compares tells whether a row may change though its commit time is none of the
// range's. In logs it may: a late record can fill gaps of the one that wins, or
// make an older row win again. And there may be no commit times.
func (e *Env) compares(c *incremental.Change) bool {
	if len(c.Before.Slices) == 0 || len(c.After.Slices) == 0 {
		return false
	}
	return !e.Config.PopulateMeta || e.Config.Type == snapshot.MergeOnRead
}

func (d *difference) Schema() *arrow.Schema { return d.env.Output }

func (d *difference) Next() (arrow.RecordBatch, error) {
	if !d.started {
		d.started, d.err = true, d.sideErr
		d.stage = d.begin
	}
	for d.err == nil {
		b, err := d.stage()
		if err == nil && b == nil {
			continue
		}
		if err == nil {
			return b, nil
		}
		d.err = err
	}
	return nil, d.err
}

func (d *difference) Close() error {
	d.releaseHeld()
	d.known = nil
	if d.err == nil {
		d.err = io.EOF
	}
	return d.closeInput()
}

func (d *difference) closeInput() error {
	if d.in == nil {
		return nil
	}
	err := d.in.Close()
	d.in = nil
	return err
}

func (d *difference) releaseHeld() {
	for _, b := range d.held {
		releaseArrays(b)
	}
	releaseArrays(d.joined)
	d.held, d.heldRows, d.joined, d.given = nil, 0, nil, nil
}

// begin notes the keys before, for one part of the hashes.
func (d *difference) begin() (arrow.RecordBatch, error) {
	d.known = map[keyHash]keyState{}
	if len(d.change.Before.Slices) > 0 {
		narrow := *d.env
		narrow.Job.Columns = []string{}
		side, err := newSides(&narrow, d.side.values != nil)
		if err != nil {
			return nil, err
		}
		if err := d.open(d.change.Before, &side); err != nil {
			return nil, err
		}
		if err := d.note(&side); err != nil {
			return nil, err
		}
	}
	d.stage = d.after
	return nil, d.open(d.change.After, &d.side)
}

func (d *difference) open(v incremental.View, side *sides) error {
	if err := d.closeInput(); err != nil {
		return err
	}
	var err error
	d.in, err = side.view(d.ctx, d.env, v, d.threads)
	return err
}

func (d *difference) note(side *sides) error {
	limit := (d.env.Options.MemoryLimit + keyBytes - 1) / keyBytes
	for {
		b, err := d.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = d.eachKey(b, side, func(row int, k keyHash) {
			var st keyState
			if side.values != nil {
				st.row = d.hash.row(b, side.values, row)
			}
			d.known[k] = st
		})
		b.Release()
		if err != nil {
			return err
		}
		for limit > 0 && int64(len(d.known)) > limit && d.parts < 1<<16 {
			d.split()
		}
	}
}

// split leaves half of the keys for later.
func (d *difference) split() {
	d.rest = append(d.rest, [2]uint64{d.part + d.parts, 2 * d.parts})
	d.parts *= 2
	for k := range d.known {
		if k[0]%d.parts != d.part {
			delete(d.known, k)
		}
	}
}

// eachKey goes through the rows of a batch that belong to the part.
func (d *difference) eachKey(b arrow.RecordBatch, side *sides, do func(row int, k keyHash)) error {
	if d.change.Before.Slices == nil && d.parts == 1 { // no key has to be known
		for row := range int(b.NumRows()) {
			do(row, keyHash{})
		}
		return nil
	}
	keys, err := side.keys.of(b)
	if err != nil {
		return err
	}
	defer keys.Release()
	for row := range int(b.NumRows()) {
		if k := d.hash.key(keys.Value(row)); d.parts == 1 || k[0]%d.parts == d.part {
			do(row, k)
		}
	}
	return nil
}

// after takes a batch of the rows after.
func (d *difference) after() (arrow.RecordBatch, error) {
	b, err := d.in.Next()
	if err == io.EOF {
		return nil, d.join()
	}
	if err != nil {
		return nil, err
	}
	defer b.Release()
	var commits *array.String
	if d.side.commit >= 0 {
		commits, _ = b.Column(d.side.commit).(*array.String)
	}
	var ops []byte
	var rows, hold []int64
	err = d.eachKey(b, &d.side, func(row int, k keyHash) {
		st, found := d.known[k]
		if !found {
			ops, rows = append(ops, opInsert), append(rows, int64(row))
			return
		}
		changed := commits != nil && d.change.Rows.Has(commits.Value(row)) ||
			d.side.values != nil && d.hash.row(b, d.side.values, row) != st.row
		again := st.taken // a key that several rows have
		st.taken = true
		switch {
		case changed && again:
			ops, rows = append(ops, opInsert), append(rows, int64(row))
		case changed && d.writer.images():
			hold = append(hold, int64(row))
			st.held = d.heldRows + int64(len(hold))
		case changed:
			ops, rows = append(ops, opUpdate), append(rows, int64(row))
		}
		d.known[k] = st
	})
	if err != nil {
		return nil, err
	}
	columns := b.Columns()[:d.side.width]
	if len(hold) > 0 {
		kept, err := d.writer.take(columns, hold)
		if err != nil {
			return nil, err
		}
		d.held, d.heldRows = append(d.held, kept), d.heldRows+int64(len(hold))
	}
	if len(ops) == 0 {
		return nil, nil
	}
	is, err := d.writer.take(columns, rows)
	if err != nil {
		return nil, err
	}
	defer releaseArrays(is)
	return d.writer.batch(ops, nil, is)
}

// join makes one batch of the held updates, and goes on to the rows before, if
// any of them is needed.
func (d *difference) join() error {
	needed := d.heldRows > 0
	for _, st := range d.known {
		if !st.taken && d.writer.deletes() {
			needed = true
			break
		}
	}
	if !needed {
		return d.next()
	}
	if len(d.held) > 0 {
		var err error
		if d.joined, err = d.writer.concat(d.held, d.side.width); err != nil {
			return err
		}
		d.given = make([]bool, d.heldRows)
	}
	d.stage = d.before
	return d.open(d.change.Before, &d.side)
}

// before takes a batch of the rows before.
func (d *difference) before() (arrow.RecordBatch, error) {
	b, err := d.in.Next()
	if err == io.EOF {
		return nil, d.next()
	}
	if err != nil {
		return nil, err
	}
	defer b.Release()
	var ops []byte
	var rows, images []int64
	err = d.eachKey(b, &d.side, func(row int, k keyHash) {
		switch st := d.known[k]; {
		case !st.taken:
			ops, rows, images = append(ops, opDelete), append(rows, int64(row)), append(images, -1)
		case st.held > 0 && !d.given[st.held-1]:
			d.given[st.held-1] = true
			ops, rows, images = append(ops, opUpdate), append(rows, int64(row)), append(images, st.held-1)
		}
	})
	if err != nil || len(ops) == 0 {
		return nil, err
	}
	was, err := d.writer.take(b.Columns()[:d.side.width], rows)
	if err != nil {
		return nil, err
	}
	defer releaseArrays(was)
	var is []arrow.Array
	if d.joined != nil {
		if is, err = d.writer.take(d.joined, images); err != nil {
			return nil, err
		}
		defer releaseArrays(is)
	}
	return d.writer.batch(ops, was, is)
}

// next goes on to the next part of the keys.
func (d *difference) next() error {
	d.releaseHeld()
	if len(d.rest) == 0 {
		if err := d.closeInput(); err != nil {
			return err
		}
		return io.EOF
	}
	last := len(d.rest) - 1
	d.part, d.parts = d.rest[last][0], d.rest[last][1]
	d.rest = d.rest[:last]
	d.stage = d.begin
	return nil
}
