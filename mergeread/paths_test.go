package mergeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/batch"
)

// TestUnsorted breaks the order of sources that promise to be sorted. The
// merge must give the right rows all the same, or say that it can't: never
// wrong ones.
func TestUnsorted(t *testing.T) {
	right, refused := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := randomSlice(r, shape{sorted: true, duplicates: true})
		if slices.ContainsFunc(m.runs, func(run modelRun) bool { return run.present != nil }) {
			continue
		}
		recs, k := m.base, r.IntN(len(m.runs)+1)
		if k == 0 && len(recs) < 2 {
			k = 1
		}
		if k > 0 {
			recs = m.runs[k-1].recs
		}
		if len(recs) < 2 {
			continue
		}
		i, j := r.IntN(len(recs)), r.IntN(len(recs))
		recs[i], recs[j] = recs[j], recs[i]

		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		si := &sliceInput{m: m, mem: mem, rows: 1 + r.IntN(10), owned: seed%2 == 0}
		in := si.input(m.columnNames(), false)
		in.Sorted = true
		told := 0
		unsorted := func(run int) {
			if told++; run != k-1 {
				t.Errorf("seed %d: told of run %d, not %d", seed, run, k-1)
			}
		}
		rd, err := Merge(context.Background(), in, Options{Allocator: mem, BatchSize: 1 + r.IntN(8), Unsorted: unsorted})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tryRows(t, rd)
		mem.AssertSize(t, 0)
		if told > 1 || err != nil && told == 0 {
			t.Fatalf("seed %d: told %d times, error %v", seed, told, err)
		}
		if err != nil {
			if !errors.Is(err, ErrUnsorted) || !strings.Contains(err.Error(), "record key") {
				t.Fatalf("seed %d: error %v", seed, err)
			}
			refused++
			continue
		}
		right++
		sort.Strings(got)
		if want := m.merged(m.columnNames(), false); !slices.Equal(got, want) {
			t.Fatalf("seed %d: rows differ\n%s", seed, firstDifference(got, want))
		}
	}
	if right < 20 || refused < 5 {
		t.Errorf("%d right and %d refused: the test doesn't reach both", right, refused)
	}
}

// tryRows is rowsOf for a merge that may fail.
func tryRows(t *testing.T, rd batch.Reader) ([]string, error) {
	t.Helper()
	defer rd.Close()
	var rows []string
	for {
		rec, err := rd.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, recordRows(t, rec)...)
		rec.Release()
	}
}

// TestPositionsFallBack gives runs positions that can't be used.
func TestPositionsFallBack(t *testing.T) {
	for name, damage := range map[string]func(*Run){
		"missing":  func(r *Run) { r.Positions = nil },
		"invalid":  func(r *Run) { r.Positions[0] = -1 },
		"too few":  func(r *Run) { r.Positions = r.Positions[:len(r.Positions)-1] },
		"too many": func(r *Run) { r.Positions = append(r.Positions, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			m := randomSlice(rand.New(rand.NewPCG(11, 1)), shape{positions: true})
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			si := &sliceInput{m: m, mem: mem, rows: 5}
			in := si.input(m.columnNames(), false)
			i := slices.IndexFunc(in.Runs, func(r Run) bool { return len(r.Positions) > 1 })
			damage(&in.Runs[i])
			rd, err := Merge(context.Background(), in, Options{Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			got := rowsOf(t, rd)
			sort.Strings(got)
			if want := m.merged(m.columnNames(), false); !slices.Equal(got, want) {
				t.Fatalf("rows differ\n%s", firstDifference(got, want))
			}
		})
	}
}

// TestPositionsAddressRows: with equal keys in the base, the addressed row is
// the one that changes, and the base needs no key.
func TestPositionsAddressRows(t *testing.T) {
	m := &modelSlice{schema: arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil), hasBase: true}
	row := func(s string) modelRec { return modelRec{key: "k", row: map[string]any{"s": s}} }
	m.base = []modelRec{row("first"), row("second"), row("third")}
	m.runs = []modelRun{{recs: []modelRec{row("log")}, pos: []int64{1}}}
	si := &sliceInput{m: m, mem: memory.DefaultAllocator, rows: 10}
	in := si.input([]string{"s"}, false)
	open := in.Base
	in.Base = func(ctx context.Context, columns []int, position bool) (batch.Reader, error) {
		if !position || !slices.Equal(columns, []int{1}) {
			t.Errorf("base asked for columns %v, position %v", columns, position)
		}
		return open(ctx, columns, position)
	}
	want := []string{`{"s":"first"}`, `{"s":"log"}`, `{"s":"third"}`}
	for _, limit := range []int64{0, 1} {
		rd, err := Merge(context.Background(), in, Options{MemoryLimit: limit, SpillDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, rd); !slices.Equal(got, want) {
			t.Errorf("memory limit %d: got %v, want %v", limit, got, want)
		}
	}
}

// failing is a reader that breaks after some batches.
type failing struct {
	batch.Reader
	after int
	err   error
}

func (f *failing) Next() (arrow.RecordBatch, error) {
	if f.after--; f.after < 0 {
		return nil, f.err
	}
	return f.Reader.Next()
}

// TestFailures breaks each source at each batch and ends merges early: errors
// come out as they are, stay, and nothing is left behind.
func TestFailures(t *testing.T) {
	defer goleak.VerifyNone(t)
	broken := errors.New("broken")
	for _, p := range randomPaths {
		for after := range 12 {
			m := randomSlice(rand.New(rand.NewPCG(uint64(after), 5)), p.shape)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			si := &sliceInput{m: m, mem: mem, rows: 3}
			in := si.input(m.columnNames(), false)
			in.Sorted = p.shape.sorted
			breakSource(&in, after, broken)
			o := p.opts
			o.Allocator, o.BatchSize, o.SpillDir = mem, 4, t.TempDir()
			rd, err := Merge(context.Background(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = tryRows(t, rd)
			if err != nil && !errors.Is(err, broken) {
				t.Fatalf("%s: error %v", p.name, err)
			}
			if err != nil {
				if _, again := rd.Next(); again != err && again != io.EOF {
					t.Errorf("%s: after %v comes %v", p.name, err, again)
				}
			}
			if err := rd.Close(); err != nil {
				t.Errorf("%s: close: %v", p.name, err)
			}
			mem.AssertSize(t, 0)
			assertEmpty(t, o.SpillDir)
		}
	}
}

// breakSource makes the base, or a run, fail after some batches.
func breakSource(in *Input, after int, err error) {
	if open := in.Base; open != nil && after%2 == 0 {
		in.Base = func(ctx context.Context, columns []int, position bool) (batch.Reader, error) {
			rd, e := open(ctx, columns, position)
			return &failing{rd, after, err}, e
		}
		return
	}
	run := &in.Runs[after%len(in.Runs)]
	open := run.Open
	run.Open = func(ctx context.Context) (batch.Reader, error) {
		rd, e := open(ctx)
		return &failing{rd, after % 3, err}, e
	}
}

func assertEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the spill folder: %v, %v", left, err)
	}
}

// TestCancel cancels merges half way.
func TestCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, p := range randomPaths {
		m := randomSlice(rand.New(rand.NewPCG(4, 5)), p.shape)
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		si := &sliceInput{m: m, mem: mem, rows: 3}
		in := si.input(m.columnNames(), false)
		in.Sorted = p.shape.sorted
		o := p.opts
		o.Allocator, o.BatchSize, o.SpillDir = mem, 2, t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		rd, err := Merge(ctx, in, o)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := rd.Next()
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
		cancel()
		if _, err = tryRows(t, rd); err != context.Canceled {
			t.Errorf("%s: error %v", p.name, err)
		}
		mem.AssertSize(t, 0)
		assertEmpty(t, o.SpillDir)
	}
}

// TestCompaction updates the same keys over and over: the log side must not
// keep what was superseded.
func TestCompaction(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	const keys, rounds = 1000, 300
	most, peak := 0, &mem
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	in := Input{Schema: schema, Output: []int{0, 1}}
	for round := range rounds {
		in.Runs = append(in.Runs, Run{Open: func(context.Context) (batch.Reader, error) {
			most = max(most, (*peak).CurrentAlloc())
			return numbered(mem, schema, keys, round), nil
		}})
	}
	var stats Stats
	rd, err := Merge(context.Background(), in, Options{Allocator: mem, Stats: &stats})
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, rd)
	if len(rows) != keys || rows[7] != fmt.Sprintf(`{"key":"key-0007","n":%d}`, rounds-1) {
		t.Errorf("%d rows, the eighth is %s", len(rows), rows[7])
	}
	if stats.LogRecords != keys*rounds || stats.Inserted != keys {
		t.Errorf("stats %+v", stats)
	}
	if all := rounds * keys * (8 + 4 + 8); most > all/2 {
		t.Errorf("held %d bytes of %d", most, all)
	}
}

// TestManyKeys makes the tables grow and the spill part in earnest.
func TestManyKeys(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for _, limit := range []int64{0, 1 << 18} {
		in := Input{Schema: schema, Output: []int{1}}
		in.Base = func(_ context.Context, columns []int, _ bool) (batch.Reader, error) {
			return numbered(mem, schema, 30000, -1), nil
		}
		for round := range 4 {
			in.Runs = append(in.Runs, Run{Open: func(context.Context) (batch.Reader, error) { return numbered(mem, schema, 10000*(round+1), round), nil }})
		}
		var stats Stats
		rd, err := Merge(context.Background(), in, Options{Allocator: mem, Stats: &stats, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, row := range rowsOf(t, rd) {
			count[row]++
		}
		if len(count) != 1 || count[`{"n":3}`] != 40000 {
			t.Errorf("limit %d: rows %v", limit, count)
		}
		if stats.Updated != 30000 || stats.Inserted != 10000 || stats.BaseRows != 30000 || (stats.Spilled > 0) != (limit > 0) {
			t.Errorf("limit %d: stats %+v", limit, stats)
		}
	}
}

// TestPositionsWithoutRows: records whose base rows were not read are there
// all the same.
func TestPositionsWithoutRows(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	m := &modelSlice{schema: schema, hasBase: true}
	for i := range 10 {
		m.base = append(m.base, modelRec{key: fmt.Sprint(i), row: map[string]any{"n": i}})
	}
	var log modelRun
	for i := range 10 {
		log.recs = append(log.recs, modelRec{key: fmt.Sprint(i), row: map[string]any{"n": 100 + i}})
		log.pos = append(log.pos, int64(i))
	}
	m.runs = []modelRun{log}
	si := &sliceInput{m: m, mem: memory.DefaultAllocator, rows: 10}
	in := si.input([]string{"n"}, false)
	open := in.Base
	in.Base = func(ctx context.Context, columns []int, position bool) (batch.Reader, error) {
		rd, err := open(ctx, columns, position)
		if err != nil {
			return nil, err
		}
		recs, err := batch.Collect(rd)
		if err != nil {
			return nil, err
		}
		return batch.FromSlice(recs[0].Schema(), []arrow.RecordBatch{recs[0].NewSlice(2, 4), recs[0].NewSlice(7, 8)}), nil
	}
	rd, err := Merge(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, rd)
	sort.Strings(rows)
	if len(rows) != 10 || rows[7] != `{"n":107}` {
		t.Errorf("rows %v", rows)
	}
}

// TestEqualTags merges keys whose hashes share the bits that the table keeps.
func TestEqualTags(t *testing.T) {
	seen := map[uint32]string{}
	var a, b string
	for i := 0; a == ""; i++ {
		key := fmt.Sprint(i)
		tag := uint32(hashKey([]byte(key)))
		if other, ok := seen[tag]; ok {
			a, b = other, key
		}
		seen[tag] = key
	}
	m := &modelSlice{schema: arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil), hasBase: true}
	row := func(k, s string) modelRec { return modelRec{key: k, row: map[string]any{"s": s}} }
	for _, base := range [][]modelRec{{row(a, "base")}, {row(b, "base")}, {row(b, "base"), row(a, "base")}} {
		for _, log := range [][]modelRec{{row(a, "log")}, {row(b, "log")}, {row(a, "log"), row(b, "log")}} {
			m.base, m.runs = base, []modelRun{{recs: log}}
			si := &sliceInput{m: m, mem: memory.DefaultAllocator, rows: 10}
			rd, err := Merge(context.Background(), si.input(m.columnNames(), false), Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := rowsOf(t, rd)
			sort.Strings(got)
			if want := m.merged(m.columnNames(), false); !slices.Equal(got, want) {
				t.Errorf("keys %s and %s: rows differ\n%s", a, b, firstDifference(got, want))
			}
		}
	}
}

// countingReader counts the batches that were taken of a reader.
type countingReader struct {
	batch.Reader
	taken *int
}

func (r countingReader) Next() (arrow.RecordBatch, error) {
	*r.taken++
	return r.Reader.Next()
}

// TestSortedStreams: stretches that pass leave one by one, rather than pile up
// until a batch is full.
func TestSortedStreams(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}, nil)
	keys := func(from, n int) arrow.RecordBatch {
		b := array.NewRecordBuilder(mem, schema)
		defer b.Release()
		for i := range n {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("%09d", from+i))
		}
		return b.NewRecordBatch()
	}
	const batches, rows = 20, passRows + 1
	taken := 0
	in := Input{Schema: schema, Output: []int{0}, Sorted: true}
	in.Base = func(context.Context, []int, bool) (batch.Reader, error) {
		var recs []arrow.RecordBatch
		for i := range batches {
			recs = append(recs, keys(i*rows, rows))
		}
		return countingReader{batch.FromSlice(schema, recs), &taken}, nil
	}
	in.Runs = []Run{{Open: func(context.Context) (batch.Reader, error) {
		return batch.FromSlice(schema, []arrow.RecordBatch{keys(batches*rows-1, 1)}), nil
	}}}
	rd, err := Merge(context.Background(), in, Options{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	for given, total := 1, 0; ; given++ {
		rec, err := rd.Next()
		if err == io.EOF {
			if total != batches*rows {
				t.Errorf("%d rows of %d", total, batches*rows)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		total += int(rec.NumRows())
		rec.Release()
		if taken > given+2 {
			t.Fatalf("%d batches of the base were read for the first %d of the merge", taken, given)
		}
	}
}
