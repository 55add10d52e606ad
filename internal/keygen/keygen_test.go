package keygen

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestPartitionValues(t *testing.T) {
	for _, c := range []struct {
		props map[string]string
		path  string
		want  map[string]string // "<null>" for null; nil when the path can't be taken apart
	}{
		{map[string]string{"hoodie.table.partition.fields": "p"}, "2024-01", map[string]string{"p": "2024-01"}},
		{map[string]string{"hoodie.table.partition.fields": "p"}, "p=x%2Fy", map[string]string{"p": "x/y"}},
		{map[string]string{"hoodie.table.partition.fields": "p"}, "p=50%25", map[string]string{"p": "50%"}},
		{map[string]string{"hoodie.table.partition.fields": "p"}, "100%", map[string]string{"p": "100%"}},
		{map[string]string{"hoodie.table.partition.fields": "p"}, "__HIVE_DEFAULT_PARTITION__", map[string]string{"p": "<null>"}},
		{map[string]string{"hoodie.table.partition.fields": "hh"}, "hh=08", map[string]string{"hh": "08"}},
		{map[string]string{"hoodie.table.partition.fields": "y,m"}, "2024/02", map[string]string{"y": "2024", "m": "02"}},
		{map[string]string{"hoodie.table.partition.fields": "y,m"}, "y=a/b/m=02", map[string]string{"y": "a/b", "m": "02"}},
		{map[string]string{"hoodie.table.partition.fields": "y,m"}, "a/b/02", nil},
		{map[string]string{"hoodie.table.partition.fields": "d"}, "2024/02/03", map[string]string{"d": "2024/02/03"}},
		{map[string]string{"hoodie.table.partition.fields": "d", "hoodie.datasource.write.slash.separated.date.partitioning": "true"}, "2024/02/03", map[string]string{"d": "2024-02-03"}},
		{map[string]string{"hoodie.table.partition.fields": "region:SIMPLE,ev:TIMESTAMP"}, "eu/2024-01-01", map[string]string{"region": "eu", "ev": "2024-01-01"}},
		{map[string]string{}, "", nil},
	} {
		got := NewSpec(c.props, 9).PartitionValues(c.path)
		if (got == nil) != (c.want == nil) || len(got) != len(c.want) {
			t.Errorf("%v %q: %v, want %v", c.props, c.path, got, c.want)
			continue
		}
		for k, w := range c.want {
			g := "<null>"
			if got[k] != nil {
				g = *got[k]
			}
			if g != w {
				t.Errorf("%v %q: %s = %q, want %q", c.props, c.path, k, g, w)
			}
		}
	}
}

func TestOldDefaultPartition(t *testing.T) {
	p := map[string]string{"hoodie.table.partition.fields": "p"}
	if v := NewSpec(p, 4).PartitionValues("default")["p"]; v != nil {
		t.Errorf("version 4: %q, want null", *v)
	}
	if v := NewSpec(p, 5).PartitionValues("default")["p"]; v == nil || *v != "default" {
		t.Errorf("version 5: %v, want default", v)
	}
}

func TestRecordKeys(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	build := func(dt arrow.DataType, values ...string) arrow.Array {
		b := array.NewBuilder(mem, dt)
		defer b.Release()
		for _, v := range values {
			if v == "<null>" {
				b.AppendNull()
			} else if err := b.AppendValueFromString(v); err != nil {
				t.Fatal(err)
			}
		}
		return b.NewArray()
	}
	for _, c := range []struct {
		keys, kind string
		cols       []arrow.Array
		want       []string // nil: an error
	}{
		{"id", "SIMPLE", []arrow.Array{build(arrow.BinaryTypes.String, "a", "b")}, []string{"a", "b"}},
		{"id", "COMPLEX", []arrow.Array{build(arrow.BinaryTypes.String, "a", "<null>")}, []string{"id:a", "id:__null__"}},
		{"a,b", "COMPLEX", []arrow.Array{build(arrow.PrimitiveTypes.Int32, "1", "2"), build(arrow.BinaryTypes.String, "", "x")}, []string{"a:1,b:__empty__", "a:2,b:x"}},
		{"d", "SIMPLE", []arrow.Array{build(arrow.FixedWidthTypes.Date32, "1999-12-31", "1960-02-29")}, []string{"1999-12-31", "1960-02-29"}},
		{"f", "SIMPLE", []arrow.Array{build(arrow.PrimitiveTypes.Float64, "1", "1e10")}, []string{"1.0", "1.0E10"}},
		{"id", "SIMPLE", []arrow.Array{build(arrow.PrimitiveTypes.Int64, "1", "<null>")}, nil},
	} {
		s := NewSpec(map[string]string{"hoodie.table.recordkey.fields": c.keys, "hoodie.table.keygenerator.type": c.kind}, 9)
		got, err := s.RecordKeys(mem, c.cols, 2)
		if (err != nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.keys, err)
		}
		for i, w := range c.want {
			if g := got.(*array.String).Value(i); g != w {
				t.Errorf("%s row %d: %q, want %q", c.keys, i, g, w)
			}
		}
		if got != nil {
			got.Release()
		}
		for _, a := range c.cols {
			a.Release()
		}
	}
}
