package parquet

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// FieldIDKey is the key of the Arrow field metadata under which a Parquet
// field id is kept.
const FieldIDKey = "PARQUET:field_id"

const maxSchemaDepth = 64

type nodeKind uint8

const (
	leafNode nodeKind = iota
	structNode
	listNode
	mapNode
)

// A node is one Arrow field of the file. Whatever form a list or a map has in
// the file, here it is a list of elements or a map of keys and values.
//
// Dremel levels: an entry of a leaf below the node opens a slot of the node's
// array when its repetition level is at most slotRep and its definition level
// at least slotDef; the slot is valid when the definition level is at least
// def. For lists and maps, an entry with a repetition level of at most
// slotRep+1 and a definition level of at least elemDef is an element.
type node struct {
	kind     nodeKind
	field    arrow.Field
	slotRep  uint8
	slotDef  uint8
	def      uint8
	elemDef  uint8
	children []*node // of a list: the element; of a map: key and value
	leaf     *leaf   // of a leaf; else nil
	leaves   []*leaf // all leaves below, in file order
}

// A leaf is a column of the file.
type leaf struct {
	index    int // in the row groups' column lists
	path     string
	physical Physical
	length   int // of FIXED_LEN_BYTE_ARRAY
	maxDef   uint8
	maxRep   uint8
	typ      arrow.DataType
	conv     conversion
	slotDef  uint8 // of its node
	width    int   // bytes of a value in the Arrow array; 0 for strings and booleans
}

var errSchema = errors.New("malformed schema")

// schemaBuilder turns the flat list of schema elements into nodes.
type schemaBuilder struct {
	rest   []schemaElement
	leaves []*leaf
	path   []string
}

// levels are the Dremel levels of the place where the next node stands.
type levels struct {
	rep, def, slotDef uint8
}

func buildSchema(elements []schemaElement) ([]*node, []*leaf, error) {
	if len(elements) == 0 {
		return nil, nil, fmt.Errorf("%w: no root", errSchema)
	}
	root := elements[0]
	b := &schemaBuilder{rest: elements[1:]}
	var nodes []*node
	for range root.children {
		n, err := b.node(levels{}, 0)
		if err != nil {
			return nil, nil, err
		}
		nodes = append(nodes, n)
	}
	if len(b.rest) > 0 {
		return nil, nil, fmt.Errorf("%w: %d elements outside of the root", errSchema, len(b.rest))
	}
	return nodes, b.leaves, nil
}

func (b *schemaBuilder) peek() (schemaElement, error) {
	if len(b.rest) == 0 {
		return schemaElement{}, fmt.Errorf("%w: group with missing fields", errSchema)
	}
	return b.rest[0], nil
}

// node reads the next element with everything below it.
func (b *schemaBuilder) node(at levels, depth int) (*node, error) {
	e, err := b.peek()
	if err != nil {
		return nil, err
	}
	if depth > maxSchemaDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", errSchema, maxSchemaDepth)
	}
	if e.repetition == repeated {
		return b.bareRepeated(e, at, depth)
	}
	return b.value(at, e.repetition == optional, depth)
}

// bareRepeated is a repeated field outside of a LIST or MAP group: a list of
// required elements that is itself never null.
func (b *schemaBuilder) bareRepeated(e schemaElement, at levels, depth int) (*node, error) {
	n := &node{kind: listNode, slotRep: at.rep, slotDef: at.slotDef, def: at.def, elemDef: at.def + 1}
	inner := levels{rep: at.rep + 1, def: at.def + 1, slotDef: at.def + 1}
	elem, err := b.value(inner, false, depth+1)
	if err != nil {
		return nil, err
	}
	n.setList(e, elem, false)
	return n, nil
}

// value reads the next element taking its repetition as given.
func (b *schemaBuilder) value(at levels, nullable bool, depth int) (*node, error) {
	e, err := b.peek()
	if err != nil {
		return nil, err
	}
	b.rest = b.rest[1:]
	b.path = append(b.path, e.name)
	defer func() { b.path = b.path[:len(b.path)-1] }()

	n := &node{slotRep: at.rep, slotDef: at.slotDef, def: at.def}
	if nullable {
		n.def++
	}
	if e.isLeaf {
		return n, b.leafNode(n, e, nullable)
	}
	if e.children <= 0 {
		return nil, fmt.Errorf("%w: group %q has no fields", errSchema, e.name)
	}
	if e.children == 1 && len(b.rest) > 0 && b.rest[0].repetition == repeated {
		switch {
		case e.logical.kind == logicalList || e.converted == convList:
			return n, b.list(n, e, nullable, depth)
		case e.logical.kind == logicalMap || e.converted == convMap || e.converted == convMapKeyValue:
			return n, b.mapOrList(n, e, nullable, depth)
		}
	}
	return n, b.structure(n, e, e.children, nullable, depth)
}

func (b *schemaBuilder) leafNode(n *node, e schemaElement, nullable bool) error {
	l, err := newLeaf(e, dotted(b.path))
	if err != nil {
		return err
	}
	l.index = len(b.leaves)
	l.maxDef, l.maxRep, l.slotDef = n.def, n.slotRep, n.slotDef
	b.leaves = append(b.leaves, l)
	n.kind, n.leaf, n.leaves = leafNode, l, []*leaf{l}
	n.field = arrow.Field{Name: e.name, Type: l.typ, Nullable: nullable, Metadata: fieldMetadata(e)}
	return nil
}

func (b *schemaBuilder) structure(n *node, e schemaElement, children int32, nullable bool, depth int) error {
	n.kind = structNode
	var fields []arrow.Field
	for range children {
		c, err := b.node(levels{rep: n.slotRep, def: n.def, slotDef: n.slotDef}, depth+1)
		if err != nil {
			return err
		}
		n.children = append(n.children, c)
		n.leaves = append(n.leaves, c.leaves...)
		fields = append(fields, c.field)
	}
	n.field = arrow.Field{Name: e.name, Type: arrow.StructOf(fields...), Nullable: nullable, Metadata: fieldMetadata(e)}
	return nil
}

// list reads the repeated child of a LIST group. The format's rules of
// backward compatibility tell whether that child is the element itself (two
// levels, as parquet-avro writes by default) or a wrapper around it.
func (b *schemaBuilder) list(n *node, e schemaElement, nullable bool, depth int) error {
	rep := b.rest[0]
	n.kind, n.elemDef = listNode, n.def+1
	inner := levels{rep: n.slotRep + 1, def: n.elemDef, slotDef: n.elemDef}
	var elem *node
	var err error
	if rep.isLeaf || rep.children != 1 || rep.name == "array" || rep.name == e.name+"_tuple" ||
		(len(b.rest) > 1 && b.rest[1].repetition == repeated) {
		elem, err = b.value(inner, false, depth+1)
	} else {
		b.rest = b.rest[1:]
		b.path = append(b.path, rep.name)
		elem, err = b.node(inner, depth+1)
		b.path = b.path[:len(b.path)-1]
	}
	if err != nil {
		return err
	}
	n.setList(e, elem, nullable)
	return nil
}

func (n *node) setList(e schemaElement, elem *node, nullable bool) {
	f := elem.field
	f.Name = "element"
	n.kind = listNode
	n.children, n.leaves = []*node{elem}, elem.leaves
	n.field = arrow.Field{Name: e.name, Type: arrow.ListOfField(f), Nullable: nullable, Metadata: fieldMetadata(e)}
}

// mapOrList reads the repeated child of a MAP group. A child that is not a
// pair (the format allows sets, keys alone) is read as the element of a list.
func (b *schemaBuilder) mapOrList(n *node, e schemaElement, nullable bool, depth int) error {
	rep := b.rest[0]
	n.elemDef = n.def + 1
	inner := levels{rep: n.slotRep + 1, def: n.elemDef, slotDef: n.elemDef}
	if rep.isLeaf || rep.children != 2 {
		elem, err := b.value(inner, false, depth+1)
		if err != nil {
			return err
		}
		n.setList(e, elem, nullable)
		return nil
	}
	b.rest = b.rest[1:]
	b.path = append(b.path, rep.name)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	key, err := b.node(inner, depth+1)
	if err != nil {
		return err
	}
	value, err := b.node(inner, depth+1)
	if err != nil {
		return err
	}
	n.kind = mapNode
	n.children = []*node{key, value}
	n.leaves = append(append(n.leaves, key.leaves...), value.leaves...)
	t := arrow.MapOfWithMetadata(key.field.Type, key.field.Metadata, value.field.Type, value.field.Metadata)
	t.SetItemNullable(value.field.Nullable)
	n.field = arrow.Field{Name: e.name, Type: t, Nullable: nullable, Metadata: fieldMetadata(e)}
	return nil
}

func fieldMetadata(e schemaElement) arrow.Metadata {
	// pyarrow and parquet-mr leave the id out where there is none; a few
	// writers store -1 instead.
	if !e.hasFieldID || e.fieldID < 0 {
		return arrow.Metadata{}
	}
	return arrow.NewMetadata([]string{FieldIDKey}, []string{strconv.Itoa(int(e.fieldID))})
}

func dotted(path []string) string {
	n := 0
	for _, p := range path {
		n += len(p) + 1
	}
	b := make([]byte, 0, n)
	for i, p := range path {
		if i > 0 {
			b = append(b, '.')
		}
		b = append(b, p...)
	}
	return string(b)
}
