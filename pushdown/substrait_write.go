package pushdown

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hudi-go/hudi/schema"
)

func float32frombits(b uint32) float32 { return math.Float32frombits(b) }
func float64frombits(b uint64) float64 { return math.Float64frombits(b) }

// Where the functions and types are described that are written.
const (
	comparisonURI = "https://github.com/substrait-io/substrait/blob/main/extensions/functions_comparison.yaml"
	booleanURI    = "https://github.com/substrait-io/substrait/blob/main/extensions/functions_boolean.yaml"
	stringURI     = "https://github.com/substrait-io/substrait/blob/main/extensions/functions_string.yaml"
	arrowURI      = "https://github.com/apache/arrow/blob/main/format/substrait/extension_types.yaml"
)

// functionURIs tells where a function is described.
var functionURIs = map[string]string{"and": booleanURI, "or": booleanURI, "not": booleanURI, "starts_with": stringURI, "like": stringURI}

// WriteSubstrait serializes a condition over a schema as an extended
// expression, in the form that pyarrow.compute.Expression.from_substrait reads,
// as far as Arrow has the functions. Null-safe comparisons are spelled out,
// prefixes written as ranges where that can be.
func WriteSubstrait(p Predicate, s *arrow.Schema) ([]byte, error) {
	w := &substraitWriter{schema: s, uris: map[string]uint64{}, functions: map[string]uint64{}, types: map[string]uint64{}}
	body, err := w.predicate(p)
	if err != nil {
		return nil, err
	}
	base := w.namedStruct()
	ref := appendBytes(nil, 1, body)
	ref = appendBytes(ref, 3, []byte("predicate"))
	var out []byte
	out = append(out, w.declarations...)
	out = appendBytes(out, 3, ref)
	out = appendBytes(out, 4, base)
	version := appendVarint(nil, 2, 44)
	version = appendBytes(version, 5, []byte("hudi-go"))
	return appendBytes(out, 7, version), nil
}

type substraitWriter struct {
	schema       *arrow.Schema
	declarations []byte
	uris         map[string]uint64
	functions    map[string]uint64
	types        map[string]uint64
}

func appendVarint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendBytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// uri declares a place and gives its anchor.
func (w *substraitWriter) uri(text string) uint64 {
	n, ok := w.uris[text]
	if !ok {
		n = uint64(len(w.uris) + 1)
		w.uris[text] = n
		w.declarations = appendBytes(w.declarations, 1, appendBytes(appendVarint(nil, 1, n), 2, []byte(text)))
	}
	return n
}

// declare declares a function (kind 3) or type (kind 1).
func (w *substraitWriter) declare(have map[string]uint64, kind protowire.Number, uri, name string) uint64 {
	n, ok := have[name]
	if !ok {
		place := w.uri(uri)
		n = uint64(len(have) + 1)
		have[name] = n
		d := appendBytes(appendVarint(appendVarint(nil, 1, place), 2, n), 3, []byte(name))
		w.declarations = appendBytes(w.declarations, 2, appendBytes(nil, kind, d))
	}
	return n
}

// call is a function that answers a boolean.
func (w *substraitWriter) call(name string, args ...[]byte) []byte {
	uri, ok := functionURIs[name]
	if !ok {
		uri = comparisonURI
	}
	f := appendVarint(nil, 1, w.declare(w.functions, 3, uri, name))
	f = appendBytes(f, 3, appendBytes(nil, subBool, appendVarint(nil, 2, 1)))
	for _, a := range args {
		f = appendBytes(f, 4, appendBytes(nil, 3, a))
	}
	return appendBytes(nil, 3, f)
}

func (w *substraitWriter) predicate(p Predicate) ([]byte, error) {
	switch p := p.(type) {
	case Constant:
		if p.Value.IsNull() {
			return appendBytes(nil, 1, appendBytes(nil, litNull, typeOf(subBool))), nil
		}
		return w.literal(p.Value, arrow.FixedWidthTypes.Boolean)
	case And:
		return w.chain("and", p, true)
	case Or:
		return w.chain("or", p, false)
	case Not:
		of, err := w.predicate(p.Of)
		if err != nil {
			return nil, err
		}
		return w.call("not", of), nil
	case IsNull:
		c, _, err := w.column(p.Column)
		if err != nil {
			return nil, err
		}
		if p.Not {
			return w.call("is_not_null", c), nil
		}
		return w.call("is_null", c), nil
	case Compare:
		return w.compare(p)
	case In:
		return w.in(p)
	case Like:
		return w.like(p)
	}
	return nil, fmt.Errorf("condition %s: %w", p, errOpaque)
}

// chain writes more than two parts nested, as Arrow's functions have two
// arguments.
func (w *substraitWriter) chain(name string, parts []Predicate, none bool) ([]byte, error) {
	if len(parts) == 0 {
		return w.predicate(Constant{Bool(none)})
	}
	out, err := w.predicate(parts[0])
	for _, p := range parts[1:] {
		if err != nil {
			return nil, err
		}
		var next []byte
		next, err = w.predicate(p)
		out = w.call(name, out, next)
	}
	return out, err
}

var substraitNames = map[Operator]string{Eq: "equal", Ne: "not_equal", Lt: "lt", Le: "lte", Gt: "gt", Ge: "gte"}

func (w *substraitWriter) compare(p Compare) ([]byte, error) {
	switch p.Op {
	case IsNotDistinct:
		if p.Value.IsNull() {
			return w.predicate(IsNull{Column: p.Column})
		}
		return w.predicate(And{Compare{p.Column, Eq, p.Value}, IsNull{Column: p.Column, Not: true}})
	case IsDistinct:
		return w.predicate(Not{Compare{p.Column, IsNotDistinct, p.Value}})
	}
	c, typ, err := w.column(p.Column)
	if err != nil {
		return nil, err
	}
	if isNaN(p.Value) && p.Op == Eq { // Arrow's NaN equals nothing
		return w.call("is_nan", c), nil
	}
	v, err := w.literal(p.Value, typ)
	if err != nil {
		return nil, err
	}
	return w.call(substraitNames[p.Op], c, v), nil
}

// in writes comparisons: the meaning of Substrait's list in Arrow is not SQL's.
func (w *substraitWriter) in(p In) ([]byte, error) {
	f, err := FieldOf(p.Column, w.schema)
	if err != nil {
		return nil, err
	}
	any := Or{}
	for _, v := range sameKind(p.Values, f.domain) {
		any = append(any, Compare{p.Column, Eq, v})
	}
	if p.Not {
		return w.predicate(Not{any})
	}
	return w.predicate(any)
}

func (w *substraitWriter) like(p Like) ([]byte, error) {
	pat, err := compilePattern(p.Pattern, p.Escape)
	if err != nil {
		return nil, err
	}
	text := pat.pieces[0].text
	equal, prefix := pat.exact()
	end, bounded := prefixEnd(text)
	var plain Predicate
	switch {
	case equal:
		plain = Compare{p.Column, Eq, String(text)}
	case prefix && bounded && utf8.ValidString(end):
		plain = And{Compare{p.Column, Ge, String(text)}, Compare{p.Column, Lt, String(end)}}
	}
	if plain != nil {
		if p.Not {
			plain = Not{plain}
		}
		return w.predicate(plain)
	}
	name := "like"
	if prefix {
		name = "starts_with"
	} else if p.Escape != 0 && strings.ContainsRune(p.Pattern, p.Escape) {
		return nil, fmt.Errorf("condition %s: Substrait has no LIKE with escapes", p)
	} else {
		text = p.Pattern
	}
	c, typ, err := w.column(p.Column)
	if err != nil {
		return nil, err
	}
	v, err := w.literal(String(text), typ)
	if err != nil {
		return nil, err
	}
	out := w.call(name, c, v)
	if p.Not {
		out = w.call("not", out)
	}
	return out, nil
}

// column writes a reference from the root.
func (w *substraitWriter) column(c Column) ([]byte, arrow.DataType, error) {
	fields := w.schema.Fields()
	var steps []int
	var typ arrow.DataType
	for _, name := range c {
		i, ok := schema.Lookup(arrow.NewSchema(fields, nil), name)
		if !ok {
			return nil, nil, fmt.Errorf("condition on %s: %w", c, &UnknownColumnError{Column: c})
		}
		steps, typ, fields = append(steps, i), fields[i].Type, nil
		if st, ok := typ.(*arrow.StructType); ok {
			fields = st.Fields()
		}
	}
	var segment []byte
	for i := len(steps) - 1; i >= 0; i-- {
		step := appendVarint(nil, 1, uint64(steps[i]))
		if segment != nil {
			step = appendBytes(step, 2, segment)
		}
		segment = appendBytes(nil, 2, step)
	}
	ref := appendBytes(appendBytes(nil, 1, segment), 4, nil)
	return appendBytes(nil, 2, ref), typ, nil
}

// literal writes a constant, as the column's type where it can be one.
func (w *substraitWriter) literal(v Value, t arrow.DataType) ([]byte, error) {
	if v.kind == KindString && domainOf(t, nil).order != orderText {
		if read, err := domainOf(t, nil).adopt(v); err == nil {
			v = read
		}
	}
	var b []byte
	switch v.kind {
	case KindNull:
		b = appendBytes(nil, litNull, w.typ(t))
	case KindBoolean:
		b = appendVarint(nil, subBool, uint64(v.num))
	case KindInteger:
		b = integerLiteral(v.num, t)
	case KindFloat:
		if v.single {
			b = protowire.AppendFixed32(protowire.AppendTag(nil, subFp32, protowire.Fixed32Type), math.Float32bits(float32(v.float)))
		} else {
			b = protowire.AppendFixed64(protowire.AppendTag(nil, subFp64, protowire.Fixed64Type), math.Float64bits(v.float))
		}
	case KindDecimal:
		le, ok := littleEndian(v.big)
		if !ok || v.scale > 38 {
			return nil, fmt.Errorf("the constant %s is too long for Substrait", v)
		}
		d := appendVarint(appendBytes(nil, 1, le), 2, 38)
		b = appendBytes(nil, subDecimal, appendVarint(d, 3, uint64(v.scale)))
	case KindString:
		b = appendBytes(nil, subString, []byte(v.text))
	case KindBinary:
		b = appendBytes(nil, subBinary, []byte(v.text))
	case KindDate:
		b = appendVarint(nil, subDate, uint64(v.num))
	case KindTime:
		if v.unit != arrow.Microsecond {
			b = appendBytes(nil, litPTime, precisionValue(v))
		} else {
			b = appendVarint(nil, subTime, uint64(v.num))
		}
	case KindTimestamp:
		b = timestampLiteral(v, subTimestamp, litPTS)
	case KindTimestampTZ:
		b = timestampLiteral(v, litTimestampTZ, litPTSTZ)
	default:
		return nil, fmt.Errorf("%s is no constant", v)
	}
	return appendBytes(nil, 1, b), nil
}

func integerLiteral(n int64, t arrow.DataType) []byte {
	number := protowire.Number(subI64)
	switch {
	case t.ID() == arrow.INT8 && int64(int8(n)) == n:
		number = subI8
	case t.ID() == arrow.INT16 && int64(int16(n)) == n:
		number = subI16
	case t.ID() == arrow.INT32 && int64(int32(n)) == n:
		number = subI32
	}
	return appendVarint(nil, number, uint64(n))
}

// timestampLiteral takes the older form, of microseconds, where it can: not all
// readers know the one with a precision.
func timestampLiteral(v Value, micros, precise protowire.Number) []byte {
	mul := int64(1e6) / perSecond(v.unit)
	if mul == 0 || v.num > math.MaxInt64/mul || v.num < math.MinInt64/mul {
		return appendBytes(nil, precise, precisionValue(v))
	}
	return appendVarint(nil, micros, uint64(v.num*mul))
}

func precisionValue(v Value) []byte {
	return appendVarint(appendVarint(nil, 1, uint64(fractionDigits(v.unit))), 2, uint64(v.num))
}

// namedStruct writes the schema.
func (w *substraitWriter) namedStruct() []byte {
	var names []string
	body := w.structType(w.schema.Fields(), &names)
	var out []byte
	for _, n := range names {
		out = appendBytes(out, 1, []byte(n))
	}
	return appendBytes(out, 2, body)
}

func (w *substraitWriter) structType(fields []arrow.Field, names *[]string) []byte {
	var out []byte
	for _, f := range fields {
		*names = append(*names, f.Name)
		out = appendBytes(out, 1, w.namedType(f.Type, names))
	}
	return appendVarint(out, 3, 1)
}

func (w *substraitWriter) typ(t arrow.DataType) []byte {
	var names []string
	return w.namedType(t, &names)
}

// typeOf writes a type without parameters, nullable.
func typeOf(n protowire.Number) []byte { return appendBytes(nil, n, appendVarint(nil, 2, 1)) }

// flatTypes are the types without parameters.
var flatTypes = map[arrow.Type]protowire.Number{
	arrow.BOOL: subBool, arrow.INT8: subI8, arrow.INT16: subI16, arrow.INT32: subI32, arrow.INT64: subI64,
	arrow.FLOAT32: subFp32, arrow.FLOAT64: subFp64, arrow.STRING: subString, arrow.BINARY: subBinary, arrow.DATE32: subDate,
}

// arrowTypes are those that Arrow adds to Substrait.
var arrowTypes = map[arrow.Type]string{
	arrow.UINT8: "u8", arrow.UINT16: "u16", arrow.UINT32: "u32", arrow.UINT64: "u64", arrow.LARGE_STRING: "large_string", arrow.LARGE_BINARY: "large_binary",
}

// namedType writes a type and collects the names below it, not those below
// lists and maps: Arrow wants none there. Types that Substrait lacks are
// written as binary: they hold the column's place.
func (w *substraitWriter) namedType(t arrow.DataType, names *[]string) []byte {
	if n, ok := flatTypes[t.ID()]; ok {
		return typeOf(n)
	}
	if name, ok := arrowTypes[t.ID()]; ok {
		return appendBytes(nil, subUser, appendVarint(appendVarint(nil, 1, w.declare(w.types, 1, arrowURI, name)), 3, 1))
	}
	switch t := t.(type) {
	case *arrow.Time64Type:
		if t.Unit == arrow.Microsecond {
			return typeOf(subTime)
		}
	case *arrow.TimestampType:
		n := protowire.Number(subTypePTS)
		if t.TimeZone != "" {
			n = subTypePTSTZ
		}
		return appendBytes(nil, n, appendVarint(appendVarint(nil, 1, uint64(fractionDigits(t.Unit))), 3, 1))
	case *arrow.Decimal128Type:
		d := appendVarint(appendVarint(nil, 1, uint64(t.Scale)), 2, uint64(t.Precision))
		return appendBytes(nil, subDecimal, appendVarint(d, 4, 1))
	case *arrow.FixedSizeBinaryType:
		return appendBytes(nil, subFixedBinary, appendVarint(appendVarint(nil, 1, uint64(t.ByteWidth)), 3, 1))
	case *arrow.StructType:
		return appendBytes(nil, subStruct, w.structType(t.Fields(), names))
	case *arrow.ListType:
		return appendBytes(nil, subList, appendVarint(appendBytes(nil, 1, w.typ(t.Elem())), 3, 1))
	case *arrow.MapType:
		m := appendBytes(nil, 1, w.typ(t.KeyType()))
		m = appendBytes(m, 2, w.typ(t.ItemType()))
		return appendBytes(nil, subMap, appendVarint(m, 4, 1))
	}
	return typeOf(subBinary)
}
