package mergeread

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// columns of every kind of layout that the gather copies.
var randomFields = []arrow.Field{
	{Name: "_hoodie_commit_time", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "i8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
	{Name: "i32", Type: arrow.PrimitiveTypes.Int32, Nullable: true, Metadata: arrow.NewMetadata([]string{defaultKey}, []string{"7"})},
	{Name: "i64", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "dec", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{defaultKey}, []string{`"dflt"`})},
	{Name: "ls", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	{Name: "st", Type: arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}), Nullable: true},
	{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), Nullable: true},
	{Name: "fl", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), Nullable: true},
}

const marker = "__unavailable"

func randomValue(r *rand.Rand, name string) any {
	if r.IntN(4) == 0 && name != "_hoodie_commit_time" {
		return nil
	}
	n := r.IntN(100)
	switch name {
	case "b":
		return n%2 == 0
	case "i8", "i64":
		return n
	case "i32":
		return n % 10
	case "dec":
		return fmt.Sprintf("%d.25", n)
	case "s":
		return []string{"dflt", marker, "", "text", "longer text with ö"}[n%5]
	case "ls":
		return []string{marker, "x", "yy"}[n%3]
	case "st":
		return map[string]any{"x": n, "l": []any{fmt.Sprint(n), nil}[:n%3]}
	case "l":
		return []any{n, nil, n + 1}[:n%4]
	case "m":
		return []any{map[string]any{"key": fmt.Sprint(n), "value": n}, map[string]any{"key": "z", "value": nil}}[:n%3]
	case "fl":
		return []any{n, n + 1}
	}
	return fmt.Sprint(n)
}

func randomOrd(r *rand.Rand, n int) []*int {
	ord := make([]*int, n)
	for i := range ord {
		if r.IntN(6) > 0 {
			v := r.IntN(5) - 1
			ord[i] = &v
		}
	}
	return ord
}

// A shape says what a random slice may have.
type shape struct {
	positions, sorted, duplicates, payload bool
}

func randomSlice(r *rand.Rand, sh shape) *modelSlice {
	m := &modelSlice{ordKind: []string{"int32", "int64", "string", "decimal", "float64"}[r.IntN(5)],
		defaults: map[string]any{"i32": 7, "s": "dflt"}}
	m.rules.Mode = Mode(r.IntN(2))
	m.rules.Partial = PartialMode(r.IntN(3))
	if sh.payload {
		m.rules.Mode, m.rules.Partial = Custom, WholeRecord
		m.rules.Payload = []string{"OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload"}[r.IntN(2)]
	}
	m.rules.Unavailable = marker
	for i := range r.IntN(3) {
		m.rules.Ordering = append(m.rules.Ordering, fmt.Sprintf("ts%d", i))
	}
	fields := []arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}
	fields = append(fields, randomFields...)
	for _, o := range m.rules.Ordering {
		fields = append(fields, arrow.Field{Name: o, Type: ordType(m.ordKind), Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: isDeletedField, Type: arrow.FixedWidthTypes.Boolean, Nullable: true})
	m.schema = arrow.NewSchema(fields, nil)

	keys := 1 + r.IntN(60)
	m.hasBase = sh.positions || r.IntN(8) > 0
	if m.hasBase {
		for k := range keys {
			if r.IntN(4) == 0 {
				continue
			}
			for range 1 + btoi(sh.duplicates && r.IntN(5) == 0) {
				m.base = append(m.base, m.randomRec(r, fmt.Sprintf("key-%03d", k)))
			}
		}
		r.Shuffle(len(m.base), func(i, j int) { m.base[i], m.base[j] = m.base[j], m.base[i] })
	}
	blockPartial := r.IntN(3) == 0 && !sh.payload
	for range 1 + r.IntN(1+r.IntN(64)) {
		m.runs = append(m.runs, m.randomRun(r, sh, keys+5, blockPartial && r.IntN(2) == 0))
	}
	if sh.sorted {
		byKey := func(a, b modelRec) int { return compareStrings(a.key, b.key) }
		slices.SortStableFunc(m.base, byKey)
		for i := range m.runs {
			slices.SortStableFunc(m.runs[i].recs, byKey)
		}
	}
	return m
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (m *modelSlice) randomRec(r *rand.Rand, key string) modelRec {
	rec := modelRec{key: key, ord: randomOrd(r, len(m.rules.Ordering)), row: map[string]any{}}
	for _, f := range randomFields {
		rec.row[f.Name] = randomValue(r, f.Name)
	}
	rec.row[isDeletedField] = nil
	if r.IntN(8) == 0 {
		rec.row[isDeletedField] = r.IntN(2) == 0
	}
	rec.del = rec.row[isDeletedField] == true
	return rec
}

func (m *modelSlice) randomRun(r *rand.Rand, sh shape, keys int, partial bool) modelRun {
	run := modelRun{kind: Kind(btoi(r.IntN(4) == 0))}
	if partial && run.kind == Data {
		run.present = map[string]bool{isDeletedField: true}
		for _, f := range randomFields {
			run.present[f.Name] = r.IntN(2) == 0
		}
	}
	n := r.IntN(30)
	if sh.positions {
		for i := range m.base {
			if r.IntN(3) == 0 {
				run.pos = append(run.pos, int64(i))
			}
		}
		n = len(run.pos)
	}
	for i := range n {
		key := fmt.Sprintf("key-%03d", r.IntN(keys))
		if sh.positions {
			key = m.base[run.pos[i]].key
		}
		rec := m.randomRec(r, key)
		if run.kind == Delete {
			rec = modelRec{key: key, ord: rec.ord, row: map[string]any{}, del: true, entry: true, other: r.IntN(10) == 0}
		}
		run.recs = append(run.recs, rec)
	}
	if sh.positions && run.pos == nil {
		run.pos = []int64{}
	}
	return run
}

// randomPaths are the ways to merge, and how many random slices each gets.
var randomPaths = []struct {
	name  string
	shape shape
	opts  Options
	seeds uint64
}{
	{"hash", shape{duplicates: true}, Options{}, 120},
	{"position", shape{positions: true}, Options{}, 120},
	{"sorted", shape{sorted: true, duplicates: true}, Options{}, 120},
	{"spilled", shape{duplicates: true}, Options{MemoryLimit: 6000}, 40},
	{"spilled late", shape{duplicates: true}, Options{MemoryLimit: 40000}, 40},
	{"payload", shape{payload: true, duplicates: true}, Options{}, 120},
	{"payload by position", shape{payload: true, positions: true}, Options{}, 60},
	{"payload spilled", shape{payload: true, duplicates: true}, Options{MemoryLimit: 40000}, 40},
}

// TestRandomSlices merges random slices by every path and compares with the
// model.
func TestRandomSlices(t *testing.T) {
	for _, p := range randomPaths {
		t.Run(p.name, func(t *testing.T) {
			var stats Stats
			for seed := range p.seeds {
				p.opts.Stats = &stats
				checkSlice(t, seed, p.shape, p.opts)
				if t.Failed() {
					return
				}
			}
			if (p.opts.MemoryLimit > 0) != (stats.Spilled > 0) {
				t.Errorf("%d bytes spilled at a limit of %d", stats.Spilled, p.opts.MemoryLimit)
			}
		})
	}
}

func FuzzSlices(f *testing.F) {
	for i := range randomPaths {
		f.Add(uint64(1000+i), uint8(i))
	}
	// Slices that spill before, and in parts without, their partial blocks.
	f.Add(uint64(693), uint8(4))
	f.Add(uint64(1151), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, path uint8) {
		p := randomPaths[int(path)%len(randomPaths)]
		checkSlice(t, seed, p.shape, p.opts)
	})
}

func checkSlice(t *testing.T, seed uint64, sh shape, o Options) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	m := randomSlice(r, sh)
	output := m.columnNames()
	r.Shuffle(len(output), func(i, j int) { output[i], output[j] = output[j], output[i] })
	output = output[:1+r.IntN(len(output))]
	emit := r.IntN(3) == 0

	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	si := &sliceInput{m: m, mem: mem, rows: 1 + r.IntN(40), owned: seed%2 == 0}
	in := si.input(output, emit)
	in.Sorted = sh.sorted
	o.Allocator, o.BatchSize = mem, 1+r.IntN(20)
	rd, err := Merge(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	got := rowsOf(t, rd)
	sort.Strings(got)
	want := m.merged(output, emit)
	if !slices.Equal(got, want) {
		t.Errorf("seed %d: rules %+v, ordering %s, %d runs: rows differ\n%s", seed, m.rules, m.ordKind, len(m.runs), firstDifference(got, want))
	}
}

// firstDifference shows a row that only one side has, of each side.
func firstDifference(got, want []string) string {
	only := func(a, b []string) string {
		n := map[string]int{}
		for _, row := range b {
			n[row]++
		}
		for _, row := range a {
			if n[row]--; n[row] < 0 {
				return row
			}
		}
		return "(none)"
	}
	return fmt.Sprintf("got  %d rows: %s\nwant %d rows: %s", len(got), only(got, want), len(want), only(want, got))
}
