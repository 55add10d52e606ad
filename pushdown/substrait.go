package pushdown

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/encoding/protowire"
)

// Substrait messages are read and written field by field: producers differ in
// the age of what they write (extension URIs or URNs, timestamps with or
// without precision), and generated code knows one age only.

// ErrSubstrait is wrapped by the errors about texts that are no Substrait messages.
var ErrSubstrait = errors.New("not readable as Substrait")

// An Expression is one of the expressions of an extended expression.
type Expression struct {
	Name      string
	Predicate Predicate
}

// ReadSubstrait reads the conditions of a serialized extended expression. What
// is well formed but not understood becomes [Opaque]; so [Bind] refuses it, or
// keeps the rest if it is lenient.
//
// Expressions of Arrow's compute library keep Arrow's meaning of isin, which is
// false for null where SQL's IN is unknown, and of comparisons with NaN.
func ReadSubstrait(b []byte) ([]Expression, error) {
	top, err := parseMessage(b)
	if err != nil {
		return nil, err
	}
	r := &substraitReader{functions: map[uint64]string{}, types: map[uint64]string{}}
	if err := r.declarations(top); err != nil {
		return nil, err
	}
	base, err := top.message(4)
	if err != nil {
		return nil, err
	}
	if r.fields, err = readNamedStruct(base); err != nil {
		return nil, err
	}
	version, err := top.message(7)
	if err != nil {
		return nil, err
	}
	r.arrow = strings.HasPrefix(string(version.bytes(5)), "Acero")
	var all []Expression
	for _, b := range top.all(3) {
		ref, err := parseMessage(b)
		if err != nil {
			return nil, err
		}
		body, err := ref.message(1)
		if err != nil {
			return nil, err
		}
		t, err := r.expression(body, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, Expression{string(ref.bytes(3)), t.condition()})
	}
	return all, nil
}

type substraitReader struct {
	functions map[uint64]string
	types     map[uint64]string
	fields    []baseField
	arrow     bool
}

// declarations reads the names of functions and types.
func (r *substraitReader) declarations(top message) error {
	for _, b := range top.all(2) {
		d, err := parseMessage(b)
		if err != nil {
			return err
		}
		for _, n := range []protowire.Number{1, 3} {
			e, err := d.message(n)
			if err != nil {
				return err
			}
			if len(e) == 0 {
				continue
			}
			name, _, _ := strings.Cut(string(e.bytes(3)), ":")
			if n == 1 {
				r.types[e.number(2)] = name
			} else {
				r.functions[e.number(2)] = name
			}
		}
	}
	return nil
}

// A subTerm is a part of an expression.
type subTerm struct {
	predicate Predicate
	column    Column
	typ       protowire.Number // of the column
	value     *Value
	unknown   string // what is not understood
}

// condition gives a part as a condition.
func (t subTerm) condition() Predicate {
	switch {
	case t.predicate != nil:
		return t.predicate
	case t.column != nil:
		return Compare{t.column, Eq, Bool(true)}
	case t.value != nil && (t.value.kind == KindBoolean || t.value.kind == KindNull):
		return Constant{*t.value}
	case t.value != nil:
		return Opaque{"a constant " + t.value.String()}
	}
	return Opaque{t.unknown}
}

func opaque(format string, args ...any) subTerm {
	return subTerm{unknown: fmt.Sprintf(format, args...)}
}

func (r *substraitReader) expression(m message, depth int) (subTerm, error) {
	if depth > maxSubstraitDepth {
		return subTerm{}, fmt.Errorf("%w: the expression nests too deep", ErrSubstrait)
	}
	if len(m) == 0 {
		return subTerm{}, fmt.Errorf("%w: an empty expression", ErrSubstrait)
	}
	kind := m[len(m)-1].number
	body, err := m.message(kind)
	if err != nil {
		return subTerm{}, err
	}
	switch kind {
	case 1:
		return r.literal(body)
	case 2:
		return r.reference(body)
	case 3:
		return r.function(body, depth)
	case 8:
		return r.list(body, depth)
	case 11:
		return r.cast(body, depth)
	}
	return opaque("expression of kind %d", kind), nil
}

// reference reads a column: a path of ordinals from the root of the schema.
func (r *substraitReader) reference(m message) (subTerm, error) {
	segment, err := m.message(1)
	if err != nil {
		return subTerm{}, err
	}
	if _, direct := m.field(1); !direct {
		return opaque("a reference that is not direct"), nil
	}
	var t subTerm
	fields := r.fields
	for len(segment) > 0 {
		if len(t.column) > maxSubstraitDepth {
			return t, fmt.Errorf("%w: a reference nests too deep", ErrSubstrait)
		}
		if _, ok := segment.field(2); !ok {
			return opaque("a reference to an element of a list or map"), nil
		}
		step, err := segment.message(2)
		if err != nil {
			return t, err
		}
		n := step.number(1)
		if n >= uint64(len(fields)) {
			return t, fmt.Errorf("%w: field %d of %d", ErrSubstrait, n, len(fields))
		}
		t.column, t.typ = append(t.column, fields[n].name), fields[n].typ
		fields = fields[n].children
		if segment, err = step.message(2); err != nil {
			return t, err
		}
	}
	if t.column == nil {
		return opaque("a reference to the whole row"), nil
	}
	return t, nil
}

var substraitOperators = map[string]Operator{
	"equal": Eq, "not_equal": Ne, "lt": Lt, "lte": Le, "gt": Gt, "gte": Ge,
	"is_not_distinct_from": IsNotDistinct, "is_distinct_from": IsDistinct,
}

func (r *substraitReader) function(m message, depth int) (subTerm, error) {
	name := r.functions[m.number(1)]
	var args []subTerm
	bodies := m.all(2) // the older way to give arguments
	for _, b := range m.all(4) {
		arg, err := parseMessage(b)
		if err != nil {
			return subTerm{}, err
		}
		bodies = append(bodies, arg.bytes(3))
	}
	for _, b := range bodies {
		e, err := parseMessage(b)
		if err != nil {
			return subTerm{}, err
		}
		t, err := r.expression(e, depth+1)
		if err != nil {
			return t, err
		}
		args = append(args, t)
	}
	t := call(name, args)
	if c, ok := t.predicate.(Compare); ok && r.arrow && c.Value.kind == KindFloat && name != "is_nan" {
		t.predicate = ofNumbers(c)
	}
	return t, nil
}

// ofNumbers gives a comparison with a float Arrow's meaning, in which NaN is
// equal to nothing and neither below nor above anything. In SQL it is above all.
func ofNumbers(c Compare) Predicate {
	number := Compare{c.Column, Lt, Float(nan)}
	switch {
	case !math.IsNaN(c.Value.float):
		if c.Op == Gt || c.Op == Ge {
			return And{c, number}
		}
		return c
	case c.Op == Ne:
		return Or{number, Not{number}} // null for null alone
	}
	return And{number, Not{number}}
}

// call gives a function of arguments its meaning.
func call(name string, args []subTerm) subTerm {
	op, comparison := substraitOperators[name]
	switch {
	case comparison && len(args) == 2:
		return compareTerms(args[0], op, args[1])
	case name == "and" || name == "or":
		parts := make([]Predicate, len(args))
		for i, a := range args {
			parts[i] = a.condition()
		}
		if name == "and" {
			return subTerm{predicate: And(parts)}
		}
		return subTerm{predicate: Or(parts)}
	case name == "not" && len(args) == 1:
		return subTerm{predicate: Not{args[0].condition()}}
	case len(args) == 0 || args[0].column == nil:
		return opaque("%s of something that is not a column", name)
	}
	c := args[0].column
	switch {
	case (name == "is_null" || name == "is_not_null") && len(args) == 1:
		return subTerm{predicate: IsNull{Column: c, Not: name == "is_not_null"}}
	case name == "is_nan" && len(args) == 1:
		return subTerm{predicate: Compare{c, Eq, Float(nan)}}
	case name == "between" && len(args) == 3 && args[1].value != nil && args[2].value != nil:
		return subTerm{predicate: And{Compare{c, Ge, *args[1].value}, Compare{c, Le, *args[2].value}}}
	case (name == "starts_with" || name == "like") && len(args) == 2 && args[1].value != nil && args[1].value.kind == KindString:
		if name == "like" {
			return subTerm{predicate: c.Like(args[1].value.text)}
		}
		return subTerm{predicate: c.StartsWith(args[1].value.text)}
	}
	return opaque("the function %s of %d arguments", name, len(args))
}

func compareTerms(a subTerm, op Operator, b subTerm) subTerm {
	switch {
	case a.column != nil && b.value != nil:
		return subTerm{predicate: Compare{a.column, op, *b.value}}
	case a.value != nil && b.column != nil:
		return subTerm{predicate: Compare{b.column, op.mirrored(), *a.value}}
	case a.value != nil && b.value != nil:
		if v, err := fold(*a.value, op, *b.value); err == nil {
			return subTerm{predicate: Constant{v}}
		}
	}
	return opaque("a comparison that is not one of a column with a constant")
}

// list reads value IN (options).
func (r *substraitReader) list(m message, depth int) (subTerm, error) {
	body, err := m.message(1)
	if err != nil {
		return subTerm{}, err
	}
	t, err := r.expression(body, depth+1)
	if err != nil {
		return t, err
	}
	in := In{Column: t.column}
	withNull := false
	for _, b := range m.all(2) {
		e, err := parseMessage(b)
		if err != nil {
			return t, err
		}
		o, err := r.expression(e, depth+1)
		if err != nil {
			return o, err
		}
		if o.value == nil {
			return opaque("a list of something that is not a constant"), nil
		}
		if withNull = withNull || o.value.IsNull(); r.arrow && o.value.IsNull() {
			continue
		}
		in.Values = append(in.Values, *o.value)
	}
	switch {
	case t.column == nil:
		return opaque("a list compared with something that is not a column"), nil
	case r.arrow && withNull:
		return subTerm{predicate: Or{in, t.column.IsNull()}}, nil
	case r.arrow:
		return subTerm{predicate: And{in, t.column.IsNotNull()}}, nil
	}
	return subTerm{predicate: in}, nil
}

// cast reads casts of constants, and those of columns to a wider type, which
// change no comparison.
func (r *substraitReader) cast(m message, depth int) (subTerm, error) {
	typ, err := m.message(1)
	if err != nil {
		return subTerm{}, err
	}
	body, err := m.message(2)
	if err != nil {
		return subTerm{}, err
	}
	t, err := r.expression(body, depth+1)
	if err != nil || len(typ) == 0 {
		return t, err
	}
	to := typ[len(typ)-1].number
	switch {
	case t.column != nil && widens(t.typ, to):
		t.typ = to
		return t, nil
	case t.value != nil:
		if v, ok := castSubstrait(*t.value, to); ok {
			return subTerm{value: &v}, nil
		}
	}
	return opaque("a cast to type %d", to), nil
}

// widens tells whether each value of one type is the same in another.
func widens(from, to protowire.Number) bool {
	ints := []protowire.Number{subI8, subI16, subI32, subI64}
	i, j := slices.Index(ints, from), slices.Index(ints, to)
	switch {
	case from == to:
		return from != subDecimal && from != subTypePTS && from != subTypePTSTZ && from != subUser && from != subFixedBinary
	case i >= 0 && j >= 0:
		return i < j
	}
	return from == subFp32 && to == subFp64 || i >= 0 && i < 3 && to == subFp64
}

func castSubstrait(v Value, to protowire.Number) (Value, bool) {
	var name string
	switch to {
	case subBool:
		name = "BOOLEAN"
	case subI8, subI16, subI32, subI64:
		name = "INTEGER"
	case subFp32:
		name = "FLOAT"
	case subFp64:
		name = "DOUBLE"
	case subString:
		name = "VARCHAR"
	case subDate:
		name = "DATE"
	default:
		return v, false
	}
	c, err := convertLiteral(v, sqlType{name: name})
	return c, err == nil
}

// literal reads a constant.
func (r *substraitReader) literal(m message) (subTerm, error) {
	for _, f := range m {
		if f.number == 50 || f.number == 51 {
			continue // nullability and type variation
		}
		v, ok, err := r.constant(f)
		if err != nil || !ok {
			return opaque("a constant of type %d", f.number), err
		}
		return subTerm{value: &v}, nil
	}
	return subTerm{}, fmt.Errorf("%w: an empty literal", ErrSubstrait)
}

func (r *substraitReader) constant(f wireField) (v Value, ok bool, err error) {
	switch f.number {
	case subBool:
		return Bool(f.num != 0), true, nil
	case subI8, subI16, subI32:
		return Int(int64(int32(f.num))), true, nil
	case subI64:
		return Int(int64(f.num)), true, nil
	case subFp32:
		return Float32(float32frombits(uint32(f.num))), true, nil
	case subFp64:
		return Float(float64frombits(f.num)), true, nil
	case subString, subFixedChar:
		return String(string(f.data)), true, nil
	case subBinary, subFixedBinary:
		return Binary(f.data), true, nil
	case subDate:
		return Date(int32(f.num)), true, nil
	case subTime:
		return Time(int64(f.num), arrow.Microsecond), true, nil
	case subTimestamp:
		return Timestamp(int64(f.num), arrow.Microsecond), true, nil
	case litTimestampTZ:
		return TimestampTZ(int64(f.num), arrow.Microsecond), true, nil
	case litNull:
		return Value{}, true, nil
	}
	inner, err := parseMessage(f.data)
	if err != nil {
		return v, false, err
	}
	switch f.number {
	case subVarChar:
		return String(string(inner.bytes(1))), true, nil
	case subDecimal:
		return decimalLiteral(inner)
	case litPTS, litPTSTZ, litPTime:
		unit, ok := precisionUnit(inner.number(1))
		v := Value{unit: unit, num: int64(inner.number(2)), kind: KindTimestamp}
		switch f.number {
		case litPTSTZ:
			v.kind = KindTimestampTZ
		case litPTime:
			v.kind = KindTime
		}
		return v, ok, nil
	case litUser:
		return r.userLiteral(inner)
	}
	return v, false, nil
}

func precisionUnit(digits uint64) (arrow.TimeUnit, bool) {
	return arrow.Second + arrow.TimeUnit(digits/3), digits <= 9 && digits%3 == 0
}

// decimalLiteral reads 16 bytes, the lowest first.
func decimalLiteral(m message) (Value, bool, error) {
	b := slices.Clone(m.bytes(1))
	scale := int32(m.number(3))
	if len(b) != 16 || scale < 0 || scale > 38 {
		return Value{}, false, fmt.Errorf("%w: a decimal of %d bytes and scale %d", ErrSubstrait, len(b), scale)
	}
	slices.Reverse(b)
	return Decimal(signedBytes(b), scale), true, nil
}

// userLiteral reads the types that Arrow adds: unsigned integers, texts with
// long offsets. Their value is a wrapper message with the number or text in
// field 1.
func (r *substraitReader) userLiteral(m message) (Value, bool, error) {
	wrapped, err := m.message(2)
	if err != nil {
		return Value{}, false, err
	}
	inner, err := parseMessage(wrapped.bytes(2))
	if err != nil {
		return Value{}, false, err
	}
	switch r.types[m.number(1)] {
	case "u8", "u16", "u32", "u64":
		return Uint(inner.number(1)), true, nil
	case "large_string":
		return String(string(inner.bytes(1))), true, nil
	case "large_binary":
		return Binary(inner.bytes(1)), true, nil
	}
	return Value{}, false, nil
}

// littleEndian gives a decimal as Substrait writes it.
func littleEndian(n *big.Int) ([]byte, bool) {
	if n.CmpAbs(maxDecimal) > 0 {
		return nil, false
	}
	m := n
	if n.Sign() < 0 {
		m = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	b := m.FillBytes(make([]byte, 16))
	slices.Reverse(b)
	return b, true
}
