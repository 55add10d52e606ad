package mergeread

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Verdict says what becomes of two records.
type Verdict uint8

const (
	KeepOlder Verdict = iota // the older record stays
	KeepNewer                // the newer record takes its place
	Drop                     // the key is deleted; a later record meets an older one that is Deleted
	Combine                  // the newer record takes its place, but for the columns that were set in Row
)

// A Merger combines two records of one key in a CUSTOM table. [Register] makes
// it known.
//
// The records of a key in the logs are combined first, from the oldest on: the
// older one is what came of all before. What comes of them meets the base
// file's row last. A key with a single record is not asked about: a row is
// there, a delete is none. Nor is a delete without ordering value, whose place
// in the log decides: it ends what was before, and yields to what comes after.
//
// It must be safe for use by several merges at a time. If it panics, the query
// fails with an error that names it.
type Merger interface {
	// Columns are the columns that Merge looks at or sets, out of the table's
	// schema, beside those that a query asks for.
	Columns(schema *arrow.Schema) []string

	// Merge says what becomes of two records of one key, older being earlier
	// in log order; final is true when older is the base file's row. For
	// Combine it says by row which columns are not the newer record's. The
	// records and the row must not be kept.
	Merge(older, newer Record, final bool, row *Row) (Verdict, error)
}

// ErrNoMerger says that nobody registered a [Merger] for a CUSTOM table.
var ErrNoMerger = errors.New("mergeread: no merger is registered for the table's CUSTOM merge")

var mergers struct {
	sync.RWMutex
	byName map[string]Merger
}

// Register makes a merger known for a merge strategy id
// (hoodie.record.merge.strategy.id) or a payload class
// (hoodie.compaction.payload.class), whichever the table's properties name: call
// it before the table is read, as in an init function. All ways to read a table
// in this process then use it. It panics without a name or a merger. The example of package provider shows all of it
// on a table; ExampleRegister merges rows in memory.
func Register(name string, m Merger) {
	if name == "" || m == nil {
		panic("mergeread: Register needs the name that a table's properties have, and a merger")
	}
	mergers.Lock()
	defer mergers.Unlock()
	if mergers.byName == nil {
		mergers.byName = map[string]Merger{}
	}
	mergers.byName[name] = m
}

func registered(name string) (Merger, bool) {
	mergers.RLock()
	defer mergers.RUnlock()
	m, ok := mergers.byName[name]
	return m, ok
}

// ownStrategies are the ids of Hudi's own merge strategies. With any of them
// a known payload class decides: tables before version 8 record one of the
// modes' ids beside the class.
var ownStrategies = []string{
	"",
	"00000000-0000-0000-0000-000000000000", // see the payload class
	"1897ef5f-18bc-4557-939c-9d6a8afd1519", // generic custom
	"eeb8d96f-b1e4-49fd-bbf8-28ac514178e5", // event time
	"ce9acb64-bde0-424c-9b91-f6ebba25356d", // commit time
}

// custom finds what a CUSTOM table merges by: a registered merger before a
// known payload class, so that a program can replace the built-in ones.
func (r Rules) custom() (customRule, error) {
	if m, ok := registered(r.Strategy); ok && r.Strategy != "" {
		return customRule{merger: m}, nil
	}
	if m, ok := registered(r.Payload); ok && r.Payload != "" {
		return customRule{merger: m}, nil
	}
	if p, ok := payloads[shortClass(r.Payload)]; ok && slices.Contains(ownStrategies, r.Strategy) {
		return customRule{payload: &p}, nil
	}
	return customRule{}, fmt.Errorf("%w (hoodie.record.merge.strategy.id=%q, hoodie.compaction.payload.class=%q): register one with mergeread.Register, or query read_optimized, or set hoodie.datasource.merge.type=skip_merge to see the records as they are",
		ErrNoMerger, r.Strategy, r.Payload)
}

// A customRule is either a Go merger or a known payload class.
type customRule struct {
	merger  Merger
	payload *payload
}

func (c customRule) columns(r Rules, schema *arrow.Schema) []string {
	if c.merger != nil {
		return c.merger.Columns(schema)
	}
	return c.payload.columns
}
