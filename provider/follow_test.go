package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// followed are tables that grow write by write in TestFollow: with compactions,
// clusterings, overwrites, CDC files and concurrent writers.
var followed = []string{
	"v6/cow_basic", "v6/clustering_mor", "v6/replace_mor", "v6/mor_avro_logs",
	"v8/mor_log_only_compacted", "v8/nbcc", "v8/cdc_data_before_cow", "v8/mor_pending_compaction",
	"v9/mor_compacted", "v9/clustering_cow", "v9/clustering_mor", "v9/replace_mor", "v9/replace_table_cow",
	"v9/cdc_data_before_after_mor", "v9/cdc_op_key_only_mor", "v9/nbcc",
}

// TestFollow follows tables while they grow. One consumer stops after each
// poll and goes on from its offset with a table opened anew; another stays.
// Both keep a copy of the table, which is compared with a snapshot after each
// write. On the way the older half of the timeline is archived.
func TestFollow(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, name := range followed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrowing(t, name)
			stopping, staying := newConsumer(t, g, false), newConsumer(t, g, true)
			images := newConsumer(t, g, false)
			images.query = provider.Query{Type: provider.CDC}
			for n := range g.writes {
				g.begin(n)
				stopping.poll()
				g.complete(n)
				if n == len(g.writes)/2 || n == len(g.writes)-1 {
					g.archive(n)
				}
				for _, c := range []*consumer{stopping, staying, images} {
					c.poll()
				}
				want := g.rows()
				stopping.same("stopping", want)
				staying.same("staying", want)
				images.same("replaying", g.plainRows(images))
			}
			stopping.poll()
			g.seenOnce(stopping)
			g.seenOnce(staying)
			g.lateComers()
		})
	}
}

// growing is a table that is copied, write by write, from a finished one.
type growing struct {
	*testing.T
	from, dir string
	files     []string // of from, relative
	writes    []snapshot.Instant
	layout    string // folder of the timeline
	version   int
	archived  []snapshot.Instant
}

func newGrowing(t *testing.T, name string) *growing {
	g := &growing{T: t, from: tabletest.Open(t, name), dir: t.TempDir(), layout: ".hoodie"}
	table, err := provider.Open(t.Context(), g.from, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if g.version = table.Config().Version; g.version >= 8 {
		g.layout = ".hoodie/timeline"
	}
	all, err := table.Timeline(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.IsWrite() && i.IsCompleted() {
			g.writes = append(g.writes, i)
		}
	}
	if g.version >= 8 {
		slices.SortStableFunc(g.writes, func(a, b snapshot.Instant) int { return strings.Compare(a.Completed, b.Completed) })
	}
	err = filepath.WalkDir(g.from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(g.from, path)
		g.files = append(g.files, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range g.files {
		base := filepath.Base(f)
		if base == "hoodie.properties" && !strings.Contains(f, "metadata") || strings.HasPrefix(base, ".hoodie_partition_metadata") {
			g.copy(f)
		}
	}
	g.mkdir(g.layout)
	return g
}

func (g *growing) mkdir(dir string) {
	if err := os.MkdirAll(filepath.Join(g.dir, dir), 0o755); err != nil {
		g.Fatal(err)
	}
}

func (g *growing) copy(file string) {
	g.mkdir(filepath.Dir(file))
	data, err := os.ReadFile(filepath.Join(g.from, file))
	if err == nil {
		err = os.WriteFile(filepath.Join(g.dir, file+".tmp"), data, 0o644)
	}
	if err == nil {
		err = os.Rename(filepath.Join(g.dir, file+".tmp"), filepath.Join(g.dir, file))
	}
	if err != nil {
		g.Fatal(err)
	}
}

var (
	baseName = regexp.MustCompile(`^[^_]+_[^_]+_(\d+)\.parquet$`)
	logName  = regexp.MustCompile(`^\..+_(\d+)\.log\.`)
)

// writtenBy tells whether a data file bears an instant.
func writtenBy(file, instant string) bool {
	base := filepath.Base(file)
	for _, re := range []*regexp.Regexp{baseName, logName} {
		if m := re.FindStringSubmatch(base); m != nil && !strings.HasPrefix(file, ".hoodie/") {
			return m[1] == instant
		}
	}
	return false
}

// begin makes a write and its files appear, not completed.
func (g *growing) begin(n int) {
	for _, f := range g.files {
		base := filepath.Base(f)
		pending := filepath.Dir(f) == g.layout && strings.HasPrefix(base, g.writes[n].Requested+".") &&
			(strings.HasSuffix(base, ".requested") || strings.HasSuffix(base, ".inflight"))
		if pending || writtenBy(f, g.writes[n].Requested) {
			g.copy(f)
		}
	}
}

func (g *growing) complete(n int) { g.copy(g.writes[n].File) }

// archive moves the older writes of layout 2 to the history, as Hudi lays it
// out.
func (g *growing) archive(last int) {
	if g.version < 8 || last < 2 {
		return
	}
	dir := filepath.Join(g.dir, g.layout, "history")
	g.mkdir(filepath.Join(g.layout, "history"))
	upTo := g.writes[last-1].Requested
	for _, w := range g.writes[:last-1] {
		if w.Requested < upTo && !slices.Contains(g.archived, w) {
			g.archived = append(g.archived, w)
		}
	}
	slices.SortFunc(g.archived, func(a, b snapshot.Instant) int { return strings.Compare(a.Requested, b.Requested) })
	fields := []arrow.Field{}
	for _, n := range []string{"instantTime", "completionTime", "action"} {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String})
	}
	fields = append(fields, arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary})
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, w := range g.archived {
		data, err := os.ReadFile(filepath.Join(g.from, w.File))
		if err != nil {
			g.Fatal(err)
		}
		for c, v := range []string{w.Requested, w.Completed, w.Action} {
			b.Field(c).(*array.StringBuilder).Append(v)
		}
		b.Field(3).(*array.BinaryBuilder).Append(data)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	name := fmt.Sprintf("%s_%s_0.parquet", g.archived[0].Requested, g.archived[len(g.archived)-1].Requested)
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		g.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err == nil {
		err = errors.Join(w.Write(rec), w.Close())
	}
	manifest := fmt.Sprintf("manifest_%d", last)
	err = errors.Join(err,
		os.WriteFile(filepath.Join(dir, manifest), fmt.Appendf(nil, `{"files":[{"fileName":%q}]}`, name), 0o644),
		os.WriteFile(filepath.Join(dir, "_version_"), fmt.Append(nil, last), 0o644))
	for _, i := range g.archived {
		some, globErr := filepath.Glob(filepath.Join(g.dir, g.layout, i.Requested+"[._]*"))
		err = errors.Join(err, globErr)
		for _, s := range some {
			err = errors.Join(err, os.Remove(s))
		}
	}
	if err != nil {
		g.Fatal(err)
	}
}

func (g *growing) open() *provider.Table {
	table, err := provider.Open(g.Context(), g.dir, provider.Options{ListFiles: true})
	if err != nil {
		g.Fatal(err)
	}
	return table
}

// rows are the rows of the table as it is.
func (g *growing) rows() rowsByKey { return g.snapshot(true, nil, notTheRow) }

func (g *growing) snapshot(meta bool, keys, but []string) rowsByKey {
	table := g.open()
	if keys == nil {
		keys = []string{"_hoodie_partition_path", "_hoodie_record_key"}
	}
	r, err := table.Scan(g.Context(), provider.Query{Meta: meta})
	if err != nil {
		g.Fatal(err)
	}
	rows := rowsByKey{}
	for b, err := range r.Batches() {
		if err != nil {
			g.Fatal(err)
		}
		for i := range int(b.NumRows()) {
			rows[rowText(b, keys, nil, i)] = rowText(b, nil, but, i)
		}
	}
	return rows
}

func (g *growing) plainRows(c *consumer) rowsByKey { return g.snapshot(false, c.fields(), nil) }

// seenOnce checks that a consumer saw each write that changed something once,
// in order.
func (g *growing) seenOnce(c *consumer) {
	var want []string
	for _, w := range g.writes {
		if !g.service(w) {
			want = append(want, w.Requested)
		}
	}
	if g.version < 8 {
		slices.Sort(want)
	}
	if !slices.Equal(c.seen, want) {
		g.Fatalf("saw %v, want %v", c.seen, want)
	}
}

func (g *growing) service(i snapshot.Instant) bool {
	data, err := os.ReadFile(filepath.Join(g.from, i.File))
	if err != nil {
		g.Fatal(err)
	}
	for _, op := range []string{"COMPACT", "CLUSTER"} {
		if strings.Contains(string(data), `"`+op+`"`) || g.version >= 8 && strings.Contains(string(data), op) {
			return true
		}
	}
	return false
}

// lateComers start from the beginning when old files have been cleaned.
func (g *growing) lateComers() {
	removed := 0
	newest := map[string]string{}
	each := func(do func(path, group, instant string)) {
		for _, f := range g.files {
			base := filepath.Base(f)
			for _, re := range []*regexp.Regexp{baseName, logName} {
				if m := re.FindStringSubmatch(base); m != nil && !strings.HasPrefix(f, ".hoodie/") {
					group, _, _ := strings.Cut(strings.TrimPrefix(base, "."), "_")
					do(f, filepath.Dir(f)+"/"+group, m[1])
				}
			}
		}
	}
	each(func(path, group, instant string) {
		if baseName.MatchString(filepath.Base(path)) {
			newest[group] = max(newest[group], instant)
		}
	})
	each(func(path, group, instant string) {
		if instant < newest[group] {
			if err := os.Remove(filepath.Join(g.dir, path)); err == nil {
				removed++
			}
		}
	})
	late := newConsumer(g.T, g, true)
	late.poll()
	late.same("late comer", g.rows())
	if removed == 0 {
		return
	}
	images := newConsumer(g.T, g, true)
	images.query = provider.Query{Type: provider.CDC}
	var lost *incremental.LostError
	if err := images.tryPoll(); err != nil && !errors.As(err, &lost) {
		g.Fatalf("a late reader of CDC: %v", err)
	}
}

// consumer keeps a copy of a table by its changes.
type consumer struct {
	*testing.T
	table   *growing
	query   provider.Query
	stays   bool
	changes *provider.Changes
	offset  string
	copy    rowsByKey
	seen    []string
}

func newConsumer(t *testing.T, g *growing, stays bool) *consumer {
	return &consumer{T: t, table: g, stays: stays, copy: rowsByKey{},
		query: provider.Query{Type: provider.Incremental, Deletes: true, Meta: true}}
}

func (c *consumer) fields() []string {
	l := lawTable{table: c.table.open()}
	return l.fields()
}

func (c *consumer) poll() {
	if err := c.tryPoll(); err != nil {
		c.Fatal(err)
	}
}

func (c *consumer) tryPoll() error {
	if c.changes == nil || !c.stays {
		var err error
		if c.changes, err = c.table.open().Changes(c.Context(), c.offset, provider.Follow{Query: c.query}); err != nil {
			return err
		}
	}
	for {
		ch, err := c.changes.Poll(c.Context())
		if err != nil || ch == nil {
			c.offset = c.changes.Offset()
			return err
		}
		for _, i := range ch.Instants {
			c.seen = append(c.seen, i.Requested)
		}
		for b, err := range ch.Batches() {
			if err != nil {
				return err
			}
			if c.query.Type == provider.CDC {
				c.replay(b)
			} else {
				c.apply(b)
			}
		}
		c.offset = ch.Offset
		if !c.stays {
			return nil // one change, then on from its offset
		}
	}
}

func (c *consumer) apply(b arrow.RecordBatch) {
	var op *array.String
	if at := b.Schema().FieldIndices("_hoodie_operation"); len(at) == 1 {
		op = b.Column(at[0]).(*array.String)
	}
	for i := range int(b.NumRows()) {
		k := rowText(b, []string{"_hoodie_partition_path", "_hoodie_record_key"}, nil, i)
		if op != nil && op.Value(i) == "D" {
			delete(c.copy, k)
		} else {
			c.copy[k] = rowText(b, nil, notTheRow, i)
		}
	}
}

func (c *consumer) replay(b arrow.RecordBatch) {
	op := b.Column(0).(*array.String)
	before, after := images(b, 2), images(b, 3)
	defer before.Release()
	defer after.Release()
	for i := range int(b.NumRows()) {
		if op.Value(i) != "i" {
			delete(c.copy, rowText(before, c.fields(), nil, i))
		}
		if op.Value(i) != "d" {
			c.copy[rowText(after, c.fields(), nil, i)] = rowText(after, nil, nil, i)
		}
	}
}

func (c *consumer) same(who string, want rowsByKey) {
	c.Helper()
	if !maps.Equal(c.copy, want) {
		(&lawTable{T: c.T}).same(who, c.copy, want)
	}
}

// TestFollowUnwritten follows a table where the file that completes a write
// shows before its bytes do: the write must not be passed over.
func TestFollowUnwritten(t *testing.T) {
	g := newGrowing(t, "v9/clustering_cow")
	g.begin(0)
	g.complete(0)
	changes, err := g.open().Changes(t.Context(), "latest", provider.Follow{
		Query: provider.Query{Type: provider.Incremental}, Interval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	before := g.rows()
	g.begin(1)
	file := filepath.Join(g.dir, g.writes[1].File)
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if ch, err := changes.Poll(t.Context()); !errors.Is(err, snapshot.ErrCorrupt) || !errors.Is(err, snapshot.ErrUnwritten) {
		t.Fatalf("Poll at an empty file: %v, %v", ch, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if ch, err := changes.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Next at an empty file: %v, %v", ch, err)
	}
	g.complete(1)
	ch, err := changes.Poll(t.Context())
	if err != nil || ch == nil {
		t.Fatalf("Poll once it is written: %v, %v", ch, err)
	}
	rows, err := rowsIn(ch.Result)
	if err != nil {
		t.Fatal(err)
	}
	changed := int64(0)
	for key, row := range g.rows() {
		if before[key] != row {
			changed++
		}
	}
	if rows != changed || rows == 0 {
		t.Fatalf("%d rows, want %d", rows, changed)
	}
}

// TestFollowWaits lets a consumer wait for a write.
func TestFollowWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	g := newGrowing(t, "v9/clustering_cow")
	g.begin(0)
	changes, err := g.open().Changes(t.Context(), "latest", provider.Follow{
		Query: provider.Query{Type: provider.Incremental}, Interval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := changes.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Next with nothing new: %v", err)
	}
	done := make(chan struct{})
	go func() { g.complete(0); close(done) }()
	ch, err := changes.Next(t.Context())
	<-done
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsIn(ch.Result)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(len(g.rows())); rows != want || want == 0 {
		t.Fatalf("%d rows, want %d", rows, want)
	}
}
