package mergeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// newestOfAll takes each column from the record that has the greater value of
// "n" in it; a negative n deletes the key.
type newestOfAll struct{}

func (newestOfAll) Columns(*arrow.Schema) []string { return []string{"n"} }

func (newestOfAll) Merge(older, newer Record, _ bool, row *Row) (Verdict, error) {
	if newer.Deleted() {
		return KeepNewer, nil
	}
	value := func(r Record) int64 {
		arr, i := r.Value(r.Column("n"))
		if arr == nil {
			return 0
		}
		return arr.(*array.Int64).Value(i)
	}
	o, n := value(older), value(newer)
	switch {
	case n < 0:
		return Drop, nil
	case o == n:
		return KeepOlder, nil
	}
	if o > n {
		row.TakeOlder(newer.Column("n"))
	}
	return Combine, nil
}

// summing adds up "n", joins "a" and keeps the older "b".
type summing struct{}

func (summing) Columns(*arrow.Schema) []string { return []string{"n", "a", "b"} }

func (summing) Merge(older, newer Record, _ bool, row *Row) (Verdict, error) {
	if older.Deleted() || newer.Deleted() {
		return KeepNewer, nil
	}
	total, some := int64(0), false
	text := ""
	for _, r := range []Record{older, newer} {
		if arr, i := r.Value(r.Column("n")); arr != nil && arr.IsValid(i) {
			total, some = total+arr.(*array.Int64).Value(i), true
		}
		if c := r.Column("a"); c >= 0 {
			if arr, i := r.Value(c); arr != nil && arr.IsValid(i) {
				text += "+" + arr.ValueStr(i)
			}
		}
	}
	if some {
		row.Builder(newer.Column("n")).(*array.Int64Builder).Append(total)
	}
	if c := newer.Column("a"); c >= 0 {
		row.Builder(c).(*array.StringBuilder).Append(text[1:])
	}
	if c := newer.Column("b"); c >= 0 {
		row.TakeOlder(c)
	}
	return Combine, nil
}

// careless takes a builder and appends nothing.
type careless struct{ summing }

func (careless) Merge(older, newer Record, _ bool, row *Row) (Verdict, error) {
	row.Builder(newer.Column("n"))
	return Combine, nil
}

func init() {
	Register("test-strategy", newestOfAll{})
	Register("test-sum", summing{})
	Register("test-careless", careless{})
}

// TestMadeValues folds many values of the same keys by every path: the sums
// must be those of the naive loop, and nothing may stay held.
func TestMadeValues(t *testing.T) {
	const keys, logs = 500, 30
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	want := map[string]int64{}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rows := func(run int) func(context.Context) (batch.Reader, error) {
		return func(context.Context) (batch.Reader, error) {
			b := array.NewRecordBuilder(mem, schema)
			defer b.Release()
			for k := range keys {
				if (k*7+run*3)%5 < 2 {
					b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("k%04d", k))
					b.Field(1).(*array.Int64Builder).Append(int64(k * run))
				}
			}
			return batch.FromSlice(schema, []arrow.RecordBatch{b.NewRecordBatch()}), nil
		}
	}
	for run := range logs + 1 {
		for k := range keys {
			if (k*7+run*3)%5 < 2 {
				want[fmt.Sprintf("k%04d", k)] += int64(k * run)
			}
		}
	}
	for _, path := range []string{"hash", "sorted", "spill"} {
		in := Input{Schema: schema, Output: []int{0, 1}, Rules: Rules{Mode: Custom, Strategy: "test-sum"}, Sorted: path == "sorted"}
		in.Base = func(ctx context.Context, _ []int, _ bool) (batch.Reader, error) { return rows(0)(ctx) }
		for run := 1; run <= logs; run++ {
			in.Runs = append(in.Runs, Run{Open: rows(run)})
		}
		o := Options{Allocator: mem, BatchSize: 64, SpillDir: t.TempDir()}
		if path == "spill" {
			o.MemoryLimit = 1 << 10
		}
		rd, err := Merge(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for {
			rec, err := rd.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for i := range int(rec.NumRows()) {
				got[rec.Column(0).ValueStr(i)] = rec.Column(1).(*array.Int64).Value(i)
			}
			rec.Release()
		}
		if err := rd.Close(); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: sums differ:\n%v\n%v", path, got, want)
		}
	}
}

// faulty is a merger with a fault of its own.
type faulty struct{ err error }

func (faulty) Columns(*arrow.Schema) []string { return []string{"n"} }

func (f faulty) Merge(Record, Record, bool, *Row) (Verdict, error) {
	if f.err != nil {
		return KeepNewer, f.err
	}
	panic("a fault")
}

// mistaken gives a verdict that there is not, or asks for a column that it did
// not name.
type mistaken struct{ verdict Verdict }

func (mistaken) Columns(*arrow.Schema) []string { return nil }

func (m mistaken) Merge(older, newer Record, _ bool, row *Row) (Verdict, error) {
	if m.verdict == 0 {
		row.TakeOlder(newer.Column("price"))
	}
	return m.verdict, nil
}

// TestFaultyMerger: errors say that they are the merger's.
func TestFaultyMerger(t *testing.T) {
	own := errors.New("not today")
	Register("test-faulty-error", faulty{own})
	Register("test-faulty-panic", faulty{})
	Register("test-faulty-verdict", mistaken{99})
	Register("test-faulty-column", mistaken{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	rows := func() (batch.Reader, error) {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"key":"a","n":1}]`))
		return batch.FromSlice(schema, []arrow.RecordBatch{rec}), err
	}
	for strategy, want := range map[string]string{
		"test-faulty-error":   "the registered merger mergeread.faulty: not today",
		"test-faulty-panic":   "the registered merger mergeread.faulty panicked: a fault (in github.com/hudi-go/hudi/mergeread.faulty.Merge:",
		"test-faulty-verdict": "the registered merger mergeread.mistaken: 99 is no verdict",
		"test-faulty-column":  "the registered merger mergeread.mistaken panicked: column -1: the table lacks it, or Columns does not name it",
	} {
		in := Input{
			Schema: schema, Output: []int{0, 1}, Rules: Rules{Mode: Custom, Strategy: strategy},
			Base: func(context.Context, []int, bool) (batch.Reader, error) { return rows() },
			Runs: []Run{{Open: func(context.Context) (batch.Reader, error) { return rows() }}},
		}
		rd, err := Merge(context.Background(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = rd.Next()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "report it") {
			t.Errorf("%s: %v, want %s", strategy, err, want)
		}
		if strategy == "test-faulty-error" && !errors.Is(err, own) {
			t.Errorf("the merger's error is lost: %v", err)
		}
		rd.Close()
	}
}

// TestRegisterNothing: what could only fail while a table is read fails at once.
func TestRegisterNothing(t *testing.T) {
	for name, register := range map[string]func(){
		"no merger": func() { Register("x", nil) },
		"no name":   func() { Register("", summing{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			register()
		})
	}
}
