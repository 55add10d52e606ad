package avro

// skip steps over the value at hand.
func (d *Decoder) skip(n *node) {
	if n.op == opOptional {
		switch d.long() {
		case n.nullBranch:
			return
		case n.valueBranch:
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
