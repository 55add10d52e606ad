package functions

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"golang.org/x/sync/errgroup"

	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
)

const (
	// maxSelections bounds the branches of a query: files that need another
	// selection than these are read by the merge scan.
	maxSelections = 64
	// footersAtOnce is how many footers are read at the same time.
	footersAtOnce = 8
)

// native is a plan, split: what DuckDB's own Parquet reader reads, and the
// rest, which the merge scan reads. Both give the same types and values; a file
// goes to DuckDB only if that is certain.
type native struct {
	plan       *provider.Plan
	schema     *arrow.Schema
	selections []*selection
	rest       []scan.Task
	reasons    map[string]int // why tasks are in rest
}

// A selection is files that are read by the same SELECT.
type selection struct {
	columns []string // expressions, in the order of the schema
	paths   []string
	tasks   []scan.Task
}

func (n *native) files() (count int) {
	for _, s := range n.selections {
		count += len(s.paths)
	}
	return count
}

// why tells what keeps slices from DuckDB's reader.
func (n *native) why() string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(n.reasons)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", reason, n.reasons[reason]))
	}
	return strings.Join(parts, "; ")
}

func (n *native) leave(t scan.Task, reason string) {
	n.rest = append(n.rest, t)
	n.reasons[reason]++
}

// native splits a plan.
func (f *Functions) native(ctx context.Context, p *provider.Plan) (*native, error) {
	n := &native{plan: p, schema: p.Schema(), reasons: map[string]int{}}
	root, whole := localRoot(p.Job.URI), ""
	switch name, twins := twin(n.schema.Fields()); {
	case p.Job.Changes != "" || p.Job.Rows != nil:
		whole = "changes"
	case root == "":
		whole = "not on local disk"
	case twins:
		whole = fmt.Sprintf("columns that differ in letter case only: %q", name)
	}
	var tasks []scan.Task
	for _, t := range p.Tasks {
		reason := whole
		if reason == "" {
			reason = unfit(t, root)
		}
		if reason != "" {
			n.leave(t, reason)
		} else {
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return n, nil
	}
	return n, f.selectFiles(ctx, n, root, tasks)
}

// unfit says why a task is none for DuckDB's reader, as far as can be told
// without opening the file.
func unfit(t scan.Task, root string) string {
	s := t.Slice
	switch {
	case len(s.Logs) > 0:
		return "has logs"
	case s.Base == nil || s.Base.Format != "PARQUET" || t.Rows != nil || t.Change != nil:
		return "no Parquet file"
	case s.Base.Bootstrap != nil:
		return "bootstrapped"
	case strings.ContainsAny(root+s.Base.Path, "*?[\x00"):
		return "a path with a wildcard"
	}
	return ""
}

// localRoot gives the folder of a table on local disk, "" for others.
func localRoot(uri string) string {
	if !strings.Contains(uri, "://") {
		return uri
	}
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Host == "" {
		return u.Path
	}
	return ""
}

// selectFiles sorts files by how their columns become the table's.
func (f *Functions) selectFiles(ctx context.Context, n *native, root string, tasks []scan.Task) error {
	job := &n.plan.Job
	st, err := storage.Open(ctx, job.URI, job.Storage)
	if err != nil {
		return err
	}
	found := make([]*footer, len(tasks))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(footersAtOnce)
	for i, t := range tasks {
		group.Go(func() (err error) {
			defer guard.Recover(&err)
			b := t.Slice.Base
			found[i], err = f.footers.get(inner, st, fileKey{job.URI, b.Path, b.Size})
			if err != nil {
				found[i] = nil // the merge scan reports it, if the file is read at all
			}
			return inner.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	env, err := scan.Open(ctx, *job, st, nil, nil, scan.Options{})
	if err != nil {
		return err
	}
	chooser := &chooser{env: env, schema: n.schema, known: map[layout]*choice{}}
	byText := map[string]*selection{}
	for i, t := range tasks {
		c := chooser.choose(found[i], t)
		if c.reason != "" {
			n.leave(t, c.reason)
			continue
		}
		text := strings.Join(c.columns, ",")
		s := byText[text]
		if s == nil {
			s = &selection{columns: c.columns}
			byText[text] = s
			n.selections = append(n.selections, s)
		}
		s.paths = append(s.paths, filepath.Join(root, filepath.FromSlash(t.Slice.Base.Path)))
		s.tasks = append(s.tasks, t)
	}
	n.limit()
	return nil
}

// limit keeps the selections of most files.
func (n *native) limit() {
	if len(n.selections) <= maxSelections {
		return
	}
	slices.SortStableFunc(n.selections, func(a, b *selection) int { return len(b.paths) - len(a.paths) })
	for _, s := range n.selections[maxSelections:] {
		for _, t := range s.tasks {
			n.leave(t, "too many partitions whose columns are in the path only")
		}
	}
	n.selections = n.selections[:maxSelections]
}

// chooser finds the expressions for files of a layout.
type chooser struct {
	env    *scan.Env
	schema *arrow.Schema
	known  map[layout]*choice
}

// layout is what a choice depends on.
type layout struct {
	footer    *footer
	written   string // by instant: where columns have ids
	partition string // where columns are in the path only
}

type choice struct {
	columns []string
	reason  string
}

func (c *chooser) choose(f *footer, t scan.Task) *choice {
	if f == nil {
		return &choice{reason: "its footer can't be read"}
	}
	if f.refused != "" {
		return &choice{reason: f.refused}
	}
	key := layout{footer: f}
	if c.env.Job.History != "" {
		key.written = t.Slice.Base.Instant
	}
	for name := range c.env.Keys.PartitionValues(t.Slice.Partition) {
		if _, ok := schema.Lookup(f.schema, name); !ok || c.env.Config.DropPartitions {
			key.partition = t.Slice.Partition
		}
	}
	known := c.known[key]
	if known == nil {
		known = &choice{}
		known.columns, known.reason = c.expressions(f, t)
		c.known[key] = known
	}
	return known
}

// expressions gives an expression for each column.
func (c *chooser) expressions(f *footer, t scan.Task) (all []string, reason string) {
	for _, field := range c.schema.Fields() {
		e, reason := c.expression(f, field, t)
		if reason != "" {
			return nil, fmt.Sprintf("column %s: %s", field.Name, reason)
		}
		all = append(all, e)
	}
	return all, ""
}

// expression gives the expression of a column: what the adapter of the merge
// scan would do, said in SQL.
func (c *chooser) expression(f *footer, out arrow.Field, t scan.Task) (sql, reason string) {
	target, err := c.env.Project([]string{out.Name})
	if err != nil {
		return "", err.Error()
	}
	name, err := TypeName(out.Type)
	if err != nil {
		return "", err.Error()
	}
	a, err := c.env.Adapter(f.schema, target, t.Slice.Base.Instant, t.Slice.Partition)
	if err != nil {
		return "", err.Error()
	}
	if a.Missing(0) {
		text, reason := constant(a)
		return "CAST(" + text + " AS " + name + ")", reason
	}
	source := a.FileColumns()[0]
	if why := f.strange[source]; why != "" {
		return "", why
	}
	from := f.schema.Field(f.schema.FieldIndices(source)[0]).Type
	if !sameInSQL(from, out.Type, name) {
		return "", fmt.Sprintf("%s is to be read as %s", from, out.Type)
	}
	return "CAST(" + quoteName(source) + " AS " + name + ")", ""
}

// sameInSQL tells whether DuckDB reads a file's column as the table's type, or
// widens it without loss by a cast.
func sameInSQL(from, to arrow.DataType, name string) bool {
	if n, err := TypeName(from); err == nil && n == name {
		return true
	}
	return from.ID() == arrow.INT32 && (to.ID() == arrow.INT64 || to.ID() == arrow.FLOAT64)
}

// constant is the value of a column that the file lacks.
func constant(a *schema.Adapter) (text, reason string) {
	empty := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 1)
	defer empty.Release()
	one, err := a.Adapt(empty)
	if err != nil {
		return "", err.Error()
	}
	defer one.Release()
	text, ok := literal(one.Column(0))
	if !ok {
		return "", "its default can't be written as SQL"
	}
	return text, ""
}
