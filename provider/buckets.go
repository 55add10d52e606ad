package provider

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// byBuckets leaves out file groups whose bucket has none of the keys that the
// condition lists. all are whole partitions, each in one piece.
func (r *pruner) byBuckets(ctx context.Context, all []snapshot.FileSlice) ([]snapshot.FileSlice, error) {
	if !r.current || len(all) == 0 || !r.off.On(scan.PruneBuckets) {
		return all, nil
	}
	b, err := r.snap.Buckets(ctx)
	if b == nil || err != nil {
		return all, err
	}
	keys, why := r.bucketKeys(b.Fields)
	if keys == nil {
		return all, nil
	}
	var out []snapshot.FileSlice
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Partition == all[0].Partition {
			n++
		}
		groups := make([]string, n)
		for i := range groups {
			groups[i] = all[i].FileID
		}
		mayHave, err := b.Of(ctx, all[0].Partition, groups, keys)
		if err != nil {
			return nil, err
		}
		for _, s := range all[:n] {
			v := pushdown.Verdict{}
			if mayHave != nil && !mayHave(s.FileID) {
				v = pushdown.Verdict{Answer: pushdown.No, Conjunct: why}
			}
			r.count(pushdown.LevelFileSlices, "bucket", v)
			if v.Answer != pushdown.No {
				out = append(out, s)
			}
		}
		all = all[n:]
	}
	return out, nil
}

// bucketKeys are the lists of texts that may have been hashed of the keys that
// the condition lists; nil if it does not list values of all hashed columns.
// What Hudi hashes it takes from the record key: values in the order of the
// key's fields (old releases: of the setting's), and of a complex key of one
// field since 1.0 the whole, which is "field:value" or the value.
func (r *pruner) bucketKeys(fields []string) (keys [][]string, why string) {
	cfg := r.snap.Config()
	if !r.hashedAlone(fields) {
		return nil, ""
	}
	if keys, why = r.combinations(fields); keys == nil {
		return nil, ""
	}
	if len(fields) == 1 {
		if len(cfg.RecordKeys) == 1 && !scan.KeyAsValue(cfg) {
			for _, k := range keys[:len(keys):len(keys)] {
				keys = append(keys, []string{cfg.RecordKeys[0] + ":" + k[0]})
			}
		}
		return keys, why
	}
	inKey := slices.Clone(fields)
	slices.SortStableFunc(inKey, func(a, b string) int {
		return slices.Index(cfg.RecordKeys, a) - slices.Index(cfg.RecordKeys, b)
	})
	if !slices.Equal(inKey, fields) {
		more, _ := r.combinations(inKey)
		keys = append(keys, more...)
	}
	return keys, why
}

// hashedAlone says that nothing but values of these columns was hashed. Before
// Hudi 1.0, what follows a comma within another column of the key was hashed
// too.
func (r *pruner) hashedAlone(fields []string) bool {
	cfg := r.snap.Config()
	first, known := cfg.Get("hoodie.table.initial.version")
	if n, err := strconv.Atoi(first); cfg.Version >= 8 && (!known || err == nil && n >= 8) {
		return true
	}
	for _, name := range cfg.RecordKeys {
		at, ok := schema.Lookup(r.table, name)
		if !slices.Contains(fields, name) && (!ok || !arrow.IsPrimitive(r.table.Field(at).Type.ID())) {
			return false
		}
	}
	return true
}

// combinations are all combinations of the values that the condition lists of
// some columns; nil if it does not.
func (r *pruner) combinations(fields []string) (keys [][]string, why string) {
	if len(fields) == 1 {
		if texts, why := r.listed(schema.RecordKeyColumn); texts != nil {
			return combine(nil, texts), why
		}
	}
	var parts []string
	for _, f := range fields {
		texts, why := r.listed(f)
		if texts == nil {
			return nil, ""
		}
		if keys = combine(keys, texts); len(keys) > maxKeys {
			return nil, ""
		}
		parts = append(parts, why)
	}
	return keys, strings.Join(parts, " AND ")
}

// listed gives the texts of the values of a column that the condition lists;
// nil if it does not, or if one may be hashed in another form.
func (r *pruner) listed(column string) (texts []string, why string) {
	for _, f := range r.where.Fields() {
		points, ok := r.where.Points(f.Name())
		if f.Name() != column || !ok || len(points) > maxKeys {
			continue
		}
		texts = []string{}
		for _, p := range points {
			text, ok := keyText(f, p)
			if !ok || strings.ContainsAny(text, ":,") {
				return nil, ""
			}
			texts = append(texts, text)
		}
		return texts, r.conjunct(f)
	}
	return nil, ""
}

// combine appends each text to each key.
func combine(keys [][]string, texts []string) [][]string {
	if keys == nil {
		keys = [][]string{nil}
	}
	out := make([][]string, 0, len(keys)*len(texts))
	for _, k := range keys {
		for _, t := range texts {
			out = append(out, append(k[:len(k):len(k)], t))
		}
	}
	return out
}
