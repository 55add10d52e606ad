package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/internal/batch"
)

// TestInterrupt interrupts DuckDB, and tells nobody else, while a scan has no
// rows to give: the scan's context must end all the same.
func TestInterrupt(t *testing.T) {
	for _, sql := range []string{"SELECT sum(id) FROM t", "SELECT count(*) FROM t", "SELECT a.name FROM t a JOIN t b USING (id) WHERE b.half > 3"} {
		_, c, s := withNumbers(t)
		ended := make(chan bool, 10)
		s.run(func(ctx context.Context, i int) error {
			if i < 2 {
				return nil
			}
			select {
			case <-ctx.Done():
				ended <- true
				return ctx.Err()
			case <-time.After(10 * time.Second):
				ended <- false
				return nil
			}
		})
		stop := make(chan struct{})
		go func() {
			time.Sleep(200 * time.Millisecond)
			for {
				bindings.Interrupt(c.conn)
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		}()
		r, err := c.Query(context.Background(), sql)
		if err == nil {
			_, err = batch.Collect(r)
			r.Close()
		}
		close(stop)
		if err == nil || !strings.Contains(err.Error(), "INTERRUPT") {
			t.Errorf("%s: error %v", sql, err)
		}
		if !<-ended {
			t.Errorf("%s: the scan went on", sql)
		}
	}
}

// TestTicks reads values of all types from a scan that takes its time, so that
// DuckDB is called back without rows: none of them may show.
func TestTicks(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var fields []arrow.Field
	var full, empty []string
	for i, tt := range typeCases {
		name := fmt.Sprintf("c%d", i)
		fields = append(fields, arrow.Field{Name: name, Type: tt.in, Nullable: true})
		empty = append(empty, fmt.Sprintf("%q: null", name))
		if len(tt.values) > 0 {
			full = append(full, fmt.Sprintf("%q: %s", name, tt.values[0]))
		}
	}
	s := &memSource{schema: arrow.NewSchema(fields, nil)}
	defer s.release()
	for range 3 {
		s.batches = append(s.batches, fromJSON(t, mem, s.schema, "[{"+strings.Join(full, ",")+"}, {"+strings.Join(empty, ",")+"}]"))
	}
	e, c := open(t, Options{Threads: 2})
	register(t, e, "t", s)
	structs := slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Type.ID() == arrow.STRUCT })
	for _, sql := range []string{
		"SELECT * FROM t", "SELECT count(*) AS n FROM t", "SELECT c0 FROM t WHERE c0 IS NULL",
		fmt.Sprintf("SELECT c%d AS s FROM t WHERE c%[1]d.s.y LIKE '%%e%%' OR c%[1]d.l[1] = 'b' OR c%[1]d IS NULL", structs),
	} {
		s.run(nil)
		want := rows(t, c, sql)
		s.run(func(_ context.Context, i int) error {
			time.Sleep(130 * time.Millisecond)
			return nil
		})
		if got := rows(t, c, sql); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}
