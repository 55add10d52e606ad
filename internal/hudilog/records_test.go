package hudilog

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	hamba "github.com/hamba/avro/v2"
)

func TestAvroRecords(t *testing.T) {
	good := avroContent("one", "", "three")
	n, records, err := AvroRecords(good)
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	var got []string
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(rec))
	}
	if !slices.Equal(got, []string{"one", "", "three"}) {
		t.Errorf("records %q", got)
	}
	for cut := range len(good) {
		_, records, err := AvroRecords(good[:cut])
		if err == nil {
			for _, e := range records {
				err = e
			}
		}
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d: %v", cut, err)
		}
	}
	good[3] = 4
	if _, _, err := AvroRecords(good); !errors.Is(err, ErrUnsupported) {
		t.Errorf("content version 4: %v", err)
	}
}

// streamed reads the records of a block through a window.
func streamed(b *Block) (got []string, err error) {
	r, err := b.Records()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		if len(got)+r.Left() != r.Len() {
			return got, fmt.Errorf("%d records given, %d left of %d", len(got), r.Left(), r.Len())
		}
		spans, err := r.Next()
		if err == io.EOF {
			if len(got) != r.Len() {
				return got, fmt.Errorf("%d records, %d announced", len(got), r.Len())
			}
			return got, nil
		}
		if err != nil {
			if _, again := r.Next(); again != err {
				return got, fmt.Errorf("%v after %v", again, err)
			}
			return got, err
		}
		if len(spans.From) == 0 || len(spans.From) != len(spans.To) {
			return got, fmt.Errorf("%d records that end %d times", len(spans.From), len(spans.To))
		}
		for i, from := range spans.From {
			got = append(got, string(spans.Bytes[from:spans.To[i]]))
		}
	}
}

func TestRecordsThroughWindow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, sizes := range [][]int{{}, {0}, {5, 0, 7}, {recordWindow - 16}, {3 * recordWindow, 1, recordWindow}, nil} {
		if sizes == nil {
			sizes = make([]int, 3000)
			for i := range sizes {
				sizes[i] = rnd.IntN(4000)
			}
		}
		want := make([]string, len(sizes))
		for i, n := range sizes {
			want[i] = strings.Repeat(string(rune('a'+i%26)), n)
		}
		f := &memFile{data: append(make([]byte, smallFile), avroContent(want...)...)}
		b := &Block{file: f, ContentOffset: smallFile, ContentLength: int64(len(f.data) - smallFile)}
		got, err := streamed(b)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d records: %d, %v", len(want), len(got), err)
		}
		if f.bytes > len(f.data) || f.reads > len(f.data)/recordWindow+8 {
			t.Errorf("%d records: %d bytes in %d reads", len(want), f.bytes, f.reads)
		}
		b.content = f.data[smallFile:]
		if got, err := streamed(b); err != nil || !slices.Equal(got, want) {
			t.Errorf("in memory: %d records: %d, %v", len(want), len(got), err)
		}
	}
}

func TestRecordsCut(t *testing.T) {
	good := avroContent("one", "", "three", strings.Repeat("x", 5000))
	for cut := range len(good) {
		for _, held := range []bool{false, true} {
			f := &memFile{data: good[:cut]}
			b := &Block{file: f, ContentLength: int64(cut)}
			if held {
				b.content = f.data
			}
			if _, err := streamed(b); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut to %d: %v", cut, err)
			}
		}
	}
	b := &Block{file: &memFile{data: good[:20]}, ContentLength: int64(len(good))}
	if _, err := streamed(b); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short file: %v", err)
	}
}

func TestRealDeletes(t *testing.T) {
	for file, keys := range map[string][]string{
		"v6_deletes.log": {"e96c4396-3fad-413a-a942-4cb36106d721", "9909a8b1-2d15-4d3d-8ec9-efc48c536a00", "334e26e9-8355-45cc-97c6-c31daf0df330"},
		"v8_deletes.log": {"k00011", "k00014", "k00017", "k00020", "k00023"}, "v9_empty_deletes.log": nil,
	} {
		content, _ := blocksOf(t, realLog(t, file))[0].Content()
		list, err := Deletes(content)
		if err != nil || !slices.Equal(list.Keys, keys) || len(list.Ordering) != len(keys) {
			t.Errorf("%s: %+v, %v", file, list, err)
			continue
		}
		for _, v := range list.Ordering {
			if v.Kind != OrderingInt || !v.IsDefault() {
				t.Errorf("%s: ordering value %+v", file, v)
			}
		}
	}
}

// deleteSchema is the schema of delete lists, which is fixed in Hudi's code:
// a wrapper record for each type of ordering value.
func deleteSchema() hamba.Schema {
	var wrappers, names []string
	for _, w := range []string{"Boolean:boolean", "Int:int", "Long:long", "Float:float", "Double:double", "Bytes:bytes",
		"String:string", "Date:int", "Decimal:bytes", "TimeMicros:long", "TimestampMicros:long"} {
		name, typ, _ := strings.Cut(w, ":")
		wrappers = append(wrappers, fmt.Sprintf(`{"type":"record","name":"%sWrapper","fields":[{"name":"value","type":"%s"}]}`, name, typ))
		names = append(names, `"`+name+`Wrapper"`)
	}
	array := `{"type":"record","name":"ArrayWrapper","fields":[{"name":"wrappedValues","type":["null",{"type":"array","items":["null",` +
		strings.Join(names, ",") + `,{"type":"record","name":"LocalDateWrapper","fields":[{"name":"value","type":"int"}]}]}]}]}`
	return hamba.MustParse(`{"type":"record","name":"List","fields":[{"name":"deleteRecordList","type":{"type":"array","items":
		{"type":"record","name":"Delete","fields":[{"name":"recordKey","type":["null","string"]},{"name":"partitionPath","type":["null","string"]},
		{"name":"orderingVal","type":["null",` + strings.Join(wrappers, ",") + "," + array + `]}]}}}]}`)
}

// deleteContent encodes a delete list through hamba/avro.
func deleteContent(t testing.TB, deletes ...map[string]any) []byte {
	t.Helper()
	list := make([]any, len(deletes))
	for i := range deletes {
		list[i] = deletes[i]
	}
	b, err := hamba.Marshal(deleteSchema(), map[string]any{"deleteRecordList": list})
	if err != nil {
		t.Fatal(err)
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 3), uint32(len(b)))
	return append(head, b...)
}

func wrapped(name string, v any) map[string]any {
	return map[string]any{name + "Wrapper": map[string]any{"value": v}}
}

func TestDeleteOrderingValues(t *testing.T) {
	array := map[string]any{"ArrayWrapper": map[string]any{"wrappedValues": map[string]any{"array": []any{
		wrapped("Int", 7), nil, wrapped("String", "x"), wrapped("LocalDate", 19000)}}}}
	for _, tt := range []struct {
		value     any
		want      OrderingValue
		isDefault bool
	}{
		{nil, OrderingValue{}, true},
		{wrapped("Boolean", true), OrderingValue{Kind: OrderingBool, I64: 1}, false},
		{wrapped("Int", 0), OrderingValue{Kind: OrderingInt}, true},
		{wrapped("Int", -5), OrderingValue{Kind: OrderingInt, I64: -5}, false},
		{wrapped("Long", int64(0)), OrderingValue{Kind: OrderingLong}, false},
		{wrapped("Long", int64(math.MinInt64)), OrderingValue{Kind: OrderingLong, I64: math.MinInt64}, false},
		{wrapped("Float", float32(1.5)), OrderingValue{Kind: OrderingFloat, F64: 1.5}, false},
		{wrapped("Double", -2.25), OrderingValue{Kind: OrderingDouble, F64: -2.25}, false},
		{wrapped("Bytes", []byte{0, 255}), OrderingValue{Kind: OrderingBytes, Str: "\x00\xff"}, false},
		{wrapped("String", "ü"), OrderingValue{Kind: OrderingString, Str: "ü"}, false},
		{wrapped("Date", 20000), OrderingValue{Kind: OrderingDate, I64: 20000}, false},
		{wrapped("Decimal", []byte{0x80, 1}), OrderingValue{Kind: OrderingDecimal, Str: "\x80\x01"}, false},
		{wrapped("TimeMicros", int64(9)), OrderingValue{Kind: OrderingTimeMicros, I64: 9}, false},
		{wrapped("TimestampMicros", int64(1)<<50), OrderingValue{Kind: OrderingTimestampMicros, I64: 1 << 50}, false},
		{array, OrderingValue{Kind: OrderingArray, List: []OrderingValue{
			{Kind: OrderingInt, I64: 7}, {}, {Kind: OrderingString, Str: "x"}, {Kind: OrderingLocalDate, I64: 19000}}}, false},
	} {
		list, err := Deletes(deleteContent(t,
			map[string]any{"recordKey": "k1", "partitionPath": "p", "orderingVal": tt.value},
			map[string]any{"recordKey": nil, "partitionPath": nil, "orderingVal": nil}))
		if err != nil || !slices.Equal(list.Keys, []string{"k1", ""}) {
			t.Fatalf("%v: %+v, %v", tt.value, list, err)
		}
		if got := list.Ordering[0]; !reflect.DeepEqual(got, tt.want) || got.IsDefault() != tt.isDefault {
			t.Errorf("%v: %+v, default %v", tt.value, got, got.IsDefault())
		}
	}
}

func TestDeleteRefusals(t *testing.T) {
	good := deleteContent(t, map[string]any{"recordKey": "key", "partitionPath": "p", "orderingVal": wrapped("String", "text")})
	for cut := range len(good) {
		if _, err := Deletes(good[:cut]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d: %v", cut, err)
		}
	}
	for version := range byte(8) {
		b := slices.Clone(good)
		b[3] = version
		_, err := Deletes(b)
		switch version {
		case 3:
			if err != nil {
				t.Error(err)
			}
		case 1, 2:
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "run a compaction") {
				t.Errorf("version %d: %v", version, err)
			}
		default:
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("version %d: %v", version, err)
			}
		}
	}
}

// Positions against the Roaring library: sparse and dense parts, runs, several
// buckets.
func TestPositions(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		bitmap := roaring64.New()
		for range rnd.IntN(4) {
			base := uint64(rnd.IntN(3))<<32 | uint64(rnd.IntN(3))<<16 | uint64(rnd.IntN(60000))
			switch rnd.IntN(3) {
			case 0:
				bitmap.AddRange(base, base+uint64(rnd.IntN(200000)))
			case 1:
				for range rnd.IntN(9000) {
					bitmap.Add(base&^0xffff | uint64(rnd.IntN(1<<16)))
				}
			default:
				for range rnd.IntN(100) {
					bitmap.Add(base + uint64(rnd.IntN(1<<20)))
				}
			}
		}
		if seed%2 == 0 {
			bitmap.RunOptimize()
		}
		raw, err := bitmap.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Positions(base64.StdEncoding.EncodeToString(raw))
		if err != nil || !slices.EqualFunc(got, bitmap.ToArray(), func(p int64, q uint64) bool { return p == int64(q) }) {
			t.Fatalf("seed %d: %d positions, want %d; %v", seed, len(got), bitmap.GetCardinality(), err)
		}
		for range 20 {
			cut := rnd.IntN(len(raw))
			if _, err := Positions(base64.StdEncoding.EncodeToString(raw[:cut])); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("seed %d cut to %d: %v", seed, cut, err)
			}
		}
	}
}

func TestPositionsBeyondFiles(t *testing.T) {
	bitmap := roaring64.New()
	bitmap.Add(1 << 63)
	raw, err := bitmap.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Positions(base64.StdEncoding.EncodeToString(raw)); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

func TestRealPositions(t *testing.T) {
	for file, first := range map[string]int64{"v8_avro_with_positions.log": 0, "v8_deletes.log": 3} {
		b := blocksOf(t, realLog(t, file))[0]
		got, err := Positions(b.Header[RecordPositions])
		if err != nil || len(got) < 5 || got[0] != first || got[4] != first+4 {
			t.Errorf("%s: %v, %v", file, got, err)
		}
	}
}

func TestNativePositions(t *testing.T) {
	want := []int64{5, 0, 300, 1<<63 - 1}
	raw := binary.BigEndian.AppendUint32(nil, uint32(len(want)))
	for _, p := range want {
		raw = binary.AppendUvarint(raw, uint64(p))
	}
	got, err := NativePositions(base64.StdEncoding.EncodeToString(raw))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for cut := range len(raw) {
		if _, err := NativePositions(base64.StdEncoding.EncodeToString(raw[:cut])); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d: %v", cut, err)
		}
	}
	for name, text := range map[string]string{
		"no base64": "!", "bytes left": base64.StdEncoding.EncodeToString(append(raw, 0)),
		"negative": base64.StdEncoding.EncodeToString(binary.AppendUvarint([]byte{0, 0, 0, 1}, 1<<63)),
	} {
		if _, err := NativePositions(text); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseNativeHeader(t *testing.T) {
	h, err := ParseNativeHeader(`{"VERSION":"2","INSTANT_TIME":"001","SCHEMA":"{\"type\":\"string\"}","IS_PARTIAL":"true","NEW":"x"}`)
	want := map[HeaderKey]string{InstantTime: "001", Schema: `{"type":"string"}`, IsPartial: "true"}
	if err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("%v, %v", h, err)
	}
	for text, want := range map[string]error{
		`{"VERSION":"3"}`: ErrUnsupported, `{"VERSION":"x"}`: ErrCorrupt, `[]`: ErrCorrupt, ``: ErrCorrupt,
	} {
		if _, err := ParseNativeHeader(text); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzDeletes(f *testing.F) {
	for _, file := range []string{"v6_deletes.log", "v8_deletes.log", "v9_empty_deletes.log"} {
		content, _ := blocksOf(f, realLog(f, file))[0].Content()
		f.Add(content)
	}
	f.Add(deleteContent(f, map[string]any{"recordKey": "k", "partitionPath": nil, "orderingVal": map[string]any{
		"ArrayWrapper": map[string]any{"wrappedValues": map[string]any{"array": []any{wrapped("Double", 1.0), nil}}}}}))
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := Deletes(content)
		if err == nil && len(list.Keys) != len(list.Ordering) {
			t.Error("keys and ordering values differ in number")
		}
	})
}

func FuzzPositions(f *testing.F) {
	b := blocksOf(f, realLog(f, "v8_deletes.log"))[0]
	raw, _ := base64.StdEncoding.DecodeString(b.Header[RecordPositions])
	f.Add(raw)
	dense := roaring64.New()
	for i := range uint64(5000) {
		dense.Add(i * 2)
	}
	raw, _ = dense.ToBytes()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := base64.StdEncoding.EncodeToString(raw)
		got, err := Positions(text)
		if err == nil && !slices.IsSorted(got) {
			t.Error("positions are not sorted")
		}
		NativePositions(text)
	})
}
