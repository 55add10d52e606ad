package scan

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// keyAsText are the key generators that take a single key field, a text, for
// the record key as it is.
var keyAsText = []string{"SIMPLE", "TIMESTAMP", "NON_PARTITION"}

// KeyAsValue says that record keys are the values of one field, not
// "field:value", as far as the table tells.
func KeyAsValue(c *snapshot.Config) bool {
	return len(c.RecordKeys) == 1 && slices.Contains(keyAsText, c.KeyGenerator)
}

// HoldsKey gives the test for columns that hold the record key itself.
func HoldsKey(c *snapshot.Config) func(*pushdown.Field) bool {
	field := ""
	if KeyAsValue(c) {
		field = c.RecordKeys[0]
	}
	return func(f *pushdown.Field) bool {
		return f.Name() == schema.RecordKeyColumn || f.Type.ID() == arrow.STRING && f.Name() == field
	}
}

// KeyColumns are the columns that are the same in all records of a key. Those
// of the partition are not among them: records may lie in the partition of an
// older record of their key, and time-based paths stand for many values.
func KeyColumns(c *snapshot.Config, table *arrow.Schema) pushdown.KeyColumns {
	k := pushdown.KeyColumns{Key: []string{schema.RecordKeyColumn}, Partition: []string{schema.PartitionPathColumn}}
	for _, name := range c.RecordKeys {
		i, ok := schema.Lookup(table, name)
		if !ok {
			continue
		}
		switch table.Field(i).Type.ID() {
		case arrow.STRING, arrow.INT32, arrow.INT64: // other texts may stand for several values
			k.Key = append(k.Key, table.Field(i).Name)
		}
	}
	return k
}

// survivors gives the rows of a Parquet file that a condition can't rule out,
// among those that are asked for; nil means all. columns are those of the file.
func (e *Env) survivors(pf *parquet.File, columns pushdown.FileColumns, o BaseOptions) ([]parquet.RowRange, error) {
	b := o.Prune
	if b == nil || len(b.Conjuncts()) == 0 {
		return o.Rows, nil
	}
	if o.KeyFilter && e.off.On(PruneFileKeys) && !e.mayHaveKey(pf, b) {
		return []parquet.RowRange{}, nil
	}
	kept := []parquet.RowRange{}
	for _, g := range pf.RowGroups() {
		some, err := e.groupSurvivors(pf, g, columns, b)
		if err != nil {
			return nil, err
		}
		for _, r := range some {
			if n := len(kept); n > 0 && kept[n-1].End == r.Start {
				kept[n-1].End = r.End
				continue
			}
			kept = append(kept, r)
		}
	}
	if o.Rows != nil {
		return intersect(kept, o.Rows), nil
	}
	if len(kept) == 1 && kept[0].Start == 0 && kept[0].End == pf.NumRows() {
		return nil, nil
	}
	return kept, nil
}

// groupSurvivors asks a row group, then its pages.
func (e *Env) groupSurvivors(pf *parquet.File, g parquet.RowGroup, columns pushdown.FileColumns, b *pushdown.Bound) ([]parquet.RowRange, error) {
	counters := e.Options.Counters
	group := pushdown.NewRowGroup(pf, g, columns)
	if e.off.On(PruneRowGroups) {
		v, index := b.Prune(group), "row group statistics"
		if v.Answer != pushdown.No {
			if err := group.ReadBlooms(b); err != nil {
				return nil, err
			}
			if v = b.Prune(group); v.Answer == pushdown.No && v.Excluded {
				index = "parquet bloom filter"
			}
		}
		counters.Count(pushdown.LevelRowGroups, index, v)
		if v.Answer == pushdown.No {
			return nil, nil
		}
	}
	if !e.off.On(PrunePages) {
		return []parquet.RowRange{{Start: g.FirstRow, End: g.FirstRow + g.Rows}}, nil
	}
	some, err := group.Rows(b)
	if err != nil {
		return nil, err
	}
	pruned := g.Rows
	for _, r := range some {
		pruned -= r.End - r.Start
	}
	counters.Add(pushdown.LevelPages, "page index", b.String(), g.Rows, pruned)
	return some, nil
}

// mayHaveKey asks the key range and the bloom filter that Hudi leaves in the
// footers of base files, where the condition is about keys. A filter that
// can't be read is left alone: it is an index of the file, not the file.
func (e *Env) mayHaveKey(pf *parquet.File, b *pushdown.Bound) bool {
	holds := HoldsKey(e.Config)
	if !slices.ContainsFunc(b.Fields(), holds) {
		return true
	}
	keys, err := pushdown.FileKeys(pf, holds)
	if err != nil {
		keys.Bloom = nil
	}
	v, index := b.Prune(keys), "key range in footer"
	if v.Excluded {
		index = "bloom filter in footer"
	}
	e.Options.Counters.Count(pushdown.LevelFiles, index, v)
	return v.Answer != pushdown.No
}

// intersect gives the rows that are in both lists.
func intersect(a, b []parquet.RowRange) []parquet.RowRange {
	out := []parquet.RowRange{}
	for len(a) > 0 && len(b) > 0 {
		if r := (parquet.RowRange{Start: max(a[0].Start, b[0].Start), End: min(a[0].End, b[0].End)}); r.Start < r.End {
			out = append(out, r)
		}
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
