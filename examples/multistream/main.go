// Command multistream shows how rows of a wide table come together that several writers fill, each its own columns. See
// README.md for what is in the table.
package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/provider"
)

// tableNames are the tables that can be shown; the first one is if none is named.
var tableNames = []string{"multistream", "multistream_merge_into"}

func main() {
	name := tableNames[0]
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if len(os.Args) > 2 || !slices.Contains(tableNames, name) {
		fmt.Fprintf(os.Stderr, "usage: multistream [%s]\n", strings.Join(tableNames, " | "))
		os.Exit(2)
	}
	tables := "testdata/tables/extra" // as seen from the project's root
	if _, err := os.Stat(tables); err != nil {
		tables = "../../testdata/tables/extra"
	}
	if err := run(context.Background(), filepath.Join(tables, name, "table.zip")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) error {
	dir, err := unpack(file)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now, err := provider.Open(ctx, dir, provider.Options{})
	if err != nil {
		return err
	}
	instants, err := now.Timeline(ctx, false)
	if err != nil {
		return err
	}
	// After each write, in the order in which the log applies: how far are three of the rows?
	n := 0
	for _, i := range instants {
		if !i.IsCompleted() || i.Action != "deltacommit" {
			continue
		}
		n++
		fmt.Printf("after write %d:\n", n)
		err := show(ctx, now, provider.Query{
			AsOf: i.Requested, Columns: []string{"a", "b", "c", "d", "e"}, Where: "a IN ('a003', 'a008', 'a027')",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func show(ctx context.Context, table *provider.Table, q provider.Query) error {
	rows, err := table.Scan(ctx, q)
	if err != nil {
		return err
	}
	for batch, err := range rows.Batches() {
		if err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			fmt.Println("  " + line(batch, i))
		}
	}
	return nil
}

// line is a row as text, a dot for what no writer has written yet.
func line(batch arrow.RecordBatch, row int) string {
	var cells []string
	for _, c := range batch.Columns() {
		text := "."
		if c.IsValid(row) {
			text = c.ValueStr(row)
		}
		cells = append(cells, fmt.Sprintf("%-16s", text))
	}
	return strings.TrimRight(strings.Join(cells, ""), " ")
}

// unpack unzips a table into a temporary folder.
func unpack(file string) (string, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return "", err
	}
	defer z.Close()
	dir, err := os.MkdirTemp("", "multistream-")
	if err != nil {
		return "", err
	}
	table, err := fs.Sub(z, ".")
	if err == nil {
		err = os.CopyFS(dir, table)
	}
	return dir, err
}
