package mergeread

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/datadriven"

	"github.com/hudi-go/hudi/internal/batch"
)

// TestScripts runs the merges written down in testdata. A script has the
// table's rules as arguments and its records as input:
//
//	merge mode=event_time ordering=ts columns=(key:string,ts:long,name:string)
//	base
//	  k1 5 a
//	log [partial=(ts,name)]
//	  k1 7 b
//	delete
//	  k2 9
//	----
//	k1 7 b
//
// A dash is null. Delete entries have a key and the ordering values; "other"
// after them says that the value had another class. Rows come out sorted.
// Every script is merged by hashing, with and without a spill, and in key
// order as well when its sources happen to be sorted.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			sc := parseScript(t, d)
			answer := sc.run(t, Options{}, false)
			for name, other := range map[string]string{
				"spilled": sc.run(t, Options{MemoryLimit: 1}, false),
				"sorted":  sc.run(t, Options{BatchSize: 1}, true),
			} {
				if other != answer {
					d.Fatalf(t, "%s merge differs:\n%s\nby hashing:\n%s", name, other, answer)
				}
			}
			return answer
		})
	})
}

// A script is one parsed merge.
type script struct {
	schema *arrow.Schema
	rules  Rules
	input  Input
	emit   bool
	base   [][]string
	has    bool
	runs   []scriptRun
}

type scriptRun struct {
	kind    Kind
	partial []string
	rows    [][]string
}

func parseScript(t *testing.T, d *datadriven.TestData) *script {
	sc := &script{}
	var columns []string
	for _, a := range d.CmdArgs {
		first := ""
		if len(a.Vals) > 0 {
			first = a.Vals[0]
		}
		switch a.Key {
		case "mode":
			sc.rules.Mode = map[string]Mode{"commit_time": CommitTime, "event_time": EventTime, "custom": Custom}[first]
		case "partial":
			sc.rules.Partial = map[string]PartialMode{"ignore_defaults": IgnoreDefaults, "fill_unavailable": FillUnavailable}[first]
		case "marker":
			sc.rules.Unavailable = first
		case "ordering":
			sc.rules.Ordering = a.Vals
		case "delete":
			sc.rules.DeleteField, sc.rules.DeleteMarker = a.Vals[0], a.Vals[1]
		case "payload":
			sc.rules.Payload = "org.apache.hudi.common.model." + first
		case "strategy":
			sc.rules.Strategy = first
		case "columns":
			columns = a.Vals
		case "emit_deletes":
			sc.emit = true
		case "skip_merge":
			sc.input.SkipMerge = true
		default:
			d.Fatalf(t, "argument %q is not known", a.Key)
		}
	}
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, scriptField(c))
	}
	sc.schema = arrow.NewSchema(fields, nil)
	sc.parseRows(t, d)
	return sc
}

// scriptField parses name:type[=default].
func scriptField(text string) arrow.Field {
	name, rest, _ := strings.Cut(text, ":")
	typ, def, has := strings.Cut(rest, "=")
	f := arrow.Field{Name: name, Nullable: true, Type: map[string]arrow.DataType{
		"string": arrow.BinaryTypes.String, "bytes": arrow.BinaryTypes.Binary, "int": arrow.PrimitiveTypes.Int32,
		"long": arrow.PrimitiveTypes.Int64, "double": arrow.PrimitiveTypes.Float64, "bool": arrow.FixedWidthTypes.Boolean,
		"date": arrow.FixedWidthTypes.Date32, "timestamp": arrow.FixedWidthTypes.Timestamp_us,
		"struct": arrow.StructOf(arrow.Field{Name: "ts", Type: arrow.PrimitiveTypes.Int64, Nullable: true}),
	}[typ]}
	if has {
		f.Metadata = arrow.NewMetadata([]string{defaultKey}, []string{def})
	}
	return f
}

func (sc *script) parseRows(t *testing.T, d *datadriven.TestData) {
	var to *[][]string
	for _, line := range strings.Split(d.Input, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case line[0] == ' ':
			*to = append(*to, words)
		case words[0] == "base":
			sc.has, to = true, &sc.base
		case words[0] == "log" || words[0] == "delete":
			run := scriptRun{}
			if words[0] == "delete" {
				run.kind = Delete
			}
			if len(words) > 1 {
				list := strings.TrimSuffix(strings.TrimPrefix(words[1], "partial=("), ")")
				run.partial = append([]string{sc.schema.Field(0).Name}, strings.Split(list, ",")...)
			}
			sc.runs = append(sc.runs, run)
			to = &sc.runs[len(sc.runs)-1].rows
		default:
			d.Fatalf(t, "line %q is not understood", line)
		}
	}
}

// run merges the script and prints the rows.
func (sc *script) run(t *testing.T, o Options, sorted bool) string {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	in := sc.input
	in.Schema, in.Rules, in.EmitDeletes, in.Sorted = sc.schema, sc.rules, sc.emit, sorted
	for i := range sc.schema.NumFields() {
		in.Output = append(in.Output, i)
	}
	if sc.has {
		in.Base = func(_ context.Context, columns []int, _ bool) (batch.Reader, error) {
			var fields []arrow.Field
			for _, c := range columns {
				fields = append(fields, sc.schema.Field(c))
			}
			return scriptReader(mem, arrow.NewSchema(fields, nil), sc.base, columns)
		}
	}
	for i, run := range sc.runs {
		in.Runs = append(in.Runs, sc.makeRun(mem, fmt.Sprintf("run %d", i+1), run))
	}
	o.Allocator, o.SpillDir = mem, t.TempDir()
	rd, err := Merge(context.Background(), in, o)
	if err != nil {
		return "error: " + err.Error()
	}
	recs, err := batch.Collect(rd)
	if err != nil {
		return "error: " + err.Error()
	}
	var lines []string
	for _, rec := range recs {
		for i := range int(rec.NumRows()) {
			var words []string
			for _, c := range rec.Columns() {
				word := c.ValueStr(i)
				if c.IsNull(i) {
					word = "-"
				}
				words = append(words, word)
			}
			lines = append(lines, strings.Join(words, " "))
		}
		rec.Release()
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func (sc *script) makeRun(mem memory.Allocator, name string, run scriptRun) Run {
	r := Run{Kind: run.kind, Name: name}
	if run.kind == Delete {
		fields := []arrow.Field{sc.schema.Field(0)}
		for _, o := range sc.rules.Ordering {
			f := arrow.Field{Name: o, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
			if i := fieldIndex(sc.schema, o); i >= 0 {
				f = sc.schema.Field(i)
			}
			fields = append(fields, f)
		}
		fields = append(fields, arrow.Field{Name: OtherClassColumn, Type: arrow.FixedWidthTypes.Boolean})
		var rows [][]string
		for _, row := range run.rows {
			other := "false"
			if row[len(row)-1] == "other" {
				other, row = "true", row[:len(row)-1]
			}
			for len(row) < len(fields)-1 {
				row = append(row, "-")
			}
			rows = append(rows, append(row[:len(row):len(row)], other))
		}
		r.Open = func(context.Context) (batch.Reader, error) {
			return scriptReader(mem, arrow.NewSchema(fields, nil), rows, nil)
		}
		return r
	}
	rows := run.rows
	if run.partial != nil {
		r.Present = make([]bool, sc.schema.NumFields())
		rows = nil
		for range run.rows {
			rows = append(rows, strings.Fields(strings.Repeat("- ", sc.schema.NumFields())))
		}
		for i, name := range run.partial {
			c := fieldIndex(sc.schema, name)
			r.Present[c] = true
			for k, row := range run.rows {
				rows[k][c] = row[i]
			}
		}
	}
	r.Open = func(context.Context) (batch.Reader, error) { return scriptReader(mem, sc.schema, rows, nil) }
	return r
}

// scriptReader makes one batch per row, so that batch borders are everywhere.
func scriptReader(mem memory.Allocator, schema *arrow.Schema, rows [][]string, columns []int) (batch.Reader, error) {
	var recs []arrow.RecordBatch
	for _, row := range rows {
		b := array.NewRecordBuilder(mem, schema)
		for i := range schema.NumFields() {
			c := i
			if columns != nil {
				c = columns[i]
			}
			word := row[c]
			if s, ok := b.Field(i).(*array.StructBuilder); ok && word != "-" {
				s.Append(true)
				n, err := strconv.ParseInt(word, 10, 64)
				if err != nil {
					return nil, err
				}
				s.FieldBuilder(0).(*array.Int64Builder).Append(n)
				continue
			}
			if word == "-" {
				b.Field(i).AppendNull()
			} else if err := b.Field(i).AppendValueFromString(word); err != nil {
				return nil, err
			}
		}
		recs = append(recs, b.NewRecordBatch())
		b.Release()
	}
	return batch.FromSlice(schema, recs), nil
}
