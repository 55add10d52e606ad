package mergeread

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A ref names one row: the number of its source and the row in it.
type ref uint64

// noRef stands for "no row has this value": it reads as null.
const noRef = ^ref(0)

func makeRef(src, row int) ref { return ref(uint64(src)<<32 | uint64(uint32(row))) }

func (r ref) src() int { return int(r >> 32) }
func (r ref) row() int { return int(uint32(r)) }

// baseSource is the number of the source that holds the current base batch.
const baseSource = 0

// A source is one batch that rows are referred to in.
type source struct {
	batch   arrow.RecordBatch
	cols    []arrow.Array // by working column; nil reads as null
	keys    byteColumn
	kind    Kind
	present []bool        // columns that a partial update stores; nil = all
	dels    []bool        // data rows that are deletes; nil = none
	order   []orderColumn // by ordering field
	other   *array.Boolean
	run     int // number of the log run; -1 for the base
	rows    int
	owned   bool // the batch may be overwritten
}

// room is that of an output made of rows of a base batch from first on.
func (s *source) room(n, first int) room {
	return room{src: int32(n), first: int32(first), end: int32(first), rows: int32(s.rows), owned: s.owned}
}

func (s *source) release() {
	if s != nil && s.batch != nil {
		s.batch.Release()
		s.batch = nil
	}
}

// A binding is what is known of the working schema and the rules before the
// first row comes: which column is which.
type binding struct {
	in     *Input
	mem    memory.Allocator
	fields []string // ordering fields
	seq    bool     // they are binlog positions
	own    bool     // they are those of a payload class, which delete entries lack

	isDeleted, operation, deleteField int // -1 = none
	deletePath                        string
	deleteMarker                      string
	foldMarker                        bool // compare it without regard to case

	deleteTop []int // working column of each ordering field that is not nested
}

func newBinding(in *Input, mem memory.Allocator) (*binding, error) {
	r := in.Rules
	b := &binding{in: in, mem: mem, fields: r.orderingFields(), deleteField: -1, isDeleted: fieldIndex(in.Schema, isDeletedField),
		operation: fieldIndex(in.Schema, operationField), deletePath: r.DeleteField, deleteMarker: r.DeleteMarker}
	if b.isDeleted >= 0 && in.Schema.Field(b.isDeleted).Type.ID() != arrow.BOOL {
		b.isDeleted = -1
	}
	if r.Mode == Custom {
		c, err := r.custom()
		if err != nil {
			return nil, err
		}
		if c.payload != nil && c.payload.deleteField != "" && b.deletePath == "" {
			b.deletePath, b.deleteMarker, b.foldMarker = c.payload.deleteField, c.payload.deleteMarker, true
		}
		b.seq = shortClass(r.Payload) == mysqlDebezium && c.payload != nil
		b.own = !slices.Equal(b.fields, r.Ordering)
	}
	if b.deletePath != "" {
		b.deleteField = fieldIndex(in.Schema, top(b.deletePath))
	}
	for _, f := range b.fields {
		i := fieldIndex(in.Schema, top(f))
		if i < 0 {
			return nil, fmt.Errorf("mergeread: the working schema lacks the ordering field %q: it must hold the columns of Rules.Columns", f)
		}
		if top(f) != f {
			i = -1
		}
		b.deleteTop = append(b.deleteTop, i)
	}
	return b, nil
}

// logs makes a source of a batch of the run of a number, and counts its rows.
// columns are as in [binding.data]. It takes over the caller's reference, also
// on an error.
func (b *binding) logs(rec arrow.RecordBatch, columns []int, run int, stats *Stats) (*source, error) {
	r := &b.in.Runs[run]
	if r.Kind == Delete {
		stats.LogDeletes += rec.NumRows()
		return b.deletes(rec, run)
	}
	stats.LogRecords += rec.NumRows()
	return b.data(rec, columns, run, r.Present)
}

// data makes a source of rows in the working schema. cols gives the working
// column of each batch column, nil for all in order. It takes over the
// caller's reference, also on an error.
func (b *binding) data(rec arrow.RecordBatch, cols []int, run int, present []bool) (*source, error) {
	s := &source{batch: rec, kind: Data, run: run, present: present, rows: int(rec.NumRows())}
	n := b.in.Schema.NumFields()
	if want := len(cols); cols == nil && int(rec.NumCols()) != n || int(rec.NumCols()) < want {
		defer s.release()
		return nil, fmt.Errorf("mergeread: batch with %d columns, asked for were %d", rec.NumCols(), max(want, n))
	}
	s.cols = make([]arrow.Array, n)
	for i := range int(rec.NumCols()) {
		c := i
		if cols != nil {
			if i >= len(cols) {
				break
			}
			c = cols[i]
		}
		s.cols[c] = rec.Column(i)
		if want := b.in.Schema.Field(c).Type; !arrow.TypeEqual(rec.Column(i).DataType(), want) {
			defer s.release()
			return nil, fmt.Errorf("mergeread: column %s comes as %s, the working schema has %s", b.in.Schema.Field(c).Name, rec.Column(i).DataType(), want)
		}
	}
	if err := b.bind(s); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// bind finds key, ordering values and deletes of a data source. Base rows are
// never deletes: the flags count in logs alone.
func (b *binding) bind(s *source) error {
	if k := s.cols[b.in.Key]; k != nil {
		if err := s.bindKeys(k, s.run >= 0); err != nil {
			return err
		}
	}
	s.order = make([]orderColumn, len(b.fields))
	for i, f := range b.fields {
		arr := s.cols[fieldIndex(b.in.Schema, top(f))]
		if arr == nil {
			continue
		}
		var err error
		if s.order[i], err = newOrderColumn(arr, f, b.seq); err != nil {
			return err
		}
	}
	if s.run >= 0 {
		s.dels = b.deleted(s)
	}
	return nil
}

func (s *source) bindKeys(k arrow.Array, required bool) error {
	keys, ok := newByteColumn(k)
	if !ok {
		return fmt.Errorf("mergeread: record keys of type %s are not supported", k.DataType())
	}
	if required && k.NullN() > 0 {
		return fmt.Errorf("mergeread: %d log records have no record key", k.NullN())
	}
	s.keys = keys
	return nil
}

// deletes makes a source of a batch of delete entries. It takes over the
// caller's reference, also on an error.
func (b *binding) deletes(rec arrow.RecordBatch, run int) (*source, error) {
	s := &source{batch: rec, kind: Delete, run: run, rows: int(rec.NumRows()),
		cols: make([]arrow.Array, b.in.Schema.NumFields()), order: make([]orderColumn, len(b.fields))}
	if err := b.bindDeletes(s); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

func (b *binding) bindDeletes(s *source) error {
	n := int(s.batch.NumCols())
	if n == 0 {
		return fmt.Errorf("mergeread: delete batch without a key column")
	}
	if n > 1 && s.batch.ColumnName(n-1) == OtherClassColumn {
		other, ok := s.batch.Column(n - 1).(*array.Boolean)
		if !ok {
			return fmt.Errorf("mergeread: column %s comes as %s, not bool", OtherClassColumn, s.batch.Column(n-1).DataType())
		}
		s.other = other
		n--
	}
	if err := s.bindKeys(s.batch.Column(0), true); err != nil {
		return err
	}
	if arrow.TypeEqual(s.batch.Column(0).DataType(), b.in.Schema.Field(b.in.Key).Type) {
		s.cols[b.in.Key] = s.batch.Column(0)
	}
	if b.seq || b.own {
		return nil // a delete entry has no such value: it is the newest
	}
	for i := range b.fields {
		if 1+i >= n {
			break
		}
		arr := s.batch.Column(1 + i)
		var err error
		if s.order[i], err = newOrderColumn(arr, "", false); err != nil {
			return err
		}
		if c := b.deleteTop[i]; c >= 0 && arrow.TypeEqual(arr.DataType(), b.in.Schema.Field(c).Type) {
			s.cols[c] = arr
		}
	}
	return nil
}

// deleted finds the data rows that are deletes; nil if there are none.
func (b *binding) deleted(s *source) []bool {
	var dels []bool
	mark := func(i int) {
		if dels == nil {
			dels = make([]bool, s.rows)
		}
		dels[i] = true
	}
	if b.isDeleted >= 0 {
		if flags, ok := s.cols[b.isDeleted].(*array.Boolean); ok {
			for i := range s.rows {
				if flags.IsValid(i) && flags.Value(i) {
					mark(i)
				}
			}
		}
	}
	if b.operation >= 0 && s.cols[b.operation] != nil {
		if ops, ok := newByteColumn(s.cols[b.operation]); ok {
			for i := range s.rows {
				if op := ops.at(i); len(op) > 0 && (string(op) == "D" || string(op) == "-U") && s.cols[b.operation].IsValid(i) {
					mark(i)
				}
			}
		}
	}
	if b.deleteField >= 0 && s.cols[b.deleteField] != nil {
		b.marked(s.cols[b.deleteField], mark)
	}
	return dels
}

// marked calls mark for the rows whose delete field has the marker as text.
func (b *binding) marked(arr arrow.Array, mark func(int)) {
	for path := b.deletePath; ; {
		_, rest, nested := strings.Cut(path, ".")
		if !nested {
			break
		}
		s, ok := arr.(*array.Struct)
		if !ok {
			return
		}
		i, ok := s.DataType().(*arrow.StructType).FieldIdx(top(rest))
		if !ok {
			return
		}
		arr, path = s.Field(i), rest
	}
	marker := []byte(b.deleteMarker)
	equal := bytes.Equal
	if b.foldMarker {
		equal = bytes.EqualFold
	}
	strs, isBytes := newByteColumn(arr)
	for i := range arr.Len() {
		if arr.IsNull(i) {
			continue
		}
		if isBytes && equal(strs.at(i), marker) || !isBytes && equal([]byte(arr.ValueStr(i)), marker) {
			mark(i)
		}
	}
}
