package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
)

// inMemory makes fixtures tables that need no files.
var inMemory = sync.OnceValue(func() *sync.Map {
	var tables sync.Map
	storage.Register("fixture", func(_ context.Context, uri string, _ map[string]string) (storage.Storage, error) {
		st, ok := tables.Load(uri)
		if !ok {
			return nil, fmt.Errorf("no table %s", uri)
		}
		return st.(storage.Storage), nil
	})
	return &tables
})

func openInMemory(t testing.TB, f tabletest.Fixture, hudi map[string]string, mem memory.Allocator) *provider.Table {
	t.Helper()
	uri := "fixture://" + f.Name
	if _, ok := inMemory().Load(uri); !ok {
		inMemory().Store(uri, f.Storage(t))
	}
	table, err := provider.Open(context.Background(), uri, provider.Options{Hudi: hudi, Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var pruneLevels = []string{
	scan.PrunePartitions, scan.PrunePartitionStats, scan.PruneColumnStats, scan.PruneRecordIndex, scan.PruneSecondaryIndex,
	scan.PruneExpressions, scan.PruneBuckets, scan.PruneBloomFilters, scan.PruneFileKeys, scan.PruneRowGroups, scan.PrunePages, scan.PruneLogs, scan.PruneLate,
}

// alone switches all levels off but one, and those that it can't be without.
func alone(level string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(pruneLevels), func(l string) bool {
		return l == level || level == scan.PruneSecondaryIndex && l == scan.PruneRecordIndex ||
			level == scan.PruneLogs && (l == scan.PruneRowGroups || l == scan.PrunePages)
	}), ",")
}

// oddOnes are the tables that have levels of pruning which others lack.
var oddOnes = regexp.MustCompile("mdt_full|parquet_bloom|bootstrap|expression_index|bucket_consistent")

// bigTable is the number of rows from which on a table is asked little.
const bigTable = 5000

// casesInAll is how many random conditions are asked.
const casesInAll = 14000

// TestPruningNeverChangesAnAnswer asks real tables of all kinds random
// conditions, with all levels of pruning and with each alone, and compares with
// the rows of the unpruned table for which the condition is true.
func TestPruningNeverChangesAnAnswer(t *testing.T) {
	defer goleak.VerifyNone(t)
	var fixtures []tabletest.Fixture
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused == "" {
			fixtures = append(fixtures, f)
		}
	}
	each := casesInAll / len(fixtures)
	if testing.Short() {
		each /= 10
	}
	var total pruneTotals
	t.Run("tables", func(t *testing.T) {
		for i, f := range fixtures {
			cases := each
			if oddOnes.MatchString(f.Name) {
				cases *= 10
			}
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				(&pruneTest{T: t, fixture: f, rand: rand.New(rand.NewPCG(uint64(i), 7)), total: &total}).run(cases)
			})
		}
	})
	t.Logf("%d conditions, %d with rows; pruned: %v", total.cases, total.hits, total.pruned)
	if testing.Short() {
		return
	}
	if total.cases < 10000 || total.hits < total.cases/4 || total.hits > total.cases*9/10 {
		t.Errorf("%d conditions, %d with rows: that says little", total.cases, total.hits)
	}
	for _, index := range []string{"partition path", "partition_stats", "column_stats", "record_index", "bloom filter in footer",
		"key range in footer", "row group statistics", "page index", "row filter", "bucket", "expr_index_lower", "expr_index_from_unixtime"} {
		if total.pruned[index] < 1 {
			t.Errorf("%s pruned nothing: that says little", index)
		}
	}
}

type pruneTotals struct {
	mu          sync.Mutex
	cases, hits int
	pruned      map[string]int64
}

func (p *pruneTotals) add(hit bool, levels []pushdown.LevelCount) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pruned == nil {
		p.pruned = map[string]int64{}
	}
	p.cases++
	if hit {
		p.hits++
	}
	for _, l := range levels {
		for _, by := range l.By {
			p.pruned[by.Index] += by.Count
		}
	}
}

// A pruneTest asks one table.
type pruneTest struct {
	*testing.T
	fixture tabletest.Fixture
	rand    *rand.Rand
	total   *pruneTotals
	mem     *memory.CheckedAllocator
	kinds   []*pruneKind
}

// A pruneKind is a kind of query with all its rows.
type pruneKind struct {
	query  provider.Query
	schema *arrow.Schema
	rows   []arrow.RecordBatch
	count  int64
}

func (p *pruneTest) run(cases int) {
	p.mem = memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer p.mem.AssertSize(p, 0)
	tables := map[string]*provider.Table{}
	options := p.fixture.Options(p)
	table := func(off string) *provider.Table {
		if tables[off] == nil {
			with := map[string]string{scan.OptionPruningOff: off}
			maps.Copy(with, options)
			tables[off] = openInMemory(p, p.fixture, with, p.mem)
		}
		return tables[off]
	}
	p.kinds = p.queries(table("all"))
	defer func() {
		for _, k := range p.kinds {
			for _, b := range k.rows {
				b.Release()
			}
		}
	}()
	if len(p.kinds) == 0 {
		return
	}
	for i := range cases {
		k := p.kinds[0]
		if p.rand.IntN(4) == 0 {
			k = p.kinds[p.rand.IntN(len(p.kinds))]
		}
		if k.count > bigTable && i > 12 {
			break
		}
		off := ""
		if p.rand.IntN(2) == 0 {
			off = alone(pruneLevels[p.rand.IntN(len(pruneLevels))])
		}
		where := p.predicate(k, 2)
		if !p.ask(table(off), k, where, off) {
			return
		}
	}
}

// queries reads all rows of each kind of query.
func (p *pruneTest) queries(table *provider.Table) []*pruneKind {
	all := []provider.Query{{}, {Type: provider.ReadOptimized}}
	for _, q := range p.fixture.Manifest.Queries {
		switch q.Kind {
		case "time_travel":
			all = append(all, provider.Query{AsOf: q.Options.AsOf})
		case "incremental":
			all = append(all, provider.Query{Type: provider.Incremental, Begin: begin(q), End: q.Options.End})
		}
	}
	var kinds []*pruneKind
	for _, q := range all {
		q.Meta = table.Config().PopulateMeta
		r, err := table.Scan(context.Background(), q)
		var lost *incremental.LostError
		if errors.As(err, &lost) {
			continue
		}
		if err != nil {
			p.Fatal(err)
		}
		k := &pruneKind{query: q, schema: r.Schema()}
		for {
			b, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				p.Fatal(err)
			}
			k.rows, k.count = append(k.rows, b), k.count+b.NumRows()
		}
		r.Close()
		if k.count > 0 {
			kinds = append(kinds, k)
		} else if len(kinds) == 0 {
			return nil
		}
	}
	return kinds
}

// ask compares one answer.
func (p *pruneTest) ask(table *provider.Table, k *pruneKind, where pushdown.Predicate, off string) bool {
	b, err := pushdown.Bind(where, k.schema, pushdown.BindOptions{})
	if err != nil {
		p.Errorf("%s: %v", where, err)
		return false
	}
	q := k.query
	q.Filter, q.Meta = where, false
	q.Columns = []string{k.schema.Field(0).Name}
	for _, c := range []int{min(2, k.schema.NumFields()-1), p.rand.IntN(k.schema.NumFields())} {
		if name := k.schema.Field(c).Name; !slices.Contains(q.Columns, name) {
			q.Columns = append(q.Columns, name)
		}
	}
	if p.rand.IntN(4) == 0 {
		q.BatchSize, q.Threads = 5, 2
	}
	var want, got answerRows
	first := true
	for _, rows := range k.rows {
		s, err := b.Filter(rows)
		if err != nil {
			p.Fatal(err)
		}
		kept, err := pushdown.Apply(memory.DefaultAllocator, rows, s)
		if err != nil {
			p.Fatal(err)
		}
		part := project(kept, q.Columns)
		if first {
			want, first = newRows(part.Schema()), false
		}
		want.add(part)
		part.Release()
		kept.Release()
	}
	r, err := table.Scan(context.Background(), q)
	if err != nil {
		p.Errorf("%s: %v", where, err)
		return false
	}
	got = newRows(r.Schema())
	for rows, err := range r.Batches() {
		if err != nil {
			p.Errorf("%s: %v", where, err)
			return false
		}
		got.add(rows)
	}
	sort.Strings(want.rows)
	sort.Strings(got.rows)
	p.total.add(len(want.rows) > 0, r.Stats().Levels)
	if !slices.Equal(want.rows, got.rows) {
		p.Errorf("%s %s AsOf=%s, off: %s\n%d rows of %d, want %d\n%+v", where, q.Type, q.AsOf, off, len(got.rows), k.count, len(want.rows), r.Stats().Levels)
		return false
	}
	return true
}

func project(b arrow.RecordBatch, names []string) arrow.RecordBatch {
	var fields []arrow.Field
	var columns []arrow.Array
	for _, n := range names {
		i := b.Schema().FieldIndices(n)[0]
		fields, columns = append(fields, b.Schema().Field(i)), append(columns, b.Column(i))
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, b.NumRows())
}

// predicate makes a condition of values that occur.
func (p *pruneTest) predicate(k *pruneKind, depth int) pushdown.Predicate {
	switch n := p.rand.IntN(10); {
	case depth > 0 && n < 3:
		return pushdown.And{p.predicate(k, depth-1), p.predicate(k, depth-1)}
	case depth > 0 && n < 5:
		return pushdown.Or{p.predicate(k, depth-1), p.predicate(k, depth-1)}
	case depth > 0 && n == 5:
		return pushdown.Not{Of: p.predicate(k, depth-1)}
	}
	return p.leaf(k)
}

func (p *pruneTest) leaf(k *pruneKind) pushdown.Predicate {
	c, v := p.cell(k)
	if v.Kind() == pushdown.KindString && p.rand.IntN(5) == 0 {
		v = pushdown.String(v.Text() + "~") // most likely absent
	}
	if v.IsNull() {
		return pushdown.IsNull{Column: c, Not: p.rand.IntN(2) == 0}
	}
	switch p.rand.IntN(8) {
	case 0:
		return pushdown.IsNull{Column: c, Not: p.rand.IntN(2) == 0}
	case 1:
		in := pushdown.In{Column: c, Values: []pushdown.Value{v}, Not: p.rand.IntN(4) == 0}
		for range p.rand.IntN(4) {
			in.Values = append(in.Values, p.another(k, c))
		}
		return in
	case 2:
		if text := v.Text(); v.Kind() == pushdown.KindString && text != "" {
			runes := []rune(text)
			return c.StartsWith(string(runes[:1+p.rand.IntN(len(runes))]))
		}
	case 3:
		return pushdown.And{pushdown.Compare{Column: c, Op: pushdown.Ge, Value: v}, pushdown.Compare{Column: c, Op: pushdown.Le, Value: p.another(k, c)}}
	case 4, 5:
		return pushdown.Compare{Column: c, Op: pushdown.Eq, Value: v}
	}
	return pushdown.Compare{Column: c, Op: pushdown.Operator(p.rand.IntN(8)), Value: v}
}

// cell gives a column, nested ones included, with one of its values. Keys and
// partitions are asked more often than others.
func (p *pruneTest) cell(k *pruneKind) (pushdown.Column, pushdown.Value) {
	for {
		i := p.rand.IntN(k.schema.NumFields())
		if names := p.favourites(k); len(names) > 0 && p.rand.IntN(3) == 0 {
			i = k.schema.FieldIndices(names[p.rand.IntN(len(names))])[0]
		}
		c := pushdown.Column{k.schema.Field(i).Name}
		typ := k.schema.Field(i).Type
		for {
			st, ok := typ.(*arrow.StructType)
			if !ok {
				break
			}
			f := st.Field(p.rand.IntN(st.NumFields()))
			c, typ = append(c, f.Name), f.Type
		}
		if typ.ID() == arrow.LIST || typ.ID() == arrow.MAP || c[0] == "_hoodie_file_name" {
			continue
		}
		return c, p.another(k, c)
	}
}

func (p *pruneTest) favourites(k *pruneKind) []string {
	var names []string
	for _, n := range append([]string{"_hoodie_record_key", "_hoodie_partition_path", "part", "qty"}, p.fixture.Manifest.RecordKey...) {
		if k.schema.HasField(n) {
			names = append(names, n)
		}
	}
	return names
}

// another gives a value of a column.
func (p *pruneTest) another(k *pruneKind, c pushdown.Column) pushdown.Value {
	b := k.rows[p.rand.IntN(len(k.rows))]
	row := p.rand.IntN(int(b.NumRows()))
	a := b.Column(b.Schema().FieldIndices(c[0])[0])
	for _, name := range c[1:] {
		s := a.(*array.Struct)
		if s.IsNull(row) {
			return pushdown.Value{}
		}
		i, _ := s.DataType().(*arrow.StructType).FieldIdx(name)
		a = s.Field(i)
	}
	if a.IsNull(row) {
		return pushdown.Value{}
	}
	v, err := scalar.GetScalar(a, row)
	if err != nil {
		p.Fatal(err)
	}
	if held, ok := v.(scalar.Releasable); ok {
		defer held.Release()
	}
	return pushdown.ValueOf(v)
}
