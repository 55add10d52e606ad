package pushdown

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/parquet"
)

// A rowContainer knows of a batch what a writer of statistics might: some of
// it, correct but not all of it.
type rowContainer struct {
	g     generator
	batch arrow.RecordBatch
	made  map[string]Stats
}

func (c rowContainer) Stats(f *Field) Stats {
	if s, ok := c.made[f.Name()]; ok {
		return s
	}
	s := c.stats(f)
	c.made[f.Name()] = s
	return s
}

func (c rowContainer) stats(f *Field) Stats {
	var values []Value
	nulls, hasNaN := 0, false
	for row := range int(c.batch.NumRows()) {
		v, _ := rowValue(c.batch, f.Path, row)
		switch {
		case v.IsNull():
			nulls++
		case isNaN(v):
			hasNaN = true
		default:
			values = append(values, v)
		}
	}
	s := Stats{
		NoNulls:  nulls == 0 && c.g.IntN(4) > 0,
		AllNulls: nulls == int(c.batch.NumRows()) && c.g.IntN(4) > 0,
		NoNaN:    !hasNaN && c.g.IntN(2) == 0,
	}
	if f.domain.order == orderNone || len(values) == 0 {
		return s
	}
	s.Min, s.Max = values[0], values[0]
	for _, v := range values {
		if naiveOrder(v, f.Type, s.Min) < 0 {
			s.Min = v
		}
		if naiveOrder(v, f.Type, s.Max) > 0 {
			s.Max = v
		}
	}
	return c.blur(s)
}

// blur forgets and widens bounds as writers do.
func (c rowContainer) blur(s Stats) Stats {
	if c.g.IntN(8) == 0 {
		s.Min = Value{}
	}
	if c.g.IntN(8) == 0 {
		s.Max = Value{}
	}
	if (s.Min.kind == KindString || s.Min.kind == KindBinary) && len(s.Min.text) > 1 && c.g.IntN(2) == 0 {
		s.Min.text = s.Min.text[:1]
	}
	if (s.Max.kind == KindString || s.Max.kind == KindBinary) && len(s.Max.text) > 1 && c.g.IntN(2) == 0 {
		if end, ok := prefixEnd(s.Max.text[:1]); ok {
			s.Max.text = end
		}
	}
	return s
}

// Excludes answers as a Bloom filter does: sometimes it does not know.
func (c rowContainer) Excludes(f *Field, v Value) bool {
	for row := range int(c.batch.NumRows()) {
		have, t := rowValue(c.batch, f.Path, row)
		if !have.IsNull() && naiveOrder(have, t, v) == 0 {
			return false
		}
	}
	return c.g.IntN(3) > 0
}

func TestPruningLosesNoRow(t *testing.T) {
	answers := map[Answer]int{}
	excluded := 0
	for seed := range uint64(4000) {
		g := generator{rand.New(rand.NewPCG(seed, 3))}
		s := g.schema()
		batch := g.batch(memory.DefaultAllocator, s, 1+g.IntN(4))
		for range 4 {
			p := g.predicate(s, 2)
			b, err := Bind(p, s, BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			v := b.Prune(rowContainer{g, batch, map[string]Stats{}})
			rows := len(naiveRows(p, batch))
			if v.Answer == No && rows > 0 || v.Answer == Yes && rows < int(batch.NumRows()) {
				t.Fatalf("seed %d: %s: %s by %s, but true of %d of %d rows of %v", seed, p, v.Answer, v.Conjunct, rows, batch.NumRows(), batch)
			}
			answers[v.Answer]++
			if v.Excluded {
				excluded++
			}
		}
		batch.Release()
	}
	t.Log(answers, excluded)
	if answers[No] < 4000 || answers[Yes] < 1000 || excluded < 50 {
		t.Errorf("answers %v, %d by exclusion: the test is too tame", answers, excluded)
	}
}

func TestPruningSlicesLosesNoRow(t *testing.T) {
	pruned := [MergeCommitted + 1]int{}
	for seed := range uint64(3000) {
		g := generator{rand.New(rand.NewPCG(seed, 4))}
		s := g.schema()
		var files []Container
		var batches []arrow.RecordBatch
		for range 2 + g.IntN(2) {
			b := g.batch(memory.DefaultAllocator, s, 1+g.IntN(2))
			batches = append(batches, b)
			files = append(files, rowContainer{g, b, map[string]Stats{}})
		}
		p := g.predicate(s, 2)
		b, err := Bind(p, s, BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for m := MergeFields; m <= MergeCommitted; m++ {
			v := b.PruneSlice(files, m, KeyColumns{})
			if v.Answer != No {
				continue
			}
			pruned[m]++
			for range 10 {
				merged := g.merged(s, batches, m)
				if rows := naiveRows(p, merged); len(rows) > 0 {
					t.Fatalf("seed %d, merging %d: %s says no, but is true of %v", seed, m, p, merged)
				}
			}
		}
	}
	if pruned[MergeFields] < 500 || pruned[MergeWhole] < pruned[MergeFields] {
		t.Errorf("%v slices were pruned: the test is too tame", pruned)
	}
}

// merged makes a row as a merge of the files' rows might.
func (g generator) merged(s *arrow.Schema, files []arrow.RecordBatch, m Merging) arrow.RecordBatch {
	pickRow := func() (arrow.RecordBatch, int64) {
		f := pick(g, files)
		return f, int64(g.IntN(int(f.NumRows())))
	}
	f, row := pickRow()
	columns := make([]arrow.Array, s.NumFields())
	for i := range columns {
		if m == MergeFields {
			f, row = pickRow()
		}
		columns[i] = array.NewSlice(f.Column(i), row, row+1)
	}
	return array.NewRecordBatch(s, columns, 1)
}

func TestPruneSliceNeedsEveryFile(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "id", Type: arrow.BinaryTypes.String}}, nil)
	low := fixedStats{"a": {Min: Int(1), Max: Int(5)}, "id": {Min: String("a"), Max: String("c")}}
	high := fixedStats{"a": {Min: Int(7), Max: Int(9)}, "id": {Min: String("a"), Max: String("c")}}
	keys := KeyColumns{Key: []string{"id"}}
	for _, c := range []struct {
		where string
		files []Container
		m     Merging
		want  Answer
	}{
		{"a > 10", []Container{low, high}, MergeFields, No},
		{"a > 10", []Container{low, nil}, MergeFields, Unknown},
		{"a > 10", []Container{low, fixedStats{}}, MergeFields, Unknown},
		{"a > 10", nil, MergeFields, Unknown},
		{"a = 6", []Container{low, high}, MergeFields, No},
		{"a = 8", []Container{low, high}, MergeWhole, Unknown},
		{"a > 10", []Container{low, high}, MergeUnknown, Unknown},
		{"id > 'x'", []Container{low, high}, MergeUnknown, No},
		{"a < 3 and id = 'd'", []Container{low, high}, MergeUnknown, No},
		{"a < 6 and a > 6", []Container{low, nil}, MergeWhole, Unknown},
		{"a < 10", []Container{low, high}, MergeFields, Unknown}, // never Yes: deletes and merges are not known
		{"a < 10", []Container{low}, MergeFields, Unknown},       // nulls are not known
		{"a > 3", []Container{high}, MergeFields, Unknown},
		{"a > 10", []Container{high}, MergeFields, No},
	} {
		b := mustBind(t, c.where, s)
		if got := b.PruneSlice(c.files, c.m, keys).Answer; got != c.want {
			t.Errorf("%s over %d files, merging %d: %s, want %s", c.where, len(c.files), c.m, got, c.want)
		}
	}
}

func TestBaseRows(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "part", Type: arrow.BinaryTypes.String}, {Name: "a", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	keys := KeyColumns{Key: []string{"id"}, Partition: []string{"part"}}
	b := mustBind(t, "id = 'x' and a > 1 and (part = 'p' or id < 'c') and (a = 5 or id = 'y')", s)
	for _, c := range []struct {
		logs bool
		m    Merging
		want []string
	}{
		{false, MergeUnknown, []string{"id = 'x'", "a > 1", "part = 'p' OR id < 'c'", "a = 5 OR id = 'y'"}},
		{true, MergeCommitted, []string{"id = 'x'", "a > 1", "part = 'p' OR id < 'c'", "a = 5 OR id = 'y'"}},
		{true, MergeWhole, []string{"id = 'x'", "part = 'p' OR id < 'c'"}},
		{true, MergeFields, []string{"id = 'x'", "part = 'p' OR id < 'c'"}},
		{true, MergeUnknown, []string{"id = 'x'", "part = 'p' OR id < 'c'"}},
	} {
		var got []string
		for _, part := range BaseRows(b, c.logs, c.m, keys).Conjuncts() {
			got = append(got, part.Text)
		}
		if strings.Join(got, "; ") != strings.Join(c.want, "; ") {
			t.Errorf("logs %v, merging %d: %q, want %q", c.logs, c.m, got, c.want)
		}
	}
}

// fixedStats are statistics written down.
type fixedStats map[string]Stats

func (s fixedStats) Stats(f *Field) Stats { return s[f.Name()] }

func mustBind(t *testing.T, where string, s *arrow.Schema) *Bound {
	t.Helper()
	p, err := ParseSQL(where)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Bind(p, s, BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestParquetPruningLosesNoRow writes random rows to Parquet, in small pages
// and row groups, and asks row groups and page indexes.
func TestParquetPruningLosesNoRow(t *testing.T) {
	groups, rows, kept := map[Answer]int{}, int64(0), int64(0)
	for seed := range uint64(400) {
		g := generator{rand.New(rand.NewPCG(seed, 5))}
		s := g.schema()
		batch := g.batch(memory.DefaultAllocator, s, 60)
		f := writeParquet(t, s, batch)
		for range 6 {
			p := g.predicate(s, 2)
			b, err := Bind(p, s, BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			true_ := naiveRows(p, batch)
			for _, rg := range f.RowGroups() {
				c := NewRowGroup(f, rg, nil)
				v := b.Prune(c)
				groups[v.Answer]++
				ranges, err := c.Rows(b)
				if err != nil {
					t.Fatal(err)
				}
				rows += rg.Rows
				for _, r := range ranges {
					kept += r.End - r.Start
				}
				n := int64(0)
				for _, row := range true_ {
					if row := int64(row); row >= rg.FirstRow && row < rg.FirstRow+rg.Rows {
						n++
						if !inRanges(ranges, row) {
							t.Fatalf("seed %d: %s is true of row %d, which is not in %v", seed, p, row, ranges)
						}
					}
				}
				if v.Answer == No && n > 0 || v.Answer == Yes && n < rg.Rows {
					t.Fatalf("seed %d: %s: %s by %s, but true of %d of %d rows", seed, p, v.Answer, v.Conjunct, n, rg.Rows)
				}
			}
		}
		batch.Release()
	}
	t.Log(groups, kept, rows)
	if groups[No] < 1000 || groups[Yes] < 500 || kept > rows*3/4 {
		t.Errorf("row groups %v, %d of %d rows kept: the test is too tame", groups, kept, rows)
	}
}

func inRanges(ranges []parquet.RowRange, row int64) bool {
	for _, r := range ranges {
		if row >= r.Start && row < r.End {
			return true
		}
	}
	return false
}

func writeParquet(t *testing.T, s *arrow.Schema, batch arrow.RecordBatch) *parquet.File {
	t.Helper()
	var buf bytes.Buffer
	props := pq.NewWriterProperties(pq.WithMaxRowGroupLength(20), pq.WithDataPageSize(16), pq.WithBatchSize(4),
		pq.WithPageIndexEnabled(true), pq.WithDictionaryDefault(false))
	w, err := pqarrow.NewFileWriter(s, &buf, props, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < batch.NumRows(); at += 20 {
		part := batch.NewSlice(at, min(at+20, batch.NumRows()))
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		part.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenSection(bytes.NewReader(buf.Bytes()), int64(buf.Len()), "test.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return f
}
