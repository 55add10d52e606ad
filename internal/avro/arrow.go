package avro

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// DefaultKey is the key of the Arrow field metadata that holds the JSON text
// of a field's default, if it has one other than null.
const DefaultKey = "hudi.default"

// LogicalKey is the key of the Arrow field metadata that names a logical type
// that Arrow has no type for (vector, variant, blob, duration).
const LogicalKey = "hudi.logicalType"

// maxColumns bounds the number of Arrow fields, nested ones included: named
// types that are used many times can blow a short schema up.
const maxColumns = 1 << 16

// Arrow gives the Arrow form of a record schema. A field that has none is an
// [UnsupportedError].
func (s *Schema) Arrow() (*arrow.Schema, error) {
	if s.root.kind != kindRecord {
		return nil, errors.New("avro schema is no record")
	}
	m := arrowMapper{open: make(map[*avroType]bool)}
	fields := make([]arrow.Field, len(s.root.fields))
	for i, f := range s.root.fields {
		var err error
		if fields[i], err = m.field(f.name, f.name, f.typ, f.def); err != nil {
			return nil, err
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

// An arrowMapper maps types; open holds the named types that enclose the
// current one.
type arrowMapper struct {
	open  map[*avroType]bool
	count int
}

func (m *arrowMapper) field(path, name string, t *avroType, def string) (arrow.Field, error) {
	value, nullable, err := optional(path, t)
	if err != nil {
		return arrow.Field{}, err
	}
	if m.count++; m.count > maxColumns {
		return arrow.Field{}, &UnsupportedError{path, fmt.Sprintf("more than %d nested fields", maxColumns)}
	}
	dt, err := m.dataType(path, value)
	if err != nil {
		return arrow.Field{}, err
	}
	md := make(map[string]string)
	if def != "" {
		md[DefaultKey] = def
	}
	switch value.logical {
	case "vector", "variant", "blob", "duration":
		md[LogicalKey] = value.logical
	}
	f := arrow.Field{Name: name, Type: dt, Nullable: nullable}
	if len(md) > 0 {
		f.Metadata = arrow.MetadataFrom(md)
	}
	return f, nil
}

// optional takes a nullable union apart.
func optional(path string, t *avroType) (value *avroType, nullable bool, err error) {
	if t.kind != kindUnion {
		return t, t.kind == kindNull, nil
	}
	for _, b := range t.branches {
		switch {
		case b.kind == kindNull:
			nullable = true
		case value != nil:
			return nil, false, &UnsupportedError{path, "a union of several types"}
		default:
			value = b
		}
	}
	if value == nil {
		value = t.branches[0] // null alone
	}
	return value, nullable, nil
}

func (m *arrowMapper) dataType(path string, t *avroType) (arrow.DataType, error) {
	switch t.kind {
	case kindArray:
		elem, err := m.field(path+".element", "element", t.elem, "")
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(elem), nil
	case kindMap:
		value, err := m.field(path+".value", "value", t.elem, "")
		if err != nil {
			return nil, err
		}
		return arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String}, value), nil
	case kindRecord:
		return m.record(path, t)
	}
	if dt := logicalType(t); dt != nil {
		return dt, nil
	}
	if t.logical == "decimal" && (t.kind == kindBytes || t.kind == kindFixed) {
		if t.precision > 38 {
			return nil, &UnsupportedError{path, fmt.Sprintf("decimal of precision %d, above 38", t.precision)}
		}
		return &arrow.Decimal128Type{Precision: int32(t.precision), Scale: int32(t.scale)}, nil
	}
	return plainType(t), nil
}

func (m *arrowMapper) record(path string, t *avroType) (arrow.DataType, error) {
	if m.open[t] {
		return nil, &UnsupportedError{path, "type " + t.name + " contains itself"}
	}
	m.open[t] = true
	defer delete(m.open, t)
	fields := make([]arrow.Field, len(t.fields))
	for i, f := range t.fields {
		var err error
		if fields[i], err = m.field(path+"."+f.name, f.name, f.typ, f.def); err != nil {
			return nil, err
		}
	}
	return arrow.StructOf(fields...), nil
}

// logicalType is the Arrow type of int and long with a logical type, or nil.
func logicalType(t *avroType) arrow.DataType {
	switch t.kind {
	case kindInt:
		switch t.logical {
		case "date":
			return arrow.FixedWidthTypes.Date32
		case "time-millis":
			return arrow.FixedWidthTypes.Time32ms
		}
	case kindLong:
		switch t.logical {
		case "time-micros":
			return arrow.FixedWidthTypes.Time64us
		case "timestamp-millis":
			return arrow.FixedWidthTypes.Timestamp_ms
		case "timestamp-micros":
			return arrow.FixedWidthTypes.Timestamp_us
		case "timestamp-nanos":
			return arrow.FixedWidthTypes.Timestamp_ns
		case "local-timestamp-millis":
			return &arrow.TimestampType{Unit: arrow.Millisecond}
		case "local-timestamp-micros":
			return &arrow.TimestampType{Unit: arrow.Microsecond}
		case "local-timestamp-nanos":
			return &arrow.TimestampType{Unit: arrow.Nanosecond}
		}
	}
	return nil
}

// plainType is the Arrow type of what is neither nested nor has a logical
// type.
func plainType(t *avroType) arrow.DataType {
	switch t.kind {
	case kindBoolean:
		return arrow.FixedWidthTypes.Boolean
	case kindInt:
		return arrow.PrimitiveTypes.Int32
	case kindLong:
		return arrow.PrimitiveTypes.Int64
	case kindFloat:
		return arrow.PrimitiveTypes.Float32
	case kindDouble:
		return arrow.PrimitiveTypes.Float64
	case kindBytes:
		return arrow.BinaryTypes.Binary
	case kindString, kindEnum:
		return arrow.BinaryTypes.String
	case kindFixed:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.size}
	}
	return arrow.Null
}
