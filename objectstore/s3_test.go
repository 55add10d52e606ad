package objectstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"

	_ "github.com/hudi-go/hudi/objectstore"
)

// A store is an S3 server with one bucket, "lake".
type store struct {
	*httptest.Server
	backend *s3mem.Backend
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{backend: s3mem.New()}
	s.Server = httptest.NewServer(gofakes3.New(s.backend).Server())
	t.Cleanup(s.Close)
	if err := s.backend.CreateBucket("lake"); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *store) options() map[string]string {
	return map[string]string{"aws_endpoint": s.URL, "aws_access_key_id": "id", "AWS_SECRET_ACCESS_KEY": "secret", "aws_region": "us-east-1"}
}

func (s *store) put(t *testing.T, key string, data []byte) {
	t.Helper()
	if _, err := s.backend.PutObject("lake", key, map[string]string{"Last-Modified": "Mon, 2 Jan 2006 15:04:05 GMT"}, bytes.NewReader(data), int64(len(data)), nil); err != nil {
		t.Fatal(err)
	}
}

// upload copies a folder.
func (s *store) upload(t *testing.T, dir, prefix string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		s.put(t, prefix+"/"+filepath.ToSlash(rel), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rows are the rows of a query as sorted lines.
func rows(uri string, o provider.Options, q provider.Query) ([]string, error) {
	table, err := provider.Open(context.Background(), uri, o)
	if err != nil {
		return nil, err
	}
	res, err := table.Scan(context.Background(), q)
	if err != nil {
		return nil, err
	}
	var lines []string
	for b, err := range res.Batches() {
		if err != nil {
			return nil, err
		}
		for i := range int(b.NumRows()) {
			line := ""
			for c := range int(b.NumCols()) {
				line += b.Column(c).ValueStr(i) + "|"
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// TestTables reads real tables from a store and from the disk: the answers
// must be the same. Spark's answers are compared with those from the disk
// elsewhere.
func TestTables(t *testing.T) {
	s := newStore(t)
	for _, f := range tabletest.All(t) {
		switch f.Name {
		case "v9/cow_basic", "v9/mor_avro_logs", "v9/mdt_full_mor", "v9/timestamp_keygen", "v9/many_partitions", "v9/hive_style", "v8/archived_mor", "native/mor_avro_logs__lsm_tree":
		default:
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			dir := f.Open(t)
			prefix := "with space/" + f.Name
			s.upload(t, dir, prefix)
			for _, q := range []provider.Query{{Meta: true}, {Meta: true, Type: provider.Incremental, Begin: "earliest"}} {
				want, err := rows(dir, provider.Options{Hudi: f.Options(t)}, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, scheme := range []string{"s3", "s3a"} {
					got, err := rows(scheme+"://lake/"+prefix+"/", provider.Options{Hudi: f.Options(t), Storage: s.options()}, q)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s: %d rows from the store, %d from the disk, or they differ", q.Type, len(got), len(want))
					}
				}
			}
		})
	}
}

func TestFolder(t *testing.T) {
	s := newStore(t)
	for _, key := range []string{"a/b/x", "a/b/y", "a/b/c/z", "a/b/", "a/bc/w", "a/p%3D1/q=2/x y"} {
		s.put(t, key, []byte("contents of "+key))
	}
	st, err := storage.Open(t.Context(), "s3://lake/a", s.options())
	if err != nil {
		t.Fatal(err)
	}
	list := func(dir string) string {
		entries, err := st.List(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, fmt.Sprintf("%s:%d:%t", e.Name, e.Size, e.IsDir))
		}
		return strings.Join(names, " ")
	}
	for dir, want := range map[string]string{
		"": "b:0:true bc:0:true p%3D1:0:true", "b": "c:0:true x:17:false y:17:false", "none": "", "p%3D1/q=2": "x y:27:false",
	} {
		if got := list(dir); got != want {
			t.Errorf("list %q: %s, want %s", dir, got, want)
		}
	}
	data, err := storage.ReadFile(t.Context(), st.Sub("p%3D1"), "q=2/x y")
	if string(data) != "contents of a/p%3D1/q=2/x y" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	f, err := st.Open(t.Context(), "b/x")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 10)
	if n, err := f.ReadAt(p, 12); string(p[:n]) != "a/b/x" || err == nil {
		t.Errorf("read to the end: %q, %v", p[:n], err)
	}
	if n, err := f.ReadAt(p[:3], 9); string(p[:n]) != "of " || err != nil {
		t.Errorf("read inside: %q, %v", p[:n], err)
	}
	for _, path := range []string{"none", "b", "../a/b/x", "/b/x"} {
		if _, err := st.Open(t.Context(), path); err == nil {
			t.Errorf("%s opens", path)
		}
	}
	if _, err := st.Open(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "s3://lake/a/none") {
		t.Errorf("an absent file gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := st.Open(ctx, "b/x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled open gives %v", err)
	}
}

// TestNoTable asks for what isn't there: one line that says what to do.
func TestNoTable(t *testing.T) {
	s := newStore(t)
	for uri, want := range map[string]string{"s3://lake/none": "hoodie.properties", "s3://other/t": "hoodie.properties", "s3:///t": "names no bucket"} {
		_, err := provider.Open(t.Context(), uri, provider.Options{Storage: s.options()})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want something of %s", uri, err, want)
		}
	}
	for want, change := range map[string]map[string]string{
		"go together": {"AWS_SECRET_ACCESS_KEY": ""}, "contradict": {"s3.region": "eu-west-1"}, "not true or false": {"s3.path-style-access": "perhaps"},
		"not a URL": {"aws_endpoint": "http://host/path"},
	} {
		o := s.options()
		for k, v := range change {
			o[k] = v
		}
		if _, err := provider.Open(t.Context(), "s3://lake/none", provider.Options{Storage: o}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want something of %q", err, want)
		}
	}
}

// TestOverwritten reads a file that changes after it was opened.
func TestOverwritten(t *testing.T) {
	changed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		etag := `"one"`
		if changed {
			etag = `"two"`
		}
		if m := r.Header.Get("If-Match"); m != "" && m != etag {
			w.WriteHeader(http.StatusPreconditionFailed)
			fmt.Fprint(w, `<Error><Code>PreconditionFailed</Code></Error>`)
			return
		}
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "f", time.Unix(1, 0), strings.NewReader("twelve bytes"))
	}))
	defer server.Close()
	st, err := storage.Open(t.Context(), "s3://lake/t", map[string]string{"aws_endpoint": server.URL, "aws_skip_signature": "true", "aws_region": "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := st.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 6)
	if _, err := f.ReadAt(p, 0); string(p) != "twelve" || err != nil {
		t.Errorf("read %q, %v", p, err)
	}
	changed = true
	if _, err := f.ReadAt(p, 6); err == nil || !strings.Contains(err.Error(), "overwritten") {
		t.Errorf("a file that was overwritten gives %q, %v", p, err)
	}
}

// TestReadsAhead counts the requests of small reads that follow one another,
// and compares reads at random with the file.
func TestReadsAhead(t *testing.T) {
	data := make([]byte, 3<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.ServeContent(w, r, "f", time.Unix(1, 0), bytes.NewReader(data))
	}))
	defer server.Close()
	st, err := storage.Open(t.Context(), "s3://lake/t", map[string]string{"aws_endpoint": server.URL, "aws_skip_signature": "true", "aws_region": "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := st.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	metered, _ := storage.Metered(st)
	if m, err := metered.Open(t.Context(), "f"); err != nil || storage.Stride(m) < 1<<20 {
		t.Errorf("a file of a store should be read in long strides: %d, %v", storage.Stride(m), err)
	}
	requests = 0
	for off := 0; off < len(data); off += 16 << 10 {
		p := make([]byte, 16<<10)
		if n, err := f.ReadAt(p, int64(off)); err != nil || !bytes.Equal(p[:n], data[off:off+n]) {
			t.Fatalf("read at %d: %v", off, err)
		}
	}
	if requests > 5 {
		t.Errorf("%d requests for 3 MB in order", requests)
	}
	for range 200 {
		off, n := r.IntN(len(data)), 1+r.IntN(100<<10)
		p := make([]byte, n)
		got, err := f.ReadAt(p, int64(off))
		want := data[off:min(len(data), off+n)]
		if !bytes.Equal(p[:got], want) || (err != nil) != (len(want) < n) {
			t.Fatalf("read of %d at %d: %d bytes, %v", n, off, got, err)
		}
	}
}
