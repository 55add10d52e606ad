package pushdown

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestColumnsOf(t *testing.T) {
	with := func(f arrow.Field, kv ...string) arrow.Field {
		f.Metadata = arrow.MetadataFrom(map[string]string{kv[0]: kv[1]})
		return f
	}
	i := arrow.PrimitiveTypes.Int32
	text := "x"
	for _, c := range []struct {
		name        string
		file, table []arrow.Field
		constants   map[string]*string
		pathWins    bool
		column      Column
		path        string
		want        Presence
	}{
		{"same name", []arrow.Field{nullable("a", i)}, []arrow.Field{nullable("a", i)}, nil, false, Col("a"), "a", Present},
		{"other case", []arrow.Field{nullable("A", i)}, []arrow.Field{nullable("a", i)}, nil, false, Col("a"), "A", Present},
		{"added later", []arrow.Field{nullable("b", i)}, []arrow.Field{nullable("a", i)}, nil, false, Col("a"), "", Absent},
		{"added with a default", []arrow.Field{nullable("b", i)}, []arrow.Field{with(nullable("a", i), defaultKey, "1")}, nil, false, Col("a"), "", Unsure},
		{"from the path", []arrow.Field{nullable("b", i)}, []arrow.Field{nullable("a", i)}, map[string]*string{"a": &text}, false, Col("a"), "", Unsure},
		{"in file and path", []arrow.Field{nullable("a", i)}, []arrow.Field{nullable("a", i)}, map[string]*string{"a": &text}, false, Col("a"), "a", Present},
		{"the path wins", []arrow.Field{nullable("a", i)}, []arrow.Field{nullable("a", i)}, map[string]*string{"a": nil}, true, Col("a"), "", Unsure},
		{"renamed", []arrow.Field{with(nullable("old", i), idKey, "3")}, []arrow.Field{with(nullable("a", i), idKey, "3")}, nil, false, Col("a"), "old", Present},
		{"dropped and added again", []arrow.Field{with(nullable("a", i), idKey, "3")}, []arrow.Field{with(nullable("a", i), idKey, "7")}, nil, false, Col("a"), "", Absent},
		{"ids on one side", []arrow.Field{nullable("a", i)}, []arrow.Field{with(nullable("a", i), idKey, "7")}, nil, false, Col("a"), "a", Present},
		{"nested", []arrow.Field{nullable("S", arrow.StructOf(nullable("X", i)))}, []arrow.Field{nullable("s", arrow.StructOf(nullable("x", i)))}, nil, false, Col("s", "x"), "S.X", Present},
		{"nested, added", []arrow.Field{nullable("s", arrow.StructOf(nullable("y", i)))}, []arrow.Field{nullable("s", arrow.StructOf(nullable("x", i)))}, nil, false, Col("s", "x"), "", Absent},
	} {
		table := arrow.NewSchema(c.table, nil)
		b, err := Bind(c.column.IsNull(), table, BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		path, p := ColumnsOf(arrow.NewSchema(c.file, nil), table, c.constants, c.pathWins)(b.Fields()[0])
		if path != c.path || p != c.want {
			t.Errorf("%s: %q %d, want %q %d", c.name, path, p, c.path, c.want)
		}
	}
}
