package duckdb

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// resident gives the memory of the process that is in use, C's included.
func resident(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc here")
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestNoLeak runs many queries, whole ones, abandoned ones and failing ones, and
// watches what Go's own tools do not see: the memory of C.
func TestNoLeak(t *testing.T) {
	s := numbers(memory.DefaultAllocator, 20_000, 5_000)
	defer s.release()
	e, c := open(t, Options{Threads: 2})
	register(t, e, "t", s)
	round := func() {
		for range 50 {
			r, err := c.Query(context.Background(), "SELECT *, [name] AS l FROM t")
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			b.Release()
			r.Close()
			if r, err = c.Query(context.Background(), "SELECT name, count(*), list(half) FROM t GROUP BY 1"); err != nil {
				t.Fatal(err)
			}
			all, err := batch.Collect(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range all {
				b.Release()
			}
			r.Close()
			if err := c.Exec(context.Background(), "SELECT nope FROM t"); err == nil {
				t.Fatal("no error")
			}
		}
	}
	round()
	round()
	before := resident(t)
	for range 6 {
		round()
	}
	// A leak of one chunk of strings for each query would be 20 MB and more.
	if grown := resident(t) - before; grown > 16<<20 {
		t.Errorf("memory grew by %d MB over 900 queries", grown>>20)
	}
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d scans were left open", n)
	}
}
