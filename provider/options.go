package provider

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// OptionMergeType is Hudi's read option of what becomes of logs:
// payload_combine (the default) merges them, skip_merge gives base rows and log
// rows as they are.
const OptionMergeType = "hoodie.datasource.merge.type"

// skipMerge is the value of [OptionMergeType] that is not the default.
const skipMerge = "skip_merge"

func (t *Table) skipsMerge() bool {
	return strings.EqualFold(t.options.Hudi[OptionMergeType], skipMerge)
}

// An OptionError says that a read option is not understood.
type OptionError struct {
	Key, Value string
	Want       string // what is allowed; "" if there is no such key
}

func (e *OptionError) Error() string {
	if e.Want == "" {
		own := ownOptions()
		last := len(own) - 1
		return fmt.Sprintf("read option %s is not known: there are %s and %s", e.Key, strings.Join(own[:last], ", "), own[last])
	}
	return fmt.Sprintf("read option %s: the value %q is not known: use %s", e.Key, e.Value, e.Want)
}

// ownPrefix is that of options which only this reader has.
const ownPrefix = "hudi."

// readOptions are the read options that have an effect, with their allowed
// values; nil allows any. docs/READER-SPEC.md says what they mean.
var readOptions = map[string]*values{
	snapshot.OptionMetadata:      flags,
	snapshot.OptionBootstrapBase: nil,
	OptionMergeType:              {names: []string{"payload_combine", skipMerge}},
	OptionFallback:               flags,
	incremental.OptionHoles:      nil, // whose errors name the table as well
	OptionCDCFormat:              {names: []string{"struct", "json"}},
	scan.OptionPruningOff: {list: true, names: []string{
		scan.PrunePartitions, scan.PrunePartitionStats, scan.PruneColumnStats, scan.PruneRecordIndex, scan.PruneSecondaryIndex,
		scan.PruneExpressions, scan.PruneBuckets, scan.PruneBloomFilters, scan.PruneFileKeys, scan.PruneRowGroups,
		scan.PrunePages, scan.PruneLogs, scan.PruneLate, "all",
	}},
	mergeread.OptionSorted:                      flags,
	"hoodie.index.type":                         nil,
	"hoodie.bucket.index.num.buckets":           {number: true},
	"hoodie.bucket.index.hash.field":            nil,
	"hoodie.bucket.index.partition.expressions": nil,
	"hoodie.bucket.index.partition.rule.type":   nil,
}

func ownOptions() (keys []string) {
	for key := range readOptions {
		if strings.HasPrefix(key, ownPrefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// values are those that an option may have.
type values struct {
	names  []string // in any letter case
	list   bool     // of names, separated by commas, perhaps none
	number bool     // 1 and more
}

var flags = &values{names: []string{"true", "false"}}

func (v *values) allow(text string) bool {
	if v.number {
		n, err := strconv.Atoi(text)
		return err == nil && n > 0
	}
	if !v.list {
		return slices.Contains(v.names, strings.ToLower(text))
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(v.names, name) {
			return false
		}
	}
	return true
}

func (v *values) String() string {
	if v.number {
		return "a number, 1 or more"
	}
	last := len(v.names) - 1
	text := strings.Join(v.names[:last], ", ") + " or " + v.names[last]
	if v.list {
		text = "a list of " + text
	}
	return text
}

// Check tells by an [*OptionError] whether read options are not understood:
// those that have an effect must have a value that is known, and those of this
// reader alone (hudi...) must be known. Others may be Hudi's, for its writers.
// [Open] checks as well.
func (o Options) Check() error {
	for _, key := range slices.Sorted(maps.Keys(o.Hudi)) {
		allowed, known := readOptions[key]
		switch value := o.Hudi[key]; {
		case !known && strings.HasPrefix(key, ownPrefix):
			return &OptionError{Key: key, Value: value}
		case allowed != nil && !allowed.allow(value):
			return &OptionError{Key: key, Value: value, Want: allowed.String()}
		}
	}
	return nil
}
