package pushdown

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrSubstraitPlan is wrapped by the errors of [ReadSubstraitPlan] about plans
// that are well formed and ask more than a scan of one table.
var ErrSubstraitPlan = errors.New("this Substrait plan is more than a scan of one table")

// Field numbers of relations in Rel.
const (
	relRead    = 1
	relFilter  = 2
	relFetch   = 3
	relProject = 7
)

var relNames = map[protowire.Number]string{4: "aggregate", 5: "sort", 6: "join", 8: "set", 9: "extension", 10: "extension", 11: "extension", 12: "cross product", 13: "hash join", 14: "merge join", 15: "exchange", 17: "window"}

// ReadSubstraitPlan reads a serialized plan of one relation: a read of a named
// table, and filters, projections of columns, and at the top a fetch above it.
// Conditions that are not understood become [Opaque].
func ReadSubstraitPlan(b []byte) (*Select, error) {
	top, err := parseMessage(b)
	if err != nil {
		return nil, err
	}
	r := &planReader{substraitReader: substraitReader{functions: map[uint64]string{}, types: map[uint64]string{}}}
	if err := r.declarations(top); err != nil {
		return nil, err
	}
	version, err := top.message(6)
	if err != nil {
		return nil, err
	}
	r.arrow = strings.HasPrefix(string(version.bytes(5)), "Acero")
	relations := top.all(3)
	if len(relations) != 1 {
		return nil, fmt.Errorf("%w: it has %d relations", ErrSubstraitPlan, len(relations))
	}
	relation, err := parseMessage(relations[0])
	if err != nil {
		return nil, err
	}
	rel, names := relation.bytes(1), [][]byte(nil)
	if root := relation.bytes(2); root != nil {
		m, err := parseMessage(root)
		if err != nil {
			return nil, err
		}
		rel, names = m.bytes(1), m.all(2)
	}
	r.out.Limit = -1
	if err := r.relation(rel, 0); err != nil {
		return nil, err
	}
	return r.selection(names)
}

// planReader walks a plan from the read up. Its fields are the columns of the
// relation so far.
type planReader struct {
	substraitReader
	out     Select
	where   And
	fetched bool
}

func (r *planReader) relation(b []byte, depth int) error {
	m, err := parseMessage(b)
	if err != nil {
		return err
	}
	if len(m) == 0 || depth > maxSubstraitDepth {
		return fmt.Errorf("%w: a relation is empty, or nests too deep", ErrSubstrait)
	}
	kind := m[len(m)-1].number
	body, err := m.message(kind)
	if err != nil {
		return err
	}
	if kind != relRead && kind != relFilter && kind != relFetch && kind != relProject {
		name := relNames[kind]
		if name == "" {
			name = fmt.Sprintf("number %d", kind)
		}
		return fmt.Errorf("%w: it has a relation of kind %s", ErrSubstraitPlan, name)
	}
	if kind != relRead {
		if err := r.relation(body.bytes(2), depth+1); err != nil {
			return err
		}
	}
	switch kind {
	case relRead:
		err = r.read(body)
	case relFilter:
		err = r.filter(body.bytes(3))
	case relFetch:
		err = r.fetch(body)
	case relProject:
		err = r.project(body)
	}
	if err != nil {
		return err
	}
	return r.emit(body)
}

func (r *planReader) read(m message) error {
	base, err := m.message(2)
	if err != nil {
		return err
	}
	if r.fields, err = readNamedStruct(base); err != nil {
		return err
	}
	table, err := m.message(7)
	if err != nil {
		return err
	}
	for _, name := range table.all(1) {
		r.out.Table = append(r.out.Table, string(name))
	}
	if n := len(r.out.Table); n == 0 || n > 3 {
		return fmt.Errorf("%w: it reads something else than a named table", ErrSubstraitPlan)
	}
	if err := r.filter(m.bytes(3)); err != nil {
		return err
	}
	return r.mask(m.bytes(4))
}

// mask keeps some columns of a read.
func (r *planReader) mask(b []byte) error {
	if b == nil {
		return nil
	}
	m, err := parseMessage(b)
	if err != nil {
		return err
	}
	items, err := m.message(1)
	if err != nil {
		return err
	}
	var columns []uint64
	for _, b := range items.all(1) {
		item, err := parseMessage(b)
		if err != nil {
			return err
		}
		if _, nested := item.field(2); nested {
			return fmt.Errorf("%w: it reads parts of a column", ErrSubstraitPlan)
		}
		columns = append(columns, item.number(1))
	}
	return r.keep(columns)
}

// filter adds a condition; nil is none.
func (r *planReader) filter(b []byte) error {
	if b == nil {
		return nil
	}
	if r.fetched {
		return fmt.Errorf("%w: it filters what a fetch left", ErrSubstraitPlan)
	}
	m, err := parseMessage(b)
	if err != nil {
		return err
	}
	t, err := r.expression(m, 0)
	if err == nil {
		r.where = append(r.where, t.condition())
	}
	return err
}

// fetch reads offset and count, as numbers or as constant expressions.
func (r *planReader) fetch(m message) error {
	if r.fetched {
		return fmt.Errorf("%w: it fetches of what a fetch left", ErrSubstraitPlan)
	}
	r.fetched = true
	var err error
	if r.out.Offset, err = r.count(m, 3, 5, 0); err != nil {
		return err
	}
	r.out.Limit, err = r.count(m, 4, 6, -1)
	return err
}

func (r *planReader) count(m message, number, expression protowire.Number, absent int64) (int64, error) {
	if f, ok := m.field(number); ok {
		if n := int64(f.num); n >= absent {
			return n, nil
		}
		return 0, fmt.Errorf("%w: a fetch of %d rows", ErrSubstrait, int64(f.num))
	}
	body, err := m.message(expression)
	if err != nil || len(body) == 0 {
		return absent, err
	}
	t, err := r.expression(body, 0)
	if err != nil {
		return 0, err
	}
	if t.value == nil || t.value.kind != KindInteger || t.value.num < 0 || t.value.num == math.MaxInt64 {
		return 0, fmt.Errorf("%w: a number of rows is no constant", ErrSubstraitPlan)
	}
	return t.value.num, nil
}

// project adds columns, which have to be columns that are there.
func (r *planReader) project(m message) error {
	added := slices.Clone(r.fields)
	for _, b := range m.all(3) {
		e, err := parseMessage(b)
		if err != nil {
			return err
		}
		t, err := r.expression(e, 0)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(r.fields, func(f baseField) bool { return len(t.column) == 1 && f.name == t.column[0] })
		if at < 0 || t.predicate != nil {
			return fmt.Errorf("%w: it computes a column", ErrSubstraitPlan)
		}
		added = append(added, r.fields[at])
	}
	r.fields = added
	return nil
}

// emit keeps the columns that a relation gives out.
func (r *planReader) emit(m message) error {
	common, err := m.message(1)
	if err != nil {
		return err
	}
	b, ok := common.field(2)
	if !ok {
		return nil
	}
	emit, err := parseMessage(b.data)
	if err != nil {
		return err
	}
	var columns []uint64
	for _, f := range emit {
		if f.number != 1 {
			continue
		}
		if f.data == nil {
			columns = append(columns, f.num)
		}
		for rest := f.data; len(rest) > 0; {
			n, size := protowire.ConsumeVarint(rest)
			if size < 0 {
				return fmt.Errorf("%w: %w", ErrSubstrait, protowire.ParseError(size))
			}
			columns, rest = append(columns, n), rest[size:]
		}
	}
	return r.keep(columns)
}

func (r *planReader) keep(columns []uint64) error {
	kept := make([]baseField, len(columns))
	for i, c := range columns {
		if c >= uint64(len(r.fields)) {
			return fmt.Errorf("%w: column %d of %d", ErrSubstrait, c, len(r.fields))
		}
		kept[i] = r.fields[c]
	}
	r.fields = kept
	return nil
}

// selection gives the columns their names at the root, which are those of
// nested fields too.
func (r *planReader) selection(names [][]byte) (*Select, error) {
	r.out.Columns = make([]Output, len(r.fields))
	all := 0
	for _, f := range r.fields {
		all += f.size()
	}
	if names != nil && len(names) != all && len(names) != len(r.fields) {
		return nil, fmt.Errorf("%w: %d names for %d columns", ErrSubstrait, len(names), len(r.fields))
	}
	at := 0
	for i, f := range r.fields {
		r.out.Columns[i] = Output{f.name, f.name}
		if names != nil {
			r.out.Columns[i].Name = string(names[at])
		}
		if at++; len(names) == all {
			at += f.size() - 1
		}
	}
	if len(r.where) > 0 {
		r.out.Where = r.where
	}
	return &r.out, nil
}

// size is the number of names that a field and those in it have.
func (f *baseField) size() int {
	n := 1
	for i := range f.children {
		n += f.children[i].size()
	}
	return n
}
