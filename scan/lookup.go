package scan

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// lookUp goes on to the rows after, once the operations of all keys are known.
func (l *logged) lookUp() error {
	var err error
	if l.side, err = newSides(l.env, false); err != nil {
		return err
	}
	if len(l.was) > 0 {
		if l.joined, err = l.writer.concat(l.was, l.side.width); err != nil {
			return err
		}
		if err := l.giveDeletes(); err != nil {
			return err
		}
	}
	l.stage = l.after
	l.in, err = l.side.view(l.ctx, l.env, l.change.After, l.threads)
	return err
}

// giveDeletes gives the deletes whose images were logged.
func (l *logged) giveDeletes() error {
	var rows []int64
	for _, o := range l.ops {
		if o.op == opDelete {
			rows = append(rows, o.image-1)
		}
	}
	was, err := l.writer.take(l.joined, rows)
	if err != nil {
		return err
	}
	defer releaseArrays(was)
	ops := make([]byte, len(rows))
	for i := range ops {
		ops[i] = opDelete
	}
	return l.give(ops, was, nil)
}

func (l *logged) give(ops []byte, was, is []arrow.Array) error {
	if len(ops) == 0 {
		return nil
	}
	b, err := l.writer.batch(ops, was, is)
	if err == nil {
		l.ready = append(l.ready, b)
	}
	return err
}

// keyed goes through the rows of a batch whose keys were logged.
func (l *logged) keyed(b arrow.RecordBatch, do func(row int64, k keyHash, o loggedOp)) error {
	keys, err := l.side.keys.of(b)
	if err != nil {
		return err
	}
	defer keys.Release()
	for row := range keys.Len() {
		k := l.hash.key(keys.Value(row))
		if o, ok := l.ops[k]; ok {
			do(int64(row), k, o)
		}
	}
	return nil
}

// after takes a batch of the rows after. Updates whose image before was not
// logged are held.
func (l *logged) after() error {
	b, err := l.in.Next()
	if err == io.EOF {
		return l.turn()
	}
	if err != nil {
		return err
	}
	defer b.Release()
	var ops []byte
	var rows, images, hold []int64
	err = l.keyed(b, func(row int64, k keyHash, o loggedOp) {
		switch {
		case o.op == opInsert || o.op == opUpdate && l.joined != nil:
			ops, rows, images = append(ops, o.op), append(rows, row), append(images, o.image-1)
		case o.op == opUpdate:
			hold = append(hold, row)
			o.image = l.wasRows + int64(len(hold))
			l.ops[k] = o
		}
	})
	if err != nil {
		return err
	}
	columns := b.Columns()[:l.side.width]
	if len(hold) > 0 {
		kept, err := l.writer.take(columns, hold)
		if err != nil {
			return err
		}
		l.held, l.wasRows = append(l.held, kept), l.wasRows+int64(len(hold))
	}
	if len(ops) == 0 {
		return nil
	}
	is, err := l.writer.take(columns, rows)
	if err != nil {
		return err
	}
	defer releaseArrays(is)
	var was []arrow.Array
	if l.joined != nil {
		if was, err = l.writer.take(l.joined, images); err != nil {
			return err
		}
		defer releaseArrays(was)
	}
	return l.give(ops, was, is)
}

// turn goes on to the rows before, if they were not logged.
func (l *logged) turn() error {
	if l.joined != nil || len(l.change.Before.Slices) == 0 {
		return l.finish()
	}
	if err := l.closeInput(); err != nil {
		return err
	}
	var err error
	if len(l.held) > 0 {
		if l.joined, err = l.writer.concat(l.held, l.side.width); err != nil {
			return err
		}
	}
	l.stage = l.before
	l.in, err = l.side.view(l.ctx, l.env, l.change.Before, l.threads)
	return err
}

// before takes a batch of the rows before.
func (l *logged) before() error {
	b, err := l.in.Next()
	if err == io.EOF {
		return l.finish()
	}
	if err != nil {
		return err
	}
	defer b.Release()
	var ops []byte
	var rows, images []int64
	err = l.keyed(b, func(row int64, k keyHash, o loggedOp) {
		if o.op == opDelete || o.op == opUpdate && o.image > 0 {
			ops, rows, images = append(ops, o.op), append(rows, row), append(images, o.image-1)
		}
	})
	if err != nil || len(ops) == 0 {
		return err
	}
	was, err := l.writer.take(b.Columns()[:l.side.width], rows)
	if err != nil {
		return err
	}
	defer releaseArrays(was)
	var is []arrow.Array
	if l.joined != nil {
		if is, err = l.writer.take(l.joined, images); err != nil {
			return err
		}
		defer releaseArrays(is)
	}
	return l.give(ops, was, is)
}
