package mergeread

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Mode says which of two records of one key wins.
type Mode uint8

const (
	CommitTime Mode = iota // the later record in log order
	EventTime              // the record with the greater ordering value
	Custom                 // what a payload class or a registered [Merger] says
)

// A PartialMode says how the columns of two records of one key combine in a
// table that stores partial updates as whole rows.
type PartialMode uint8

const (
	WholeRecord     PartialMode = iota // the winner is taken whole
	IgnoreDefaults                     // a default value in the winner gives way to the loser's
	FillUnavailable                    // a marker string in the winner gives way to the loser's
)

// Names of columns that decide about records, beside those named in [Rules].
const (
	isDeletedField = "_hoodie_is_deleted"
	operationField = "_hoodie_operation"
)

// Rules say how the records of one key combine. They come from the table
// configuration; see [Rules.Validate] for what is refused.
type Rules struct {
	Mode    Mode
	Partial PartialMode

	// Unavailable is the marker of FillUnavailable,
	// hoodie.write.partial.update.unavailable.value.
	Unavailable string

	// DeleteField and DeleteMarker are hoodie.payload.delete.field and
	// hoodie.payload.delete.marker: a row whose field has the marker as its
	// text is a delete. Both or none.
	DeleteField, DeleteMarker string

	// Ordering are the ordering fields, nested ones as dotted paths.
	Ordering []string

	// Payload is the payload class of a CUSTOM table, and of tables before
	// version 9 whose class is more than a mode. "" when the mode says all.
	Payload string

	// Strategy is the merge strategy id of a CUSTOM table.
	Strategy string
}

// Validate checks that the rules can be obeyed. A CUSTOM table whose payload
// class or strategy nobody registered a [Merger] for is refused by name.
func (r Rules) Validate() error {
	if (r.DeleteField == "") != (r.DeleteMarker == "") {
		return fmt.Errorf("mergeread: hoodie.payload.delete.field (%q) and hoodie.payload.delete.marker (%q) must be set both or not at all",
			r.DeleteField, r.DeleteMarker)
	}
	if r.Mode == Custom {
		_, err := r.custom()
		return err
	}
	return nil
}

// Columns are the top-level columns of a table's schema that the merge itself
// reads, in schema order and without those that the schema lacks. The working
// schema of an [Input] holds them beside the projected columns and the key.
func (r Rules) Columns(schema *arrow.Schema) []string {
	want := map[string]bool{operationField: true, isDeletedField: true}
	if r.DeleteField != "" {
		want[top(r.DeleteField)] = true
	}
	if r.Mode != CommitTime {
		for _, f := range r.orderingFields() {
			want[top(f)] = true
		}
	}
	if r.Mode == Custom {
		if c, err := r.custom(); err == nil {
			for _, f := range c.columns(r, schema) {
				want[top(f)] = true
			}
		}
	}
	var names []string
	for _, f := range schema.Fields() {
		if f.Name == isDeletedField && f.Type.ID() != arrow.BOOL {
			continue
		}
		if want[f.Name] {
			names = append(names, f.Name)
		}
	}
	return names
}

// orderingFields are the fields that records are compared by: the configured
// ones, but for the payload classes that compare a field of their own.
func (r Rules) orderingFields() []string {
	if r.Mode == CommitTime {
		return nil
	}
	if r.Mode == Custom {
		if c, err := r.custom(); err == nil && c.payload != nil && c.payload.ordering != "" {
			return []string{c.payload.ordering}
		}
	}
	return r.Ordering
}

// top is the top-level column of a dotted path.
func top(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// fieldIndex finds a top-level column of the working schema, -1 if absent.
func fieldIndex(schema *arrow.Schema, name string) int {
	return slices.IndexFunc(schema.Fields(), func(f arrow.Field) bool { return f.Name == name })
}
