package avro

import (
	"encoding/binary"
	"math/bits"
)

// A step of a record: fields to step over, then a wanted one.
type step struct {
	over  []skipOp
	value *node
}

// A skipOp steps over one field; the fields between two wanted ones are a run
// of them, which takes no call each.
type skipOp struct {
	kind     skipKind
	optional bool // null comes first in the union
	size     int  // skipSize
	node     *node
}

type skipKind uint8

const (
	skipNode   skipKind = iota // as skip does
	skipSize                   // a known number of bytes
	skipNumber                 // a zigzag number
	skipBytes                  // a length and as many bytes
)

// steps makes steps of the fields of a record.
func steps(fields []*node) []step {
	list := []step{{}}
	for _, n := range fields {
		last := &list[len(list)-1]
		if n.col == nil {
			last.over = append(last.over, skipOpOf(n))
			continue
		}
		last.value = n
		list = append(list, step{})
	}
	return list
}

func skipOpOf(n *node) skipOp {
	op := skipOp{node: n, optional: n.op == opOptional}
	if op.optional {
		n = n.elem
	}
	switch {
	case n.known:
		op.kind, op.size = skipSize, n.size
	case n.op == opInt || n.op == opLong || n.op == opEnum:
		op.kind = skipNumber
	case n.op == opBytes || n.op == opDecimalBytes:
		op.kind = skipBytes
	}
	return op
}

// skipRun steps over fields. Whatever is out of the ordinary is left to skip.
func (d *Decoder) skipRun(run []skipOp) {
	buf, pos := d.buf, d.pos
	for i := range run {
		op, at := &run[i], pos
		if op.optional {
			if pos >= len(buf) || buf[pos]&^2 != 0 {
				goto slow
			}
			pos++
			if buf[at] == 0 {
				continue
			}
		}
		switch op.kind {
		case skipSize:
			if op.size <= len(buf)-pos {
				pos += op.size
				continue
			}
		case skipBytes:
			if pos < len(buf) && buf[pos]&0x81 == 0 {
				if n := 1 + int(buf[pos]>>1); n <= len(buf)-pos {
					pos += n
					continue
				}
			}
		case skipNumber:
			if len(buf)-pos >= 8 {
				if end := ^binary.LittleEndian.Uint64(buf[pos:]) & 0x8080808080808080; end != 0 {
					pos += (bits.TrailingZeros64(end) + 1) >> 3
					continue
				}
			}
		}
	slow:
		d.pos = at
		d.skip(op.node)
		pos = d.pos
	}
	d.pos = pos
}

// skip steps over the value at hand.
func (d *Decoder) skip(n *node) {
	if n.op == opOptional {
		switch d.long() {
		case 0:
			return
		case 1:
			n = n.elem
		default:
			d.fail(errBranch)
			return
		}
	}
	if n.known {
		d.advance(int64(n.size))
		return
	}
	switch n.op {
	case opInt, opLong, opEnum:
		d.long()
	case opBytes, opDecimalBytes:
		d.advance(d.long())
	default:
		if d.depth >= maxDepth {
			d.fail(errDeep)
			return
		}
		d.depth++
		d.skipNested(n)
		d.depth--
	}
}

func (d *Decoder) skipNested(n *node) {
	switch n.op {
	case opUnion:
		branch := d.long()
		if branch < 0 || branch >= int64(len(n.fields)) {
			d.fail(errBranch)
			return
		}
		d.skip(n.fields[branch])
	case opRecord:
		for _, f := range n.fields {
			if d.err != nil {
				return
			}
			d.skip(f)
		}
	case opArray, opMap:
		d.skipItems(n)
	}
}

// skipItems steps over an array or map; blocks whose length is noted cost
// nothing.
func (d *Decoder) skipItems(n *node) {
	minSize := n.elem.minSize
	if n.op == opMap {
		minSize++
	}
	for d.err == nil {
		count, bytes := d.items(minSize)
		if count == 0 {
			return
		}
		switch {
		case bytes >= 0:
			d.advance(bytes)
			continue
		case n.op == opArray && n.elem.known:
			d.advance(count * int64(n.elem.size))
			continue
		}
		for ; count > 0 && d.err == nil; count-- {
			if n.op == opMap {
				d.advance(d.long())
			}
			d.skip(n.elem)
		}
	}
}

// skipDecoded steps over a string of a node that was compiled to be decoded.
func (d *Decoder) skipDecoded(n *node) {
	if n.union {
		switch d.long() {
		case n.valueBranch:
		case n.nullBranch:
			return
		default:
			d.fail(errBranch)
			return
		}
	}
	d.advance(d.long())
}
