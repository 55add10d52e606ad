package mergeread

import (
	"encoding/binary"
	"testing"

	"github.com/hudi-go/hudi/internal/keygen"
)

// deleteContent is the content of a delete block with these keys, without
// ordering values.
func deleteContent(keys ...string) []byte {
	list := binary.AppendVarint(nil, int64(len(keys)))
	for _, k := range keys {
		list = binary.AppendVarint(list, 1) // a key there is
		list = append(binary.AppendVarint(list, int64(len(k))), k...)
		list = append(list, 0, 0) // neither partition nor ordering value
	}
	list = append(list, 0)
	b := binary.BigEndian.AppendUint32(nil, 3)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(list))), list...)
}

func TestKeyPrefix(t *testing.T) {
	complexKey := keygen.Spec{Kind: keygen.Complex, KeyFields: []string{"id"}}
	for _, c := range []struct {
		what     string
		layout   layout
		keys     []string
		prefixed string
	}{
		{"bare values", layout{computed: true, keys: complexKey}, []string{"k1", "id:k2"}, "id:"},
		{"names and values", layout{computed: true, keys: complexKey}, []string{"id:k1", "id:id:k2"}, ""},
		{"stored keys", layout{keys: complexKey}, []string{"k1"}, ""},
		{"several fields", layout{computed: true, keys: keygen.Spec{Kind: keygen.Complex, KeyFields: []string{"id", "n"}}}, []string{"id:k1,n:2"}, ""},
		{"another generator", layout{computed: true, keys: keygen.Spec{KeyFields: []string{"id"}}}, []string{"k1"}, ""},
	} {
		s := &slice{layout: c.layout}
		if got, err := s.keyPrefix(deleteContent(c.keys...)); err != nil || got != c.prefixed {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.prefixed)
		}
	}
}
