package provider

import (
	"context"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// maxKeys is how many keys a condition may list for indexes of keys to be
// asked.
const maxKeys = 10000

// places are the only file groups that may have rows for the condition.
type places struct {
	groups     map[snapshot.FileGroupID]bool
	partitions map[string]bool
	why, index string // the part of the condition, and the index that was asked
}

// keyPoints are the record keys that the condition lists, nil for none.
func (r *pruner) keyPoints() []string {
	for _, f := range r.where.Fields() {
		if !r.isKey(f) {
			continue
		}
		if points, ok := r.where.Points(f.Name()); ok {
			keys := make([]string, len(points))
			for i, p := range points {
				keys[i] = p.Text()
			}
			return keys
		}
	}
	return nil
}

// askKeyIndexes looks up where the keys are that the condition lists, or that
// a secondary index gives for the values that it lists.
func (r *pruner) askKeyIndexes(ctx context.Context) error {
	if !r.has(snapshot.PartitionRecordIndex, scan.PruneRecordIndex) {
		return nil
	}
	if keys, why := r.indexedKeys(); keys != nil && len(keys) <= maxKeys {
		return r.locate(ctx, keys, why, "record_index")
	}
	keys, why, ok, err := r.bySecondary(ctx)
	if err != nil || !ok || len(keys) > maxKeys {
		return err
	}
	return r.locate(ctx, keys, why, "secondary_index")
}

// indexedKeys are the record keys that the condition lists, in all forms that
// key generators give them.
func (r *pruner) indexedKeys() (keys []string, why string) {
	cfg := r.snap.Config()
	for _, f := range r.where.Fields() {
		plain := f.Name() == schema.RecordKeyColumn
		if !plain && (len(cfg.RecordKeys) != 1 || f.Name() != cfg.RecordKeys[0]) {
			continue
		}
		points, ok := r.where.Points(f.Name())
		if !ok {
			continue
		}
		for _, p := range points {
			text, ok := keyText(f, p)
			if !ok {
				return nil, ""
			}
			keys = append(keys, text)
			if !plain { // as complex keys have it
				keys = append(keys, f.Name()+":"+text)
			}
		}
		return keys, r.conjunct(f)
	}
	return nil, ""
}

// keyText is a value as key generators and indexes write it, for the types
// that all of them write in one way.
func keyText(f *pushdown.Field, v pushdown.Value) (string, bool) {
	switch f.Type.ID() {
	case arrow.STRING:
		text := v.Text()
		return text, text != ""
	case arrow.INT32, arrow.INT64:
		return strconv.FormatInt(v.Int64(), 10), true
	}
	return "", false
}

// conjunct is the part of the condition that lists values of a field.
func (r *pruner) conjunct(f *pushdown.Field) string {
	for _, c := range r.where.Conjuncts() {
		if len(c.Fields) == 1 && r.where.Fields()[c.Fields[0]] == f {
			return c.Text
		}
	}
	return r.where.String()
}

// bySecondary asks the secondary index of a column that the condition lists
// values of.
func (r *pruner) bySecondary(ctx context.Context) (keys []string, why string, ok bool, err error) {
	defs, err := r.meta.IndexDefinitions(ctx)
	if err != nil {
		return nil, "", false, err
	}
	for partition, def := range defs {
		if len(def.Fields) != 1 || !strings.HasPrefix(partition, snapshot.PrefixSecondaryIndex) || !r.has(partition, scan.PruneSecondaryIndex) {
			continue
		}
		prefixes, why := r.secondaryPrefixes(def.Fields[0])
		if prefixes == nil {
			continue
		}
		found, err := r.meta.Prefix(ctx, partition, prefixes)
		if err != nil {
			return nil, "", false, err
		}
		for key := range found {
			if k, ok := snapshot.SecondaryRecordKey(key); ok {
				keys = append(keys, k)
			}
		}
		return keys, why, true, nil
	}
	return nil, "", false, nil
}

func (r *pruner) secondaryPrefixes(column string) (prefixes []string, why string) {
	for _, f := range r.where.Fields() {
		points, ok := r.where.Points(f.Name())
		if f.Name() != column || !ok || len(points) > lookupFiles || f.Renamable() {
			continue
		}
		for _, p := range points {
			text, ok := keyText(f, p)
			if !ok {
				return nil, ""
			}
			prefixes = append(prefixes, snapshot.SecondaryKeyPrefix(text))
		}
		return prefixes, r.conjunct(f)
	}
	return nil, ""
}

// locate finds the file groups of keys.
func (r *pruner) locate(ctx context.Context, keys []string, why, index string) error {
	found, err := r.meta.Locations(ctx, keys)
	if err != nil {
		return err
	}
	r.places = &places{groups: map[snapshot.FileGroupID]bool{}, partitions: map[string]bool{}, why: why, index: index}
	for _, p := range found {
		r.places.groups[snapshot.FileGroupID{Partition: p.Partition, FileID: p.FileID}] = true
		r.places.partitions[p.Partition] = true
	}
	return nil
}
