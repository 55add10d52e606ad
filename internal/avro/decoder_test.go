package avro

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func decoderOf(t testing.TB, typ string, columns []string) *Decoder {
	t.Helper()
	d, err := NewDecoder(parseField(t, typ), columns, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decoderBehind decodes a boolean that stands behind a field of a type, which
// is stepped over.
func decoderBehind(t testing.TB, typ string) *Decoder {
	t.Helper()
	s, err := Parse(`{"type":"record","name":"r","fields":[{"name":"f","type":` + typ + `},{"name":"g","type":"boolean"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDecoder(s, []string{"g"}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func long(v int64) string { return string(binary.AppendVarint(nil, v)) }

// Records that do not follow their schema, wanted and stepped over alike.
func TestCorruptRecords(t *testing.T) {
	huge := long(1 << 40)
	for _, tt := range []struct{ name, typ, rec string }{
		{"empty", `"int"`, ""},
		{"bytes left", `"int"`, "\x02\x02"},
		{"int out of range", `"int"`, long(1 << 31)},
		{"number too long", `"long"`, strings.Repeat("\xff", 11)},
		{"number cut off", `"long"`, "\xff"},
		{"boolean 2", `"boolean"`, "\x02"},
		{"short double", `"double"`, "1234567"},
		{"short float", `"float"`, "123"},
		{"short fixed", `{"type":"fixed","name":"x","size":5}`, "1234"},
		{"huge string", `"string"`, huge + "abc"},
		{"negative string", `"string"`, long(-1)},
		{"branch 2", `["null","int"]`, long(2)},
		{"branch -1", `["null","int"]`, long(-1)},
		{"branch of null alone", `["null"]`, long(1)},
		{"symbol", `{"type":"enum","name":"x","symbols":["A"]}`, long(1)},
		{"negative symbol", `{"type":"enum","name":"x","symbols":["A"]}`, long(-1)},
		{"decimal", `{"type":"bytes","logicalType":"decimal","precision":10}`, long(17) + "\x01" + strings.Repeat("\x00", 16)},
		{"decimal sign", `{"type":"bytes","logicalType":"decimal","precision":10}`, long(17) + "\x00\x80" + strings.Repeat("\x00", 15)},
		{"huge array", `{"type":"array","items":"int"}`, huge},
		{"huge array with length", `{"type":"array","items":"int"}`, long(-1<<40) + long(1<<40)},
		{"smallest count", `{"type":"array","items":"int"}`, long(-1<<63) + long(1)},
		{"huge array of nulls", `{"type":"array","items":"null"}`, huge + "\x00"},
		{"huge array of nothing", `{"type":"array","items":{"type":"record","name":"e","fields":[]}}`, huge + "\x00"},
		{"huge map", `{"type":"map","values":"null"}`, huge},
		{"array without end", `{"type":"array","items":"int"}`, "\x02\x02"},
		{"array with a wrong length", `{"type":"array","items":"int"}`, long(-1) + long(99) + "\x02\x00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fault(t, decoderOf(t, tt.typ, nil), tt.rec)
			if strings.HasPrefix(tt.name, "symbol") || strings.HasPrefix(tt.name, "decimal") ||
				strings.HasPrefix(tt.name, "int ") || strings.HasPrefix(tt.name, "boolean") || strings.HasPrefix(tt.name, "negative symbol") {
				return // what is stepped over is not looked at that closely
			}
			fault(t, decoderBehind(t, tt.typ), tt.rec+"\x01")
		})
	}
}

// fault checks that a record is refused, by itself and between good ones.
func fault(t *testing.T, d *Decoder, rec string) {
	t.Helper()
	defer d.Release()
	if err := d.Append([]byte(rec)); !errors.Is(err, ErrCorrupt) || d.Len() != 0 {
		t.Errorf("%d rows, error %v", d.Len(), err)
	}
	buf := "\x01\x02\x03" + rec + strings.Repeat("\x00", 100)
	n, err := d.AppendAll([]byte(buf), []uint32{3, 0}, []uint32{uint32(3 + len(rec)), 0})
	if n != 0 || !errors.Is(err, ErrCorrupt) || d.Len() != 0 {
		t.Errorf("within others: %d rows, error %v", d.Len(), err)
	}
}

// A length that a record only claims to have must not take memory.
func TestClaimedLengthsTakeNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, typ := range []string{`"string"`, `"bytes"`, `{"type":"array","items":"null"}`, `{"type":"map","values":"string"}`, `{"type":"array","items":"long"}`} {
		d := decoderOf(t, typ, nil)
		for range 10 {
			if d.Append([]byte(long(1<<34))) == nil {
				t.Error("no error")
			}
		}
		d.Release()
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

// Values of a type that contains itself can be stepped over, to a depth.
func TestSkipRecursive(t *testing.T) {
	typ := `{"type":"record","name":"node","fields":[{"name":"v","type":"int"},{"name":"next","type":["node","null"]}]}`
	d := decoderBehind(t, typ)
	list := func(n int) []byte {
		return []byte(strings.Repeat("\x02\x00", n) + "\x02\x02\x01")
	}
	if err := d.Append(list(20)); err != nil {
		t.Error(err)
	}
	if err := d.Append(list(100000)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	if d.Len() != 1 {
		t.Errorf("%d rows", d.Len())
	}
	endless := `{"type":"record","name":"node","fields":[{"name":"a","type":"node"},{"name":"b","type":"node"}]}`
	if err := decoderBehind(t, endless).Append([]byte("abc")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

// HFiles keep the record key apart from the record.
func TestAppendKeyed(t *testing.T) {
	for typ, recs := range map[string][]string{
		`"string"`:          {"\x00", "\x06old"},
		`["null","string"]`: {"\x00", "\x02\x00", "\x02\x06old"},
		`["string","null"]`: {"\x02", "\x00\x00"},
	} {
		d := decoderOf(t, typ, nil)
		if err := d.SetKey("f"); err != nil {
			t.Fatal(err)
		}
		for _, rec := range recs {
			if err := d.AppendKeyed([]byte("key"), []byte(rec)); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.AppendKeyed(nil, []byte(recs[0])); err != nil {
			t.Fatal(err)
		}
		last := recs[len(recs)-1]
		if err := d.Append([]byte(last)); err != nil {
			t.Fatal(err)
		}
		if err := d.AppendKeyed([]byte("key"), []byte(last+"x")); !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
		b := d.NewBatch()
		col := b.Column(0).(*array.String)
		for i := range recs {
			if col.IsNull(i) || col.Value(i) != "key" {
				t.Errorf("%s: row %d is %v", typ, i, col)
			}
		}
		own := ""
		if strings.HasSuffix(last, "old") {
			own = "old"
		}
		if n := len(recs); col.Value(n) != "" || col.IsNull(n) || col.Value(n+1) != own || b.NumRows() != int64(n)+2 {
			t.Errorf("%s: %v", typ, col)
		}
		b.Release()
	}
	if err := decoderOf(t, `"int"`, nil).SetKey("f"); err == nil {
		t.Error("an int takes the key")
	}
	if err := decoderOf(t, `"string"`, nil).SetKey("g"); err == nil {
		t.Error("a field that is not there takes the key")
	}
}

// Java replaces what is no UTF-8 when it reads; so do we, for consumers of
// Arrow rely on it.
func TestInvalidText(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	d, err := NewDecoder(parseField(t, `["null","string"]`), nil, mem)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"good", "\xff", "", "ü", "\xc3", "\xbc", "x\xe2\x82", "end"}
	for _, v := range values {
		if err := d.Append([]byte("\x02" + long(int64(len(v))) + v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Append([]byte{0}); err != nil {
		t.Fatal(err)
	}
	b := d.NewBatch()
	defer b.Release()
	col := b.Column(0).(*array.String)
	for i, v := range values {
		if want := strings.ToValidUTF8(v, "\ufffd"); col.Value(i) != want {
			t.Errorf("row %d is %q, want %q", i, col.Value(i), want)
		}
	}
	if !col.IsNull(len(values)) {
		t.Error("null is lost")
	}
}

func TestBatchFull(t *testing.T) {
	defer func(n int) { maxEnd = n }(maxEnd)
	maxEnd = 1000
	for _, typ := range []string{`"string"`, `{"type":"array","items":"bytes"}`, `{"type":"map","values":"string"}`} {
		d := decoderOf(t, typ, nil)
		rec := long(90) + strings.Repeat("x", 90)
		if strings.Contains(typ, "array") {
			rec = "\x02" + rec + "\x00"
		}
		if strings.Contains(typ, "map") {
			rec = "\x02" + rec + "\x00\x00"
		}
		rows, batches := 0, 0
		for rows < 50 {
			err := d.Append([]byte(rec))
			if errors.Is(err, ErrBatchFull) {
				b := d.NewBatch()
				if b.NumRows() != 11 {
					t.Fatalf("%s: batch of %d rows", typ, b.NumRows())
				}
				b.Release()
				batches++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			rows++
		}
		if batches != 4 || d.Len() != 6 {
			t.Errorf("%s: %d batches and %d rows", typ, batches, d.Len())
		}
		d.Release()
	}
}

func TestUnknownColumnsArePassedOver(t *testing.T) {
	s, err := Parse(`{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"bad","type":["int","string"]},{"name":"b","type":"int"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDecoder(s, []string{"b", "zzz", "a"}, memory.DefaultAllocator)
	if err != nil || d.Schema().NumFields() != 2 || d.Schema().Field(0).Name != "a" {
		t.Fatal(d, err)
	}
	if err := d.Append([]byte("\x02" + "\x02\x06abc" + "\x04")); err != nil {
		t.Fatal(err)
	}
	b := d.NewBatch()
	defer b.Release()
	if b.Column(1).(*array.Int32).Value(0) != 2 {
		t.Error(b)
	}
	var unsupported *UnsupportedError
	if _, err := NewDecoder(s, nil, memory.DefaultAllocator); !errors.As(err, &unsupported) || unsupported.Field != "bad" {
		t.Errorf("error %v", err)
	}
}

// Fields behind the last wanted one may be anything.
func TestBehindTheWanted(t *testing.T) {
	s, err := Parse(`{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"b","type":"string"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]string{{"a"}, {}} {
		d, err := NewDecoder(s, columns, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Append([]byte("\x02\x7f")); err != nil {
			t.Error(err)
		}
		if n, err := d.AppendAll([]byte("\x02\x7f\x04"), []uint32{0, 2}, []uint32{2, 3}); n != 2 || err != nil {
			t.Error(n, err)
		}
		b := d.NewBatch()
		if b.NumRows() != 3 || len(columns) == 1 && b.Column(0).(*array.Int32).Value(2) != 2 {
			t.Error(b)
		}
		b.Release()
	}
}

// FuzzDecoder feeds any bytes to a decoder of all types, of all columns and of
// the last one only: a fault leaves no trace, and records all at once are the
// same as one by one.
func FuzzDecoder(f *testing.F) {
	s, records := blockOf(f, "all_types.log")
	for _, rec := range records[:5] {
		f.Add(rec, uint16(20))
	}
	choices := [][]string{nil, {"c_astruct"}}
	want := make([][]string, len(choices))
	for i, columns := range choices {
		b := decodeAll(f, s, records[1:2], columns, memory.DefaultAllocator)
		for c := range int(b.NumCols()) {
			want[i] = append(want[i], arrowText(b.Column(c), 0))
		}
		b.Release()
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		for i, columns := range choices {
			b := sameAllAtOnce(t, s, [][]byte{records[0], data, data[:min(int(cut), len(data))], records[1]}, columns, mem)
			for c, w := range want[i] {
				if got := arrowText(b.Column(c), int(b.NumRows())-1); got != w {
					t.Errorf("column %d is %s, want %s", c, got, w)
				}
			}
			b.Release()
		}
	})
}
