package pushdown

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/snapshot"
)

// notAsked are the conditions that Spark's answers can't be asked, or that
// Spark did not answer.
var notAsked = map[string]string{
	"pd = date'2024-01-02'": "the answer has the column as text",
	"size(a) = 1":           "a function",
	"pi = 1":                "the answer has the column as text",
	"ev >= 1704153600000 and ev < 1704240000000": "the answer has the column as text",
	"f = 0": "Spark's Parquet reader took 0.0 for absent where there was -0.0, which is equal",
}

// TestFiltersCountWhatSparkCounts filters Spark's answers by the conditions
// whose rows were counted there.
func TestFiltersCountWhatSparkCounts(t *testing.T) {
	asked := 0
	for _, f := range tabletest.All(t) {
		for _, q := range f.Manifest.Queries {
			if q.Kind != "snapshot" {
				continue
			}
			file := openAnswer(t, filepath.Join(f.Dir, filepath.FromSlash(q.File)))
			for _, w := range f.Manifest.Filters {
				if notAsked[strings.ToLower(w.Predicate)] != "" {
					continue
				}
				asked++
				p, err := ParseSQL(w.Predicate)
				if err != nil {
					t.Errorf("%s: %v", f.Name, err)
					continue
				}
				b, err := Bind(p, file.Schema(), BindOptions{})
				if err != nil {
					t.Errorf("%s: %v", f.Name, err)
					continue
				}
				n := int64(0)
				eachBatch(t, file, b.Columns(), func(batch arrow.RecordBatch, _ int64) {
					s, err := b.Filter(batch)
					if err != nil {
						t.Fatalf("%s: %s: %v", f.Name, p, err)
					}
					n += int64(s.Count())
				})
				if n != w.RowCount {
					t.Errorf("%s: %s: %d rows, Spark has %d", f.Name, w.Predicate, n, w.RowCount)
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("%d conditions asked", asked)
	}
}

func openAnswer(t *testing.T, file string) *parquet.File {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenSection(bytes.NewReader(b), int64(len(b)), file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// eachBatch reads columns of a file; first is the ordinal of a batch's first
// row.
func eachBatch(t *testing.T, f *parquet.File, columns []string, visit func(batch arrow.RecordBatch, first int64)) {
	t.Helper()
	if columns == nil {
		columns = []string{}
	}
	r, err := f.Read(context.Background(), parquet.ReadOptions{Columns: columns, BatchSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := int64(0)
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		visit(b, first)
		first += b.NumRows()
		b.Release()
	}
}

// conditionsOf gives conditions that are worth asking of a file.
func conditionsOf(f tabletest.Fixture) []string {
	out := []string{
		"_hoodie_record_key = 'k00007'", "_hoodie_record_key in ('k00001', 'k00013', 'nobody')", "id < 'k00020'", "id like 'k0001%'",
		"c_int > 1000 and c_long < 5", "c_double > 1e3", "c_float <= 0", "c_dec is null", "c_date < date '1970-01-01'",
		"c_ts >= timestamp '2000-01-01 00:00:00'", "c_bool", "c_str >= 'z'", "c_d2 between -5 and 5", "qty = 17", "qty > 900",
		"amount < 0", "note is null", "note like '%a%'", "part <> '2024-01'", "part is null", "ev < 1704240000000",
	}
	for _, w := range f.Manifest.Filters {
		if _, err := ParseSQL(w.Predicate); err == nil {
			out = append(out, w.Predicate)
		}
	}
	return out
}

// TestRealContainersLoseNoRow asks the footers, page indexes, key filters,
// partition paths and metadata-table statistics of real tables, and compares
// with the rows of the base files.
func TestRealContainersLoseNoRow(t *testing.T) {
	var n realCounts
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" || strings.Contains(f.Name, "lance") || strings.Contains(f.Name, "orc") {
			continue
		}
		st := f.Storage(t)
		ctx := context.Background()
		config, err := snapshot.ReadConfig(ctx, st)
		if err != nil {
			continue // what can't be read is tested elsewhere
		}
		index := columnStatsOf(t, st)
		parts := NewPartitions(config)
		walkBaseFiles(t, st, func(name string) {
			c := realFile{t: t, fixture: f, name: name, config: config, counts: &n}
			c.open(st)
			c.partition = parts.Container(strings.TrimPrefix(path.Dir(name), "."))
			c.stats = index[path.Base(name)]
			c.check()
		})
	}
	t.Logf("%+v", n)
	if n.files < 300 || n.groupsPruned < 300 || n.bloomPruned < 20 || n.partsPruned < 100 || n.statsPruned < 50 || n.rowsSkipped == 0 {
		t.Errorf("%+v: too few to mean something", n)
	}
}

type realCounts struct {
	files, asked, groupsPruned, bloomPruned, partsPruned, statsPruned, keys int
	rowsSkipped                                                             int64
}

// columnStatsOf reads the column_stats of a table, by file and column.
func columnStatsOf(t *testing.T, st storage.Storage) map[string]FileStats {
	t.Helper()
	ctx := context.Background()
	out := map[string]FileStats{}
	s, err := snapshot.Open(ctx, st, snapshot.Options{})
	if err != nil || !s.Config().HasMetadataPartition("column_stats") {
		return out
	}
	m, err := s.Metadata(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := m.Scan(ctx, "column_stats")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if out[r.Stats.File] == nil {
			out[r.Stats.File] = FileStats{}
		}
		out[r.Stats.File][r.Stats.Column] = r.Stats
	}
	return out
}

func walkBaseFiles(t *testing.T, st storage.Storage, visit func(name string)) {
	t.Helper()
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := st.List(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name)
			switch {
			case strings.HasPrefix(e.Name, "."):
			case e.IsDir:
				walk(name)
			case strings.HasSuffix(name, ".parquet"):
				visit(name)
			}
		}
	}
	walk("")
}

// A realFile is a base file of a real table with what is known about it.
type realFile struct {
	t         *testing.T
	fixture   tabletest.Fixture
	name      string
	config    *snapshot.Config
	counts    *realCounts
	file      *parquet.File
	keys      Keys
	partition Container
	stats     FileStats
}

func (c *realFile) open(st storage.Storage) {
	c.t.Helper()
	src, err := st.Open(context.Background(), c.name)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.file, err = parquet.Open(src); err != nil {
		c.t.Fatalf("%s: %v", c.fixture.Name, err)
	}
	c.keys, err = FileKeys(c.file, func(f *Field) bool { return f.Name() == "_hoodie_record_key" })
	if err != nil {
		c.t.Errorf("%s: %v", c.fixture.Name, err)
	}
	c.counts.files++
}

func (c *realFile) check() {
	c.checkKeys()
	for i, where := range conditionsOf(c.fixture) {
		if i%3 != c.counts.files%3 { // all conditions are asked, not of each file
			continue
		}
		p, err := ParseSQL(where)
		if err != nil {
			c.t.Fatal(err)
		}
		b, err := Bind(p, c.file.Schema(), BindOptions{})
		if err != nil {
			continue // about columns that the file lacks, or has in another type
		}
		c.counts.asked++
		c.checkCondition(b)
	}
}

// checkKeys: every key must be in the filter and in the range.
func (c *realFile) checkKeys() {
	if c.keys.Bloom == nil || !c.file.Schema().HasField("_hoodie_record_key") {
		return
	}
	b := mustBind(c.t, "_hoodie_record_key = ''", c.file.Schema())
	eachBatch(c.t, c.file, []string{"_hoodie_record_key"}, func(batch arrow.RecordBatch, _ int64) {
		for row := range int(batch.NumRows()) {
			key := batch.Column(0).ValueStr(row)
			c.counts.keys++
			if !c.keys.Bloom.Has(key) {
				c.t.Errorf("%s: %s: key %q is not in the bloom filter", c.fixture.Name, c.name, key)
			}
			if s := c.keys.Stats(b.Fields()[0]); s.Min.Text() > key || s.Max.Text() < key {
				c.t.Errorf("%s: %s: key %q is not from %s to %s", c.fixture.Name, c.name, key, s.Min, s.Max)
			}
		}
	})
}

func (c *realFile) checkCondition(b *Bound) {
	var hits []int64
	eachBatch(c.t, c.file, b.Columns(), func(batch arrow.RecordBatch, first int64) {
		s, err := b.Filter(batch)
		if err != nil {
			c.t.Fatalf("%s: %s: %v", c.fixture.Name, b, err)
		}
		for row := range s.Rows() {
			hits = append(hits, first+int64(row))
		}
	})
	all := c.file.NumRows()
	verdict := func(what string, container Container, rows int64, hits int, pruned *int) {
		v := b.Prune(container)
		if v.Answer == No && hits > 0 || v.Answer == Yes && int64(hits) < rows {
			c.t.Errorf("%s: %s: %s: %s says %s, but it is true of %d of %d rows", c.fixture.Name, c.name, b, what, v.Answer, hits, rows)
		}
		if v.Answer == No {
			*pruned++
		}
	}
	if !c.config.DropPartitions { // else the path is right, even where files have the columns
		verdict("the partition path", c.partition, all, len(hits), &c.counts.partsPruned)
	}
	verdict("the key range", c.keys, all, len(hits), &c.counts.bloomPruned)
	if c.stats != nil {
		verdict("column_stats", c.stats, all, len(hits), &c.counts.statsPruned)
	}
	for _, g := range c.file.RowGroups() {
		group := NewRowGroup(c.file, g, nil)
		ranges, err := group.Rows(b)
		if err != nil {
			c.t.Fatal(err)
		}
		inside := 0
		for _, row := range hits {
			if row >= g.FirstRow && row < g.FirstRow+g.Rows {
				inside++
				if !inRanges(ranges, row) {
					c.t.Errorf("%s: %s: %s is true of row %d, which the page index leaves out", c.fixture.Name, c.name, b, row)
				}
			}
		}
		verdict("the row group", group, g.Rows, inside, &c.counts.groupsPruned)
		if err := group.ReadBlooms(b); err != nil {
			c.t.Fatal(err)
		}
		verdict("the row group with its bloom filters", group, g.Rows, inside, &c.counts.groupsPruned)
		c.counts.rowsSkipped += g.Rows
		for _, r := range ranges {
			c.counts.rowsSkipped -= r.End - r.Start
		}
	}
}

// TestParquetBlooms asks Parquet's own Bloom filters for keys that are in the
// files, and for some between them.
func TestParquetBlooms(t *testing.T) {
	f := tabletest.Fixture{Name: "extra/file_parquet_bloom", Dir: filepath.Join("..", "testdata", "tables", "extra", "file_parquet_bloom")}
	st := f.Storage(t)
	present, absent, excluded := 0, 0, 0
	ask := func(file *parquet.File, p Predicate) bool {
		b, err := Bind(p, file.Schema(), BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		group := NewRowGroup(file, file.RowGroups()[0], nil)
		if err := group.ReadBlooms(b); err != nil {
			t.Fatal(err)
		}
		v := b.Prune(group)
		return v.Answer == No && v.Excluded
	}
	walkBaseFiles(t, st, func(name string) {
		src, err := st.Open(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parquet.Open(src)
		if err != nil {
			t.Fatal(err)
		}
		eachBatch(t, file, []string{"id"}, func(batch arrow.RecordBatch, _ int64) {
			for row := range int(batch.NumRows()) {
				key := batch.Column(0).ValueStr(row)
				present++
				if ask(file, Col("id").Eq(key)) || ask(file, Col("id").In("k00000x", key)) {
					t.Errorf("%s: %s is said to be absent", name, key)
				}
				absent++
				if ask(file, Col("id").Eq(key+"x")) {
					excluded++
				}
			}
		})
	})
	if present < 100 || excluded < absent*8/10 {
		t.Errorf("%d keys are there; of %d others, %d are excluded", present, absent, excluded)
	}
}
