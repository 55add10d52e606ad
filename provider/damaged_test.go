package provider

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// A damagedIndex is a real metadata table whose statistics come out as writers
// are known to have got them wrong. Damage gives false for no record.
type damagedIndex struct {
	index
	damage func(s *snapshot.ColumnStats) bool
	done   int
}

func (d *damagedIndex) damaged(found map[string]*snapshot.MetadataRecord) map[string]*snapshot.MetadataRecord {
	for key, r := range found {
		if r.Stats == nil {
			continue
		}
		s := *r.Stats
		if !d.damage(&s) {
			delete(found, key)
			d.done++
			continue
		}
		if fmt.Sprint(s) != fmt.Sprint(*r.Stats) {
			d.done++
		}
		found[key] = &snapshot.MetadataRecord{Key: key, Stats: &s}
	}
	return found
}

func (d *damagedIndex) Lookup(ctx context.Context, partition string, keys []string) (map[string]*snapshot.MetadataRecord, error) {
	found, err := d.index.Lookup(ctx, partition, keys)
	return d.damaged(found), err
}

func (d *damagedIndex) Prefix(ctx context.Context, partition string, prefixes []string) (map[string]*snapshot.MetadataRecord, error) {
	found, err := d.index.Prefix(ctx, partition, prefixes)
	return d.damaged(found), err
}

func isFloat(v snapshot.StatsValue) bool {
	return v.Kind == snapshot.ValueFloat || v.Kind == snapshot.ValueDouble
}

// setFloats sets both bounds of columns of floats.
func setFloats(low, high float64) func(*snapshot.ColumnStats) bool {
	return func(s *snapshot.ColumnStats) bool {
		if isFloat(s.Min) && isFloat(s.Max) {
			s.Min.F64, s.Max.F64 = low, high
		}
		return true
	}
}

func someOf(s *snapshot.ColumnStats) bool {
	h := fnv.New32()
	h.Write([]byte(s.File + s.Column))
	return h.Sum32()%2 == 0
}

// none is a bound that is not there.
var none snapshot.StatsValue

var damages = map[string]func(*snapshot.ColumnStats) bool{
	"bounds of NaN":          setFloats(math.NaN(), math.NaN()),
	"bounds of 0":            setFloats(0, 0),
	"bounds of 0 and -0":     setFloats(math.Copysign(0, -1), 0),
	"bounds that cross":      setFloats(1, -1),
	"no entries":             func(*snapshot.ColumnStats) bool { return false },
	"entries for some files": someOf,
	"an upper bound of NaN": func(s *snapshot.ColumnStats) bool {
		if isFloat(s.Max) {
			s.Max.F64 = math.NaN()
		}
		return true
	},
	"bounds for some files": func(s *snapshot.ColumnStats) bool {
		if someOf(s) {
			s.Min, s.Max = none, none
		}
		return true
	},
	"no upper bounds": func(s *snapshot.ColumnStats) bool {
		s.Max = none
		return true
	},
	"all null, no counts": func(s *snapshot.ColumnStats) bool {
		s.Min, s.Max, s.HasCounts, s.ValueCount, s.NullCount = none, none, false, 0, 0
		return true
	},
	"all null, counts of 0": func(s *snapshot.ColumnStats) bool {
		s.Min, s.Max, s.ValueCount, s.NullCount = none, none, 0, 0
		return true
	},
	"all null, fewer than values": func(s *snapshot.ColumnStats) bool {
		s.Min, s.Max, s.NullCount = none, none, s.ValueCount-1
		return true
	},
	"all null, but with bounds": func(s *snapshot.ColumnStats) bool {
		s.NullCount = s.ValueCount
		return true
	},
	"more nulls than values": func(s *snapshot.ColumnStats) bool {
		s.Min, s.Max, s.NullCount = none, none, s.ValueCount+1
		return true
	},
	"texts cut off": func(s *snapshot.ColumnStats) bool {
		if s.Max.Kind == snapshot.ValueString && len(s.Max.Str) > 16 {
			s.Min.Str, s.Max.Str = s.Min.Str[:16], s.Max.Str[:16]
		}
		return true
	},
	"bounds of another kind": func(s *snapshot.ColumnStats) bool {
		s.Min, s.Max = snapshot.StatsValue{Kind: snapshot.ValueArray}, snapshot.StatsValue{Kind: snapshot.ValueArray}
		return true
	},
}

var damagedTables = []string{
	"v9/mdt_full", "v9/mdt_full_mor", "v6/mdt_full_mor", "extra/stats_nan_cow", "extra/stats_nan_mor", "extra/stats_new_column",
	"v9/all_types_cow", "v9/all_types_mor", "v9/evolve_add_widen_mor", "extra/expression_index",
}

// damagedWheres are asked of the tables that have the columns.
var damagedWheres = []string{
	"qty >= 0", "qty IS NULL", "qty IS NOT NULL", "qty BETWEEN 100000 AND 400000", "amount > 5", "amount < 0", "amount IS NOT NULL", "amount = 0",
	"d > 5", "d < 2", "d IS NULL", "f > 0", "f IS NOT NULL", "c_double > 1", "c_float < 0", "c_double IS NULL", "c_str >= 'a'", "c_str IS NULL",
	"_hoodie_commit_time > '2026'", "_hoodie_commit_time >= '20261129212611422'", "_hoodie_record_key > 'k00005'", "id >= 'k'", "name IS NOT NULL", "name >= 'a'",
	"newcol IS NULL", "extra IS NULL", "added IS NULL", "added IS NOT NULL", "c_long >= 0", "c_date IS NOT NULL", "c_dec > 0", "NOT (qty < 10)", "amount <> 1 OR qty IS NULL",
	"ts BETWEEN 1609459200 AND 1640995200", "at IS NULL", "at IS NOT NULL", "at >= TIMESTAMP '2021-06-01 00:00:00'", "name = 'CName050'", "tag = 'Tag2'",
}

// TestWrongStatisticsLoseNoRows edits the statistics of real metadata tables
// as they are known to be wrong.
func TestWrongStatisticsLoseNoRows(t *testing.T) {
	if testing.Short() {
		t.Skip("asks several thousand queries")
	}
	asked := map[string]int{}
	touched := map[string]int{}
	for _, name := range damagedTables {
		f := tabletest.Fixture{Name: name, Dir: "../testdata/tables/" + name}
		st := f.Storage(t)
		uri := "damaged://" + name
		storage.Register("damaged", func(context.Context, string, map[string]string) (storage.Storage, error) { return st, nil })
		table, err := Open(context.Background(), uri, Options{Hudi: map[string]string{scan.OptionPruningOff: scan.PruneRowGroups + "," + scan.PrunePages}})
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range damagedWheres {
			want, err := countWith(table, where, func(i index) index { return nil })
			if err != nil {
				continue // about a column that this table lacks
			}
			for what, damage := range damages {
				var d *damagedIndex
				got, err := countWith(table, where, func(i index) index {
					d = &damagedIndex{index: i, damage: damage}
					return d
				})
				if err != nil {
					t.Fatalf("%s: %s: %v", name, where, err)
				}
				asked[what]++
				if d != nil {
					touched[what] += d.done
				}
				if got != want {
					t.Errorf("%s: %s: %s: %d rows, want %d", name, what, where, got, want)
				}
			}
		}
	}
	for what := range damages {
		if asked[what] < 30 || touched[what] < 10 {
			t.Errorf("%s: %d conditions, %d records changed: too few to mean something", what, asked[what], touched[what])
		}
	}
}

// countWith counts the rows of a condition with an index in place of the
// table's own; nil does without.
func countWith(t *Table, where string, change func(index) index) (int64, error) {
	ctx := context.Background()
	q := Query{Where: where, Columns: []string{}}
	p, err := t.newPlan(ctx, t.latest, q)
	if err != nil {
		return 0, err
	}
	r, err := t.newPruner(ctx, t.latest, q, p)
	if err != nil {
		return 0, err
	}
	if r.meta != nil {
		r.meta = change(r.meta)
	}
	slices, err := r.slices(ctx, snapshot.SliceOptions{})
	if err != nil {
		return 0, err
	}
	for _, s := range slices {
		p.Tasks = append(p.Tasks, scan.Task{Slice: s})
	}
	result, err := read(ctx, p, t.storage, memory.DefaultAllocator, scan.Options{})
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for b, err := range result.Batches() {
		if err != nil {
			return n, err
		}
		n += b.NumRows()
	}
	return n, nil
}
