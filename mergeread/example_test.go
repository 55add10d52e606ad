package mergeread_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/mergeread"
)

// highestBid keeps the higher of two bids, and forgets an auction that was
// withdrawn.
type highestBid struct{}

func (highestBid) Columns(*arrow.Schema) []string { return []string{"bid", "withdrawn"} }

func (highestBid) Merge(older, newer mergeread.Record, final bool, row *mergeread.Row) (mergeread.Verdict, error) {
	withdrawn, i := newer.Value(newer.Column("withdrawn"))
	if newer.Deleted() || withdrawn != nil && withdrawn.IsValid(i) && withdrawn.(*array.Boolean).Value(i) {
		return mergeread.Drop, nil
	}
	if bid(newer) < bid(older) {
		return mergeread.KeepOlder, nil
	}
	return mergeread.KeepNewer, nil
}

func bid(r mergeread.Record) int64 {
	bids, row := r.Value(r.Column("bid"))
	if bids == nil || bids.IsNull(row) {
		return 0
	}
	return bids.(*array.Int64).Value(row)
}

// A table whose hoodie.record.merge.mode is CUSTOM names what merges its
// records: by hoodie.record.merge.strategy.id, or by
// hoodie.compaction.payload.class. A program that reads such a table registers
// the same in Go under that name, before it opens the table.
func ExampleRegister() {
	const strategy = "8f0a6a52-4a2c-4d0e-9a52-7e3c4f1f2f60"
	mergeread.Register(strategy, highestBid{})

	schema := arrow.NewSchema([]arrow.Field{
		{Name: "auction", Type: arrow.BinaryTypes.String},
		{Name: "bid", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "withdrawn", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	rows := func(json string) batch.Reader {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(json))
		if err != nil {
			log.Fatal(err)
		}
		return batch.FromSlice(schema, []arrow.RecordBatch{rec})
	}
	// For a table, Slices makes the input; here it comes from memory.
	in := mergeread.Input{
		Schema: schema, Output: []int{0, 1},
		Rules: mergeread.Rules{Mode: mergeread.Custom, Strategy: strategy},
		Base: func(context.Context, []int, bool) (batch.Reader, error) {
			return rows(`[{"auction":"clock","bid":50},{"auction":"desk","bid":70},{"auction":"lamp","bid":20}]`), nil
		},
		Runs: []mergeread.Run{{Open: func(context.Context) (batch.Reader, error) {
			return rows(`[{"auction":"clock","bid":40},{"auction":"lamp","bid":25},{"auction":"desk","withdrawn":true}]`), nil
		}}},
	}
	merged, err := mergeread.Merge(context.Background(), in, mergeread.Options{})
	if err != nil {
		log.Fatal(err)
	}
	batches, err := batch.Collect(merged)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range batches {
		for i := range int(b.NumRows()) {
			fmt.Println(b.Column(0).ValueStr(i), b.Column(1).ValueStr(i))
		}
		b.Release()
	}
	// Output:
	// clock 50
	// lamp 25
}
