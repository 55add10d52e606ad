package mergeread

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestUnavailableValues: the marker of values that a database did not send
// counts in texts alone. Spark leaves bytes that spell it as they are.
func TestUnavailableValues(t *testing.T) {
	rules := Rules{Partial: FillUnavailable, Unavailable: marker}
	for _, test := range []struct {
		dt   arrow.DataType
		want bool
	}{
		{arrow.BinaryTypes.String, true},
		{arrow.BinaryTypes.LargeString, true},
		{arrow.BinaryTypes.Binary, false},
	} {
		b := array.NewBuilder(memory.DefaultAllocator, test.dt)
		switch b := b.(type) {
		case *array.BinaryBuilder:
			b.AppendString(marker)
		case array.StringLikeBuilder:
			b.Append(marker)
		}
		gives := newColumnTest(overUnavailable, arrow.Field{Name: "x", Type: test.dt, Nullable: true}, rules)
		if got := gives != nil && gives(b.NewArray(), 0); got != test.want {
			t.Errorf("%s: gives way %v, want %v", test.dt, got, test.want)
		}
	}
}
