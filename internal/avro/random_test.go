package avro

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	hamba "github.com/hamba/avro/v2"
)

// A randomSchema makes schemas and records that follow them. Schemas are JSON
// values, as encoding/json has them.
type randomSchema struct {
	*rand.Rand
	names int
	rare  bool // nulls are, and long strings come
}

var leafTypes = []string{
	`"boolean"`, `"int"`, `"long"`, `"float"`, `"double"`, `"bytes"`, `"string"`,
	`{"type":"int","logicalType":"date"}`, `{"type":"int","logicalType":"time-millis"}`,
	`{"type":"long","logicalType":"time-micros"}`, `{"type":"long","logicalType":"timestamp-millis"}`,
	`{"type":"long","logicalType":"timestamp-micros"}`, `{"type":"long","logicalType":"local-timestamp-micros"}`,
	`{"type":"bytes","logicalType":"decimal","precision":38,"scale":3}`, `{"type":"string","logicalType":"uuid"}`,
}

func (r *randomSchema) typ(depth int) any {
	k := r.IntN(14)
	if depth <= 0 {
		k = r.IntN(9)
	}
	r.names++
	name := fmt.Sprintf("n.T%d", r.names)
	switch {
	case k < 7:
		var t any
		_ = json.Unmarshal([]byte(leafTypes[r.IntN(len(leafTypes))]), &t)
		return t
	case k == 7:
		t := map[string]any{"type": "fixed", "name": name, "size": 1 + r.IntN(16)}
		if r.IntN(2) == 0 {
			t["logicalType"], t["precision"] = "decimal", 2
		}
		return t
	case k == 8:
		return map[string]any{"type": "enum", "name": name, "symbols": []any{"A", "LONGER", "C"}}
	case k == 9:
		return map[string]any{"type": "array", "items": r.typ(depth - 1)}
	case k == 10:
		return map[string]any{"type": "map", "values": r.typ(depth - 1)}
	case k == 11:
		return r.record(name, depth-1)
	}
	t := r.typ(depth - 1)
	if _, isUnion := t.([]any); isUnion {
		return t
	}
	if k == 12 {
		return []any{"null", t}
	}
	return []any{t, "null"}
}

func (r *randomSchema) record(name string, depth int) any {
	var fields []any
	for i := range 1 + r.IntN(6) {
		fields = append(fields, map[string]any{"name": fmt.Sprintf("f%d", i), "type": r.typ(depth)})
	}
	return map[string]any{"type": "record", "name": name, "fields": fields}
}

// encode appends a random value of a type.
func (r *randomSchema) encode(b []byte, t any) []byte {
	name, obj := typeName(t)
	switch name {
	case "union":
		branch := r.IntN(2)
		if r.rare && t.([]any)[branch] == "null" && r.IntN(10) > 0 {
			branch = 1 - branch
		}
		return r.encode(binary.AppendVarint(b, int64(branch)), t.([]any)[branch])
	case "null":
		return b
	case "boolean":
		return append(b, byte(r.IntN(2)))
	case "int":
		return binary.AppendVarint(b, int64(int32(r.Uint32()>>r.IntN(32))))
	case "long":
		return binary.AppendVarint(b, int64(r.Uint64()>>r.IntN(64)))
	case "float":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(r.Float32()))
	case "double":
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(r.NormFloat64()))
	case "bytes":
		return r.text(b, r.IntN(16))
	case "string":
		n := r.IntN(40)
		if r.rare && r.IntN(8) == 0 {
			n += r.IntN(200)
		}
		return r.text(b, n)
	case "fixed":
		for range sizeOf(obj) {
			b = append(b, byte(r.Uint32()))
		}
		return b
	case "enum":
		return binary.AppendVarint(b, int64(r.IntN(3)))
	case "array", "map":
		return r.items(b, name, obj)
	}
	for _, f := range obj["fields"].([]any) {
		b = r.encode(b, f.(map[string]any)["type"])
	}
	return b
}

// sizeOf is the size of a fixed, whether the schema was made or parsed.
func sizeOf(obj map[string]any) int {
	if n, ok := obj["size"].(int); ok {
		return n
	}
	return int(obj["size"].(float64))
}

func (r *randomSchema) text(b []byte, n int) []byte {
	return append(binary.AppendVarint(b, int64(n)), strings.Repeat(string(rune('a'+r.IntN(26))), n)...)
}

// items appends the blocks of an array or map, with and without their length.
func (r *randomSchema) items(b []byte, name string, obj map[string]any) []byte {
	for range r.IntN(3) {
		n := 1 + r.IntN(4)
		var block []byte
		for range n {
			if name == "map" {
				r.names++
				key := fmt.Sprintf("key%d", r.names)
				block = append(binary.AppendVarint(block, int64(len(key))), key...)
				block = r.encode(block, obj["values"])
			} else {
				block = r.encode(block, obj["items"])
			}
		}
		if r.IntN(2) == 0 {
			b = binary.AppendVarint(b, int64(n))
		} else {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(-n)), int64(len(block)))
		}
		b = append(b, block...)
	}
	return append(b, 0)
}

func typeName(t any) (string, map[string]any) {
	switch t := t.(type) {
	case string:
		return t, nil
	case []any:
		return "union", nil
	}
	obj := t.(map[string]any)
	return obj["type"].(string), obj
}

// plain gives a schema without logical types, whose values the oracle leaves
// as they are.
func plain(t any) any {
	switch t := t.(type) {
	case []any:
		list := make([]any, len(t))
		for i := range t {
			list[i] = plain(t[i])
		}
		return list
	case map[string]any:
		obj := make(map[string]any)
		for k, v := range t {
			if k != "logicalType" && k != "precision" && k != "scale" {
				obj[k] = plain(v)
			}
		}
		return obj
	}
	return t
}

// oracleText renders what hamba/avro decoded.
func oracleText(t any, v any) string {
	name, obj := typeName(t)
	decimal := obj["logicalType"] == "decimal"
	switch name {
	case "union":
		if v == nil {
			return "null"
		}
		branch := t.([]any)[0]
		if branch == "null" {
			branch = t.([]any)[1]
		}
		kind, obj := typeName(branch)
		if n, ok := obj["name"].(string); ok {
			namespace, _ := obj["namespace"].(string)
			kind = fullName(n, namespace)
		}
		if m, ok := v.(map[string]any); ok && len(m) == 1 && m[kind] != nil {
			v = m[kind]
		}
		return oracleText(branch, v)
	case "bytes", "fixed":
		raw := reflect.ValueOf(v)
		b := make([]byte, raw.Len())
		for i := range b {
			b[i] = byte(raw.Index(i).Uint())
		}
		if decimal {
			return bigEndian(b).String()
		}
		return fmt.Sprintf("%x", b)
	case "array":
		var items []string
		for _, x := range v.([]any) {
			items = append(items, oracleText(obj["items"], x))
		}
		return "[" + strings.Join(items, " ") + "]"
	case "map":
		var items []string
		for k, x := range v.(map[string]any) {
			items = append(items, k+":"+oracleText(obj["values"], x))
		}
		sort.Strings(items)
		return "map[" + strings.Join(items, " ") + "]"
	case "record":
		var items []string
		for _, f := range obj["fields"].([]any) {
			f := f.(map[string]any)
			items = append(items, oracleText(f["type"], v.(map[string]any)[f["name"].(string)]))
		}
		return "{" + strings.Join(items, " ") + "}"
	}
	return fmt.Sprint(v)
}

func bigEndian(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// arrowText renders row i of an array in the same way.
func arrowText(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Boolean:
		return fmt.Sprint(a.Value(i))
	case *array.Float32:
		return fmt.Sprint(a.Value(i))
	case *array.Float64:
		return fmt.Sprint(a.Value(i))
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return fmt.Sprintf("%x", a.Value(i))
	case *array.FixedSizeBinary:
		return fmt.Sprintf("%x", a.Value(i))
	case *array.Decimal128:
		return a.Value(i).BigInt().String()
	case *array.List:
		return "[" + strings.Join(items(a, i), " ") + "]"
	case *array.Map:
		entries := a.ListValues().(*array.Struct)
		from, to := a.ValueOffsets(i)
		var items []string
		for j := int(from); j < int(to); j++ {
			items = append(items, arrowText(entries.Field(0), j)+":"+arrowText(entries.Field(1), j))
		}
		sort.Strings(items)
		return "map[" + strings.Join(items, " ") + "]"
	case *array.Struct:
		var fields []string
		for f := range a.NumField() {
			fields = append(fields, arrowText(a.Field(f), i))
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	// Numbers, dates and times alike: the integer that is stored.
	b := a.Data().Buffers()[1].Bytes()
	if a.DataType().(arrow.FixedWidthDataType).Bytes() == 4 {
		return fmt.Sprint(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return fmt.Sprint(int64(binary.LittleEndian.Uint64(b[8*i:])))
}

func items(a *array.List, i int) []string {
	from, to := a.ValueOffsets(i)
	var list []string
	for j := int(from); j < int(to); j++ {
		list = append(list, arrowText(a.ListValues(), j))
	}
	return list
}

// Random records of random schemas, all columns and some of them, compared
// with what hamba/avro decodes.
func TestAgainstOracle(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	for seed := range uint64(rounds) {
		r := &randomSchema{Rand: rand.New(rand.NewPCG(seed, 7))}
		root := r.record("n.Root", 3).(map[string]any)
		text, _ := json.Marshal(root)
		plainText, _ := json.Marshal(plain(root))
		oracle, err := hamba.ParseWithCache(string(plainText), "", &hamba.SchemaCache{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var records [][]byte
		var want []map[string]any
		for range 1 + r.IntN(20) {
			rec := r.encode(nil, root)
			var v map[string]any
			if err := hamba.Unmarshal(oracle, rec, &v); err != nil {
				t.Fatalf("oracle: %s: %v", text, err)
			}
			records, want = append(records, rec), append(want, v)
		}
		for range 4 {
			compareColumns(t, r, s, root, records, want, mem)
		}
	}
}

// compareColumns decodes a random choice of columns, with damaged records in
// between that must leave no trace.
func compareColumns(t *testing.T, r *randomSchema, s *Schema, root map[string]any, records [][]byte, want []map[string]any, mem memory.Allocator) {
	t.Helper()
	columns := []string{}
	for _, f := range s.Fields() {
		if r.IntN(2) == 0 {
			columns = append(columns, f)
		}
	}
	if r.IntN(3) == 0 {
		columns = nil
	}
	d, err := NewDecoder(s, columns, mem)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	defer d.Release()
	fields := s.Fields()
	whole := columns == nil || slices.Contains(columns, fields[len(fields)-1])
	for round := range 2 { // a decoder starts anew after each batch
		var rows []int // the record of each row
		for i, rec := range records {
			if len(rec) > 0 && r.IntN(3) == 0 {
				err := d.Append(rec[:r.IntN(len(rec))])
				if err == nil && whole {
					t.Fatalf("%s: a record that was cut off is taken", s)
				}
				if err == nil { // behind what is wanted
					rows = append(rows, i)
				}
			}
			if err := d.Append(rec); err != nil {
				t.Fatalf("%s: %x: %v", s, rec, err)
			}
			rows = append(rows, i)
		}
		batch := d.NewBatch()
		if batch.NumRows() != int64(len(rows)) || d.Len() != 0 || d.Size() != 0 {
			t.Fatalf("%d rows; %d of %d bytes are left", batch.NumRows(), d.Len(), d.Size())
		}
		for c, f := range batch.Schema().Fields() {
			checkArray(t, batch.Column(c))
			if columns != nil && !slices.Contains(columns, f.Name) {
				t.Fatalf("column %s was not asked for", f.Name)
			}
			for i, rec := range rows {
				got := arrowText(batch.Column(c), i)
				at := slices.Index(fields, f.Name)
				typ := root["fields"].([]any)[at].(map[string]any)["type"]
				if w := oracleText(typ, want[rec][f.Name]); got != w {
					t.Fatalf("round %d of %s\ncolumn %s row %d is %s\nwant %s", round, s, f.Name, i, got, w)
				}
			}
		}
		batch.Release()
	}
}

// checkArray checks what arrays must obey whatever they hold: the number of
// nulls that is noted, offsets and lengths.
func checkArray(t *testing.T, a arrow.Array) {
	t.Helper()
	nulls := 0
	for i := range a.Len() {
		if a.IsNull(i) || a.DataType().ID() == arrow.NULL { // which has no bits to tell
			nulls++
		}
	}
	if nulls != a.NullN() {
		t.Errorf("%v: %d nulls are noted, there are %d", a.DataType(), a.NullN(), nulls)
	}
	if v, ok := a.(interface{ ValidateFull() error }); ok {
		if err := v.ValidateFull(); err != nil {
			t.Errorf("%v: %v", a.DataType(), err)
		}
	}
	switch a := a.(type) {
	case *array.List:
		checkArray(t, a.ListValues())
	case *array.Map:
		checkArray(t, a.ListValues())
	case *array.Struct:
		for i := range a.NumField() {
			checkArray(t, a.Field(i))
		}
	}
}
