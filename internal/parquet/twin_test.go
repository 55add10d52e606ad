package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// texts are the values of a column of strings; noText stands for null.
type texts []string

const noText = "\x00"

// twinFile writes columns of strings, of equal length.
func twinFile(t testing.TB, o genOptions, names []string, columns map[string]texts) []byte {
	t.Helper()
	fields := make([]arrow.Field, len(names))
	arrays := make([]arrow.Array, len(names))
	for i, name := range names {
		fields[i] = arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for _, s := range columns[name] {
			if s == noText {
				b.AppendNull()
			} else {
				b.Append(s)
			}
		}
		arrays[i] = b.NewArray()
		defer arrays[i].Release()
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
	defer rec.Release()
	return write(t, rec, o)
}

// keyTexts are unlike one another, or a few that come again and again.
func keyTexts(n int, o genOptions) texts {
	rnd := rand.New(rand.NewPCG(3, uint64(n)))
	keys := make(texts, n)
	for i := range keys {
		switch {
		case i%2 == 0 && rnd.Float64() < o.nulls:
			keys[i] = noText
		case o.dict && i >= 200:
			keys[i] = keys[rnd.IntN(200)]
		default:
			keys[i] = fmt.Sprintf("%012x", rnd.Uint64()>>16)
		}
	}
	return keys
}

// nearly gives a file of the keys, twice, and of keys of which one differs in
// such a way that nothing in the footer tells.
func nearly(t testing.TB, o genOptions, keys texts, row int) []byte {
	t.Helper()
	rnd := rand.New(rand.NewPCG(4, uint64(row)))
	for range 500 {
		near := slices.Clone(keys)
		if o.dict && row >= 200 {
			near[row] = keys[rnd.IntN(200)]
		} else {
			key := []byte(keys[row])
			key[rnd.IntN(len(key))] = "0123456789abcdef"[rnd.IntN(16)]
			for i := range near {
				if near[i] == keys[row] {
					near[i] = string(key)
				}
			}
		}
		if near[row] == keys[row] || near[row] == noText {
			continue
		}
		data := twinFile(t, o, []string{"other", "key", "near", "same"}, map[string]texts{
			"key": keys, "same": keys, "near": near, "other": keys.longer(),
		})
		f := openBytes(t, data)
		if f.alike(f.leaves[1], f.leaves[2]) && f.alike(f.leaves[1], f.leaves[3]) {
			return data
		}
	}
	t.Fatal("no chunks of the same sizes")
	return nil
}

// longer gives other texts.
func (s texts) longer() texts {
	s = slices.Clone(s)
	for i := range s {
		s[i] += "."
	}
	return s
}

// columnsOf gives the columns of a reader by name.
func columnsOf(r interface{ Schema() *arrow.Schema }) map[string]*column {
	columns := map[string]*column{}
	for i, f := range r.Schema().Fields() {
		switch src := r.(*reader).src.(type) {
		case *serial:
			columns[f.Name] = src.columns[i]
		case *pool:
			columns[f.Name] = src.byIndex[i].column
		}
	}
	return columns
}

var twinCases = map[string]genOptions{
	"gzip":          {codec: compress.Codecs.Gzip},
	"gzip v2":       {codec: compress.Codecs.Gzip, v2: true, nulls: 0.2, index: true},
	"snappy groups": {codec: compress.Codecs.Snappy, nulls: 0.2, index: true, groupRows: 700},
	"zstd groups":   {codec: compress.Codecs.Zstd, groupRows: 1100},
	"dictionary":    {codec: compress.Codecs.Gzip, dict: true, nulls: 0.1, index: true},
	"plain":         {nulls: 0.1, index: true},
}

// TestTwins reads columns of the same bytes, and ones that are the same up to
// one value, at the start, in the middle and at the end.
func TestTwins(t *testing.T) {
	const rows = 3000
	for name, o := range twinCases {
		o.pageSize = 2 << 10
		keys := keyTexts(rows, o)
		for _, row := range []int{1, 1501, rows - 1} {
			t.Run(fmt.Sprintf("%s, row %d", name, row), func(t *testing.T) {
				data := nearly(t, o, keys, row)
				f := openBytes(t, data)
				want := oracle(t, data)
				defer want.Release()
				for _, threads := range []int{1, 2, 4} {
					for _, size := range []int{7, 100, 5000} {
						mem := memory.NewCheckedAllocator(poisoned{NewRecycler(1 << 20)})
						o := ReadOptions{Allocator: mem, Threads: threads, BatchSize: size}
						got := readTwins(t, f, o, int64(row))
						compare(t, got, want)
						got.Release()
						mem.AssertSize(t, 0)
					}
				}
				checkParts(t, f, want, 20)
			})
		}
	}
}

// readTwins is readAll that looks at who reads: the column same never by
// itself, the column near not before the row that differs is near.
func readTwins(t *testing.T, f *File, o ReadOptions, differs int64) arrow.Table {
	t.Helper()
	r, err := f.Read(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	columns := columnsOf(r)
	var batches []arrow.RecordBatch
	at := int64(0)
	for {
		b, err := r.Next()
		if err == io.EOF {
			r.Close()
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
		at += b.NumRows()
		if text := func(c int) *byte { return &b.Column(c).Data().Buffers()[2].Bytes()[0] }; text(1) == text(3) {
			t.Error("columns share memory")
		}
		// The threads of a pool are ahead of what they gave.
		if o.Threads == 1 && at <= differs-1000 && columns["near"].lead != columns["key"] {
			t.Errorf("at row %d of %d, a twin reads by itself", at, differs)
		}
	}
	if c := columns["same"]; c.lead != columns["key"] || c.leaf().group >= 0 {
		t.Errorf("equal columns are read twice")
	}
	if c := columns["near"]; c.lead != nil || c.leaf().group < 0 {
		t.Errorf("columns that differ count as equal")
	}
	if n := len(columns["key"].twins); n != 1 {
		t.Errorf("%d twins in the end", n)
	}
	tbl := array.NewTableFromRecords(r.Schema(), batches)
	for _, b := range batches {
		b.Release()
	}
	return tbl
}

// TestTwinsOfAKind finds no twins where the same bytes mean different values.
func TestTwinsOfAKind(t *testing.T) {
	ints := arrow.PrimitiveTypes.Int64
	fields := []arrow.Field{
		{Name: "int", Type: ints, Nullable: true}, {Name: "time", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "required", Type: ints}, {Name: "again", Type: ints, Nullable: true},
		{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "int", Type: ints, Nullable: true}), Nullable: true},
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range 3000 {
		v := int64(i) * 1_000_003 % 65_537
		for c := range fields {
			switch b := b.Field(c).(type) {
			case *array.Int64Builder:
				b.Append(v)
			case *array.TimestampBuilder:
				b.Append(arrow.Timestamp(v))
			case *array.StructBuilder:
				b.Append(true)
				b.FieldBuilder(0).(*array.Int64Builder).Append(v)
			}
		}
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	data := write(t, rec, genOptions{pageSize: 1 << 10, codec: compress.Codecs.Gzip})
	r, err := openBytes(t, data).Read(context.Background(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, c := range columnsOf(r) {
		if (c.lead != nil) != (name == "again") {
			t.Errorf("column %s: twin: %v", name, c.lead != nil)
		}
	}
	f := openBytes(t, data)
	required := *f.leaves[0]
	required.maxDef = 0
	if f.alike(f.leaves[0], &required) {
		t.Error("a required column counts as like an optional one")
	}
	got, want := readAll(t, f, ReadOptions{}), oracle(t, data)
	defer got.Release()
	defer want.Release()
	compare(t, got, want)
}

// TestTwinsJump has a page that is the same in both columns, at the same place
// of their chunks, but for other rows.
func TestTwinsJump(t *testing.T) {
	// 65 keys make up a page, as do 10 long or 20 short strings.
	first, same := keyTexts(65, genOptions{}), keyTexts(4*65, genOptions{})
	a, b := slices.Clone(first), slices.Clone(first)
	long, short := strings.Repeat("l", 100), strings.Repeat("s", 48)
	for i := range 30 {
		a = append(a, []string{long, short}[min(1, i/10)])
		b = append(b, []string{short, long}[min(1, i/20)])
	}
	a = slices.Insert(a, 65+10, same...)
	b = slices.Insert(b, 65+20, same...)
	data := twinFile(t, genOptions{index: true, pageSize: 1040, batch: 1, noStats: true}, []string{"a", "b"}, map[string]texts{"a": a, "b": b})
	f := openBytes(t, data)
	if !f.alike(f.leaves[0], f.leaves[1]) {
		t.Fatal("the chunks' sizes differ")
	}
	for from := range int64(len(a)) {
		tbl := readAll(t, f, ReadOptions{Rows: []RowRange{{from, from + 1}}})
		compareCells(t, "a", columnCells(tbl.Column(0).Data()), a[from:from+1])
		compareCells(t, "b", columnCells(tbl.Column(1).Data()), b[from:from+1])
		tbl.Release()
	}
}

// TestTwinsReadOnce reads no byte more than without twins.
func TestTwinsReadOnce(t *testing.T) {
	data := nearly(t, genOptions{pageSize: 2 << 10, codec: compress.Codecs.Gzip, index: true}, keyTexts(3000, genOptions{}), 0)
	read := func(rows []RowRange, columns ...string) (total int64) {
		src := &countingReader{ReaderAt: bytes.NewReader(data)}
		f, err := OpenSection(src, int64(len(data)), "test.parquet")
		if err != nil {
			t.Fatal(err)
		}
		src.bytes = 0
		drain(t, f, ReadOptions{Columns: columns, Rows: rows})
		return src.bytes
	}
	for _, rows := range [][]RowRange{nil, {{0, 10}, {2000, 2010}}, {{2990, 3000}}} {
		alone := read(rows, "key") + read(rows, "same")
		if both := read(rows, "key", "same"); both != alone {
			t.Errorf("rows %v: %d bytes, %d when read one by one", rows, both, alone)
		}
	}
}

// TestTwinsClose leaves off in the middle.
func TestTwinsClose(t *testing.T) {
	const rows = 3000
	f := openBytes(t, nearly(t, genOptions{pageSize: 2 << 10, codec: compress.Codecs.Gzip}, keyTexts(rows, genOptions{}), rows/2))
	for _, threads := range []int{1, 2, 4} {
		for stop := range 40 {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			ctx, cancel := context.WithCancel(context.Background())
			r, err := f.Read(ctx, ReadOptions{Threads: threads, BatchSize: 60, Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			for range stop {
				b, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				b.Release()
			}
			if stop%2 == 1 {
				cancel()
				for err == nil {
					var b arrow.RecordBatch
					if b, err = r.Next(); err == nil {
						b.Release()
					}
				}
			}
			r.Close()
			r.Close()
			cancel()
			mem.AssertSize(t, 0)
		}
	}
}

// TestTwinsCorrupt spoils the chunk of a twin, and of the lead.
func TestTwinsCorrupt(t *testing.T) {
	data := nearly(t, genOptions{pageSize: 2 << 10, codec: compress.Codecs.Gzip}, keyTexts(3000, genOptions{}), 0)
	for i, name := range []string{"other", "key", "near", "same"} {
		m := openBytes(t, data).meta.groups[0].columns[i]
		bad := slices.Clone(data)
		for k := range int64(20) {
			bad[m.start()+m.compressed/2+k] ^= 0x55
		}
		for _, threads := range []int{1, 3} {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			rows, err := count(openBytes(t, bad), ReadOptions{Allocator: mem, Threads: threads, BatchSize: 50})
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("column %q", name)) || threads == 1 && rows < 1000 {
				t.Errorf("%s spoiled: %d rows, then %v", name, rows, err)
			}
			mem.AssertSize(t, 0)
		}
	}
}

// count reads rows as far as it goes.
func count(f *File, o ReadOptions) (rows int64, err error) {
	r, err := f.Read(context.Background(), o)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += b.NumRows()
		b.Release()
	}
}

// BenchmarkTwins reads a key twice, and once.
func BenchmarkTwins(b *testing.B) {
	keys := make(texts, 1_000_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("%08d-%03d", i, i%7)
	}
	data := twinFile(b, genOptions{pageSize: 1 << 20, codec: compress.Codecs.Gzip}, []string{"meta", "key"}, map[string]texts{"meta": keys, "key": keys})
	f := openBytes(b, data)
	for _, columns := range [][]string{{"meta", "key"}, {"key"}} {
		b.Run(strings.Join(columns, "+"), func(b *testing.B) {
			mem := NewRecycler(128 << 20)
			start := cpuTime()
			for b.Loop() {
				drain(b, f, ReadOptions{Columns: columns, Allocator: mem})
			}
			b.ReportMetric((cpuTime()-start).Seconds()/float64(b.N)*1000, "cpu-ms/op")
		})
	}
}
