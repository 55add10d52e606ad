package adbc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow-adbc/go/adbc"

	hudi "github.com/hudi-go/hudi/adbc"
)

// A folder of tables, or a table, is a database.
func ExampleNewDriver() {
	ctx := context.Background()
	db, err := hudi.NewDriver(nil).NewDatabase(map[string]string{adbc.OptionKeyURI: "../testdata/trips"})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	stmt, err := conn.NewStatement()
	if err != nil {
		log.Fatal(err)
	}
	defer stmt.Close()
	if err := stmt.SetSqlQuery("SELECT city, count(*) AS trips FROM trips GROUP BY city ORDER BY city"); err != nil {
		log.Fatal(err)
	}
	rows, _, err := stmt.ExecuteQuery(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	for rows.Next() {
		b := rows.RecordBatch()
		for i := range int(b.NumRows()) {
			fmt.Println(b.Column(0).ValueStr(i), b.Column(1).ValueStr(i))
		}
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// lisbon 116
	// nairobi 115
	// osaka 110
	// toronto 122
}

// Partitions are bytes that any process which sees the table can read.
func Example_partitions() {
	ctx := context.Background()
	db, err := hudi.NewDriver(nil).NewDatabase(map[string]string{adbc.OptionKeyURI: "../testdata/trips"})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	stmt, err := conn.NewStatement()
	if err != nil {
		log.Fatal(err)
	}
	defer stmt.Close()
	if err := stmt.SetSqlQuery("SELECT city, fare FROM trips WHERE city <> 'osaka'"); err != nil {
		log.Fatal(err)
	}
	_, parts, _, err := stmt.ExecutePartitions(ctx)
	if err != nil {
		log.Fatal(err)
	}
	rows := int64(0)
	for _, id := range parts.PartitionIDs { // send them to where they are read
		r, err := conn.ReadPartition(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if err := r.Err(); err != nil {
			log.Fatal(err)
		}
		r.Release()
	}
	fmt.Println(parts.NumPartitions, "partitions,", rows, "rows")
	// Output: 7 partitions, 353 rows
}
