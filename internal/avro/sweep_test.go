package avro

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// spansOf puts records one behind the other, as a block has them.
func spansOf(records [][]byte) (buf []byte, from, to []uint32) {
	for _, rec := range records {
		buf = append(buf, 0, 0, 0, byte(len(rec)))
		from = append(from, uint32(len(buf)))
		buf = append(buf, rec...)
		to = append(to, uint32(len(buf)))
	}
	return slices.Clip(buf), from, to
}

// appendAll appends records all at once, but for those with a fault, which it
// tells.
func appendAll(d *Decoder, records [][]byte) (bad []int) {
	buf, from, to := spansOf(records)
	for done := 0; done < len(records); done++ {
		n, err := d.AppendAll(buf, from[done:], to[done:])
		if done += n; err != nil {
			bad = append(bad, done)
		}
	}
	return bad
}

// sameAllAtOnce decodes records one by one and all at once, checks that this is
// the same, errors included, and gives the batch.
func sameAllAtOnce(t *testing.T, s *Schema, records [][]byte, columns []string, mem memory.Allocator) arrow.RecordBatch {
	t.Helper()
	one, err := NewDecoder(s, columns, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Release()
	all, err := NewDecoder(s, columns, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	var bad []int
	for i, rec := range records {
		if err := one.Append(rec); err != nil {
			bad = append(bad, i)
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("record %d: %v", i, err)
			}
		}
	}
	if got := appendAll(all, records); !slices.Equal(got, bad) {
		t.Fatalf("%s of %s: all at once, records %v are refused, one by one %v", columns, s, got, bad)
	}
	want, got := one.NewBatch(), all.NewBatch()
	defer want.Release()
	for c := range int(got.NumCols()) {
		checkArray(t, got.Column(c))
		if !array.ApproxEqual(got.Column(c), want.Column(c), array.WithAbsTolerance(0), array.WithNaNsEqual(true)) {
			t.Fatalf("%s of %s: column %s all at once is %v, one by one %v", columns, s, got.ColumnName(c), got.Column(c), want.Column(c))
		}
	}
	if got.NumRows() != int64(len(records)-len(bad)) {
		t.Fatalf("%d rows of %d records without %d", got.NumRows(), len(records), len(bad))
	}
	return got
}

// Random records of random schemas, with damaged ones in between, are the same
// all at once as one by one.
func TestAppendAllAsAppend(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	for seed := range uint64(rounds) {
		r := &randomSchema{Rand: rand.New(rand.NewPCG(seed, 11)), rare: seed%3 != 0}
		root := r.record("n.Root", int(seed%3))
		text, _ := json.Marshal(root)
		s, err := Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		records := make([][]byte, r.IntN(3*sweepRecords))
		for i := range records {
			records[i] = r.encode(nil, root)
			if r.IntN(40) == 0 {
				records[i] = r.damaged(records[i])
			}
		}
		columns := []string{}
		for _, f := range s.Fields() {
			if r.IntN(2) == 0 {
				columns = append(columns, f)
			}
		}
		if seed%4 == 0 {
			columns = nil
		}
		sameAllAtOnce(t, s, records, columns, mem).Release()
	}
}

// damaged cuts, lengthens or changes a record.
func (r *randomSchema) damaged(rec []byte) []byte {
	rec = slices.Clone(rec)
	switch r.IntN(4) {
	case 0:
		return append(rec, byte(r.Uint32()))
	case 1:
		return rec[:r.IntN(len(rec)+1)]
	}
	for range 1 + r.IntN(3) {
		if len(rec) > 0 {
			rec[r.IntN(len(rec))] = byte(r.Uint32())
		}
	}
	return rec
}

// The loops of the common types: values of all lengths, with nulls in between,
// up to the very end of the bytes.
func TestSweepValues(t *testing.T) {
	types := append([]string{
		`{"type":"fixed","name":"x","size":1,"logicalType":"decimal","precision":2}`,
		`{"type":"fixed","name":"x","size":8,"logicalType":"decimal","precision":15}`,
		`{"type":"fixed","name":"x","size":9,"logicalType":"decimal","precision":18}`,
		`{"type":"fixed","name":"x","size":16,"logicalType":"decimal","precision":38}`,
		`{"type":"fixed","name":"x","size":17,"logicalType":"decimal","precision":38}`,
		`{"type":"fixed","name":"x","size":0,"logicalType":"decimal","precision":1}`,
		`{"type":"fixed","name":"x","size":5}`,
	}, leafTypes...)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for seed, typ := range types {
		for _, form := range []string{typ, `["null",` + typ + `]`, `[` + typ + `,"null"]`} {
			r := &randomSchema{Rand: rand.New(rand.NewPCG(uint64(seed), 5)), rare: true}
			second, third := strings.ReplaceAll(form, `"x"`, `"y"`), strings.ReplaceAll(typ, `"x"`, `"z"`)
			text := `{"type":"record","name":"r","fields":[{"name":"a","type":` + form + `},{"name":"b","type":` + second +
				`},{"name":"c","type":["null",` + third + `]},{"name":"end","type":"boolean"}]}`
			var root any
			_ = json.Unmarshal([]byte(text), &root)
			s, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			records := make([][]byte, 2*sweepRecords+9)
			for i := range records {
				records[i] = r.encode(nil, root)
			}
			for _, columns := range [][]string{nil, {"b"}, {"end"}} {
				sameAllAtOnce(t, s, records, columns, mem).Release()
			}
		}
	}
}

// A column that is full stops the records before the one that it can't take.
func TestAppendAllFull(t *testing.T) {
	defer func(n int) { maxEnd = n }(maxEnd)
	maxEnd = 10000
	for _, size := range []int{0, 7, 60, 500} {
		rec := []byte(long(int64(size)) + strings.Repeat("x", size))
		records := slices.Repeat([][]byte{rec}, 1000)
		buf, from, to := spansOf(records)
		d := decoderOf(t, `"string"`, nil)
		most := len(records)
		if size > 0 {
			most = min(most, maxEnd/size)
		}
		for done := 0; done < len(records); {
			n, err := d.AppendAll(buf, from[done:], to[done:])
			if done += n; n != min(most, len(records)-done+n) || (err != nil) != (done < len(records)) || err != nil && !errors.Is(err, ErrBatchFull) {
				t.Fatalf("strings of %d bytes: %d are taken, %d before: %v", size, n, done-n, err)
			}
			d.NewBatch().Release()
		}
	}
}
