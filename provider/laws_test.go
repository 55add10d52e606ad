package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// TestLaws asks of every table, for moments a < b of its history:
//
//   - rows at a, with the changes of (a, b] and their deletes, are those at b;
//   - CDC of (a, b] replayed over the rows at a gives those at b, and each
//     image before is the row as it was;
//   - changes of (a, b] and (b, c] folded are the changes of (a, c].
//
// Moments whose files are cleaned must be refused as such.
func TestLaws(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, f := range tabletest.All(t) {
		if testing.Short() && !strings.HasPrefix(f.Name, "v9/mor_") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			if f.Manifest.Refused != "" {
				t.Skip("refused: " + f.Manifest.Refused)
			}
			newLawTable(t, f).check()
		})
	}
}

// rowsByKey are rows as text by partition and key.
type rowsByKey map[string]string

type lawTable struct {
	*testing.T
	mem   *memory.CheckedAllocator
	table *provider.Table
	keys  []string // columns that identify a row
	times []string // of completed writes
	known map[string]rowsByKey

	moments int // how many are compared
}

func newLawTable(t *testing.T, f tabletest.Fixture) *lawTable {
	l := &lawTable{T: t, moments: 6, known: map[string]rowsByKey{}, mem: memory.NewCheckedAllocator(memory.DefaultAllocator)}
	options := map[string]string{provider.OptionFallback: "false"}
	maps.Copy(options, f.Options(t))
	if strings.HasPrefix(f.Name, "native/") { // of which there is another, with inline logs
		l.moments = 4
	}
	var err error
	l.table, err = provider.Open(t.Context(), f.Open(t), provider.Options{Allocator: l.mem, Hudi: options})
	if err != nil {
		t.Fatal(err)
	}
	cfg := l.table.Config()
	if cfg.PopulateMeta {
		l.keys = []string{"_hoodie_partition_path", "_hoodie_record_key"}
	}
	instants, err := l.table.Timeline(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range instants {
		if !i.IsWrite() || !i.IsCompleted() {
			continue
		}
		if cfg.Version >= 8 {
			l.times = append(l.times, i.CompletionOrRequest())
		} else {
			l.times = append(l.times, i.Requested)
		}
	}
	slices.Sort(l.times)
	l.times = slices.Compact(l.times)
	return l
}

// fields are the columns that identify a row in images, which may lack meta
// columns; nil if only meta columns do.
func (l *lawTable) fields() []string {
	cfg := l.table.Config()
	var names []string
	for _, k := range cfg.RecordKeys {
		if strings.Contains(k, ".") {
			return nil
		}
		names = append(names, k)
	}
	if len(names) == 0 {
		return nil
	}
	return append(names, cfg.PartitionNames()...)
}

func (l *lawTable) check() {
	times := append([]string{""}, l.times...)
	if most := l.moments; len(times) > most {
		times = append(append([]string{""}, times[1:most/2]...), times[len(times)-most/2:]...)
	}
	if l.keys == nil {
		if l.keys = l.fields(); l.keys == nil {
			l.Skip("rows of this table have no key")
		}
	}
	for i, a := range times {
		for j := i + 1; j < len(times); j++ {
			if j > i+1 && (i > 0 || j < len(times)-1) && j != i+2 {
				continue // neighbours, next ones, and the whole
			}
			l.pair(a, times[j])
			if j == i+2 {
				l.fold(a, times[i+1], times[j])
			}
		}
	}
	l.mem.AssertSize(l.T, 0)
}

func (l *lawTable) pair(a, b string) {
	was, ok := l.at(a, l.keys)
	if !ok {
		return
	}
	is, ok := l.at(b, l.keys)
	if !ok {
		return
	}
	changes, ok := l.changes(a, b)
	if ok {
		got := maps.Clone(was)
		for _, c := range changes {
			if c.op == "D" {
				if got[c.key] != c.row {
					l.Errorf("(%s, %s]: deleted row\n got %s\nwant %s", a, b, c.row, got[c.key])
				}
				delete(got, c.key)
			} else {
				if _, had := got[c.key]; had != (c.op == "U") {
					l.Errorf("(%s, %s]: %s of %s", a, b, c.op, c.row)
				}
				got[c.key] = c.row
			}
		}
		l.same(fmt.Sprintf("changes of (%s, %s]", a, b), got, is)
	}
	if fields := l.fields(); fields != nil {
		l.replay(a, b, fields)
	}
}

func (l *lawTable) same(what string, got, want rowsByKey) {
	for k, w := range want {
		if g, ok := got[k]; !ok {
			l.Errorf("%s: %s is missing", what, w)
		} else if g != w {
			l.Errorf("%s:\n got %s\nwant %s", what, g, w)
		}
	}
	for k, g := range got {
		if _, ok := want[k]; !ok {
			l.Errorf("%s: %s is too many", what, g)
		}
	}
	if l.Failed() {
		l.FailNow()
	}
}

// at gives the rows of a moment; ok is false if its files are gone.
func (l *lawTable) at(at string, keys []string) (rowsByKey, bool) {
	if at == "" {
		return rowsByKey{}, true
	}
	if rows, ok := l.known[at]; ok {
		return rows, rows != nil
	}
	r, ok := l.scan(provider.Query{Type: provider.Incremental, End: at, Meta: true})
	if !ok {
		l.known[at] = nil
		return nil, false
	}
	rows := rowsByKey{}
	l.known[at] = nil
	for b, err := range r.Batches() {
		if !l.readable(err) {
			return nil, false
		}
		for i := range int(b.NumRows()) {
			k := rowText(b, keys, nil, i)
			if _, twice := rows[k]; twice {
				l.Skip("keys are not unique in this table")
			}
			rows[k] = rowText(b, nil, notTheRow, i)
		}
	}
	l.known[at] = rows
	return rows, true
}

// notTheRow are columns that do not belong to a row's value. Log compactions
// set the commit time anew.
var notTheRow = []string{"_hoodie_file_name", "_hoodie_operation", "_hoodie_commit_time", "_hoodie_commit_seqno"}

type lawChange struct{ op, key, row string }

func (l *lawTable) changes(a, b string) ([]lawChange, bool) {
	r, ok := l.scan(provider.Query{Type: provider.Incremental, Begin: a, End: b, Deletes: true, Meta: true})
	if !ok {
		return nil, false
	}
	var all []lawChange
	for b, err := range r.Batches() {
		if !l.readable(err) {
			return nil, false
		}
		op := b.Column(b.Schema().FieldIndices("_hoodie_operation")[0]).(*array.String)
		for i := range int(b.NumRows()) {
			all = append(all, lawChange{op.Value(i), rowText(b, l.keys, nil, i), rowText(b, nil, notTheRow, i)})
		}
	}
	return all, true
}

// fold checks that two steps add up to one.
func (l *lawTable) fold(a, b, c string) {
	first, ok1 := l.changes(a, b)
	second, ok2 := l.changes(b, c)
	whole, ok3 := l.changes(a, c)
	if !ok1 || !ok2 || !ok3 {
		return
	}
	net := map[string]lawChange{}
	for _, ch := range append(first, second...) {
		old, had := net[ch.key]
		switch {
		case had && old.op == "I" && ch.op == "D":
			delete(net, ch.key)
			continue
		case had && old.op == "I":
			ch.op = "I"
		case had && old.op == "D" && ch.op == "I":
			ch.op = "U"
		case had && ch.op == "D":
			ch.row = "" // as it was at a, which the first step does not say
		}
		net[ch.key] = ch
	}
	for _, ch := range whole {
		n, ok := net[ch.key]
		if n.row == "" {
			n.row = ch.row
		}
		if !ok || n != ch {
			l.Fatalf("(%s, %s] and on to %s:\n got %v\nwant %v", a, b, c, n, ch)
		}
		delete(net, ch.key)
	}
	was, _ := l.at(a, l.keys)
	for _, n := range net {
		if n.op == "U" && n.row == was[n.key] {
			continue // changed, and changed back
		}
		l.Fatalf("(%s, %s] and on to %s: %v is too many", a, b, c, n)
	}
}

// replay applies CDC, whose images may lack meta columns, to rows without them.
func (l *lawTable) replay(a, b string, fields []string) {
	rows, ok := l.plain(a, fields)
	if !ok {
		return
	}
	want, ok := l.plain(b, fields)
	if !ok {
		return
	}
	r, ok := l.scan(provider.Query{Type: provider.CDC, Begin: a, End: b})
	if !ok {
		return
	}
	what := fmt.Sprintf("CDC of (%s, %s]", a, b)
	for batch, err := range r.Batches() {
		if !l.readable(err) {
			return
		}
		op := batch.Column(0).(*array.String)
		before, after := images(batch, 2), images(batch, 3)
		for i := range int(batch.NumRows()) {
			if op.Value(i) != "i" {
				k, row := rowText(before, fields, nil, i), rowText(before, nil, nil, i)
				if rows[k] != row {
					l.Fatalf("%s: image before of %s\n got %s\nwant %s", what, op.Value(i), row, rows[k])
				}
				delete(rows, k)
			}
			if op.Value(i) != "d" {
				k := rowText(after, fields, nil, i)
				if old, there := rows[k]; there {
					l.Fatalf("%s: %s of a row that is there\n got %s\n old %s", what, op.Value(i), rowText(after, nil, nil, i), old)
				}
				rows[k] = rowText(after, nil, nil, i)
			}
		}
		before.Release()
		after.Release()
	}
	l.same(what, rows, want)
}

func (l *lawTable) plain(at string, fields []string) (rowsByKey, bool) {
	if at == "" {
		return rowsByKey{}, true
	}
	r, ok := l.scan(provider.Query{Type: provider.Incremental, End: at})
	if !ok {
		return nil, false
	}
	rows := rowsByKey{}
	for b, err := range r.Batches() {
		if !l.readable(err) {
			return nil, false
		}
		for i := range int(b.NumRows()) {
			rows[rowText(b, fields, nil, i)] = rowText(b, nil, nil, i)
		}
	}
	return rows, true
}

// images gives a struct column as a batch.
func images(b arrow.RecordBatch, column int) arrow.RecordBatch {
	s := b.Column(column).(*array.Struct)
	columns := make([]arrow.Array, s.NumField())
	for i := range columns {
		columns[i] = s.Field(i)
	}
	return array.NewRecordBatch(arrow.NewSchema(s.DataType().(*arrow.StructType).Fields(), nil), columns, b.NumRows())
}

// rowText writes some columns of a row (nil = all), or all but some.
func rowText(b arrow.RecordBatch, only, but []string, row int) string {
	var s strings.Builder
	for c, f := range b.Schema().Fields() {
		if only != nil && !slices.Contains(only, f.Name) || slices.Contains(but, f.Name) {
			continue
		}
		s.WriteString(f.Name + "=")
		writeValue(&s, b.Column(c), row)
		s.WriteByte(' ')
	}
	return s.String()
}

// readable is false for a file that is gone: a clean that is not completed took
// it, while the metadata table still lists it.
func (l *lawTable) readable(err error) bool {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.Fatal(err)
	}
	return err == nil
}

// scan asks a query. Cleaned files and running writes are the only excuses for an
// error.
func (l *lawTable) scan(q provider.Query) (*provider.Result, bool) {
	r, err := l.table.Scan(context.Background(), q)
	var lost *incremental.LostError
	if errors.As(err, &lost) && errors.Is(err, snapshot.ErrTimeTravel) {
		return nil, false
	}
	var hole *snapshot.TableError
	if errors.As(err, &hole) && hole.Key == incremental.OptionHoles {
		return nil, false
	}
	if err != nil {
		l.Fatalf("%s of (%s, %s]: %v", q.Type, q.Begin, q.End, err)
	}
	return r, true
}
