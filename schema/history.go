package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// A History is the list of internal schemas that a table with schema on read
// has had (the content of the newest .hoodie/.schema/*.schemacommit). It is
// empty for tables that never used schema on read.
type History struct {
	versions []version // descending by id
}

type version struct {
	id     int64
	schema *arrow.Schema
}

// jsonField and jsonSchema are Hudi's JSON form of an internal schema.
type jsonSchema struct {
	VersionID int64       `json:"version_id"`
	Fields    []jsonField `json:"fields"`
}

type jsonField struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Optional bool            `json:"optional"`
	Type     json.RawMessage `json:"type"`
}

// jsonNested is a nested type: a record, an array or a map.
type jsonNested struct {
	Type            string          `json:"type"`
	Fields          []jsonField     `json:"fields"`
	ElementID       int             `json:"element_id"`
	Element         json.RawMessage `json:"element"`
	ElementOptional bool            `json:"element_optional"`
	KeyID           int             `json:"key_id"`
	Key             json.RawMessage `json:"key"`
	ValueID         int             `json:"value_id"`
	Value           json.RawMessage `json:"value"`
	ValueOptional   bool            `json:"value_optional"`
}

// ParseHistory parses `{"schemas":[...]}`; an empty text gives an empty
// history.
func ParseHistory(text string) (History, error) {
	if strings.TrimSpace(text) == "" {
		return History{}, nil
	}
	var doc struct{ Schemas []jsonSchema }
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return History{}, fmt.Errorf("schema history: %w", err)
	}
	var h History
	for _, s := range doc.Schemas {
		as, err := s.arrow()
		if err != nil {
			return History{}, fmt.Errorf("schema history, version %d: %w", s.VersionID, err)
		}
		i := 0
		for i < len(h.versions) && h.versions[i].id > s.VersionID {
			i++
		}
		h.versions = append(h.versions, version{})
		copy(h.versions[i+1:], h.versions[i:])
		h.versions[i] = version{s.VersionID, as}
	}
	return h, nil
}

// ParseInternal parses one internal schema (`latest_schema` of a commit). The
// fields of the answer carry their column ids.
func ParseInternal(text string) (*arrow.Schema, error) {
	var s jsonSchema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("internal schema: %w", err)
	}
	return s.arrow()
}

// Empty reports whether the table never used schema on read.
func (h History) Empty() bool { return len(h.versions) == 0 }

// At gives the internal schema that files of an instant were written with: the
// newest version not above the instant, or the oldest there is.
func (h History) At(instant string) *arrow.Schema {
	if h.Empty() {
		return nil
	}
	id, err := strconv.ParseInt(instant, 10, 64)
	if err != nil {
		id = 0
	}
	for _, v := range h.versions {
		if v.id <= id {
			return v.schema
		}
	}
	return h.versions[len(h.versions)-1].schema
}

func (s jsonSchema) arrow() (*arrow.Schema, error) {
	fields, err := arrowFields(s.Fields)
	if err != nil {
		return nil, err
	}
	return arrow.NewSchema(fields, nil), nil
}

func arrowFields(in []jsonField) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(in))
	for i, f := range in {
		var err error
		if out[i], err = arrowField(f.Name, f.ID, f.Optional, f.Type); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func arrowField(name string, id int, optional bool, raw json.RawMessage) (arrow.Field, error) {
	t, err := arrowType(raw)
	if err != nil {
		return arrow.Field{}, fmt.Errorf("column %q: %w", name, err)
	}
	return withID(arrow.Field{Name: name, Type: t, Nullable: optional}, id), nil
}

func arrowType(raw json.RawMessage) (arrow.DataType, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return primitive(name)
	}
	var n jsonNested
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, err
	}
	switch n.Type {
	case "record":
		fields, err := arrowFields(n.Fields)
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	case "array":
		e, err := arrowField("element", n.ElementID, n.ElementOptional, n.Element)
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(e), nil
	case "map":
		k, err := arrowField("key", n.KeyID, false, n.Key)
		if err != nil {
			return nil, err
		}
		v, err := arrowField("value", n.ValueID, n.ValueOptional, n.Value)
		if err != nil {
			return nil, err
		}
		return arrow.MapOfFields(k, v), nil
	}
	return primitive(n.Type)
}

var primitives = map[string]arrow.DataType{
	"boolean": arrow.FixedWidthTypes.Boolean,
	"int":     arrow.PrimitiveTypes.Int32, "long": arrow.PrimitiveTypes.Int64,
	"float": arrow.PrimitiveTypes.Float32, "double": arrow.PrimitiveTypes.Float64,
	"date": arrow.FixedWidthTypes.Date32,
	"time": arrow.FixedWidthTypes.Time64us, "time_millis": arrow.FixedWidthTypes.Time32ms,
	"timestamp": arrow.FixedWidthTypes.Timestamp_us, "timestamp_millis": arrow.FixedWidthTypes.Timestamp_ms,
	"local_timestamp_millis": &arrow.TimestampType{Unit: arrow.Millisecond},
	"local_timestamp_micros": &arrow.TimestampType{Unit: arrow.Microsecond},
	"string":                 arrow.BinaryTypes.String, "uuid": arrow.BinaryTypes.String, "binary": arrow.BinaryTypes.Binary,
}

// primitive parses a primitive type name: `long`, `decimal(10, 2)`,
// `decimal_fixed(10, 2)[5]`, `fixed[16]`.
func primitive(name string) (arrow.DataType, error) {
	if t, ok := primitives[name]; ok {
		return t, nil
	}
	var p, s int32
	if n, _ := fmt.Sscanf(name[strings.IndexByte(name, '(')+1:], "%d, %d", &p, &s); strings.HasPrefix(name, "decimal") && (n == 2 || scanTight(name, &p, &s)) {
		if p < 1 || p > 38 || s < 0 || s > p {
			return nil, fmt.Errorf("type %q is out of the range of a decimal of 38 digits", name)
		}
		return &arrow.Decimal128Type{Precision: p, Scale: s}, nil
	}
	var size int
	if n, _ := fmt.Sscanf(name, "fixed[%d]", &size); n == 1 && size >= 0 {
		return &arrow.FixedSizeBinaryType{ByteWidth: size}, nil
	}
	return nil, fmt.Errorf("type %q of an internal schema is not known", name)
}

// scanTight reads precision and scale written without a space.
func scanTight(name string, p, s *int32) bool {
	n, _ := fmt.Sscanf(name[strings.IndexByte(name, '(')+1:], "%d,%d", p, s)
	return n == 2
}

// Annotate gives a file's schema with the column ids that an internal schema
// has for the same names, at every level. Columns that the internal schema
// does not know get none.
func Annotate(file, internal *arrow.Schema) *arrow.Schema {
	return arrow.NewSchema(annotate(file.Fields(), internal.Fields()), nil)
}

func annotate(file, ids []arrow.Field) []arrow.Field {
	out := make([]arrow.Field, len(file))
	for i, f := range file {
		if j, ok := lookup(ids, f.Name); ok {
			f = annotateField(f, ids[j])
		}
		out[i] = f
	}
	return out
}

func annotateField(f, with arrow.Field) arrow.Field {
	if id, ok := fieldID(with); ok {
		f = withID(f, id)
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		if w, ok := with.Type.(*arrow.StructType); ok {
			f.Type = arrow.StructOf(annotate(t.Fields(), w.Fields())...)
		}
	case *arrow.ListType:
		if w, ok := with.Type.(*arrow.ListType); ok {
			f.Type = arrow.ListOfField(annotateField(t.ElemField(), w.ElemField()))
		}
	case *arrow.MapType:
		if w, ok := with.Type.(*arrow.MapType); ok {
			f.Type = arrow.MapOfFields(annotateField(t.KeyField(), w.KeyField()), annotateField(t.ItemField(), w.ItemField()))
		}
	}
	return f
}
