package mergeread

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/keygen"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/schema"
)

// target is the schema that a file is asked for.
type target = *arrow.Schema

// layout is the working schema of a job: the output columns, the columns that
// the rules look at, and the record key, which is computed from its fields
// where the table does not store it.
type layout struct {
	mem       memory.Allocator
	working   *arrow.Schema
	key       int
	output    []int
	computed  bool // the key is not in the files
	keys      keygen.Spec
	keyFields []arrow.Field // top-level columns that the computed key needs
}

func newLayout(env *scan.Env, rules Rules) (layout, error) {
	table := env.Job.Schema.Schema
	l := layout{mem: env.Allocator, keys: env.Keys, key: -1}
	var fields []arrow.Field
	index := map[string]int{}
	add := func(f arrow.Field) int {
		if i, ok := index[f.Name]; ok {
			return i
		}
		index[f.Name] = len(fields)
		fields = append(fields, f)
		return len(fields) - 1
	}
	for _, f := range env.Output.Fields() {
		l.output = append(l.output, add(f))
	}
	for _, c := range rules.Columns(table) {
		i, _ := schema.Lookup(table, c)
		add(table.Field(i))
	}
	if i, ok := schema.Lookup(table, schema.RecordKeyColumn); ok && env.Config.PopulateMeta {
		l.key = add(table.Field(i))
	} else if err := l.computeKey(env, add); err != nil {
		return layout{}, err
	}
	l.working = arrow.NewSchema(fields, nil)
	return l, nil
}

func (l *layout) computeKey(env *scan.Env, add func(arrow.Field) int) error {
	if len(env.Config.RecordKeys) == 0 {
		return fmt.Errorf("the table stores no record keys (hoodie.populate.meta.fields=false) and names no key fields (hoodie.table.recordkey.fields): its logs can't be merged; read it with read_optimized")
	}
	l.computed = true
	for _, k := range env.Config.RecordKeys {
		i, ok := schema.Lookup(env.Job.Schema.Schema, top(k))
		if !ok {
			return fmt.Errorf("record key field %q (hoodie.table.recordkey.fields) is no column of the table", k)
		}
		l.keyFields = append(l.keyFields, env.Job.Schema.Field(i))
	}
	l.key = add(arrow.Field{Name: schema.RecordKeyColumn, Type: arrow.BinaryTypes.String})
	return nil
}

// open reads columns of the working schema from a file that open opens with
// the schema it is asked for. With position, the file's last column is
// PositionColumn and stays last.
func (l *layout) open(columns []int, position bool, open func(target) (batch.Reader, error)) (batch.Reader, error) {
	var asked, out []arrow.Field
	keyed := -1
	for i, c := range columns {
		f := l.working.Field(c)
		out = append(out, f)
		if l.computed && c == l.key {
			keyed = i
			continue
		}
		asked = append(asked, f)
	}
	if keyed < 0 {
		return open(arrow.NewSchema(asked, nil))
	}
	stored := len(asked)
	for _, f := range l.keyFields {
		if fieldIndex(arrow.NewSchema(asked, nil), f.Name) < 0 {
			asked = append(asked, f)
		}
	}
	in, err := open(arrow.NewSchema(asked, nil))
	if err != nil {
		return nil, err
	}
	if position {
		out = append(out, in.Schema().Field(in.Schema().NumFields()-1))
	}
	return &keyedReader{in: in, layout: l, schema: arrow.NewSchema(out, nil), stored: stored, keyed: keyed, position: position}, nil
}

// keyedReader puts the computed key among the columns read.
type keyedReader struct {
	in       batch.Reader
	layout   *layout
	schema   *arrow.Schema
	stored   int // columns of in that are passed on
	keyed    int // place of the key in schema
	position bool
}

func (r *keyedReader) Schema() *arrow.Schema { return r.schema }
func (r *keyedReader) Close() error          { return r.in.Close() }

// Rows implements [batch.Counter].
func (r *keyedReader) Rows() (n int64, known bool) { return batch.Rows(r.in) }

func (r *keyedReader) Next() (arrow.RecordBatch, error) {
	b, err := r.in.Next()
	if err != nil {
		return nil, err
	}
	defer b.Release()
	parts := make([]arrow.Array, len(r.layout.keys.KeyFields))
	for i, path := range r.layout.keys.KeyFields {
		if parts[i], err = resolve(b, path); err != nil {
			return nil, err
		}
	}
	key, err := r.layout.keys.RecordKeys(r.layout.mem, parts, int(b.NumRows()))
	if err != nil {
		return nil, err
	}
	defer key.Release()
	cols := append([]arrow.Array{}, b.Columns()[:r.stored]...)
	cols = append(cols[:r.keyed], append([]arrow.Array{key}, cols[r.keyed:]...)...)
	if r.position {
		cols = append(cols, b.Column(int(b.NumCols())-1))
	}
	return array.NewRecordBatch(r.schema, cols, b.NumRows()), nil
}

// resolve finds a column by its dotted path. The answer is borrowed from b.
func resolve(b arrow.RecordBatch, path string) (arrow.Array, error) {
	name, rest, nested := strings.Cut(path, ".")
	i, ok := schema.Lookup(b.Schema(), name)
	if !ok {
		return nil, fmt.Errorf("column %q is missing", path)
	}
	a := b.Column(i)
	for nested {
		s, ok := a.(*array.Struct)
		if !ok {
			return nil, fmt.Errorf("column %q: %s is no struct", path, name)
		}
		name, rest, nested = strings.Cut(rest, ".")
		at, ok := s.DataType().(*arrow.StructType).FieldIdx(name)
		if !ok {
			return nil, fmt.Errorf("column %q has no field %s", path, name)
		}
		a = s.Field(at)
	}
	return a, nil
}
