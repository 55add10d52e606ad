package avro

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// An op is what a node does with the bytes at hand.
type op uint8

const (
	opNull op = iota
	opBoolean
	opInt
	opLong
	opFloat
	opDouble
	opBytes // strings as well
	opFixed
	opDecimalBytes
	opDecimalFixed
	opEnum
	opArray
	opMap
	opRecord
	opUnion // only where it is stepped over, as is
	opOptional
	opKey // a string whose value may come from outside
)

// A node is one operation of a compiled decoder. Nodes without a column step
// over their value.
type node struct {
	op  op
	col *column

	// A wanted union of null and one type, or opOptional: the branch numbers, -1
	// where there is none.
	union                   bool
	nullBranch, valueBranch int64
	valueByte               byte // valueBranch as it is encoded

	size    int      // bytes of a fixed; with a known length, bytes of any value to step over
	minSize int64    // of an encoded value; 0 if it may take no bytes at all
	symbols [][]byte // enum
	fields  []*node  // record fields, union branches
	elem    *node    // array items, map values, the string behind a key

	known bool // a value to step over always takes size bytes
}

// maxKnown bounds a known length, which nested named types can blow up.
const maxKnown = math.MaxInt32

// A compiler makes nodes. Nodes that step over a value are shared by all uses
// of a type, which also ties the knot of types that contain themselves.
type compiler struct {
	mem  memory.Allocator
	skip map[*avroType]*node
}

// wanted makes the node that appends a value to a column, which was made from
// the same type.
func (c *compiler) wanted(t *avroType, col *column) *node {
	n := &node{minSize: c.skipped(t).minSize}
	value := t
	if t.kind == kindUnion {
		n.union = true
		null, at := -1, 0
		for i, b := range t.branches {
			if b.kind == kindNull {
				null = i
			} else {
				at = i
			}
		}
		if value = t.branches[at]; value.kind == kindNull { // null alone
			null = -1
		}
		n.setBranches(null, at)
	}
	n.col = col
	n.op = plainOp(value)
	n.size = value.size
	switch value.kind {
	case kindEnum:
		for _, s := range value.symbols {
			n.symbols = append(n.symbols, []byte(s))
		}
	case kindArray:
		n.elem = c.wanted(value.elem, col.children[0])
	case kindMap:
		n.elem = c.wanted(value.elem, col.children[0].children[1])
	case kindRecord:
		for i, f := range value.fields {
			n.fields = append(n.fields, c.wanted(f.typ, col.children[i]))
		}
	}
	return n
}

// skipped makes the node that steps over a value.
func (c *compiler) skipped(t *avroType) *node {
	if n, ok := c.skip[t]; ok {
		return n
	}
	n := &node{op: plainOp(t), size: t.size, minSize: 1}
	c.skip[t] = n
	switch t.kind {
	case kindNull:
		n.setKnown(0)
	case kindBoolean:
		n.setKnown(1)
	case kindFloat:
		n.setKnown(4)
	case kindDouble:
		n.setKnown(8)
	case kindFixed:
		n.setKnown(int64(t.size))
	case kindArray, kindMap:
		n.elem = c.skipped(t.elem)
	case kindUnion:
		for _, b := range t.branches {
			n.fields = append(n.fields, c.skipped(b))
		}
		n.setOptional(t)
	case kindRecord:
		// Until it is complete, a use of the record within itself counts as
		// taking a byte at least, which every value that ends does.
		var sum int64
		known := true
		for _, f := range t.fields {
			field := c.skipped(f.typ)
			n.fields = append(n.fields, field)
			sum = min(sum+field.minSize, maxKnown)
			known = known && field.known
		}
		n.minSize = sum
		if known {
			n.setKnown(sum)
		}
	}
	return n
}

// setOptional makes a union of null and one type, as nearly all fields of
// Hudi's schemas are, an operation of its own.
func (n *node) setOptional(t *avroType) {
	null := slices.IndexFunc(t.branches, func(b *avroType) bool { return b.kind == kindNull })
	if len(t.branches) != 2 || null < 0 {
		return
	}
	n.op, n.elem = opOptional, n.fields[1-null]
	n.setBranches(null, 1-null)
}

func (n *node) setBranches(null, value int) {
	n.nullBranch, n.valueBranch = int64(null), int64(value)
	n.valueByte = byte(value << 1)
}

func (n *node) setKnown(size int64) {
	n.known, n.size, n.minSize = true, int(size), size
}

// plainOp is the operation for a type; unions of null and one type are told
// apart by wanted.
func plainOp(t *avroType) op {
	switch t.kind {
	case kindBoolean:
		return opBoolean
	case kindInt:
		return opInt
	case kindLong:
		return opLong
	case kindFloat:
		return opFloat
	case kindDouble:
		return opDouble
	case kindBytes:
		if t.logical == "decimal" {
			return opDecimalBytes
		}
		return opBytes
	case kindString:
		return opBytes
	case kindFixed:
		if t.logical == "decimal" {
			return opDecimalFixed
		}
		return opFixed
	case kindEnum:
		return opEnum
	case kindArray:
		return opArray
	case kindMap:
		return opMap
	case kindRecord:
		return opRecord
	case kindUnion:
		return opUnion
	}
	return opNull
}
