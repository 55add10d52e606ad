package pushdown

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/schema"
)

// Presence tells whether a file has a column of the table.
type Presence uint8

// The kinds of presence.
const (
	Unsure  Presence = iota // nothing is known of the values
	Present                 // under the path given
	Absent                  // every row reads as null
)

// FileColumns maps the columns of a table to those of a file: the path of the
// leaf, names joined by dots. It has to know renames, defaults and values that
// come from the partition path.
type FileColumns func(f *Field) (path string, p Presence)

// SameNames is the mapping of files whose columns have the table's names. It
// does not take a missing column for null.
func SameNames(f *Field) (string, Presence) { return f.Name(), Present }

// ColumnsOf is the mapping that a [schema.Adapter] made of the same arguments
// follows: columns are matched by id where both sides have ids, else by name;
// those that the file lacks are null, unless they have a default or a value
// from the partition path. With pathWins that value replaces what the file
// has. table is the schema that the condition is bound to.
func ColumnsOf(file, table *arrow.Schema, constants map[string]*string, pathWins bool) FileColumns {
	return func(f *Field) (string, Presence) {
		_, constant := constants[f.Path[0]]
		if constant && pathWins {
			return "", Unsure
		}
		have, want := file.Fields(), table.Fields()
		var path []string
		for _, i := range f.Index {
			if i >= len(want) {
				return "", Unsure
			}
			at := matchField(have, want[i])
			if at < 0 {
				if _, withDefault := want[i].Metadata.GetValue(defaultKey); withDefault || constant && len(path) == 0 {
					return "", Unsure
				}
				return "", Absent
			}
			path = append(path, have[at].Name)
			have, want = fieldsBelow(have[at].Type), fieldsBelow(want[i].Type)
		}
		return strings.Join(path, "."), Present
	}
}

// Keys of field metadata that package schema uses.
const (
	idKey      = "hudi.id"
	defaultKey = "hudi.default"
)

func fieldsBelow(t arrow.DataType) []arrow.Field {
	if s, ok := t.(*arrow.StructType); ok {
		return s.Fields()
	}
	return nil
}

// matchField finds the field of a file that is read for a field of the table,
// as adapters do.
func matchField(have []arrow.Field, want arrow.Field) int {
	if id, ok := want.Metadata.GetValue(idKey); ok && !schema.IsMeta(want.Name) {
		known := false
		for i, h := range have {
			if other, ok := h.Metadata.GetValue(idKey); ok {
				if known = true; other == id {
					return i
				}
			}
		}
		if known {
			return -1
		}
	}
	if i, ok := schema.Lookup(arrow.NewSchema(have, nil), want.Name); ok {
		return i
	}
	return -1
}
