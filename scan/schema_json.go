package scan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Schema is an Arrow schema that serializes to JSON. Texts that somebody made
// up are read without harm, which can't be said of Arrow's own serialization.
type Schema struct{ *arrow.Schema }

// A fieldJSON is a field, or as the top one a schema.
type fieldJSON struct {
	Name      string      `json:"name,omitempty"`
	Type      string      `json:"type"` // Arrow's name of it, without parameters
	Nullable  bool        `json:"nullable,omitempty"`
	Unit      string      `json:"unit,omitempty"`
	Zone      string      `json:"zone,omitempty"`
	Width     int         `json:"width,omitempty"`
	Precision int32       `json:"precision,omitempty"`
	Scale     int32       `json:"scale,omitempty"`
	Sorted    bool        `json:"sorted,omitempty"` // of maps
	Metadata  [][2]string `json:"metadata,omitempty"`
	Children  []fieldJSON `json:"children,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (s Schema) MarshalJSON() ([]byte, error) {
	top := arrow.Field{Type: arrow.StructOf(s.Fields()...), Metadata: s.Metadata()}
	j, err := toJSON(top)
	if err != nil {
		return nil, err
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Schema) UnmarshalJSON(text []byte) error {
	var j fieldJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	top, err := j.field()
	if err != nil {
		return fmt.Errorf("schema of a serialized plan: %w", err)
	}
	fields, ok := top.Type.(*arrow.StructType)
	if !ok {
		return fmt.Errorf("schema of a serialized plan: it is of type %s", top.Type)
	}
	s.Schema = arrow.NewSchema(fields.Fields(), &top.Metadata)
	return nil
}

// simpleTypes are the types without parameters, by name.
var simpleTypes = func() map[string]arrow.DataType {
	m := map[string]arrow.DataType{}
	for _, t := range []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	} {
		m[t.Name()] = t
	}
	return m
}()

func toJSON(f arrow.Field) (fieldJSON, error) {
	j := fieldJSON{Name: f.Name, Type: f.Type.Name(), Nullable: f.Nullable}
	for i, k := range f.Metadata.Keys() {
		j.Metadata = append(j.Metadata, [2]string{k, f.Metadata.Values()[i]})
	}
	switch t := f.Type.(type) {
	case *arrow.TimestampType:
		j.Unit, j.Zone = t.Unit.String(), t.TimeZone
	case *arrow.Time32Type:
		j.Unit = t.Unit.String()
	case *arrow.Time64Type:
		j.Unit = t.Unit.String()
	case *arrow.FixedSizeBinaryType:
		j.Width = t.ByteWidth
	case arrow.DecimalType:
		j.Precision, j.Scale = t.GetPrecision(), t.GetScale()
	case *arrow.MapType:
		j.Sorted = t.KeysSorted
		return j, j.add(t.KeyField(), t.ItemField())
	case *arrow.ListType:
		return j, j.add(t.ElemField())
	case *arrow.StructType:
		return j, j.add(t.Fields()...)
	default:
		if simpleTypes[j.Type] == nil {
			return j, fmt.Errorf("column %s: the type %s can't be serialized", f.Name, f.Type)
		}
	}
	return j, nil
}

func (j *fieldJSON) add(fields ...arrow.Field) error {
	for _, f := range fields {
		child, err := toJSON(f)
		if err != nil {
			return err
		}
		j.Children = append(j.Children, child)
	}
	return nil
}

func (j *fieldJSON) field() (arrow.Field, error) {
	f := arrow.Field{Name: j.Name, Nullable: j.Nullable}
	if len(j.Metadata) > 0 {
		var keys, values []string
		for _, kv := range j.Metadata {
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
		f.Metadata = arrow.NewMetadata(keys, values)
	}
	var err error
	f.Type, err = j.dataType()
	return f, err
}

// maxWidth is the most bytes of a value of fixed size.
const maxWidth = 1 << 20

func (j *fieldJSON) dataType() (arrow.DataType, error) {
	children := make([]arrow.Field, len(j.Children))
	for i := range j.Children {
		var err error
		if children[i], err = j.Children[i].field(); err != nil {
			return nil, err
		}
	}
	unit := arrow.TimeUnit(slices.Index([]string{"s", "ms", "us", "ns"}, j.Unit))
	switch {
	case simpleTypes[j.Type] != nil:
		return simpleTypes[j.Type], nil
	case j.Type == "timestamp" && unit >= 0:
		return &arrow.TimestampType{Unit: unit, TimeZone: j.Zone}, nil
	case j.Type == "time32" && (unit == arrow.Second || unit == arrow.Millisecond):
		return &arrow.Time32Type{Unit: unit}, nil
	case j.Type == "time64" && (unit == arrow.Microsecond || unit == arrow.Nanosecond):
		return &arrow.Time64Type{Unit: unit}, nil
	case j.Type == "fixed_size_binary" && j.Width > 0 && j.Width <= maxWidth:
		return &arrow.FixedSizeBinaryType{ByteWidth: j.Width}, nil
	case j.Type == "decimal" && j.Precision > 0 && j.Precision <= 38:
		return &arrow.Decimal128Type{Precision: j.Precision, Scale: j.Scale}, nil
	case j.Type == "decimal256" && j.Precision > 0 && j.Precision <= 76:
		return &arrow.Decimal256Type{Precision: j.Precision, Scale: j.Scale}, nil
	case j.Type == "list" && len(children) == 1:
		return arrow.ListOfField(children[0]), nil
	case j.Type == "map" && len(children) == 2:
		m := arrow.MapOfFields(children[0], children[1])
		m.KeysSorted = j.Sorted
		return m, nil
	case j.Type == "struct":
		return arrow.StructOf(children...), nil
	}
	return nil, fmt.Errorf("column %q: there is no type %q of these parameters", j.Name, j.Type)
}
