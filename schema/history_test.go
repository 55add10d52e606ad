package schema

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

const historyText = `{"schemas":[
 {"max_column_id":9,"version_id":20,"type":"record","fields":[
  {"id":0,"name":"a","optional":false,"type":"long"},
  {"id":1,"name":"s","optional":true,"type":{"type":"record","fields":[{"id":2,"name":"x","optional":true,"type":"decimal(10, 2)"}]}},
  {"id":3,"name":"l","optional":true,"type":{"type":"array","element_id":4,"element":"date","element_optional":true}},
  {"id":5,"name":"m","optional":true,"type":{"type":"map","key_id":6,"key":"string","value_id":7,"value":"timestamp","value_optional":true}},
  {"id":8,"name":"f","optional":true,"type":"fixed[16]"},
  {"id":9,"name":"d","optional":true,"type":"decimal_fixed(20, 4)[9]"}]},
 {"max_column_id":1,"version_id":0,"type":"record","fields":[{"id":0,"name":"old","optional":false,"type":"int"}]}]}`

func TestHistory(t *testing.T) {
	h, err := ParseHistory(historyText)
	if err != nil {
		t.Fatal(err)
	}
	want := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: i64},
		field("s", arrow.StructOf(field("x", dec(10, 2)))),
		field("l", arrow.ListOf(date)),
		field("m", arrow.MapOf(utf8, tsMicros)),
		field("f", &arrow.FixedSizeBinaryType{ByteWidth: 16}),
		field("d", dec(20, 4)),
	}, nil)
	if got := Strip(h.At("20")); !got.Equal(want) {
		t.Errorf("version 20:\n%v\nwant\n%v", got, want)
	}
	for instant, name := range map[string]string{"19": "old", "0": "old", "20": "a", "20240101000000000": "a"} {
		if got := h.At(instant).Field(0).Name; got != name {
			t.Errorf("at %s the first column is %q, want %q", instant, got, name)
		}
	}
	l := h.At("20").Field(2).Type.(*arrow.ListType)
	if id, ok := fieldID(l.ElemField()); !ok || id != 4 {
		t.Errorf("list element has id %d, want 4", id)
	}
}

func TestHistoryRefusals(t *testing.T) {
	for _, text := range []string{`{`, `{"schemas":[{"fields":[{"name":"a","type":"quaternion"}]}]}`,
		`{"schemas":[{"fields":[{"name":"a","type":"decimal(77, 2)"}]}]}`, `{"schemas":[{"fields":[{"name":"a","type":"decimal"}]}]}`} {
		if _, err := ParseHistory(text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	if h, err := ParseHistory(" "); err != nil || !h.Empty() || h.At("1") != nil {
		t.Errorf("empty text: %v %v", h, err)
	}
}

func FuzzParseHistory(f *testing.F) {
	f.Add(historyText)
	f.Fuzz(func(t *testing.T, text string) { ParseHistory(text) })
}
