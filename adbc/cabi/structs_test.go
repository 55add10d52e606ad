package cabi

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestWholeStructs(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "n", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "in", Type: inner, Nullable: true}), Nullable: true},
		{Name: "l", Type: arrow.ListOf(inner), Nullable: true},
	}, nil)
	text := `[{"i":0,"s":{"n":"a","in":{"x":1}},"l":[{"x":1},{"x":2}]},{"i":1,"s":null,"l":null},{"i":2,"s":{"n":"c","in":null},"l":[]},` +
		`{"i":3,"s":{"n":null,"in":{"x":4}},"l":[null,{"x":null}]},{"i":4,"s":{"n":"e","in":{"x":5}},"l":[{"x":9}]}]`
	all, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	for from := range int64(5) {
		for to := from; to <= 5; to++ {
			cut := all.NewSlice(from, to)
			got := wholeStructs(cut)
			if !array.RecordEqual(cut, got) {
				t.Errorf("rows %d to %d: got %v, want %v", from, to, got, cut)
			}
			for _, c := range got.Columns() {
				mustBeWhole(t, c.Data())
			}
			got.Release()
			cut.Release()
		}
	}
	if got := wholeStructs(all); got.Column(1).Data() != all.Column(1).Data() {
		t.Error("structs without offset were made again")
	} else {
		got.Release()
	}
}

func mustBeWhole(t *testing.T, d arrow.ArrayData) {
	t.Helper()
	if d.DataType().ID() == arrow.STRUCT && d.Offset() != 0 {
		t.Errorf("a struct at offset %d", d.Offset())
	}
	for _, c := range d.Children() {
		mustBeWhole(t, c)
	}
}
