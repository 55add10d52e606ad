package cli

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// listing is what a command about a table prints: an object a line, or a table
// that shows the more important part of it.
type listing[T any] struct {
	columns []string
	items   []T
	row     func(T) []string
}

// listCommand makes a command that prints a listing.
func listCommand[T any](e *Env, use, short string, load func(*cobra.Command, *provider.Table) (listing[T], error)) *cobra.Command {
	var t tableFlags
	var l listFlags
	c := &cobra.Command{
		Use:   use + " PATH",
		Short: short,
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := l.json()
			if err != nil {
				return err
			}
			table, err := t.openTable(c.Context(), e, args[0])
			if err != nil {
				return err
			}
			list, err := load(c, table)
			if err != nil {
				return err
			}
			return list.print(e, asJSON)
		},
	}
	l.register(c)
	t.register(c)
	return c
}

func (l listing[T]) print(e *Env, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(e.Stdout)
		out.SetEscapeHTML(false)
		for _, item := range l.items {
			if err := out.Encode(item); err != nil {
				return err
			}
		}
		return nil
	}
	rows := make([][]string, len(l.items))
	for i, item := range l.items {
		rows[i] = l.row(item)
	}
	return render.List(e.Stdout, columns(l.columns...), rows, e.renderOptions())
}

func newTimeline(e *Env) *cobra.Command {
	var archived bool
	c := listCommand(e, "timeline", "List the actions on a table's timeline, oldest first", func(c *cobra.Command, t *provider.Table) (listing[snapshot.Instant], error) {
		instants, err := t.Timeline(c.Context(), archived)
		return listing[snapshot.Instant]{
			columns: []string{"instant", "action", "state", "completion"},
			items:   instants,
			row: func(i snapshot.Instant) []string {
				state := i.State
				if i.Archived {
					state += " (archived)"
				}
				return []string{i.Requested, i.Action, state, i.Completed}
			},
		}, err
	})
	c.Flags().BoolVar(&archived, "archived", false, "also list archived actions")
	return c
}

// asOfFlag adds --as-of to a command about files.
func asOfFlag(c *cobra.Command, q *provider.Query) *cobra.Command {
	c.Flags().StringVar(&q.AsOf, "as-of", "", "look at the table as it was at this time: an instant, an RFC 3339 time, or a date")
	return c
}

func newFiles(e *Env) *cobra.Command {
	var q provider.Query
	return asOfFlag(listCommand(e, "files", "List the file slices of a table's latest snapshot", func(c *cobra.Command, t *provider.Table) (listing[snapshot.FileSlice], error) {
		files, err := t.Files(c.Context(), q)
		return listing[snapshot.FileSlice]{
			columns: []string{"partition", "file id", "instant", "base file", ">base size", ">logs", ">log size"},
			items:   files,
			row:     sliceRow,
		}, err
	}), &q)
}

func sliceRow(s snapshot.FileSlice) []string {
	base, size := "", ""
	if s.Base != nil {
		base, size = path.Base(s.Base.Path), bytesText(s.Base.Size)
	}
	var logs int64
	for _, l := range s.Logs {
		logs += l.Size
	}
	row := []string{s.Partition, s.FileID, s.BaseInstant, base, size, strconv.Itoa(len(s.Logs)), ""}
	if len(s.Logs) > 0 {
		row[6] = bytesText(logs)
	}
	return row
}

func newPartitions(e *Env) *cobra.Command {
	var q provider.Query
	return asOfFlag(listCommand(e, "partitions", "List the partitions of a table's latest snapshot, with the number and size of their files", func(c *cobra.Command, t *provider.Table) (listing[provider.PartitionStats], error) {
		items, err := partitionsOf(c.Context(), t, q)
		return listing[provider.PartitionStats]{
			columns: []string{"partition", ">file slices", ">base files", ">logs", ">size"},
			items:   items,
			row: func(p provider.PartitionStats) []string {
				return []string{p.Partition, strconv.Itoa(p.Slices), strconv.Itoa(p.BaseFiles), strconv.Itoa(p.LogFiles), bytesText(p.Bytes)}
			},
		}, err
	}), &q)
}

// partitionsOf counts the files of all partitions, of those without any too.
func partitionsOf(ctx context.Context, t *provider.Table, q provider.Query) ([]provider.PartitionStats, error) {
	paths, err := t.Partitions(ctx, q)
	if err != nil {
		return nil, err
	}
	files, err := t.Files(ctx, q)
	if err != nil {
		return nil, err
	}
	all := provider.ByPartition(files)
	for _, p := range paths {
		at, found := slices.BinarySearchFunc(all, p, func(s provider.PartitionStats, p string) int { return strings.Compare(s.Partition, p) })
		if !found {
			all = slices.Insert(all, at, provider.PartitionStats{Partition: p})
		}
	}
	return all, nil
}

// column is a line of the schema command.
type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
}

func newSchema(e *Env) *cobra.Command {
	var meta bool
	c := listCommand(e, "schema", "List the columns of a table", func(c *cobra.Command, t *provider.Table) (listing[column], error) {
		schema, err := t.Schema(c.Context(), provider.Query{Meta: meta})
		if err != nil {
			return listing[column]{}, err
		}
		var items []column
		for _, f := range schema.Fields() {
			items = append(items, column{f.Name, typeName(f.Type), f.Nullable})
		}
		return listing[column]{
			columns: []string{"column", "type", "nullable"},
			items:   items,
			row: func(c column) []string {
				nullable := "yes"
				if !c.Nullable {
					nullable = "no"
				}
				return []string{c.Name, c.Type, nullable}
			},
		}, nil
	})
	c.Flags().BoolVar(&meta, "meta", false, "also list the _hoodie_ columns, in front")
	return c
}
