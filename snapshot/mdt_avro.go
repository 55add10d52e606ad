package snapshot

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

type avroKind uint8

const (
	avroNull avroKind = iota
	avroBool
	avroInt // int, long and enum
	avroFloat
	avroDouble
	avroBytes // and string
	avroFixed
	avroRecord
	avroArray
	avroMap
	avroUnion
)

// An avroNode is a part of an Avro schema, as far as it matters for finding
// one's way through binary data.
type avroNode struct {
	kind     avroKind
	name     string // of records, without namespace
	fields   []avroField
	items    *avroNode // of arrays and maps
	branches []*avroNode
	size     int // of fixed
}

type avroField struct {
	name string
	node *avroNode
}

var avroPrimitives = map[string]avroKind{
	"null": avroNull, "boolean": avroBool, "int": avroInt, "long": avroInt, "float": avroFloat, "double": avroDouble,
	"bytes": avroBytes, "string": avroBytes,
}

func parseAvroNode(schema string) (*avroNode, error) {
	p := avroParser{named: map[string]*avroNode{}}
	return p.parse(json.RawMessage(schema), 0)
}

type avroParser struct{ named map[string]*avroNode }

func (p *avroParser) parse(text json.RawMessage, depth int) (*avroNode, error) {
	if depth > 100 {
		return nil, fmt.Errorf("%w: schema is nested too deep", ErrCorrupt)
	}
	var name string
	if json.Unmarshal(text, &name) == nil {
		if kind, ok := avroPrimitives[name]; ok {
			return &avroNode{kind: kind}, nil
		}
		if n := p.named[shortName(name)]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("%w: unknown type %q in the schema", ErrCorrupt, name)
	}
	var union []json.RawMessage
	if json.Unmarshal(text, &union) == nil {
		n := &avroNode{kind: avroUnion}
		for _, b := range union {
			branch, err := p.parse(b, depth+1)
			if err != nil {
				return nil, err
			}
			n.branches = append(n.branches, branch)
		}
		return n, nil
	}
	return p.complex(text, depth)
}

func (p *avroParser) complex(text json.RawMessage, depth int) (*avroNode, error) {
	var o struct {
		Type   json.RawMessage `json:"type"`
		Name   string          `json:"name"`
		Fields []struct {
			Name string          `json:"name"`
			Type json.RawMessage `json:"type"`
		} `json:"fields"`
		Items  json.RawMessage `json:"items"`
		Values json.RawMessage `json:"values"`
		Size   int             `json:"size"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%w: schema: %w", ErrCorrupt, err)
	}
	var typ string
	if json.Unmarshal(o.Type, &typ) != nil {
		return p.parse(o.Type, depth+1)
	}
	n := &avroNode{name: shortName(o.Name)}
	var err error
	switch typ {
	case "record", "error":
		n.kind = avroRecord
		p.named[n.name] = n
		for _, f := range o.Fields {
			node, err := p.parse(f.Type, depth+1)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, avroField{f.Name, node})
		}
	case "enum":
		n.kind = avroInt
		p.named[n.name] = n
	case "fixed":
		n.kind, n.size = avroFixed, o.Size
		p.named[n.name] = n
	case "array":
		n.kind = avroArray
		n.items, err = p.parse(o.Items, depth+1)
	case "map":
		n.kind = avroMap
		n.items, err = p.parse(o.Values, depth+1)
	default:
		return p.parse(o.Type, depth+1) // a primitive with a logical type
	}
	return n, err
}

func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// An avroReader reads binary data. After an error it gives zeros.
type avroReader struct {
	data  []byte
	depth int
	empty int // values passed over since data was last read
	err   error
}

// maxEmpty bounds the values of no length in a row: nested records without
// fields can stand for more of them than there is time.
const maxEmpty = 10_000

func (r *avroReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
	}
	r.data = nil
}

func (r *avroReader) long() int64 {
	r.empty = 0
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.fail("number cut short")
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *avroReader) take(n int64) []byte {
	if n < 0 || n > int64(len(r.data)) {
		r.fail("%d bytes wanted, %d left", n, len(r.data))
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	r.empty = 0
	return b
}

// branch reads which branch of a union follows; other nodes are themselves.
func (r *avroReader) branch(n *avroNode) *avroNode {
	if n.kind != avroUnion {
		return n
	}
	at := r.long()
	if at < 0 || at >= int64(len(n.branches)) {
		r.fail("no branch %d in a union of %d", at, len(n.branches))
		return &avroNode{}
	}
	return n.branches[at]
}

// number reads an int, long, enum or boolean. Other kinds are passed over.
func (r *avroReader) number(n *avroNode) int64 {
	switch n.kind {
	case avroInt:
		return r.long()
	case avroBool:
		if b := r.take(1); b != nil {
			return int64(b[0])
		}
		return 0
	}
	r.skip(n)
	return 0
}

func (r *avroReader) float(n *avroNode) float64 {
	switch n.kind {
	case avroFloat:
		if b := r.take(4); b != nil {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	case avroDouble:
		if b := r.take(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	default:
		r.skip(n)
	}
	return 0
}

func (r *avroReader) bytes(n *avroNode) []byte {
	switch n.kind {
	case avroBytes:
		return r.take(r.long())
	case avroFixed:
		return r.take(int64(n.size))
	}
	r.skip(n)
	return nil
}

// record gives each field that is not null.
func (r *avroReader) record(n *avroNode, field func(name string, n *avroNode)) {
	if n.kind != avroRecord {
		r.skip(n)
		return
	}
	for _, f := range n.fields {
		if v := r.branch(f.node); v.kind != avroNull {
			field(f.name, v)
		}
	}
}

// blocks runs item for each item of an array or map.
func (r *avroReader) blocks(item func()) {
	for r.err == nil {
		n := r.long()
		if n == 0 {
			return
		}
		if n < 0 {
			n = -n
			r.long() // bytes in the block
		}
		for ; n != 0 && r.err == nil; n-- {
			left := len(r.data)
			item()
			if left == len(r.data) {
				r.fail("items of no length")
			}
		}
	}
}

// entries runs value for each key of a map.
func (r *avroReader) entries(n *avroNode, value func(key string)) {
	if n.kind != avroMap {
		r.skip(n)
		return
	}
	r.blocks(func() { value(string(r.take(r.long()))) })
}

// skip passes over a value. Unions are resolved on the way.
func (r *avroReader) skip(n *avroNode) {
	r.depth++
	r.empty++
	if r.depth > 100 || r.empty > maxEmpty {
		r.fail("nested too deep")
	}
	defer func() { r.depth-- }()
	if r.err != nil {
		return
	}
	switch n.kind {
	case avroBool:
		r.take(1)
	case avroInt:
		r.long()
	case avroFloat:
		r.take(4)
	case avroDouble:
		r.take(8)
	case avroBytes:
		r.take(r.long())
	case avroFixed:
		r.take(int64(n.size))
	case avroRecord:
		for _, f := range n.fields {
			r.skip(f.node)
		}
	case avroArray:
		r.blocks(func() { r.skip(n.items) })
	case avroMap:
		r.entries(n, func(string) { r.skip(n.items) })
	case avroUnion:
		r.skip(r.branch(n))
	}
}
