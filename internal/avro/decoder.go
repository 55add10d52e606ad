package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A Decoder appends binary records of one writer schema to Arrow columns. It
// is not safe for concurrent use. Whoever made it must Release it.
type Decoder struct {
	cursor
	schema *arrow.Schema
	cols   []*column
	fields []*node // of the record up to the last wanted one, in the writer's order
	whole  bool    // no field stands behind these
	sweeps []sweep // the same for many records
	n      int
	depth  int
	key    []byte // for opKey; nil = the record's own

	at [sweepRecords]uint32 // where each record of a sweep goes on
}

// NewDecoder compiles a decoder for the wanted top-level fields; nil means
// all, names that the schema does not have are passed over.
func NewDecoder(s *Schema, columns []string, mem memory.Allocator) (*Decoder, error) {
	if s.root.kind != kindRecord {
		return nil, errors.New("avro schema is no record")
	}
	d := &Decoder{}
	c := compiler{mem: mem, skip: make(map[*avroType]*node)}
	m := arrowMapper{open: make(map[*avroType]bool)}
	var fields []arrow.Field
	for _, f := range s.root.fields {
		if columns != nil && !slices.Contains(columns, f.name) {
			d.addSkip(c.skipped(f.typ))
			continue
		}
		af, err := m.field(f.name, f.name, f.typ, f.def)
		if err != nil {
			return nil, err
		}
		fields = append(fields, af)
		col := newColumn(mem, af.Type)
		d.cols = append(d.cols, col)
		d.fields = append(d.fields, c.wanted(f.typ, col))
	}
	d.schema = arrow.NewSchema(fields, nil)
	d.cutSkips()
	d.sweeps = sweeps(d.fields)
	return d, nil
}

// cutSkips leaves out what is behind the last wanted field: records come with
// their length.
func (d *Decoder) cutSkips() {
	n := len(d.fields)
	for n > 0 && d.fields[n-1].col == nil {
		n--
	}
	d.whole = n == len(d.fields)
	d.fields = d.fields[:n]
}

// addSkip adds a field to step over; neighbours of known length become one.
func (d *Decoder) addSkip(n *node) {
	if last := len(d.fields) - 1; n.known && last >= 0 && d.fields[last].col == nil && d.fields[last].known {
		sum := &node{}
		sum.setKnown(min(d.fields[last].minSize+n.minSize, maxKnown))
		d.fields[last] = sum
		return
	}
	d.fields = append(d.fields, n)
}

// Schema is the schema of the batches: the wanted fields in the writer's
// order, with the file's own types.
func (d *Decoder) Schema() *arrow.Schema { return d.schema }

// SetKey names the wanted string field that takes the key of
// [Decoder.AppendKeyed]. HFiles keep the record key apart from the record and
// blank the field.
func (d *Decoder) SetKey(field string) error {
	index := d.schema.FieldIndices(field)
	if len(index) != 1 || d.schema.Field(index[0]).Type.ID() != arrow.STRING {
		return fmt.Errorf("avro field %s is no wanted string field and cannot take the key", field)
	}
	col := d.cols[index[0]]
	for i, n := range d.fields {
		if n.col == col && n.op != opKey {
			d.fields[i] = &node{op: opKey, col: col, elem: n}
		}
	}
	d.sweeps = sweeps(d.fields)
	return nil
}

// Expect tells about how many rows the first batch will have: its columns are
// made as long at once, but for no more than so many bytes.
func (d *Decoder) Expect(rows int, bytes int64) {
	width := int64(1)
	for _, c := range d.cols {
		width += c.rowSize()
	}
	rows = int(min(int64(rows), bytes/width))
	for _, c := range d.cols {
		c.likelyRows = rows
	}
}

// Append adds one record, which must take up all of rec; fields behind the last
// wanted one are not looked at. After an error the batch is as it was before.
func (d *Decoder) Append(rec []byte) error {
	d.key = nil
	return d.append(rec)
}

// AppendKeyed adds one record whose key field, see [Decoder.SetKey], is key.
func (d *Decoder) AppendKeyed(key, rec []byte) error {
	if d.key = key; key == nil {
		d.key = []byte{}
	}
	return d.append(rec)
}

func (d *Decoder) append(rec []byte) error {
	d.cursor = cursor{buf: rec}
	for _, n := range d.fields {
		if n.col == nil {
			d.skip(n)
		} else {
			d.decode(n)
		}
	}
	if d.err == nil {
		d.err = d.checkEnd(d.pos, len(rec))
	}
	if d.err != nil {
		d.truncate()
		return d.err
	}
	d.n++
	return nil
}

// checkEnd checks where the fields of a record end.
func (d *Decoder) checkEnd(pos, end int) error {
	switch {
	case pos > end:
		return errShort
	case pos < end && d.whole:
		return corruptf("%d bytes are left after the record", end-pos)
	}
	return nil
}

// truncate takes back what the columns have of records that are not counted.
func (d *Decoder) truncate() {
	for _, c := range d.cols {
		c.truncate(d.n)
	}
}

// decode appends the value at hand to the node's column.
func (d *Decoder) decode(n *node) {
	if n.union {
		if d.pos < len(d.buf) && d.buf[d.pos] == n.valueByte {
			d.pos++
		} else if !d.branch(n) {
			return
		}
	}
	switch n.op {
	case opInt:
		n.col.append32(uint32(d.int()))
	case opLong:
		n.col.append64(uint64(d.long()))
	case opBytes:
		if !n.col.appendBytes(d.bytes()) {
			d.fail(ErrBatchFull)
		}
	case opDouble:
		if b := d.take(8); b != nil {
			n.col.append64(binary.LittleEndian.Uint64(b))
		}
	case opFloat:
		if b := d.take(4); b != nil {
			n.col.append32(binary.LittleEndian.Uint32(b))
		}
	case opDecimalFixed:
		d.decodeDecimal(n.col, d.take(n.size))
	case opBoolean:
		d.decodeBoolean(n.col)
	case opNull:
		n.col.appendNulls(1)
	default:
		d.decodeOther(n)
	}
}

// branch reads the branch number of a union and appends a null where it says
// so; it tells whether a value follows.
func (d *Decoder) branch(n *node) bool {
	switch d.long() {
	case n.valueBranch:
		return true
	case n.nullBranch:
		n.col.appendNulls(1)
	default:
		d.fail(errBranch)
	}
	return false
}

// decodeOther is the rarer half of decode.
func (d *Decoder) decodeOther(n *node) {
	ok := true
	switch n.op {
	case opFixed:
		if b := d.take(n.size); b != nil {
			n.col.appendFixed(b)
		}
	case opDecimalBytes:
		d.decodeDecimal(n.col, d.bytes())
	case opEnum:
		i := d.long()
		if i < 0 || i >= int64(len(n.symbols)) {
			d.fail(errSymbol)
			return
		}
		ok = n.col.appendBytes(n.symbols[i])
	case opArray:
		d.decodeArray(n)
		ok = n.col.appendEnd(n.col.children[0].n)
	case opMap:
		d.decodeMap(n)
		ok = n.col.appendEnd(n.col.children[0].n)
	case opRecord:
		for _, f := range n.fields {
			d.decode(f)
		}
		n.col.appendStruct()
	case opKey:
		if d.key == nil {
			d.decode(n.elem)
			return
		}
		d.skipDecoded(n.elem)
		ok = n.col.appendBytes(d.key)
	}
	if !ok {
		d.fail(ErrBatchFull)
	}
}

func (d *Decoder) decodeBoolean(col *column) {
	b := d.take(1)
	if b == nil {
		return
	}
	if b[0] > 1 {
		d.fail(errBoolean)
		return
	}
	col.appendBit(b[0] == 1)
}

// decodeDecimal appends a big-endian two's complement number.
func (d *Decoder) decodeDecimal(col *column, b []byte) {
	if len(b) <= 8 {
		v := uint64(0)
		for _, x := range b {
			v = v<<8 | uint64(x)
		}
		shift := uint(64 - 8*len(b))
		n := int64(v<<shift) >> shift
		col.appendDecimal(n>>63, uint64(n))
		return
	}
	var hi, lo uint64
	if len(b) > 0 && b[0] >= 0x80 {
		hi, lo = ^uint64(0), ^uint64(0)
	}
	sign := byte(hi)
	for len(b) > 16 {
		if b[0] != sign || b[1]&0x80 != sign&0x80 {
			d.fail(errDecimal)
			return
		}
		b = b[1:]
	}
	for _, x := range b {
		hi = hi<<8 | lo>>56
		lo = lo<<8 | uint64(x)
	}
	col.appendDecimal(int64(hi), lo)
}

func (d *Decoder) decodeArray(n *node) {
	for d.err == nil {
		count, _ := d.items(n.elem.minSize)
		if count == 0 {
			return
		}
		for ; count > 0 && d.err == nil; count-- {
			d.decode(n.elem)
		}
	}
}

func (d *Decoder) decodeMap(n *node) {
	entries := n.col.children[0]
	for d.err == nil {
		count, _ := d.items(1 + n.elem.minSize)
		if count == 0 {
			return
		}
		for ; count > 0 && d.err == nil; count-- {
			if !entries.children[0].appendBytes(d.bytes()) {
				d.fail(ErrBatchFull)
			}
			d.decode(n.elem)
			entries.appendStruct()
		}
	}
}

// Len is the number of rows gathered.
func (d *Decoder) Len() int { return d.n }

// Size is the number of bytes that the rows gathered take.
func (d *Decoder) Size() int64 {
	var size int64
	for _, c := range d.cols {
		size += c.size()
	}
	return size
}

// NewBatch gives the rows gathered, which the caller must Release, and starts
// anew.
func (d *Decoder) NewBatch() arrow.RecordBatch {
	arrays := make([]arrow.Array, len(d.cols))
	for i, c := range d.cols {
		data := c.finish()
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	b := array.NewRecordBatch(d.schema, arrays, int64(d.n))
	for _, a := range arrays {
		a.Release()
	}
	d.n = 0
	return b
}

// Release gives back the memory of rows that no batch was made of. The decoder
// may be used again.
func (d *Decoder) Release() {
	for _, c := range d.cols {
		c.release()
	}
	d.n = 0
}
