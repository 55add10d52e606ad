package pushdown

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is a parsed protobuf message: its fields in order.
type message []wireField

type wireField struct {
	number protowire.Number
	num    uint64 // varint or fixed
	data   []byte // length-delimited
}

func parseMessage(b []byte) (message, error) {
	var m message
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", ErrSubstrait, protowire.ParseError(n))
		}
		b = b[n:]
		f := wireField{number: number}
		switch typ {
		case protowire.VarintType:
			f.num, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.num = uint64(v)
		case protowire.Fixed64Type:
			f.num, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.data, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, typ, b)
		}
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", ErrSubstrait, protowire.ParseError(n))
		}
		m, b = append(m, f), b[n:]
	}
	return m, nil
}

func (m message) field(n protowire.Number) (wireField, bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].number == n {
			return m[i], true
		}
	}
	return wireField{}, false
}

func (m message) number(n protowire.Number) uint64 {
	f, _ := m.field(n)
	return f.num
}

func (m message) bytes(n protowire.Number) []byte {
	f, _ := m.field(n)
	return f.data
}

func (m message) message(n protowire.Number) (message, error) { return parseMessage(m.bytes(n)) }

func (m message) all(n protowire.Number) [][]byte {
	var out [][]byte
	for _, f := range m {
		if f.number == n {
			out = append(out, f.data)
		}
	}
	return out
}

// A baseField is a field of the schema that an expression refers to.
type baseField struct {
	name     string
	typ      protowire.Number // field number in Type
	children []baseField
}

// Field numbers in Type and, where the same, in Literal.
const (
	subBool        = 1
	subI8          = 2
	subI16         = 3
	subI32         = 5
	subI64         = 7
	subFp32        = 10
	subFp64        = 11
	subString      = 12
	subBinary      = 13
	subTimestamp   = 14
	subDate        = 16
	subTime        = 17
	subFixedChar   = 21
	subVarChar     = 22
	subFixedBinary = 23
	subDecimal     = 24
	subStruct      = 25
	subList        = 27
	subMap         = 28
	subUser        = 30
	subTypePTS     = 33
	subTypePTSTZ   = 34
	litTimestampTZ = 27
	litNull        = 29
	litUser        = 33
	litPTS         = 34
	litPTSTZ       = 35
	litPTime       = 37
)

const maxSubstraitDepth = 200

// readNamedStruct gives names to types: the names stand in the order of a walk
// through the nested types. Arrow does not go below lists and maps there, as
// Substrait would have it.
func readNamedStruct(base message) ([]baseField, error) {
	body, err := base.message(2)
	if err != nil {
		return nil, err
	}
	names := base.all(1)
	fields, err := readStruct(body, &names, true, 0)
	if err == nil && len(names) == 0 {
		return fields, nil
	}
	names = base.all(1)
	if fields, err = readStruct(body, &names, false, 0); err == nil && len(names) > 0 {
		err = fmt.Errorf("%w: more names than columns", ErrSubstrait)
	}
	return fields, err
}

func readStruct(m message, names *[][]byte, elements bool, depth int) ([]baseField, error) {
	if depth > maxSubstraitDepth {
		return nil, fmt.Errorf("%w: types nest too deep", ErrSubstrait)
	}
	var out []baseField
	for _, b := range m.all(1) {
		if len(*names) == 0 {
			return nil, fmt.Errorf("%w: more columns than names", ErrSubstrait)
		}
		f := baseField{name: string((*names)[0])}
		*names = (*names)[1:]
		if err := f.readType(b, names, elements, depth); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (f *baseField) readType(b []byte, names *[][]byte, elements bool, depth int) error {
	t, err := parseMessage(b)
	if err != nil || len(t) == 0 {
		return err
	}
	f.typ = t[len(t)-1].number
	inner, err := t.message(f.typ)
	if err != nil && f.typ != subUser+1 {
		return err
	}
	switch f.typ {
	case subStruct:
		f.children, err = readStruct(inner, names, elements, depth+1)
	case subList, subMap: // elements can't be referred to, but may take names
		if depth > maxSubstraitDepth {
			return fmt.Errorf("%w: types nest too deep", ErrSubstrait)
		}
		if !elements {
			return nil
		}
		for _, n := range []protowire.Number{1, 2} {
			if part := inner.bytes(n); part != nil && (n == 1 || f.typ == subMap) {
				var element baseField
				if err := element.readType(part, names, elements, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return err
}
