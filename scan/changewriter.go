package scan

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/pushdown"
)

// Operations of changes, as CDC writes them; rows take the capitals.
const (
	opInsert = 'i'
	opUpdate = 'u'
	opDelete = 'd'
)

// changeWriter makes the output batches of a change.
type changeWriter struct {
	mem     memory.Allocator
	form    ChangeForm
	out     *arrow.Schema
	rows    *arrow.Schema // of the images, or of changed rows without the operation
	instant string
	// logged says which images come from a CDC file, whose texts Spark writes
	// in another way.
	loggedBefore, loggedAfter bool
}

func newChangeWriter(e *Env, c *incremental.Change) (*changeWriter, error) {
	rows, err := e.Job.project(e.Job.Columns)
	return &changeWriter{
		mem: e.Allocator, form: e.Job.Changes,
		out: e.Output, rows: rows, instant: c.Instant,
	}, err
}

// images tells whether both images of an update are wanted.
func (w *changeWriter) images() bool { return w.form == ImageStructs || w.form == ImageTexts }

// deletes tells whether deleted rows are wanted.
func (w *changeWriter) deletes() bool { return w.form != "" }

// batch makes a batch of operations and images, given by their columns; nil
// stands for images that no row has. The columns stay the caller's.
func (w *changeWriter) batch(ops []byte, before, after []arrow.Array) (arrow.RecordBatch, error) {
	if !w.images() {
		rows := after
		if rows == nil {
			rows = before
		}
		return w.changedRows(ops, rows), nil
	}
	n := len(ops)
	op, ts := array.NewStringBuilder(w.mem), array.NewStringBuilder(w.mem)
	defer op.Release()
	defer ts.Release()
	for _, o := range ops {
		op.Append(string(rune(o)))
		ts.Append(w.instant)
	}
	columns := []arrow.Array{op.NewArray(), ts.NewArray(), nil, nil}
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	var err error
	if columns[2], err = w.image(ops, before, opInsert, w.loggedBefore); err != nil {
		return nil, err
	}
	if columns[3], err = w.image(ops, after, opDelete, w.loggedAfter); err != nil {
		return nil, err
	}
	return array.NewRecordBatch(w.out, columns, int64(n)), nil
}

// changedRows puts the operation behind the meta columns, if it is wanted.
func (w *changeWriter) changedRows(ops []byte, rows []arrow.Array) arrow.RecordBatch {
	if w.form == "" {
		return array.NewRecordBatch(w.out, rows, int64(len(ops)))
	}
	op := array.NewStringBuilder(w.mem)
	defer op.Release()
	for _, o := range ops {
		op.Append(string(rune(o - 'a' + 'A')))
	}
	col := op.NewArray()
	defer col.Release()
	at := operationPlace(w.rows)
	columns := append(append(append([]arrow.Array{}, rows[:at]...), col), rows[at:]...)
	return array.NewRecordBatch(w.out, columns, int64(len(ops)))
}

// image makes the column of one side; rows of the operation absent have none.
func (w *changeWriter) image(ops []byte, columns []arrow.Array, absent byte, logged bool) (arrow.Array, error) {
	if columns == nil && !(logged && w.form == ImageTexts) {
		return batch.Nulls(w.mem, w.out.Field(2).Type, len(ops)), nil
	}
	if w.form == ImageTexts {
		return w.texts(ops, columns, absent, logged)
	}
	valid := memory.NewResizableBuffer(w.mem)
	defer valid.Release()
	valid.Resize(int(bitutil.BytesForBits(int64(len(ops)))))
	clear(valid.Bytes())
	nulls := 0
	for i, o := range ops {
		if o == absent {
			nulls++
		} else {
			bitutil.SetBit(valid.Bytes(), i)
		}
	}
	children := make([]arrow.ArrayData, len(columns))
	for i, c := range columns {
		children[i] = c.Data()
	}
	data := array.NewData(w.out.Field(2).Type, len(ops), []*memory.Buffer{valid}, children, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// take gives some rows of columns, -1 being a row of nulls. The caller owns the
// answer.
func (w *changeWriter) take(columns []arrow.Array, rows []int64) ([]arrow.Array, error) {
	if ascending(rows) {
		return w.mark(columns, rows)
	}
	out := make([]arrow.Array, 0, len(columns))
	for _, c := range columns {
		t, err := w.gather(c, rows)
		if err != nil {
			releaseArrays(out)
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func ascending(rows []int64) bool {
	last := int64(-1)
	for _, r := range rows {
		if r <= last {
			return false
		}
		last = r
	}
	return true
}

// mark takes rows in the order that they are in.
func (w *changeWriter) mark(columns []arrow.Array, rows []int64) ([]arrow.Array, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	n := columns[0].Len()
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Type: c.DataType(), Nullable: true}
	}
	all := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(n))
	defer all.Release()
	some, err := pushdown.Apply(w.mem, all, pushdown.Mark(n, rows))
	if err != nil {
		return nil, err
	}
	defer some.Release()
	out := append([]arrow.Array{}, some.Columns()...)
	for _, c := range out {
		c.Retain()
	}
	return out, nil
}

// gather takes rows in any order, by stretches: updated rows mostly are in the
// order of the rows that they replace.
func (w *changeWriter) gather(c arrow.Array, rows []int64) (arrow.Array, error) {
	var parts []arrow.Array
	defer func() { releaseArrays(parts) }()
	for i := 0; i < len(rows); {
		j := i + 1
		if rows[i] < 0 {
			for j < len(rows) && rows[j] < 0 {
				j++
			}
			parts = append(parts, batch.Nulls(w.mem, c.DataType(), j-i))
		} else {
			for j < len(rows) && rows[j] == rows[j-1]+1 {
				j++
			}
			parts = append(parts, array.NewSlice(c, rows[i], rows[i]+int64(j-i)))
		}
		i = j
	}
	return array.Concatenate(parts, w.mem)
}

// concat joins batches column by column. The caller owns the answer.
func (w *changeWriter) concat(batches [][]arrow.Array, width int) ([]arrow.Array, error) {
	out := make([]arrow.Array, 0, width)
	for c := range width {
		parts := make([]arrow.Array, len(batches))
		for i, b := range batches {
			parts[i] = b[c]
		}
		a, err := array.Concatenate(parts, w.mem)
		if err != nil {
			releaseArrays(out)
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func releaseArrays(all []arrow.Array) {
	for _, a := range all {
		a.Release()
	}
}
