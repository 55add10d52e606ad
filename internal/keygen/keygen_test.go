package keygen

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/snapshot"
)

// config is the part of a table's configuration that paths depend on.
type config struct {
	fields  string // comma list
	slashed bool
}

func (c config) spec(version int) Spec {
	t := &snapshot.Config{SlashDates: c.slashed, Version: version}
	for _, f := range strings.FieldsFunc(c.fields, func(r rune) bool { return r == ',' }) {
		t.PartitionFields = append(t.PartitionFields, snapshot.PartitionField{Name: f})
	}
	return NewSpec(t)
}

func TestPartitionValues(t *testing.T) {
	for _, c := range []struct {
		props config
		path  string
		want  map[string]string // "<null>" for null; nil when the path can't be taken apart
	}{
		{config{fields: "p"}, "2024-01", map[string]string{"p": "2024-01"}},
		{config{fields: "p"}, "p=x%2Fy", map[string]string{"p": "x/y"}},
		{config{fields: "p"}, "p=50%25", map[string]string{"p": "50%"}},
		{config{fields: "p"}, "100%", map[string]string{"p": "100%"}},
		{config{fields: "p"}, "__HIVE_DEFAULT_PARTITION__", map[string]string{"p": "<null>"}},
		{config{fields: "hh"}, "hh=08", map[string]string{"hh": "08"}},
		{config{fields: "y,m"}, "2024/02", map[string]string{"y": "2024", "m": "02"}},
		{config{fields: "y,m"}, "y=a/b/m=02", map[string]string{"y": "a/b", "m": "02"}},
		{config{fields: "y,m"}, "a/b/02", nil},
		{config{fields: "d"}, "2024/02/03", map[string]string{"d": "2024/02/03"}},
		{config{fields: "d", slashed: true}, "2024/02/03", map[string]string{"d": "2024-02-03"}},
		{config{fields: "region,ev"}, "eu/2024-01-01", map[string]string{"region": "eu", "ev": "2024-01-01"}},
		{config{}, "", nil},
	} {
		got := c.props.spec(9).PartitionValues(c.path)
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
	p := config{fields: "p"}
	if v := p.spec(4).PartitionValues("default")["p"]; v != nil {
		t.Errorf("version 4: %q, want null", *v)
	}
	if v := p.spec(5).PartitionValues("default")["p"]; v == nil || *v != "default" {
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
		s := NewSpec(&snapshot.Config{RecordKeys: strings.Split(c.keys, ","), KeyGenerator: c.kind, Version: 9})
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
