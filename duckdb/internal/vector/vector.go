// Package vector writes Arrow arrays into DuckDB vectors.
//
// DuckDB asks a table function for chunks of some 2,048 rows. For each needed
// column a [Writer], made once per scan from the column's Arrow type, copies
// the rows of a range of an array straight into the vector's memory: fixed
// width values by one copy, strings by one copy of the range's bytes and a
// string_t per row, validity by words, nested values by writing the range of
// child values into the child vector. No DuckDB call is made per value.
//
// The vectors are reached through package capi only, so the same writers serve
// an embedded DuckDB and a loadable extension.
package vector

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/duckdb/internal/capi"
)

// A Writer writes arrays of one Arrow type. It keeps scratch space and is not
// safe for concurrent use.
type Writer struct{ w writer }

// New makes the writer for an Arrow type. The types that it takes are those
// that [TypeOf] takes.
func New(t arrow.DataType) (*Writer, error) {
	w, err := newWriter(t)
	if err != nil {
		return nil, err
	}
	return &Writer{w}, nil
}

// Write writes the rows [off, off+n) of an array to the rows [0, n) of a
// vector, which must be fresh (all valid, as DuckDB hands it to a table
// function) and of the type that [TypeOf] gives.
func (w *Writer) Write(v capi.Vector, a arrow.Array, off, n int) error {
	if n == 0 {
		return nil
	}
	return w.w.write(v, a, off, n, nil)
}

// writer is a Writer for one node of a type tree. parent is the validity mask
// of the struct that the vector is a field of, nil if all its rows are valid:
// DuckDB wants fields of a NULL struct to be NULL, Arrow does not care.
type writer interface {
	write(v capi.Vector, a arrow.Array, off, n int, parent []uint64) error
}

// unsupported is the refusal of a type. The Hudi schema has none of these.
func unsupported(t arrow.DataType) error {
	return fmt.Errorf("duckdb has no type for arrow %s; leave the column out or cast it", t)
}

func newWriter(t arrow.DataType) (writer, error) {
	switch t := t.(type) {
	case *arrow.NullType:
		return nulls{}, nil
	case *arrow.BooleanType:
		return booleans{}, nil
	case *arrow.StringType, *arrow.LargeStringType:
		return &text{utf8: true, large: t.ID() == arrow.LARGE_STRING}, nil
	case *arrow.BinaryType, *arrow.LargeBinaryType:
		return &text{large: t.ID() == arrow.LARGE_BINARY}, nil
	case *arrow.FixedSizeBinaryType:
		return &fixedBinary{width: t.ByteWidth}, nil
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.MapType, *arrow.StructType:
		return newNested(t)
	case *arrow.DictionaryType:
		return newDictionary(t)
	case arrow.ExtensionType:
		w, err := newWriter(t.StorageType())
		return extension{w}, err
	}
	return newFixed(t)
}

// TypeOf gives the DuckDB type of an Arrow type; the caller destroys it.
func TypeOf(t arrow.DataType) (capi.LogicalType, error) {
	switch t := t.(type) {
	case *arrow.Decimal32Type, *arrow.Decimal64Type, *arrow.Decimal128Type:
		d := t.(arrow.DecimalType)
		return capi.NewDecimal(uint8(d.GetPrecision()), uint8(d.GetScale())), checkDecimal(d)
	case *arrow.MapType:
		return pairType(t.KeyType(), t.ItemType())
	case arrow.ListLikeType:
		child, err := TypeOf(t.Elem())
		if err != nil {
			return capi.LogicalType{}, err
		}
		defer child.Destroy()
		return capi.NewList(child), nil
	case *arrow.StructType:
		return structType(t)
	case *arrow.DictionaryType:
		return TypeOf(t.ValueType)
	case arrow.ExtensionType:
		return TypeOf(t.StorageType())
	}
	id, ok := flatType(t)
	if !ok {
		return capi.LogicalType{}, unsupported(t)
	}
	return capi.NewType(id), nil
}

// checkDecimal refuses what DuckDB's DECIMAL(p, s) can't be.
func checkDecimal(d arrow.DecimalType) error {
	if p, s := d.GetPrecision(), d.GetScale(); p < 1 || p > 38 || s < 0 || s > p {
		return unsupported(d)
	}
	return nil
}

func pairType(key, item arrow.DataType) (capi.LogicalType, error) {
	k, err := TypeOf(key)
	if err != nil {
		return capi.LogicalType{}, err
	}
	defer k.Destroy()
	v, err := TypeOf(item)
	if err != nil {
		return capi.LogicalType{}, err
	}
	defer v.Destroy()
	return capi.NewMap(k, v), nil
}

func structType(t *arrow.StructType) (capi.LogicalType, error) {
	types := make([]capi.LogicalType, 0, t.NumFields())
	names := make([]string, 0, t.NumFields())
	defer func() {
		for _, c := range types {
			c.Destroy()
		}
	}()
	if t.NumFields() == 0 {
		return capi.LogicalType{}, unsupported(t)
	}
	for _, f := range t.Fields() {
		c, err := TypeOf(f.Type)
		if err != nil {
			return capi.LogicalType{}, fmt.Errorf("field %q: %w", f.Name, err)
		}
		types, names = append(types, c), append(names, f.Name)
	}
	return capi.NewStruct(types, names), nil
}

// flatType maps the types without parameters of their own.
func flatType(t arrow.DataType) (capi.Type, bool) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return timestampType(t), true
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return capi.TimeNS, true
		}
		return capi.Time, true
	}
	id, ok := flatTypes[t.ID()]
	return id, ok
}

var flatTypes = map[arrow.Type]capi.Type{
	arrow.NULL: capi.Integer, arrow.BOOL: capi.Boolean,
	arrow.INT8: capi.TinyInt, arrow.INT16: capi.SmallInt, arrow.INT32: capi.Integer, arrow.INT64: capi.BigInt,
	arrow.UINT8: capi.UTinyInt, arrow.UINT16: capi.USmallInt, arrow.UINT32: capi.UInteger, arrow.UINT64: capi.UBigInt,
	arrow.FLOAT16: capi.Float, arrow.FLOAT32: capi.Float, arrow.FLOAT64: capi.Double,
	arrow.STRING: capi.Varchar, arrow.LARGE_STRING: capi.Varchar,
	arrow.BINARY: capi.Blob, arrow.LARGE_BINARY: capi.Blob, arrow.FIXED_SIZE_BINARY: capi.Blob,
	arrow.DATE32: capi.Date, arrow.DATE64: capi.Date, arrow.TIME32: capi.Time,
}

// timestampType keeps the unit where DuckDB has it; with a time zone there are
// microseconds only.
func timestampType(t *arrow.TimestampType) capi.Type {
	if t.TimeZone != "" {
		return capi.TimestampTZ
	}
	switch t.Unit {
	case arrow.Second:
		return capi.TimestampS
	case arrow.Millisecond:
		return capi.TimestampMS
	case arrow.Nanosecond:
		return capi.TimestampNS
	}
	return capi.Timestamp
}
