package provider_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
)

// TestNativeCDC puts native CDC files of each logging mode in the place of
// inline ones. All modes tell the same.
func TestNativeCDC(t *testing.T) {
	for _, name := range []string{"v9/cdc_op_key_only_cow", "v8/cdc_op_key_only_mor", "v6/cdc_op_key_only_cow"} {
		dir := tabletest.Open(t, name)
		table, err := provider.Open(t.Context(), dir, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := table.Plan(t.Context(), provider.Query{Type: provider.CDC})
		if err != nil {
			t.Fatal(err)
		}
		logged := 0
		for i, task := range plan.Tasks {
			if len(task.Change.Logged) == 0 {
				continue
			}
			logged++
			want := readTask(t, plan, i)
			for mode, file := range nativeCDC(t, want, dir, path.Dir(task.Change.Logged[0])) {
				part := *plan
				part.Tasks = slices.Clone(plan.Tasks)
				change := *task.Change
				change.Logged = []string{file}
				part.Tasks[i].Change = &change
				got := readTask(t, &part, i)
				if d := textOf(want).diff(textOf(got), false); d != "" {
					t.Errorf("%s, task %d, mode %s: %s", name, i, mode, d)
				}
				got.Release()
			}
			want.Release()
		}
		if logged == 0 {
			t.Errorf("%s has no CDC files", name)
		}
	}
}

// readTask gives the rows of one task as one batch.
func readTask(t *testing.T, p *provider.Plan, task int) arrow.RecordBatch {
	t.Helper()
	r, err := provider.Read(t.Context(), p, nil, scan.Options{}, task)
	if err != nil {
		t.Fatal(err)
	}
	var all []arrow.RecordBatch
	for b, err := range r.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		all = append(all, b)
	}
	columns := make([]arrow.Array, r.Schema().NumFields())
	rows := int64(0)
	for c := range columns {
		parts := make([]arrow.Array, len(all))
		for i, b := range all {
			parts[i] = b.Column(c)
		}
		if columns[c], err = array.Concatenate(parts, memory.DefaultAllocator); err != nil {
			t.Fatal(err)
		}
		rows = int64(columns[c].Len())
	}
	return array.NewRecordBatch(r.Schema(), columns, rows)
}

func textOf(b arrow.RecordBatch) answerRows {
	a := newRows(b.Schema())
	a.add(b)
	sort.Strings(a.rows)
	return a
}

// nativeCDC writes a change as native CDC files, one of each mode.
func nativeCDC(t *testing.T, b arrow.RecordBatch, dir, partition string) map[string]string {
	t.Helper()
	op, before, after := b.Column(0).(*array.String), b.Column(2).(*array.Struct), b.Column(3).(*array.Struct)
	keys := array.NewStringBuilder(memory.DefaultAllocator)
	defer keys.Release()
	for i := range int(b.NumRows()) {
		s := after
		if op.Value(i) == "d" {
			s = before
		}
		id, _ := s.DataType().(*arrow.StructType).FieldIdx("id")
		keys.Append(strings.Clone(s.Field(id).ValueStr(i)))
	}
	key := keys.NewArray()
	keyField := arrow.Field{Name: "record_key", Type: arrow.BinaryTypes.String}
	f := b.Schema().Field
	files := map[string]string{}
	for mode, part := range map[string]struct {
		fields  []arrow.Field
		columns []arrow.Array
	}{
		"DATA_BEFORE_AFTER": {b.Schema().Fields(), b.Columns()},
		"DATA_BEFORE":       {[]arrow.Field{f(0), keyField, f(2)}, []arrow.Array{op, key, before}},
		"OP_KEY_ONLY":       {[]arrow.Field{f(0), keyField}, []arrow.Array{op, key}},
	} {
		file := path.Join(partition, "00000000-0000-0000-0000-000000000000-0_0-1-2_20240101000000000_1.cdc.parquet")
		file = strings.Replace(file, "0000-0_", mode[len(mode)-4:]+"-0_", 1)
		file = strings.ReplaceAll(file, "_ONLY", "ONLY")
		rec := array.NewRecordBatch(arrow.NewSchema(part.fields, nil), part.columns, b.NumRows())
		out, err := os.Create(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		w, err := pqarrow.NewFileWriter(rec.Schema(), out, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
		if err == nil {
			err = errors.Join(w.Write(rec), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		files[mode] = file
	}
	return files
}
