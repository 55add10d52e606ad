package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	aparquet "github.com/apache/arrow-go/v18/parquet"
)

// TestRowsReadFewBytes checks that rows in the middle are read through the
// offset index, and that nothing depends on there being one.
func TestRowsReadFewBytes(t *testing.T) {
	for _, index := range []bool{true, false} {
		data := generate(t, genOptions{rows: 20000, pageSize: 4 << 10, nulls: 0.1, index: index})
		c := &countingReader{ReaderAt: bytes.NewReader(data)}
		f, err := OpenSection(c, int64(len(data)), "x")
		if err != nil {
			t.Fatal(err)
		}
		columns := []string{"i64", "strreq", "list"}
		whole := readAll(t, f, ReadOptions{Columns: columns})
		defer whole.Release()
		all := c.bytes
		c.bytes = 0
		rows := []RowRange{{17, 18}, {11000, 11010}, {19999, 20000}}
		got := readAll(t, f, ReadOptions{Columns: columns, Rows: rows})
		defer got.Release()
		cells := map[string][]string{}
		for i, name := range columns {
			cells[name] = columnCells(whole.Column(i).Data())
		}
		checkPart(t, got, cells, ReadOptions{Rows: rows})
		if index && c.bytes > all/4 {
			t.Errorf("%d bytes read for 12 of 20000 rows, %d for all", c.bytes, all)
		}
	}
}

func TestReadErrorsPassThrough(t *testing.T) {
	data := generate(t, genOptions{rows: 3000, pageSize: 1 << 10})
	for _, threads := range []int{1, 2} {
		c := &countingReader{ReaderAt: bytes.NewReader(data), failAfter: 3}
		f, err := OpenSection(c, int64(len(data)), "some/file.parquet")
		if err != nil {
			t.Fatal(err)
		}
		err = chewRows(f, ReadOptions{Threads: threads})
		if !errors.Is(err, errInjected) || !strings.Contains(err.Error(), "some/file.parquet") {
			t.Errorf("threads %d: error %v", threads, err)
		}
	}
}

func TestPageIndex(t *testing.T) {
	f := openBytes(t, generate(t, genOptions{rows: 5000, pageSize: 1 << 10, nulls: 0.2, groupRows: 2000, index: true}))
	if len(f.RowGroups()) != 3 {
		t.Fatalf("%d row groups", len(f.RowGroups()))
	}
	whole := readAll(t, f, ReadOptions{Columns: []string{"i64"}})
	defer whole.Release()
	var values []int64
	var valid []bool
	for _, c := range whole.Column(0).Data().Chunks() {
		a := c.(*array.Int64)
		for i := range a.Len() {
			values, valid = append(values, a.Value(i)), append(valid, a.IsValid(i))
		}
	}
	for _, g := range f.RowGroups() {
		c, ok := g.Column("i64")
		if !ok {
			t.Fatal("no column")
		}
		offsets, err := c.OffsetIndex()
		if err != nil || offsets == nil {
			t.Fatal(offsets, err)
		}
		stats, err := c.ColumnIndex()
		if err != nil || stats == nil || len(stats.Pages) != len(offsets.Pages) || len(stats.Pages) < 2 {
			t.Fatal(stats, err)
		}
		for i, p := range offsets.Pages {
			lo, hi := g.FirstRow+p.FirstRow, g.FirstRow+offsets.End(i)
			checkBounds(t, values[lo:hi], valid[lo:hi], stats.Pages[i])
		}
		if s, ok := c.Statistics(); !ok || !s.HasMinMax || !s.HasNulls {
			t.Errorf("statistics %+v", s)
		} else {
			lo, hi := g.FirstRow, g.FirstRow+g.Rows
			checkBounds(t, values[lo:hi], valid[lo:hi], PageStatistics{Min: s.Min, Max: s.Max, Nulls: s.Nulls, HasNulls: true})
		}
	}
}

func checkBounds(t *testing.T, values []int64, valid []bool, s PageStatistics) {
	t.Helper()
	nulls := int64(0)
	for i, v := range values {
		if !valid[i] {
			nulls++
			continue
		}
		if s.AllNull || v < int64(binary.LittleEndian.Uint64(s.Min)) || v > int64(binary.LittleEndian.Uint64(s.Max)) {
			t.Fatalf("value %d outside of %+v", v, s)
		}
	}
	if s.HasNulls && nulls != s.Nulls {
		t.Errorf("%d nulls, index says %d", nulls, s.Nulls)
	}
}

func TestBloomFilter(t *testing.T) {
	f := openBytes(t, generate(t, genOptions{rows: 300, pageSize: 1 << 10, bloom: true, encodings: map[string]aparquet.Encoding{}}))
	whole := readAll(t, f, ReadOptions{Columns: []string{"strreq", "i64req"}})
	defer whole.Release()
	c, _ := f.RowGroups()[0].Column("strreq")
	b, err := c.BloomFilter()
	if err != nil || b == nil {
		t.Fatal(b, err)
	}
	for _, s := range columnCells(whole.Column(0).Data()) {
		if !b.MayContain([]byte(s)) {
			t.Fatalf("%q is in the chunk", s)
		}
	}
	wrong := 0
	for i := range 1000 {
		if b.MayContain(fmt.Appendf(nil, "absent-%d", i)) {
			wrong++
		}
	}
	if wrong > 200 {
		t.Errorf("%d of 1000 absent values may be there", wrong)
	}
}

func TestMetadata(t *testing.T) {
	f := openBytes(t, realFile(t, "hudi_gzip_v6"))
	if v, ok := f.KeyValue("hoodie_min_record_key"); !ok || v == "" {
		t.Errorf("min record key %q %v", v, ok)
	}
	if _, ok := f.KeyValue("no such key"); ok {
		t.Error("a key that is not there")
	}
	if !strings.Contains(f.CreatedBy(), "parquet-mr") {
		t.Errorf("created by %q", f.CreatedBy())
	}
	c, ok := f.RowGroups()[0].Column("_hoodie_record_key")
	s, has := c.Statistics()
	lo, _ := f.KeyValue("hoodie_min_record_key")
	if !ok || !has || !s.HasMinMax || string(s.Min) != lo || s.Nulls != 0 {
		t.Errorf("statistics %+v, the footer says that keys begin with %q", s, lo)
	}
}

// TestLyingRowCount gives a footer that claims other rows than there are.
func TestLyingRowCount(t *testing.T) {
	for _, rows := range []int64{19, 21, 1 << 40} {
		f := openBytes(t, generate(t, genOptions{rows: 20, pageSize: 1 << 10}))
		f.meta.rows, f.meta.groups[0].rows = rows, rows
		for _, field := range f.Schema().Fields() {
			r, err := f.Read(context.Background(), ReadOptions{Columns: []string{field.Name}})
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = r.Next()
			}
			r.Close()
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("column %s, %d rows claimed: %v", field.Name, rows, err)
			}
		}
	}
}

// TestLyingOffsetIndex shifts the rows that an index gives to pages.
func TestLyingOffsetIndex(t *testing.T) {
	f := openBytes(t, generate(t, genOptions{rows: 2000, pageSize: 1 << 10, index: true}))
	node, err := f.pick([]string{"i64"})
	if err != nil {
		t.Fatal(err)
	}
	a := f.assembler(node[0], &picks{file: f, ranges: []RowRange{{1500, 1501}}}, memory.DefaultAllocator)
	l := a.leaves[0]
	if err := l.openGroup(0); err != nil || l.index == nil {
		t.Fatal(err)
	}
	for i := range l.index.Pages[1:] {
		l.index.Pages[i+1].FirstRow += int64(i%7) + 1
	}
	if _, err := a.read(0, 1500, 1, 1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	a.release()
}
