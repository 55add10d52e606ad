package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// names are file names that trip code which takes paths for URIs, patterns or
// flags.
var names = []string{"plain", "a b", "a%20b", "a%2Fb", "ünïcode 中", "x=1", "a+b", "a#b", "a?b", "*", "[x]", "'q'", "-rf", "..a", "a\\b"}

func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.MkdirAll(filepath.Join(dir, n), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, n, n), []byte(n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, uri string) Storage {
	t.Helper()
	s, err := Open(t.Context(), uri, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOddNames(t *testing.T) {
	dir := tree(t)
	files := map[string][]byte{}
	for _, n := range names {
		files[n+"/"+n] = []byte(n)
	}
	for kind, s := range map[string]Storage{"local": open(t, dir), "memory": NewMemory(files)} {
		entries, err := s.List(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != len(names) {
			t.Fatalf("%s: %d entries, want %d", kind, len(entries), len(names))
		}
		for i, e := range entries {
			if i > 0 && entries[i-1].Name >= e.Name {
				t.Errorf("%s: %q after %q", kind, e.Name, entries[i-1].Name)
			}
			if !e.IsDir {
				t.Errorf("%s: %q is no folder", kind, e.Name)
			}
			data, err := ReadFile(t.Context(), s, e.Name+"/"+e.Name)
			if err != nil || string(data) != e.Name {
				t.Errorf("%s: read %q: %q, %v", kind, e.Name, data, err)
			}
			if data, err := ReadFile(t.Context(), s.Sub(e.Name), e.Name); err != nil || string(data) != e.Name {
				t.Errorf("%s: read below %q: %q, %v", kind, e.Name, data, err)
			}
			below, err := s.List(t.Context(), e.Name)
			if err != nil || len(below) != 1 || below[0].Name != e.Name || below[0].Size != int64(len(e.Name)) {
				t.Errorf("%s: list %q: %v, %v", kind, e.Name, below, err)
			}
		}
	}
}

func TestAbsent(t *testing.T) {
	for kind, s := range map[string]Storage{"local": open(t, t.TempDir()), "memory": NewMemory(nil)} {
		if _, err := s.Open(t.Context(), "no/such"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: open: %v", kind, err)
		}
		if _, err := s.List(t.Context(), "no"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: list: %v", kind, err)
		}
	}
}

func TestStaysInside(t *testing.T) {
	dir := tree(t)
	s := open(t, filepath.Join(dir, "plain"))
	for _, p := range []string{"../a b/a b", "/etc/passwd", "x/../../a b/a b", "./plain", "plain/"} {
		if _, err := s.Open(t.Context(), p); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %q: %v", p, err)
		}
		if _, err := s.List(t.Context(), p); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("list %q: %v", p, err)
		}
	}
}

func TestFolderIsNoFile(t *testing.T) {
	if f, err := open(t, tree(t)).Open(t.Context(), "plain"); err == nil {
		f.Close()
		t.Error("a folder was opened as a file")
	}
}

func TestLinks(t *testing.T) {
	dir := tree(t)
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "f"), []byte("1234"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"plain/folder": elsewhere, "plain/file": filepath.Join(elsewhere, "f"), "plain/up": dir, "plain/self": ".", "plain/dead": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	entries, err := open(t, dir).List(t.Context(), "plain")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Entry{}
	for _, e := range entries {
		got[e.Name] = e
	}
	if len(got) != 3 || !got["folder"].IsDir || got["file"].IsDir || got["file"].Size != 4 {
		t.Errorf("got %v", got)
	}
}

func TestOpenURI(t *testing.T) {
	dir := tree(t)
	slash := filepath.ToSlash(dir)
	for uri, file := range map[string]string{
		dir:                          "a b/a b",
		dir + "/":                    "a b/a b",
		"file://" + slash:            "a b/a b",
		"file:" + slash:              "a b/a b",
		"file://localhost" + slash:   "a b/a b",
		"file://" + slash + "/a%20b": "a b",
		dir + "/a%20b":               "a%20b",
	} {
		if _, err := ReadFile(t.Context(), open(t, uri), file); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"s3://bucket/x", "file://host/x", "file://", "file:///a%zz"} {
		if s, err := Open(t.Context(), uri, nil); err == nil {
			t.Errorf("%s gave %s", uri, s.Root())
		}
	}
	for _, path := range []string{"a:b", "C:/x", "c:", ":x", "1a://x", "x y://z"} {
		if got := schemeOf(path); got != "" {
			t.Errorf("%q has scheme %q", path, got)
		}
	}
}

func TestRegister(t *testing.T) {
	want := NewMemory(map[string][]byte{"f": []byte("x")})
	Register("Mem-1", func(ctx context.Context, uri string, options map[string]string) (Storage, error) {
		if uri != "MEM-1://x" || options["k"] != "v" {
			t.Errorf("got %q, %v", uri, options)
		}
		return want, nil
	})
	s, err := Open(t.Context(), "MEM-1://x", map[string]string{"k": "v"})
	if err != nil || s != want {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestCancelled(t *testing.T) {
	dir := tree(t)
	for kind, s := range map[string]Storage{"local": open(t, dir), "memory": NewMemory(map[string][]byte{"plain/plain": []byte("x")})} {
		ctx, cancel := context.WithCancel(t.Context())
		f, err := s.Open(ctx, "plain/plain")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cancel()
		if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: read: %v", kind, err)
		}
		if _, err := s.Open(ctx, "plain/plain"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: open: %v", kind, err)
		}
		if _, err := s.List(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: list: %v", kind, err)
		}
	}
}

func TestFailing(t *testing.T) {
	fault := errors.New("fault")
	s := Failing(NewMemory(map[string][]byte{"d/f": []byte("x")}), func(op Op, path string) error {
		if op == OpRead && path == "d/f" {
			return fault
		}
		return nil
	})
	if _, err := s.List(t.Context(), "d"); err != nil {
		t.Error(err)
	}
	if _, err := ReadFile(t.Context(), s.Sub("d"), "f"); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
}

func TestMetered(t *testing.T) {
	s, c := Metered(NewMemory(map[string][]byte{"d/f": []byte("xyz")}))
	if _, err := s.List(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(t.Context(), s.Sub("d"), "f"); err != nil {
		t.Fatal(err)
	}
	if c.Lists.Load() != 1 || c.Opens.Load() != 1 || c.Reads.Load() != 1 || c.Bytes.Load() != 3 {
		t.Errorf("lists %d, opens %d, reads %d, bytes %d", c.Lists.Load(), c.Opens.Load(), c.Reads.Load(), c.Bytes.Load())
	}
}

// shrunk is a file that became shorter since it was opened.
type shrunk struct{ File }

func (shrunk) Size() int64                           { return 10 }
func (shrunk) Path() string                          { return "f" }
func (shrunk) ReadAt(p []byte, _ int64) (int, error) { return 3, io.EOF }

func TestReadAllShort(t *testing.T) {
	if _, err := ReadAll(shrunk{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestJoin(t *testing.T) {
	for want, parts := range map[string][]string{"": {"", ""}, "a": {"", "a"}, "a/b": {"a", "", "b"}} {
		if got := Join(parts...); got != want {
			t.Errorf("Join(%q) = %q", parts, got)
		}
	}
}
