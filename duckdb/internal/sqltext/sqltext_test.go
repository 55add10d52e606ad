package sqltext

import (
	"fmt"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"", "[]"},
		{" ; ;-- nothing\n;/* ; */", "[]"},
		{"SELECT 1", `["SELECT 1"]`},
		{"a;b;", `["a" "b"]`},
		{"SELECT ';' || \"a;b\"; c", `["SELECT ';' || \"a;b\"" " c"]`},
		{"SELECT 'it''s;'; b", `["SELECT 'it''s;'" " b"]`},
		{`SELECT E'\';'; b`, `["SELECT E'\\';'" " b"]`},
		{"SELECT $$a;b$$; SELECT $t$ $$; $t$", `["SELECT $$a;b$$" " SELECT $t$ $$; $t$"]`},
		{"SELECT $1; b -- c; d\n; e /* ; */ f", `["SELECT $1" " b -- c; d\n" " e /* ; */ f"]`},
		{"SELECT 'open; b", `["SELECT 'open; b"]`},
	} {
		if got := fmt.Sprintf("%q", Split(c.text)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
