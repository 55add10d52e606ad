package pushdown

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// parseNumber reads a number as SQL does: whole numbers are Integer, those
// with a point Decimal, those with an exponent Float.
func parseNumber(text string, negative bool) (Value, error) {
	if negative {
		text = "-" + text
	}
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Value{}, fmt.Errorf("the number %s, which is out of range", text)
		}
		return Float(f), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n), nil
	}
	n, scale, ok := parseDecimal(text)
	if !ok {
		return Value{}, fmt.Errorf("the number %s", text)
	}
	return Decimal(n, scale), nil
}

// maxDigits bounds the length of exact numbers.
const maxDigits = 1000

// parseDecimal reads [-]digits[.digits] exactly.
func parseDecimal(text string) (unscaled *big.Int, scale int32, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(strings.TrimPrefix(whole+fraction, "-"), "+")
	if len(digits) == 0 || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return nil, 0, false
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if ok && strings.HasPrefix(whole, "-") {
		n.Neg(n)
	}
	return n, int32(len(fraction)), ok
}

// An sqlType is the target of a cast.
type sqlType struct {
	name  string
	scale int32
	sized bool
}

// typeNames maps the names of SQL types to those used here.
var typeNames = map[string]string{
	"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN",
	"TINYINT": "INTEGER", "SMALLINT": "INTEGER", "INT": "INTEGER", "INTEGER": "INTEGER", "BIGINT": "INTEGER", "HUGEINT": "INTEGER", "LONG": "INTEGER",
	"BYTE": "INTEGER", "SHORT": "INTEGER", "UTINYINT": "INTEGER", "USMALLINT": "INTEGER", "UINTEGER": "INTEGER", "UBIGINT": "INTEGER",
	"FLOAT": "FLOAT", "REAL": "FLOAT", "FLOAT4": "FLOAT", "DOUBLE": "DOUBLE", "FLOAT8": "DOUBLE",
	"DECIMAL": "DECIMAL", "NUMERIC": "DECIMAL", "DEC": "DECIMAL",
	"VARCHAR": "VARCHAR", "STRING": "VARCHAR", "TEXT": "VARCHAR", "CHAR": "VARCHAR",
	"BLOB": "BLOB", "BINARY": "BLOB", "BYTEA": "BLOB", "VARBINARY": "BLOB",
	"DATE": "DATE", "TIME": "TIME",
	"TIMESTAMP": "TIMESTAMP", "DATETIME": "TIMESTAMP", "TIMESTAMP_NTZ": "TIMESTAMP",
	"TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP", "TIMESTAMP_US": "TIMESTAMP", "TIMESTAMP_NS": "TIMESTAMP",
	"TIMESTAMPTZ": "TIMESTAMPTZ", "TIMESTAMP_LTZ": "TIMESTAMPTZ",
}

// cast reads CAST(constant AS type).
func (p *sqlParser) cast() (term, error) {
	p.advance()
	if err := p.need(p.symbol("("), "( of CAST"); err != nil {
		return term{}, err
	}
	t, err := p.operand()
	if err != nil {
		return t, err
	}
	if err := p.need(p.word("AS"), "AS of CAST"); err != nil {
		return t, err
	}
	if t, err = p.castTo(t); err != nil {
		return t, err
	}
	return t, p.need(p.symbol(")"), ") of CAST")
}

func (p *sqlParser) castTo(t term) (term, error) {
	typ, err := p.typeName()
	if err != nil {
		return t, err
	}
	if t.value == nil {
		return t, &SyntaxError{p.text, t.at, "a cast of something that is not a constant"}
	}
	return p.converted(*t.value, typ, t.at)
}

func (p *sqlParser) typeName() (sqlType, error) {
	t := p.peek()
	name, ok := typeNames[t.upper]
	if t.kind != tokenWord || !ok {
		return sqlType{}, p.problem("a type that is not known here")
	}
	p.advance()
	typ := sqlType{name: name}
	if t.upper == "DOUBLE" {
		p.word("PRECISION")
	}
	if name == "DECIMAL" {
		typ.sized, typ.scale = true, 3
	}
	if p.symbol("(") {
		var size []int64
		for p.peek().kind == tokenNumber {
			n, err := strconv.ParseInt(p.peek().text, 10, 16)
			if err != nil {
				return typ, p.problem("a size that is no number")
			}
			p.advance()
			size = append(size, n)
			p.symbol(",")
		}
		if len(size) == 0 || len(size) > 2 {
			return typ, p.problem("the size of a type")
		}
		typ.scale = 0
		if len(size) == 2 {
			typ.scale = int32(size[1])
		}
		if typ.scale > 76 {
			return typ, p.problem("a scale above 76")
		}
		if err := p.need(p.symbol(")"), ") of the type"); err != nil {
			return typ, err
		}
	}
	if name == "TIMESTAMP" && p.word("WITH") {
		typ.name = "TIMESTAMPTZ"
		return typ, p.need(p.word("TIME") && p.word("ZONE"), "TIME ZONE")
	}
	return typ, nil
}

func (p *sqlParser) converted(v Value, typ sqlType, at int) (term, error) {
	c, err := convertLiteral(v, typ)
	if err != nil {
		return term{}, &SyntaxError{p.text, at, err.Error()}
	}
	return constant(c, at), nil
}

var errCast = errors.New("a cast that can't be done exactly")

// convertLiteral casts a constant.
func convertLiteral(v Value, to sqlType) (Value, error) {
	if v.IsNull() {
		return v, nil
	}
	switch to.name {
	case "VARCHAR":
		if v.kind == KindString {
			return v, nil
		}
		if v.kind == KindInteger || v.kind == KindBoolean {
			return String(strings.ToLower(v.String())), nil
		}
		return v, errCast
	case "BLOB":
		// DuckDB takes \xAB in a text for a byte, Spark does not.
		if v.kind == KindBinary || v.kind == KindString && !strings.Contains(v.text, `\`) {
			return Binary([]byte(v.text)), nil
		}
		return v, errCast
	case "BOOLEAN":
		return toBoolean(v)
	case "INTEGER", "DECIMAL", "FLOAT", "DOUBLE":
		return toNumber(v, to)
	}
	return toTemporal(v, to.name)
}

func toBoolean(v Value) (Value, error) {
	switch {
	case v.kind == KindBoolean:
		return v, nil
	case v.kind == KindInteger:
		return Bool(v.num != 0), nil
	case v.kind == KindString && strings.EqualFold(strings.TrimSpace(v.text), "true"):
		return Bool(true), nil
	case v.kind == KindString && strings.EqualFold(strings.TrimSpace(v.text), "false"):
		return Bool(false), nil
	}
	return v, errCast
}

func toNumber(v Value, to sqlType) (Value, error) {
	if v.kind == KindString {
		return textToNumber(strings.TrimSpace(v.text), to)
	}
	switch to.name {
	case "FLOAT":
		f, ok := v.asFloat32()
		if !ok {
			return v, errCast
		}
		return Float32(f), nil
	case "DOUBLE":
		f, ok := v.asFloat()
		if !ok {
			return v, errCast
		}
		return Float(f), nil
	}
	r, ok := v.rational()
	if !ok {
		return v, errCast
	}
	return exactNumber(r, to)
}

func textToNumber(text string, to sqlType) (Value, error) {
	switch to.name {
	case "FLOAT":
		f, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return Value{}, fmt.Errorf("%q, which is no number", text)
		}
		return Float32(float32(f)), nil
	case "DOUBLE":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Value{}, fmt.Errorf("%q, which is no number", text)
		}
		return Float(f), nil
	}
	n, scale, ok := parseDecimal(text)
	if !ok {
		return Value{}, fmt.Errorf("%q, which is no number", text)
	}
	return exactNumber(new(big.Rat).SetFrac(n, pow10(scale)), to)
}

// exactNumber makes an Integer or Decimal of a number. One that had to be
// rounded is refused: engines differ in how they round.
func exactNumber(r *big.Rat, to sqlType) (Value, error) {
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(pow10(to.scale)))
	if !scaled.IsInt() {
		return Value{}, errCast
	}
	if to.name == "INTEGER" && scaled.Num().IsInt64() {
		return Int(scaled.Num().Int64()), nil
	}
	return Decimal(new(big.Int).Set(scaled.Num()), to.scale), nil
}

func toTemporal(v Value, to string) (Value, error) {
	switch {
	case v.kind == KindString:
		return textToTemporal(v.text, to)
	case to == "DATE" && v.kind == KindDate, to == "TIME" && v.kind == KindTime, to == "TIMESTAMP" && v.kind == KindTimestamp, to == "TIMESTAMPTZ" && v.kind == KindTimestampTZ:
		return v, nil
	case to == "TIMESTAMP" && v.kind == KindDate:
		return Timestamp(v.num*daySeconds, arrow.Second), nil
	case to == "DATE" && v.kind == KindTimestamp:
		return Date(int32(floorDiv(floorDiv(v.num, perSecond(v.unit)), daySeconds))), nil
	}
	return v, errCast
}

func textToTemporal(text, to string) (Value, error) {
	switch to {
	case "DATE":
		if d, ok := parseDate(text); ok {
			return Date(int32(d)), nil
		}
	case "TIME":
		if t, ok := parseClock(text); ok {
			return t, nil
		}
	case "TIMESTAMP", "TIMESTAMPTZ":
		if t, ok := parseTimestamp(text); ok {
			// A zone in the text makes it an instant; none with TIMESTAMPTZ
			// is left to the session's zone, as is TIMESTAMP against an
			// instant column.
			return t, nil
		}
	}
	return Value{}, fmt.Errorf("%q, which is no %s", text, to)
}
