package properties

import (
	"maps"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want map[string]string
	}{
		{"separators", "a=1\nb:2\nc 3\nd\t=\t4\ne : 5\nf\n", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": ""}},
		{"only one separator is eaten", "a==1\nb =:2\n", map[string]string{"a": "=1", "b": ":2"}},
		{"comments", "#x=1\n  ! y=2\na=#1\n", map[string]string{"a": "#1"}},
		{"continuation", "a=1\\\n   2\\\r\n3\nb\\\n c=4\nd \\\n = 5", map[string]string{"a": "123", "bc": "4", "d": "5"}},
		{"a comment sign in a continuation is text", "a=1\\\n#2", map[string]string{"a": "1#2"}},
		{"escapes", `a\:b\=c\ d=\t\n\r\f\\\"\q`, map[string]string{"a:b=c d": "\t\n\r\f\\\"q"}},
		{"unicode", `k=\u00e9\u4E2D\uD83D\uDE00`, map[string]string{"k": "é中😀"}},
		{"halves of a pair", `k=\uD83Dx\uDE00`, map[string]string{"k": "\uFFFDx\uFFFD"}},
		{"latin 1", "k=caf\xe9", map[string]string{"k": "café"}},
		{"trailing blanks stay", "k=v  \n", map[string]string{"k": "v  "}},
		{"leading blanks go", "   k = v", map[string]string{"k": "v"}},
		{"the last one wins", "k=1\nk=2", map[string]string{"k": "2"}},
		{"line ends", "a=1\rb=2\r\nc=3", map[string]string{"a": "1", "b": "2", "c": "3"}},
		{"no key", "=1", map[string]string{"": "1"}},
		{"backslash at the end", `k=v\`, map[string]string{"k": "v"}},
		{"empty", "", map[string]string{}},
		{"as Hudi writes it", "#Updated at 2024-01-02\nhoodie.bootstrap.base.path=file\\:///a\\=b\n", map[string]string{"hoodie.bootstrap.base.path": "file:///a=b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseMalformed(t *testing.T) {
	for _, in := range []string{`a=\u12`, `a=\u12g4`, `a\uzzzz=1`, `a=\u+123`} {
		if got, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q: got %q, want an error", in, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("#Updated at 2024\nhoodie.table.name=a\\:b\n hoodie.table.version : 9\\\n  1\n"))
	f.Add([]byte("k=\\uD83D\\uDE00\r\\"))
	f.Fuzz(func(t *testing.T, in []byte) {
		pairs, err := Parse(in)
		if err == nil && len(pairs) > len(in)+1 {
			t.Errorf("%d pairs out of %d bytes", len(pairs), len(in))
		}
	})
}
