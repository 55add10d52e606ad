package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/provider"
)

// lowestFare merges two records of a trip: that with the lower fare stays, and
// a delete ends the trip.
type lowestFare struct{}

func (lowestFare) Columns(*arrow.Schema) []string { return []string{"fare"} }

func (lowestFare) Merge(older, newer mergeread.Record, final bool, row *mergeread.Row) (mergeread.Verdict, error) {
	if newer.Deleted() {
		return mergeread.Drop, nil
	}
	a, i := older.Value(older.Column("fare"))
	b, k := newer.Value(newer.Column("fare"))
	switch {
	case b == nil || b.IsNull(k):
		return mergeread.KeepOlder, nil
	case a == nil || a.IsNull(i):
		return mergeread.KeepNewer, nil
	}
	if a.(*array.Decimal128).Value(i).Less(b.(*array.Decimal128).Value(k)) {
		return mergeread.KeepOlder, nil
	}
	return mergeread.KeepNewer, nil
}

// A table whose hoodie.record.merge.mode is CUSTOM names, by
// hoodie.record.merge.strategy.id or hoodie.compaction.payload.class, what
// merges its records. Register the same in Go under that name; scans, SQL and
// whatever else runs in the program use it then.
func Example_customMerge() {
	const strategy = "6c5b1f0e-3b1d-4a53-9c55-0b6f0a7e8d21" // the table's hoodie.record.merge.strategy.id
	mergeread.Register(strategy, lowestFare{})

	dir, err := os.MkdirTemp("", "custom")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := customTable(dir, strategy); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	table, err := provider.Open(ctx, dir, provider.Options{})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := table.Scan(ctx, provider.Query{
		Columns: []string{"trip_id", "fare"},
		Where:   "trip_id IN ('T00000', 'T00003', 'T00163')",
	})
	if err != nil {
		log.Fatal(err)
	}
	fares := map[string]string{}
	for batch, err := range rows.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		for i := range int(batch.NumRows()) {
			fares[batch.Column(0).ValueStr(i)] = batch.Column(1).ValueStr(i)
		}
	}
	for _, trip := range []string{"T00000", "T00003", "T00163"} {
		fmt.Println(trip, fares[trip])
	}
	// Output:
	// T00000 0
	// T00003 7.48
	// T00163 8.62
}

// customTable makes a table with a merge strategy of its own of one that Spark
// wrote with another.
func customTable(dir, strategy string) error {
	if err := os.CopyFS(dir, os.DirFS("../testdata/trips")); err != nil {
		return err
	}
	file := filepath.Join(dir, ".hoodie", "hoodie.properties")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte("EVENT_TIME_ORDERING"), []byte("CUSTOM\nhoodie.record.merge.strategy.id="+strategy), 1)
	return os.WriteFile(file, text, 0o644)
}
