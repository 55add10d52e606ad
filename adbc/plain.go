package adbc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// A plainScan is a planned statement that a scan of one table answers.
type plainScan struct {
	Plan    *provider.Plan
	Columns []int    // of the plan's schema, in order; nil means all
	Names   []string // of the columns
	Skip    int64    // rows to leave out
	Batch   int      // most rows of a batch

	threads int
	memory  int64
	logger  *slog.Logger
}

// errNotPlain says that a statement is not one of which a scan has the answer.
var errNotPlain = errors.New("not a plain scan")

// parsePlain reads a statement that may be a plain scan; nil for others. What
// DuckDB would not take, or takes otherwise, is left to it.
func parsePlain(sql string) *pushdown.Select {
	if strings.Contains(sql, "`") || strings.Contains(sql, "<=>") {
		return nil
	}
	s, err := pushdown.ParseSelect(sql)
	if err != nil {
		return nil
	}
	return s
}

// plan plans a plain scan. Whatever is in the way of one, but not of other
// ways to run the statement, is an errNotPlain. e.binding is held.
func (e *engine) plan(ctx context.Context, s *pushdown.Select, current string, set settings) (*plainScan, error) {
	t, err := e.resolve(ctx, s.Table, current)
	if t == nil && err != nil && !isOfTable(err) {
		err = errors.Join(errNotPlain, err)
	}
	if err != nil {
		return nil, err
	}
	q := set.query()
	all, err := t.Schema(ctx, q)
	if err != nil {
		return nil, err
	}
	names, err := outputColumns(all, s.Columns)
	if err != nil {
		return nil, err
	}
	if q.Filter, err = sameMeaning(s.Where, all); err != nil {
		return nil, err
	}
	// Images of changes come as a whole.
	if whole := q.Type == provider.CDC || q.Deletes; names != nil && !whole {
		q.Columns, q.Meta = names, false
	}
	if s.Limit > 0 && s.Offset <= math.MaxInt64-s.Limit {
		q.Limit = s.Offset + s.Limit
	}
	p, err := t.Plan(ctx, q)
	if err != nil {
		if isOfTable(err) || ctx.Err() != nil {
			return nil, err
		}
		return nil, errors.Join(errNotPlain, err)
	}
	if s.Limit == 0 {
		p.Tasks = nil
	}
	out := &plainScan{Plan: p, Skip: s.Offset, Batch: set.batchSize, threads: q.Threads, memory: q.MemoryLimit, logger: e.options.Provider.Logger}
	return out, out.pick(names, s.Columns)
}

// isOfTable tells whether an error is about the table, not about the question.
func isOfTable(err error) bool {
	var table *snapshot.TableError
	var path *fs.PathError
	return errors.As(err, &table) || errors.As(err, &path)
}

// resolve opens the table of a name as SQL finds it.
func (e *engine) resolve(ctx context.Context, name []string, current string) (*provider.Table, error) {
	in, table := current, name[len(name)-1]
	switch len(name) {
	case 3:
		if !strings.EqualFold(name[0], catalog) {
			return nil, errors.Join(errNotPlain, sqlErrorf(adbc.StatusNotFound, stateNoCatalog, "there is no catalog %q, only %s", name[0], catalog))
		}
		in = name[1]
	case 2:
		in = name[0]
		if t, err := e.table(ctx, in, table); err == nil || !strings.EqualFold(in, catalog) {
			return t, err
		}
		in = mainSchema // hudi.trips
	}
	return e.table(ctx, in, table)
}

// outputColumns gives the table's names of the columns wanted; nil for all.
func outputColumns(all *arrow.Schema, wanted []pushdown.Output) ([]string, error) {
	if wanted == nil {
		return nil, nil
	}
	names := make([]string, len(wanted))
	for i, o := range wanted {
		at, ok := schema.Lookup(all, o.Column)
		if !ok {
			return nil, fmt.Errorf("%w: there is no column %q", errNotPlain, o.Column)
		}
		names[i] = all.Field(at).Name
	}
	return names, nil
}

// pick finds the columns in the plan's schema.
func (p *plainScan) pick(names []string, wanted []pushdown.Output) error {
	if names == nil {
		return nil
	}
	s := p.Plan.Schema()
	for i, name := range names {
		at, ok := schema.Lookup(s, name)
		if !ok {
			return fmt.Errorf("%w: there is no column %q", errNotPlain, name)
		}
		as := s.Field(at).Name
		if o := wanted[i]; o.Name != o.Column {
			as = o.Name
		}
		p.Columns, p.Names = append(p.Columns, at), append(p.Names, as)
	}
	return nil
}

// schema is the schema of the rows.
func (p *plainScan) schema() *arrow.Schema {
	s := p.Plan.Schema()
	if p.Columns == nil {
		return s
	}
	fields := make([]arrow.Field, len(p.Columns))
	for i, c := range p.Columns {
		fields[i] = s.Field(c)
		fields[i].Name = p.Names[i]
	}
	return arrow.NewSchema(fields, nil)
}

// read starts the scan, of which nothing is read before the first batch.
func (p *plainScan) read(ctx context.Context, mem memory.Allocator) (*window, *provider.Result, error) {
	r, err := provider.Read(ctx, p.Plan, mem, scan.Options{BatchSize: p.Batch, Threads: p.threads, MemoryLimit: p.memory, Logger: p.logger})
	if err != nil {
		return nil, nil, err
	}
	return &window{Reader: r, schema: p.schema(), columns: p.Columns, skip: p.Skip}, r, nil
}
