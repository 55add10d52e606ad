// Command read shows the engine's Go API: it opens a table, asks for two columns of one city and adds up what it gets.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/provider"
)

func main() {
	path := "testdata/trips" // as seen from the project's root
	if _, err := os.Stat(path); err != nil {
		path = "../../testdata/trips"
	}
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if err := run(context.Background(), path); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path string) error {
	table, err := provider.Open(ctx, path, provider.Options{})
	if err != nil {
		return err
	}
	rows, err := table.Scan(ctx, provider.Query{Columns: []string{"city", "distance_km"}, Threads: 2})
	if err != nil {
		return err
	}
	km := map[string]float64{}
	for batch, err := range rows.Batches() { // the batch is ours until the next one; the loop closes the result
		if err != nil {
			return err
		}
		city, distance := batch.Column(0).(*array.String), batch.Column(1).(*array.Float64)
		for i := range int(batch.NumRows()) {
			km[city.Value(i)] += distance.Value(i)
		}
	}
	fmt.Printf("%s as of %s\n", table.Name(), table.Instant())
	for _, city := range []string{"lisbon", "nairobi", "osaka", "toronto"} {
		fmt.Printf("%-8s %7.1f km\n", city, km[city])
	}
	return nil
}
