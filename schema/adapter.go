package schema

import (
	"fmt"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// A PromotionError says that a file's column can't be read as the type that
// the table has for it.
type PromotionError struct {
	Column   string // dotted path
	From, To arrow.DataType
}

func (e *PromotionError) Error() string {
	return fmt.Sprintf("column %s: the file has type %s, which can't be read as the table's %s", e.Column, e.From, e.To)
}

// AdapterOptions say what an [Adapter] needs to know beside the two schemas.
type AdapterOptions struct {
	// Constants are texts of columns that a file lacks since their values
	// stand in the partition path; a nil text is null.
	Constants map[string]*string
	// PathWins takes Constants even where the file has the column: tables that
	// drop partition columns have files with nulls in their place.
	PathWins bool
	// Allocator is where adapted arrays live; nil is Go memory.
	Allocator memory.Allocator
}

// An Adapter turns batches of a file's schema into batches of a target schema.
// It is immutable and safe for concurrent use.
type Adapter struct {
	target  *arrow.Schema
	mem     memory.Allocator
	columns []adapted
	needed  []string // file columns, in file order
}

// adapted says where one target column comes from: a file column (by position
// among the needed ones) through convert, or fill.
type adapted struct {
	source  int
	convert converter // nil: as it is
	fill    func(mem memory.Allocator, n int) (arrow.Array, error)
}

// A converter gives a new array of the target's type. It does not consume its
// argument.
type converter func(mem memory.Allocator, a arrow.Array) (arrow.Array, error)

// NewAdapter compiles the way from a file's schema to a target schema. Fields
// are matched by column id where the target and some field beside it in the
// file have ids, else by name. It fails with a [*PromotionError] where Hudi
// does not promote the types.
func NewAdapter(file, target *arrow.Schema, o AdapterOptions) (*Adapter, error) {
	a := &Adapter{target: target, mem: o.Allocator}
	if a.mem == nil {
		a.mem = memory.DefaultAllocator
	}
	sources := make([]int, target.NumFields())
	used := map[int]bool{}
	for i, t := range target.Fields() {
		sources[i] = match(file.Fields(), t)
		if _, ok := o.Constants[t.Name]; ok && o.PathWins {
			sources[i] = -1
		}
		if sources[i] >= 0 {
			used[sources[i]] = true
		}
	}
	order := make([]int, 0, len(used))
	for i := range used {
		order = append(order, i)
	}
	sort.Ints(order)
	place := map[int]int{}
	for n, i := range order {
		place[i] = n
		a.needed = append(a.needed, file.Field(i).Name)
	}
	for i, t := range target.Fields() {
		c := adapted{source: -1}
		var err error
		if sources[i] < 0 {
			c.fill, err = filler(t, o.Constants)
		} else {
			c.source = place[sources[i]]
			c.convert, err = compile(t.Name, file.Field(sources[i]).Type, t.Type)
		}
		if err != nil {
			return nil, err
		}
		a.columns = append(a.columns, c)
	}
	return a, nil
}

// match finds the file's field for a target field, -1 if there is none.
func match(file []arrow.Field, t arrow.Field) int {
	if id, ok := fieldID(t); ok {
		known := false
		for i, f := range file {
			if fid, ok := fieldID(f); ok {
				if known = true; fid == id {
					return i
				}
			}
		}
		if known && !IsMeta(t.Name) {
			return -1
		}
	}
	if i, ok := lookup(file, t.Name); ok {
		return i
	}
	return -1
}

// Schema is the schema of the batches that Adapt gives.
func (a *Adapter) Schema() *arrow.Schema { return a.target }

// FileColumns are the top-level columns to be read from the file, in the
// file's order: the columns that batches given to Adapt must have.
func (a *Adapter) FileColumns() []string { return a.needed }

// Missing reports whether target column i is not in the file.
func (a *Adapter) Missing(i int) bool { return a.columns[i].source < 0 }

// Distinct reports whether no file column stands for two target columns, which
// would share memory.
func (a *Adapter) Distinct() bool {
	used := 0
	for _, c := range a.columns {
		if c.source >= 0 {
			used++
		}
	}
	return used == len(a.needed)
}

// Identity reports whether batches of exactly FileColumns are in the target
// schema already, metadata aside.
func (a *Adapter) Identity() bool {
	for i, c := range a.columns {
		if c.source != i || c.convert != nil {
			return false
		}
	}
	return true
}

// Adapt gives b, whose columns are FileColumns in order, in the target schema.
// It does not consume b; unchanged columns are shared.
func (a *Adapter) Adapt(b arrow.RecordBatch) (arrow.RecordBatch, error) {
	n := int(b.NumRows())
	cols := make([]arrow.Array, 0, len(a.columns))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range a.columns {
		col, err := c.column(a.mem, b, n)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", a.target.Field(i).Name, err)
		}
		cols = append(cols, col)
	}
	return array.NewRecordBatch(a.target, cols, int64(n)), nil
}

func (c *adapted) column(mem memory.Allocator, b arrow.RecordBatch, n int) (arrow.Array, error) {
	switch {
	case c.source < 0:
		return c.fill(mem, n)
	case c.convert == nil:
		col := b.Column(c.source)
		col.Retain()
		return col, nil
	default:
		return c.convert(mem, b.Column(c.source))
	}
}

// compile gives the converter from one type to another, nil where nothing is
// to be done.
func compile(path string, from, to arrow.DataType) (converter, error) {
	if sameType(from, to) {
		return nil, nil
	}
	switch t := to.(type) {
	case *arrow.StructType:
		if f, ok := from.(*arrow.StructType); ok {
			return compileStruct(path, f, t)
		}
	case *arrow.ListType:
		if f, ok := from.(*arrow.ListType); ok {
			elem, err := compile(path+".element", f.Elem(), t.Elem())
			return listConverter(t, elem), err
		}
	case *arrow.MapType:
		if f, ok := from.(*arrow.MapType); ok {
			return compileMap(path, f, t)
		}
	}
	if c := cast(from, to); c != nil {
		return c, nil
	}
	return nil, &PromotionError{Column: path, From: from, To: to}
}

// sameType compares types, nested names and nullability included, metadata
// not.
func sameType(a, b arrow.DataType) bool {
	if a.ID() != b.ID() {
		return false
	}
	same := func(x, y arrow.Field) bool {
		return x.Name == y.Name && x.Nullable == y.Nullable && sameType(x.Type, y.Type)
	}
	switch x := a.(type) {
	case *arrow.StructType:
		y := b.(*arrow.StructType)
		if x.NumFields() != y.NumFields() {
			return false
		}
		for i := range x.Fields() {
			if !same(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case *arrow.ListType:
		return same(x.ElemField(), b.(*arrow.ListType).ElemField())
	case *arrow.MapType:
		y := b.(*arrow.MapType)
		return same(x.KeyField(), y.KeyField()) && same(x.ItemField(), y.ItemField())
	}
	return arrow.TypeEqual(a, b)
}

func compileStruct(path string, from, to *arrow.StructType) (converter, error) {
	type child struct {
		source  int
		convert converter
		field   arrow.Field
	}
	children := make([]child, to.NumFields())
	for i, f := range to.Fields() {
		c := child{source: match(from.Fields(), f), field: f}
		if c.source >= 0 {
			var err error
			if c.convert, err = compile(path+"."+f.Name, from.Field(c.source).Type, f.Type); err != nil {
				return nil, err
			}
		}
		children[i] = c
	}
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		s := a.(*array.Struct)
		data := make([]arrow.ArrayData, 0, len(children))
		defer releaseAll(&data)
		for _, c := range children {
			if c.source < 0 {
				n := batch.Nulls(mem, c.field.Type, s.Len())
				data = append(data, retained(n))
				n.Release()
				continue
			}
			f := s.Field(c.source)
			if c.convert == nil {
				data = append(data, retained(f))
				continue
			}
			conv, err := c.convert(mem, f)
			if err != nil {
				return nil, err
			}
			data = append(data, retained(conv))
			conv.Release()
		}
		return rebuild(mem, a, to, data), nil
	}, nil
}

func listConverter(to arrow.DataType, elem converter) converter {
	return func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		values := a.(array.ListLike).ListValues()
		data := []arrow.ArrayData{}
		defer releaseAll(&data)
		if elem == nil {
			data = append(data, retained(values))
		} else {
			conv, err := elem(mem, values)
			if err != nil {
				return nil, err
			}
			data = append(data, retained(conv))
			conv.Release()
		}
		return relabel(a, to, data), nil
	}
}

// compileMap treats a map as the list of structs that it is in memory.
func compileMap(path string, from, to *arrow.MapType) (converter, error) {
	// keys and values are matched by their place, whatever they are called
	fe := arrow.StructOf(
		arrow.Field{Name: "key", Type: from.KeyType()},
		arrow.Field{Name: "value", Type: from.ItemType(), Nullable: true})
	te := arrow.StructOf(
		arrow.Field{Name: "key", Type: to.KeyType()},
		arrow.Field{Name: "value", Type: to.ItemType(), Nullable: true})
	var entries converter
	if !sameType(from.Elem(), to.Elem()) {
		var err error
		if entries, err = compileStruct(path, fe, te); err != nil {
			return nil, err
		}
		inner, elem := entries, to.Elem()
		entries = func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
			c, err := inner(mem, a)
			if err != nil {
				return nil, err
			}
			defer c.Release()
			return relabel(c, elem, childData(c)), nil
		}
	}
	return listConverter(to, entries), nil
}

func childData(a arrow.Array) []arrow.ArrayData { return a.Data().Children() }

// relabel gives a's buffers, offset and length under another type with other
// children.
func relabel(a arrow.Array, t arrow.DataType, children []arrow.ArrayData) arrow.Array {
	d := a.Data()
	nd := array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	defer nd.Release()
	return array.MakeFromData(nd)
}

// rebuild gives a struct of children that begin at the struct's first row: its
// own validity moves to offset 0.
func rebuild(mem memory.Allocator, a arrow.Array, t arrow.DataType, children []arrow.ArrayData) arrow.Array {
	var valid *memory.Buffer
	if a.NullN() > 0 {
		valid = validity(mem, a)
		defer valid.Release()
	}
	nd := array.NewData(t, a.Len(), []*memory.Buffer{valid}, children, a.NullN(), 0)
	defer nd.Release()
	return array.MakeFromData(nd)
}

func retained(a arrow.Array) arrow.ArrayData {
	d := a.Data()
	d.Retain()
	return d
}

func releaseAll(data *[]arrow.ArrayData) {
	for _, d := range *data {
		d.Release()
	}
}
