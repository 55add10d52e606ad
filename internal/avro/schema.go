package avro

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	hamba "github.com/hamba/avro/v2"
)

// A Schema is a parsed writer schema.
//
// The parser is lenient where Hudi's writers are: names may hold any letters,
// defaults need not fit their types, and a logical type that does not fit is
// ignored.
type Schema struct {
	json string
	root *avroType

	hambaOnce sync.Once
	hamba     hamba.Schema
	hambaErr  error
}

// A kind is a type of the Avro specification.
type kind uint8

const (
	kindNull kind = iota
	kindBoolean
	kindInt
	kindLong
	kindFloat
	kindDouble
	kindBytes
	kindString
	kindFixed
	kindEnum
	kindArray
	kindMap
	kindRecord
	kindUnion
)

var primitives = map[string]kind{
	"null": kindNull, "boolean": kindBoolean, "int": kindInt, "long": kindLong, "float": kindFloat,
	"double": kindDouble, "bytes": kindBytes, "string": kindString,
}

// An avroType is one node of a schema. Named types may refer to themselves.
type avroType struct {
	kind             kind
	name             string // full name of records, enums and fixed
	logical          string
	precision, scale int
	size             int         // fixed
	symbols          []string    // enum
	elem             *avroType   // array items, map values
	fields           []field     // record
	branches         []*avroType // union
}

// A field is one field of a record.
type field struct {
	name string
	typ  *avroType
	def  string // JSON text of the default; "" if there is none or it is null
}

// maxDepth bounds the nesting of schemas and of values.
const maxDepth = 128

// Parse parses an Avro schema.
func Parse(text string) (*Schema, error) {
	p := parser{named: make(map[string]*avroType)}
	root, err := p.parse(json.RawMessage(text), "", 0)
	if err != nil {
		return nil, fmt.Errorf("parse Avro schema: %w", err)
	}
	return &Schema{json: text, root: root}, nil
}

// String is the schema as it was parsed.
func (s *Schema) String() string { return s.json }

// Fields are the names of a record schema's fields in their order.
func (s *Schema) Fields() []string {
	names := make([]string, len(s.root.fields))
	for i, f := range s.root.fields {
		names[i] = f.name
	}
	return names
}

// Unmarshal decodes one binary record into a pointer to a Go value, a struct
// with `avro:"..."` tags say. It is slow and meant for metadata.
func (s *Schema) Unmarshal(rec []byte, v any) (err error) {
	defer recoverTo(&err)
	s.hambaOnce.Do(func() {
		s.hamba, s.hambaErr = hamba.ParseWithCache(s.json, "", &hamba.SchemaCache{})
	})
	if s.hambaErr != nil {
		return fmt.Errorf("parse Avro schema: %w", s.hambaErr)
	}
	if err := reflection.Unmarshal(s.hamba, rec, v); err != nil {
		return fmt.Errorf("decode Avro record: %w", err)
	}
	return nil
}

// A parser keeps the named types seen so far.
type parser struct {
	named map[string]*avroType
}

func (p *parser) parse(text json.RawMessage, namespace string, depth int) (*avroType, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, errors.New("a type is missing")
	}
	switch text[0] {
	case '"':
		var name string
		if err := json.Unmarshal(text, &name); err != nil {
			return nil, err
		}
		return p.lookup(name, namespace)
	case '[':
		return p.parseUnion(text, namespace, depth)
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(text, &obj); err != nil {
		return nil, err
	}
	var name string
	if json.Unmarshal(obj["type"], &name) != nil {
		return p.parse(obj["type"], namespace, depth+1)
	}
	return p.parseObject(name, obj, namespace, depth)
}

func (p *parser) lookup(name, namespace string) (*avroType, error) {
	if k, ok := primitives[name]; ok {
		return &avroType{kind: k}, nil
	}
	if t, ok := p.named[fullName(name, namespace)]; ok {
		return t, nil
	}
	if t, ok := p.named[name]; ok {
		return t, nil
	}
	return nil, fmt.Errorf("type %q is not defined", name)
}

func (p *parser) parseUnion(text json.RawMessage, namespace string, depth int) (*avroType, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	t := &avroType{kind: kindUnion}
	for _, b := range list {
		branch, err := p.parse(b, namespace, depth+1)
		if err != nil {
			return nil, err
		}
		if branch.kind == kindUnion {
			return nil, errors.New("a union within a union")
		}
		if branch.kind == kindNull && slices.ContainsFunc(t.branches, func(b *avroType) bool { return b.kind == kindNull }) {
			return nil, errors.New("a union with two nulls")
		}
		t.branches = append(t.branches, branch)
	}
	if len(list) == 0 {
		return nil, errors.New("a union without branches")
	}
	return t, nil
}

func (p *parser) parseObject(typ string, obj map[string]json.RawMessage, namespace string, depth int) (*avroType, error) {
	switch typ {
	case "array", "map":
		key, k := "items", kindArray
		if typ == "map" {
			key, k = "values", kindMap
		}
		elem, err := p.parse(obj[key], namespace, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		return &avroType{kind: k, elem: elem}, nil
	case "record", "error", "enum", "fixed":
		return p.parseNamed(typ, obj, namespace, depth)
	}
	t, err := p.lookup(typ, namespace)
	if err != nil || t.name != "" {
		return t, err
	}
	t.setLogical(obj)
	return t, nil
}

func (p *parser) parseNamed(typ string, obj map[string]json.RawMessage, namespace string, depth int) (*avroType, error) {
	var name string
	if err := json.Unmarshal(obj["name"], &name); err != nil || name == "" {
		return nil, fmt.Errorf("%s without a name", typ)
	}
	if raw, ok := obj["namespace"]; ok {
		_ = json.Unmarshal(raw, &namespace)
	}
	name = fullName(name, namespace)
	namespace = ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		namespace = name[:i]
	}
	t := &avroType{name: name}
	p.named[name] = t
	var err error
	switch typ {
	case "fixed":
		t.kind = kindFixed
		if err = json.Unmarshal(obj["size"], &t.size); err == nil && (t.size < 0 || t.size > maxFixed) {
			err = fmt.Errorf("size %d", t.size)
		}
	case "enum":
		t.kind = kindEnum
		err = json.Unmarshal(obj["symbols"], &t.symbols)
	default:
		t.kind = kindRecord
		err = p.parseFields(t, obj["fields"], namespace, depth)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", typ, name, err)
	}
	t.setLogical(obj)
	return t, nil
}

// maxFixed bounds the size of a fixed type.
const maxFixed = 1 << 28

func (p *parser) parseFields(t *avroType, text json.RawMessage, namespace string, depth int) error {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("fields: %w", err)
	}
	for _, obj := range list {
		var f field
		if err := json.Unmarshal(obj["name"], &f.name); err != nil {
			return errors.New("a field without a name")
		}
		if slices.ContainsFunc(t.fields, func(g field) bool { return g.name == f.name }) {
			return fmt.Errorf("two fields named %s", f.name)
		}
		var err error
		if f.typ, err = p.parse(obj["type"], namespace, depth+1); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
		var def bytes.Buffer
		if json.Compact(&def, obj["default"]) == nil && def.String() != "null" {
			f.def = def.String()
		}
		t.fields = append(t.fields, f)
	}
	return nil
}

// setLogical takes over a type's logical type.
func (t *avroType) setLogical(obj map[string]json.RawMessage) {
	if json.Unmarshal(obj["logicalType"], &t.logical) != nil {
		return
	}
	if t.logical != "decimal" {
		return
	}
	precisionErr := json.Unmarshal(obj["precision"], &t.precision)
	if raw, ok := obj["scale"]; ok && json.Unmarshal(raw, &t.scale) != nil || precisionErr != nil ||
		t.precision <= 0 || t.scale < 0 || t.scale > t.precision {
		t.logical = ""
	}
}

func fullName(name, namespace string) string {
	if namespace == "" || strings.ContainsRune(name, '.') {
		return name
	}
	return namespace + "." + name
}
