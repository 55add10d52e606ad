package mergeread

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// The model is a second, naive merge: maps of whole records, written from the
// description of the merge modes alone. The real paths are tested against it.

// A modelRec is one record; a nil ordering value is a null.
type modelRec struct {
	key     string
	ord     []*int
	filled  []*int         // the ordering columns' values where they came from another record
	row     map[string]any // all columns but key and ordering fields
	present map[string]bool
	del     bool // row flagged as deleted, or delete entry
	entry   bool // entry of a delete block
	other   bool // ordering value of another class
}

func (r modelRec) shown() []*int {
	if r.filled != nil {
		return r.filled
	}
	return r.ord
}

type modelRun struct {
	kind    Kind
	recs    []modelRec
	pos     []int64
	present map[string]bool
}

type modelSlice struct {
	schema  *arrow.Schema
	rules   Rules
	ordKind string // how ordering values are stored: int32, int64, string ...
	base    []modelRec
	hasBase bool
	runs    []modelRun
	// defaults are the columns' default values where not null.
	defaults map[string]any
}

func (m *modelSlice) isDefault(r modelRec) bool {
	if r.other {
		return true
	}
	if len(r.ord) == 1 {
		return r.ord[0] == nil || m.ordKind == "int32" && *r.ord[0] == 0
	}
	nulls := 0
	for _, o := range r.ord {
		if o == nil {
			nulls++
		}
	}
	return nulls == len(r.ord) || r.entry && nulls > 0
}

func (m *modelSlice) commitTimeDelete(r modelRec) bool { return r.del && m.isDefault(r) }

func (m *modelSlice) compare(a, b modelRec) int {
	for i := range a.ord {
		x, y := a.ord[i], b.ord[i]
		if m.ordKind == "string" {
			switch {
			case x == nil && y == nil:
				continue
			case x == nil:
				return -1
			case y == nil:
				return 1
			}
		}
		xv, yv := 0, 0
		if x != nil {
			xv = *x
		}
		if y != nil {
			yv = *y
		}
		if xv != yv {
			if xv < yv {
				return -1
			}
			return 1
		}
	}
	return 0
}

func (m *modelSlice) sameClass(a, b modelRec) bool {
	for i := range a.ord {
		if m.ordKind != "int32" && (a.ord[i] == nil) != (b.ord[i] == nil) {
			return false
		}
	}
	return true
}

// fill makes the record with high's columns, low's where high gives way.
func (m *modelSlice) fill(high, low modelRec, blockPartial bool) modelRec {
	if high.del || low.del {
		return high
	}
	out := high
	out.row = map[string]any{}
	if blockPartial {
		if high.present == nil {
			return high
		}
		out.present = map[string]bool{}
		maps.Copy(out.present, high.present)
		if low.present == nil {
			out.present = nil
		} else {
			for c, has := range low.present {
				out.present[c] = out.present[c] || has
			}
		}
		for c := range high.row {
			out.row[c] = high.row[c]
			if !high.present[c] {
				out.row[c] = low.row[c]
			}
		}
		return out
	}
	if m.rules.Partial == IgnoreDefaults {
		out.filled = slices.Clone(high.shown())
		for i, v := range out.filled {
			if v == nil {
				out.filled[i] = low.shown()[i]
			}
		}
	}
	for c, v := range high.row {
		gives := false
		switch m.rules.Partial {
		case IgnoreDefaults:
			gives = v == nil
			if d, ok := m.defaults[c]; ok {
				gives = v == d
			}
		case FillUnavailable:
			gives = v == m.rules.Unavailable
		}
		if gives {
			v = low.row[c]
		}
		out.row[c] = v
	}
	return out
}

func (m *modelSlice) combine(high, low modelRec, blockPartial bool) modelRec {
	if blockPartial || m.rules.Partial != WholeRecord {
		return m.fill(high, low, blockPartial)
	}
	return high
}

// delta merges a newer log record into the state of its key.
func (m *modelSlice) delta(old, rec modelRec, blockPartial bool) modelRec {
	if m.rules.Mode == Custom {
		return m.payload(old, rec)
	}
	if m.rules.Mode == CommitTime {
		return m.combine(rec, old, blockPartial)
	}
	if rec.entry {
		if m.commitTimeDelete(old) {
			return old
		}
		if !m.isDefault(rec) && m.sameClass(old, rec) && m.compare(old, rec) > 0 {
			return old
		}
		return rec
	}
	if m.commitTimeDelete(rec) || m.commitTimeDelete(old) || m.compare(rec, old) >= 0 {
		return m.combine(rec, old, blockPartial)
	}
	return m.combine(old, rec, blockPartial)
}

func (m *modelSlice) final(base, log modelRec, blockPartial bool) modelRec {
	if m.rules.Mode == Custom {
		return m.payload(base, log)
	}
	if m.rules.Mode == EventTime && !m.commitTimeDelete(log) && m.compare(base, log) > 0 {
		return m.combine(base, log, blockPartial)
	}
	return m.combine(log, base, blockPartial)
}

// payload merges as the payload classes do that take columns of both records.
func (m *modelSlice) payload(old, rec modelRec) modelRec {
	if rec.del || old.entry || m.commitTimeDelete(old) {
		return rec
	}
	if m.rules.Payload == "OverwriteNonDefaultsWithLatestAvroPayload" {
		return m.over(rec, old, m.defaults)
	}
	// PartialUpdateAvroPayload
	ordered := slices.ContainsFunc(old.ord, func(o *int) bool { return o != nil })
	if !ordered || !m.sameClass(old, rec) || m.compare(old, rec) <= 0 {
		return m.over(rec, old, nil)
	}
	if old.del {
		return old
	}
	out := m.over(old, rec, nil)
	out.row["_hoodie_commit_time"] = rec.row["_hoodie_commit_time"]
	return out
}

// over fills the defaults among high's values, nulls where defaults has none.
func (m *modelSlice) over(high, low modelRec, defaults map[string]any) modelRec {
	out := high
	out.row = map[string]any{}
	for c, v := range high.row {
		out.row[c] = v
		if v == defaults[c] {
			out.row[c] = low.row[c]
		}
	}
	out.filled = slices.Clone(high.shown())
	for i, v := range out.filled {
		if v == nil {
			out.filled[i] = low.shown()[i]
		}
	}
	return out
}

// merged is the answer: the rows that come out, deletes among them, as
// canonical JSON in no particular order.
func (m *modelSlice) merged(output []string, emitDeletes bool) []string {
	logs := map[string]*modelRec{}
	var order []string
	partial := false
	for _, run := range m.runs {
		partial = partial || run.present != nil
		for _, rec := range run.recs {
			if run.present != nil {
				rec.present = run.present
			}
			old, ok := logs[rec.key]
			if !ok {
				logs[rec.key] = &rec
				order = append(order, rec.key)
				continue
			}
			n := m.delta(*old, rec, partial)
			logs[rec.key] = &n
		}
	}
	var out []modelRec
	for _, b := range m.base {
		b.del = false // the flag counts in logs alone
		if l := logs[b.key]; l != nil {
			out = append(out, m.final(b, *l, partial))
			delete(logs, b.key)
			continue
		}
		out = append(out, b)
	}
	for _, k := range order {
		if l := logs[k]; l != nil {
			out = append(out, *l)
			delete(logs, k)
		}
	}
	var rows []string
	for _, r := range out {
		if !r.del || emitDeletes {
			rows = append(rows, m.json(r, output, emitDeletes))
		}
	}
	sort.Strings(rows)
	return rows
}

// object is a record as a JSON object over the given columns.
func (m *modelSlice) object(r modelRec, columns []string) map[string]any {
	obj := map[string]any{}
	for _, c := range columns {
		switch {
		case c == "key":
			obj[c] = r.key
		case strings.HasPrefix(c, "ts"):
			obj[c] = nil
			if r.entry && m.rules.Mode == CommitTime {
				continue // the merge doesn't look at them
			}
			if i := slices.Index(m.rules.Ordering, c); i >= 0 && i < len(r.ord) && r.shown()[i] != nil {
				obj[c] = ordJSON(m.ordKind, *r.shown()[i])
			}
		default:
			obj[c] = r.row[c]
			if r.present != nil && !r.present[c] {
				obj[c] = nil
			}
		}
	}
	return obj
}

func (m *modelSlice) json(r modelRec, output []string, emitDeletes bool) string {
	obj := m.object(r, output)
	if emitDeletes {
		obj[DeletedColumn] = r.del
	}
	return canonical(obj)
}

func canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var again any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&again); err != nil {
		panic(err)
	}
	b, _ = json.Marshal(again)
	return string(b)
}

func ordJSON(kind string, v int) any {
	switch kind {
	case "string":
		return fmt.Sprintf("%04d", v+1000)
	case "decimal":
		return fmt.Sprint(v)
	}
	return v
}

func ordType(kind string) arrow.DataType {
	switch kind {
	case "int32":
		return arrow.PrimitiveTypes.Int32
	case "string":
		return arrow.BinaryTypes.String
	case "decimal":
		return &arrow.Decimal128Type{Precision: 20, Scale: 2}
	case "float64":
		return arrow.PrimitiveTypes.Float64
	}
	return arrow.PrimitiveTypes.Int64
}

// columnNames are all columns of the working schema.
func (m *modelSlice) columnNames() []string {
	var names []string
	for _, f := range m.schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// A sliceInput turns a model slice into an Input over mem.
type sliceInput struct {
	m      *modelSlice
	mem    memory.Allocator
	rows   int // per batch
	opened int
	owned  bool // base batches belong to the merge: they are parts of one array
}

func (si *sliceInput) input(output []string, emitDeletes bool) Input {
	m := si.m
	in := Input{Schema: m.schema, Key: fieldIndex(m.schema, "key"), Rules: m.rules, EmitDeletes: emitDeletes}
	for _, c := range output {
		in.Output = append(in.Output, fieldIndex(m.schema, c))
	}
	if m.hasBase {
		in.Base = si.base
	}
	for i := range m.runs {
		run := &m.runs[i]
		r := Run{Kind: run.kind, Name: fmt.Sprintf("run-%d", i), Instant: fmt.Sprint(i), Positions: run.pos}
		if run.present != nil {
			r.Present = make([]bool, m.schema.NumFields())
			for c, f := range m.schema.Fields() {
				r.Present[c] = f.Name == "key" || strings.HasPrefix(f.Name, "ts") || run.present[f.Name]
			}
		}
		r.Open = func(context.Context) (batch.Reader, error) { return si.run(run) }
		if run.kind == Data && si.rows%2 == 0 { // so that both ways are taken
			r.Some = func(_ context.Context, columns []int) (batch.Reader, error) { return si.some(run, columns) }
		}
		in.Runs = append(in.Runs, r)
	}
	return in
}

func (si *sliceInput) base(_ context.Context, columns []int, position bool) (batch.Reader, error) {
	si.opened++
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, si.m.schema.Field(c))
	}
	if position {
		fields = append(fields, arrow.Field{Name: PositionColumn, Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	var objs []map[string]any
	for i, r := range si.m.base {
		obj := si.m.object(r, si.m.columnNames())
		for k := range obj {
			if fieldIndex(schema, k) < 0 {
				delete(obj, k)
			}
		}
		if position {
			obj[PositionColumn] = i
		}
		objs = append(objs, obj)
	}
	if si.owned {
		return si.parts(schema, objs)
	}
	return si.reader(schema, objs)
}

// parts gives the batches of reader as slices of one.
func (si *sliceInput) parts(schema *arrow.Schema, objs []map[string]any) (batch.Reader, error) {
	one := *si
	one.rows = len(objs)
	rd, err := one.reader(schema, objs)
	if err != nil {
		return nil, err
	}
	whole, err := batch.Collect(rd)
	if err != nil {
		return nil, err
	}
	var recs []arrow.RecordBatch
	for _, rec := range whole {
		for at := int64(0); at < rec.NumRows(); at += int64(si.rows) {
			recs = append(recs, rec.NewSlice(at, min(at+int64(si.rows), rec.NumRows())))
		}
		rec.Release()
	}
	return ownedReader{batch.FromSlice(schema, recs)}, nil
}

// ownedReader gives its batches away for good.
type ownedReader struct{ batch.Reader }

func (ownedReader) Owned() bool { return true }

func (si *sliceInput) run(run *modelRun) (batch.Reader, error) {
	m := si.m
	var objs []map[string]any
	if run.kind == Data {
		for _, r := range run.recs {
			r.present = run.present
			objs = append(objs, m.object(r, m.columnNames()))
		}
		return si.reader(m.schema, objs)
	}
	fields := []arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}
	for _, o := range m.rules.Ordering {
		fields = append(fields, arrow.Field{Name: o, Type: ordType(m.ordKind), Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: OtherClassColumn, Type: arrow.FixedWidthTypes.Boolean})
	for _, r := range run.recs {
		obj := m.object(r, append([]string{"key"}, m.rules.Ordering...))
		obj[OtherClassColumn] = r.other
		objs = append(objs, obj)
	}
	return si.reader(arrow.NewSchema(fields, nil), objs)
}

// some is run with some columns.
func (si *sliceInput) some(run *modelRun, columns []int) (batch.Reader, error) {
	rd, err := si.run(run)
	if err != nil {
		return nil, err
	}
	all, err := batch.Collect(rd)
	if err != nil {
		return nil, err
	}
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, si.m.schema.Field(c))
	}
	schema := arrow.NewSchema(fields, nil)
	for i, b := range all {
		var cols []arrow.Array
		for _, c := range columns {
			cols = append(cols, b.Column(c))
		}
		all[i] = array.NewRecordBatch(schema, cols, b.NumRows())
		b.Release()
	}
	return batch.FromSlice(schema, all), nil
}

func (si *sliceInput) reader(schema *arrow.Schema, objs []map[string]any) (batch.Reader, error) {
	var recs []arrow.RecordBatch
	for part := range slices.Chunk(objs, max(si.rows, 1)) {
		text, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		rec, _, err := array.RecordFromJSON(si.mem, schema, bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		recs = append(recs, rec)
	}
	return batch.FromSlice(schema, recs), nil
}

// rowsOf reads all rows as canonical JSON.
func rowsOf(t testing.TB, rd batch.Reader) []string {
	t.Helper()
	recs, err := batch.Collect(rd)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, rec := range recs {
		if !rec.Schema().Equal(rd.Schema()) {
			t.Fatalf("batch of schema %s, want %s", rec.Schema(), rd.Schema())
		}
		rows = append(rows, recordRows(t, rec)...)
		rec.Release()
	}
	return rows
}

func recordRows(t testing.TB, rec arrow.RecordBatch) []string {
	t.Helper()
	for i, c := range rec.Columns() {
		if v, ok := c.(interface{ ValidateFull() error }); ok {
			if err := v.ValidateFull(); err != nil {
				t.Fatalf("column %s: %v", rec.ColumnName(i), err)
			}
		}
	}
	text, err := rec.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var objs []any
	if err := d.Decode(&objs); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, o := range objs {
		rows = append(rows, canonical(o))
	}
	return rows
}
