package provider_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestSparkAnswers asks every table that Spark wrote every query that Spark
// answered, and compares rows, values and types. It reads with one thread and
// small batches, with several threads, and without the metadata table.
func TestSparkAnswers(t *testing.T) {
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
			dir, options := f.Open(t), f.Options(t)
			for _, q := range f.Manifest.Queries {
				name := q.Kind + q.Options.AsOf
				if q.Options.End != "" {
					name += " " + q.Options.Begin + " to " + q.Options.End
				}
				t.Run(name, func(t *testing.T) {
					if why := differences[f.Name+"/"+name]; why != "" {
						t.Skip(why)
					}
					compareWithSpark(t, f, dir, options, q)
				})
			}
		})
	}
}

func compareWithSpark(t *testing.T, f tabletest.Fixture, dir string, options map[string]string, q tabletest.Query) {
	query := provider.Query{Meta: true}
	switch q.Kind {
	case "snapshot":
	case "read_optimized":
		query.Type = provider.ReadOptimized
	case "time_travel":
		query.AsOf = q.Options.AsOf
	case "incremental":
		query.Type, query.Begin, query.End = provider.Incremental, begin(q), q.Options.End
	case "cdc":
		query.Type, query.Begin, query.End, query.CDCText = provider.CDC, begin(q), q.Options.End, true
	default:
		t.Fatalf("what is a %s query?", q.Kind)
	}
	want := expected(t, filepath.Join(f.Dir, q.File))
	for _, v := range []struct {
		name  string
		tweak func(*provider.Query, *provider.Options)
	}{
		{"one thread", func(q *provider.Query, _ *provider.Options) { q.BatchSize = 17 }},
		{"four threads", func(q *provider.Query, _ *provider.Options) { q.Threads = 4 }},
		{"listed", func(_ *provider.Query, o *provider.Options) { o.ListFiles = true }},
		{"little memory", func(q *provider.Query, _ *provider.Options) { q.MemoryLimit = 1 << 10 }},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		o := provider.Options{Allocator: poisoned{mem}, Hudi: options}
		vq := query
		v.tweak(&vq, &o)
		got, err := answer(dir, vq, o)
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		mem.AssertSize(t, 0)
		if d := want.diff(got, strings.Contains(f.Name, "keygen")); d != "" {
			t.Fatalf("%s: %s", v.name, d)
		}
	}
}

// poisoned is an allocator that fills memory with rubbish when it is given back,
// so that what is read after its release is wrong, and when it is given to
// somebody who says to overwrite it.
type poisoned struct{ memory.Allocator }

func (p poisoned) AllocateUncleared(n int) []byte { return rubbish(p.Allocate(n)) }

func (p poisoned) Free(b []byte) { p.Allocator.Free(rubbish(b)) }

func rubbish(b []byte) []byte {
	for i := range b {
		b[i] = 0xa5
	}
	return b
}

// begin is the begin of a question's range. Releases that took it as inclusive
// answered what is after the tick before.
func begin(q tabletest.Query) string {
	at := q.Options.Begin
	if n, err := strconv.ParseInt(at, 10, 64); err == nil && n > 0 && q.BeginInclusive {
		return fmt.Sprintf("%0*d", len(at), n-1)
	}
	return at
}

// answerRows is an answer as text, one line a row, without regard to order.
type answerRows struct {
	columns []string // sorted
	types   map[string]string
	rows    []string // sorted
}

func answer(path string, q provider.Query, o provider.Options) (answerRows, error) {
	ctx := context.Background()
	table, err := provider.Open(ctx, path, o)
	if err != nil {
		return answerRows{}, err
	}
	r, err := table.Scan(ctx, q)
	if err != nil {
		return answerRows{}, err
	}
	a := newRows(r.Schema())
	for b, err := range r.Batches() {
		if err != nil {
			return answerRows{}, err
		}
		a.add(b)
	}
	sort.Strings(a.rows)
	return a, nil
}

// expected reads Spark's answer with another Parquet reader than ours.
func expected(t *testing.T, path string) answerRows {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pf, err := file.NewParquetReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer pf.Close()
	fr, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: 1 << 20}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := fr.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer tbl.Release()
	a := newRows(tbl.Schema())
	tr := array.NewTableReader(tbl, 0)
	defer tr.Release()
	for tr.Next() {
		a.add(tr.RecordBatch())
	}
	sort.Strings(a.rows)
	return a
}

func newRows(s *arrow.Schema) answerRows {
	a := answerRows{types: map[string]string{}}
	for _, f := range s.Fields() {
		if f.Name != "_hoodie_file_name" {
			a.columns = append(a.columns, f.Name)
			a.types[f.Name] = typeText(f.Type)
		}
	}
	sort.Strings(a.columns)
	return a
}

func (a *answerRows) add(b arrow.RecordBatch) {
	cols := make([]arrow.Array, len(a.columns))
	for i, c := range a.columns {
		cols[i] = b.Column(b.Schema().FieldIndices(c)[0])
	}
	for row := range int(b.NumRows()) {
		var s strings.Builder
		for i, c := range cols {
			s.WriteString(a.columns[i] + "=")
			writeValue(&s, c, row)
			s.WriteByte(' ')
		}
		a.rows = append(a.rows, s.String())
	}
}

// diff tells the first difference. Spark shows the partition column of some key
// generators as a string; the table's own type is right.
func (a answerRows) diff(got answerRows, sparkStrings bool) string {
	if strings.Join(a.columns, ",") != strings.Join(got.columns, ",") {
		return fmt.Sprintf("columns %v, want %v", got.columns, a.columns)
	}
	for _, c := range a.columns {
		if a.types[c] != got.types[c] && !(sparkStrings && a.types[c] == "utf8") && !(a.types[c] == anyTimestamp && strings.HasPrefix(got.types[c], anyTimestamp)) {
			return fmt.Sprintf("column %s has type %s, want %s", c, got.types[c], a.types[c])
		}
	}
	if len(a.rows) != len(got.rows) {
		return fmt.Sprintf("%d rows, want %d", len(got.rows), len(a.rows))
	}
	if sparkStrings { // a number and its text are to look alike
		a.rows, got.rows = unquoted(a.rows), unquoted(got.rows)
	}
	for i := range a.rows {
		if a.rows[i] != got.rows[i] {
			return fmt.Sprintf("row %d:\n got %s\nwant %s", i, got.rows[i], a.rows[i])
		}
	}
	return ""
}

func unquoted(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.ReplaceAll(r, `"`, "")
	}
	sort.Strings(out)
	return out
}

const anyTimestamp = "timestamp"

// typeText names a type up to what the answer's own Parquet file can't tell:
// units of timestamps, fixed or variable length of binaries.
func typeText(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.Unit == arrow.Nanosecond {
			return anyTimestamp // once INT96, which knows no zone
		}
		return fmt.Sprintf(anyTimestamp+" zone=%t", t.TimeZone != "")
	case *arrow.FixedSizeBinaryType, *arrow.BinaryType:
		return "binary"
	case *arrow.ListType:
		return "list<" + typeText(t.Elem()) + ">"
	case *arrow.MapType:
		return "map<" + typeText(t.KeyType()) + "," + typeText(t.ItemType()) + ">"
	case *arrow.StructType:
		var parts []string
		for _, f := range t.Fields() {
			parts = append(parts, f.Name+":"+typeText(f.Type))
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	}
	return t.String()
}

func writeValue(s *strings.Builder, a arrow.Array, i int) {
	if a.IsNull(i) {
		s.WriteString("null")
		return
	}
	switch a := a.(type) {
	case *array.Float32:
		writeFloat(s, float64(a.Value(i)))
	case *array.Float64:
		writeFloat(s, a.Value(i))
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		s.WriteString(a.Value(i).ToTime(unit).UTC().Format("2006-01-02T15:04:05.999999999"))
	case *array.Decimal128:
		s.WriteString(a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Binary:
		fmt.Fprintf(s, "%x", a.Value(i))
	case *array.FixedSizeBinary:
		fmt.Fprintf(s, "%x", a.Value(i))
	case *array.String:
		fmt.Fprintf(s, "%q", a.Value(i))
	case *array.Map:
		from, to := a.ValueOffsets(i)
		entries := make([]string, 0, to-from)
		for j := from; j < to; j++ {
			var e strings.Builder
			writeValue(&e, a.Keys(), int(j))
			e.WriteByte(':')
			writeValue(&e, a.Items(), int(j))
			entries = append(entries, e.String())
		}
		sort.Strings(entries)
		s.WriteString("{" + strings.Join(entries, ",") + "}")
	case *array.List:
		from, to := a.ValueOffsets(i)
		s.WriteByte('[')
		for j := from; j < to; j++ {
			writeValue(s, a.ListValues(), int(j))
			s.WriteByte(',')
		}
		s.WriteByte(']')
	case *array.Struct:
		s.WriteByte('(')
		for f := range a.NumField() {
			writeValue(s, a.Field(f), i)
			s.WriteByte(',')
		}
		s.WriteByte(')')
	default:
		s.WriteString(a.ValueStr(i))
	}
}

func writeFloat(s *strings.Builder, v float64) {
	if v == 0 {
		v = 0 // -0.0 and 0.0 are one value
	}
	if math.IsNaN(v) {
		s.WriteString("NaN")
		return
	}
	fmt.Fprintf(s, "%v", v)
}
