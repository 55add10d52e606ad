package provider

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// StatisticsOptions say which statistics are wanted and what they may cost.
type StatisticsOptions struct {
	// Columns are the columns wanted, names joined by dots below structs.
	Columns []string
	// Footers bounds how many base files are opened, of which only the footers
	// are read: 0 means all that the plan reads, < 0 none. What is left
	// unopened is estimated, as are slices with logs: by the metadata table's
	// column_stats, if the plan comes from [Table.Plan] and the files are not
	// too many, and by the sizes of files.
	Footers int
}

// Statistics tell what is known about the rows of a plan without reading them.
// Each number is exact or an estimate. It is exact for file slices without
// logs whose footers are read, as far as no condition, range of instants or
// limit takes an unknown part of their rows away.
type Statistics struct {
	// Rows is the number of rows that a scan of the plan gives.
	Rows Count `json:"rows"`
	// Bytes are the sizes of the files that it reads: more than what is read
	// of them.
	Bytes   Count              `json:"bytes"`
	Columns []ColumnStatistics `json:"columns,omitempty"` // as asked for
}

// A Count is a number, -1 if nothing is known.
type Count struct {
	N     int64 `json:"n"`
	Exact bool  `json:"exact"`
}

// ColumnStatistics tell what is known about a column of the rows.
type ColumnStatistics struct {
	Name     string  `json:"name"`
	Nulls    Count   `json:"nulls"`
	Min, Max Extreme `json:"-"`
}

// An Extreme is the least or the greatest value of a column, in the order of
// the column's type (NaN above all numbers), as a constant of that type.
type Extreme struct {
	// Value that is NULL says that there is no value, or, unless Exact, that
	// nothing is known.
	Value pushdown.Value
	// Exact says that a row has the value; else no row has one beyond it.
	Exact bool
}

// MarshalJSON gives the value as an SQL literal.
func (e Extreme) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value string `json:"value"`
		Exact bool   `json:"exact"`
	}{e.Value.String(), e.Exact})
}

// MarshalJSON gives the fields in the order of the type.
func (c ColumnStatistics) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name  string  `json:"name"`
		Nulls Count   `json:"nulls"`
		Min   Extreme `json:"min"`
		Max   Extreme `json:"max"`
	}{c.Name, c.Nulls, c.Min, c.Max})
}

// Statistics gives the statistics of a table: those of the plan of a query.
func (t *Table) Statistics(ctx context.Context, q Query, o StatisticsOptions) (*Statistics, error) {
	p, err := t.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	return p.Statistics(ctx, o)
}

// Statistics gives what is known about the rows of the plan. It reads footers
// of base files, no rows.
func (p *Plan) Statistics(ctx context.Context, o StatisticsOptions) (*Statistics, error) {
	g, err := p.newGatherer(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := range p.Tasks {
		if err := g.task(ctx, &p.Tasks[i]); err != nil {
			return nil, err
		}
	}
	if err := g.estimate(ctx); err != nil {
		return nil, err
	}
	return g.result(), nil
}

// A gatherer sums up the statistics of a plan's tasks.
type gatherer struct {
	plan    *Plan
	env     *scan.Env
	where   *pushdown.Bound // nil: all rows
	paths   *pushdown.Partitions
	footers int // that may still be opened, < 0 without limit
	columns []*pushdown.Summary
	fields  []*pushdown.Field

	rows      int64
	inexact   bool
	bytes     int64
	unsized   bool  // of some file the size is not known
	seenBytes int64 // of the base files whose rows are known
	seenRows  int64
	restBytes int64 // of the slices whose rows are not

	rest []restOf // what statistics of the index may tell more of
}

// A restOf is a slice of which footers do not tell all.
type restOf struct {
	slice   *snapshot.FileSlice
	counted bool // its rows are in the sum
}

func (p *Plan) newGatherer(ctx context.Context, o StatisticsOptions) (*gatherer, error) {
	st := p.storage
	var err error
	if st == nil {
		if st, err = storage.Open(ctx, p.Job.URI, p.Job.Storage); err != nil {
			return nil, err
		}
	}
	g := &gatherer{plan: p, footers: o.Footers}
	switch {
	case o.Footers == 0:
		g.footers = -1
	case o.Footers < 0:
		g.footers = 0
	}
	if g.env, err = scan.Open(ctx, p.Job, st, nil, nil, scan.Options{}); err != nil {
		return nil, err
	}
	g.paths = pushdown.NewPartitions(g.env.Config)
	if g.where, err = p.condition(); err != nil {
		return nil, err
	}
	for _, name := range o.Columns {
		f, err := p.field(name)
		if err != nil {
			return nil, err
		}
		g.fields, g.columns = append(g.fields, f), append(g.columns, pushdown.NewSummary(f))
	}
	return g, nil
}

// condition binds the plan's condition; nil for none.
func (p *Plan) condition() (*pushdown.Bound, error) {
	if p.where != nil || p.Job.Where == "" {
		return p.where, nil
	}
	predicate, err := pushdown.ParseSQL(p.Job.Where)
	if err != nil {
		return nil, err
	}
	return p.Job.BindWhere(predicate, pushdown.BindOptions{})
}

// field finds a column by its name.
func (p *Plan) field(name string) (*pushdown.Field, error) {
	s := p.Job.Schema.Schema
	if _, ok := schema.Lookup(s, name); ok {
		return pushdown.FieldOf(pushdown.Column{name}, s)
	}
	return pushdown.FieldOf(strings.Split(name, "."), s)
}

// task takes in what is known of a task's rows.
func (g *gatherer) task(ctx context.Context, t *scan.Task) error {
	if t.Change != nil {
		g.unknown(0)
		return nil
	}
	s := &t.Slice
	size, known := sizeOf(s)
	g.bytes += size
	g.unsized = g.unsized || !known
	opens := s.Base != nil && g.footers != 0
	if !opens || len(s.Logs) > 0 {
		g.inexact = true
		g.rest = append(g.rest, restOf{s, opens})
	}
	if !opens {
		return nil
	}
	if g.footers > 0 {
		g.footers--
	}
	// Rows that a range of instants or of the file leaves out, and those that a
	// log changes, are not known.
	plain := len(s.Logs) == 0 && t.Rows == nil && g.plan.Job.Rows == nil && g.plan.Job.Changes == ""
	before := g.rows
	if err := g.env.Footer(ctx, s, func(group *pushdown.RowGroup) { g.group(s, group, plain) }); err != nil {
		return err
	}
	g.seenBytes, g.seenRows = g.seenBytes+s.Base.Size, g.seenRows+g.rows-before
	return nil
}

// group takes in a row group.
func (g *gatherer) group(s *snapshot.FileSlice, group *pushdown.RowGroup, exact bool) {
	c := both{g.paths.Container(s.Partition), group}
	if g.where != nil {
		switch g.where.Prune(c).Answer {
		case pushdown.No:
			if len(s.Logs) == 0 {
				return
			}
			exact = false
		case pushdown.Unknown:
			exact = false
		}
	}
	g.rows += group.Group().Rows
	if len(s.Logs) > 0 {
		return // columns are told by the index, if at all
	}
	g.inexact = g.inexact || !exact
	for i, sum := range g.columns {
		sum.Add(group.Facts(g.fields[i]), exact)
	}
}

// unknown takes in rows of which only the size of their files is known.
func (g *gatherer) unknown(size int64) {
	g.inexact = true
	g.restBytes += size
	for _, sum := range g.columns {
		sum.Add(pushdown.Facts{Nulls: -1}, false)
	}
}

// estimate asks the metadata table about slices that footers do not tell all of.
func (g *gatherer) estimate(ctx context.Context) error {
	records, err := g.indexed(ctx)
	if err != nil {
		return err
	}
	for _, r := range g.rest {
		counted := r.counted
		known := records != nil
		eachFile(r.slice, func(path string) {
			stats := pushdown.FileStats{}
			for _, c := range g.indexColumns() {
				if rec := records[snapshot.PartitionStatsKey(c, r.slice.Partition)+snapshot.FileStatsSuffix(path)]; rec != nil && rec.Stats != nil {
					stats[c] = rec.Stats
				}
			}
			if n := stats[schema.RecordKeyColumn]; n != nil && n.HasCounts && r.slice.Base != nil && path == r.slice.Base.Path && !counted {
				g.rows, counted = g.rows+n.ValueCount, true
				g.seenBytes, g.seenRows = g.seenBytes+r.slice.Base.Size, g.seenRows+n.ValueCount
			}
			if !known {
				return
			}
			for i, sum := range g.columns {
				sum.Add(stats.Facts(g.fields[i]), false)
			}
		})
		if !known {
			g.unknown(0)
		}
		if size, _ := sizeOf(r.slice); !counted {
			g.restBytes += size
		}
	}
	return nil
}

// indexColumns are the columns that the index is asked about: those wanted, and
// the key, which all rows have.
func (g *gatherer) indexColumns() []string {
	names := []string{schema.RecordKeyColumn}
	for _, f := range g.fields {
		if f.Name() != schema.RecordKeyColumn {
			names = append(names, f.Name())
		}
	}
	return names
}

// indexed looks the statistics of the rest up; nil where there are none, or
// where they are too many, or where the merge may make values of its own.
func (g *gatherer) indexed(ctx context.Context) (map[string]*snapshot.MetadataRecord, error) {
	snap := g.plan.snap
	if len(g.rest) == 0 || snap == nil || !g.env.Config.HasMetadataPartition(snapshot.PartitionColumnStats) {
		return nil, nil
	}
	if rules, err := mergeread.TableRules(g.env.Config); err != nil || mergeread.Merging(g.env.Config, rules) == pushdown.MergeUnknown {
		return nil, nil
	}
	byMeta, err := snap.ByMetadata(ctx)
	if !byMeta || err != nil {
		return nil, err
	}
	m, err := snap.Metadata(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	var keys []string
	files := 0
	for _, r := range g.rest {
		eachFile(r.slice, func(path string) {
			files++
			for _, c := range g.indexColumns() {
				keys = append(keys, snapshot.PartitionStatsKey(c, r.slice.Partition)+snapshot.FileStatsSuffix(path))
			}
		})
		if files > lookupFiles {
			return nil, nil
		}
	}
	return m.Lookup(ctx, snapshot.PartitionColumnStats, keys)
}

// bytesPerRow is what a row of a base file is taken to need where no base file
// was opened.
const bytesPerRow = 64

func (g *gatherer) result() *Statistics {
	rows := g.rows
	switch {
	case g.restBytes > 0 && g.seenRows > 0 && g.seenBytes > 0:
		rows += int64(float64(g.restBytes) * float64(g.seenRows) / float64(g.seenBytes))
	case g.restBytes > 0:
		rows += g.restBytes/bytesPerRow + 1
	}
	out := &Statistics{Rows: Count{rows, !g.inexact}, Bytes: Count{g.bytes, !g.unsized}}
	cut := g.plan.Limit > 0 && rows > g.plan.Limit
	if cut {
		out.Rows.N = g.plan.Limit
	}
	for i, sum := range g.columns {
		c := ColumnStatistics{Name: g.fields[i].Name()}
		c.Nulls.N, c.Nulls.Exact = sum.Nulls()
		c.Min.Value, c.Min.Exact = sum.Min()
		c.Max.Value, c.Max.Exact = sum.Max()
		if cut {
			c.Nulls.Exact, c.Min.Exact, c.Max.Exact = false, false, false
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

// sizeOf is the size of a slice's files; false if one is not known.
func sizeOf(s *snapshot.FileSlice) (size int64, known bool) {
	known = true
	add := func(n int64) { size, known = size+n, known && n > 0 }
	if s.Base != nil {
		add(s.Base.Size)
		if s.Base.Bootstrap != nil {
			add(s.Base.Bootstrap.Size)
		}
	}
	for _, l := range s.Logs {
		add(l.Size)
	}
	return size, known
}
