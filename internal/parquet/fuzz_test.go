package parquet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	aparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// limitedAllocator fails the test on an allocation that no small file can
// call for.
type limitedAllocator struct {
	memory.Allocator
	t testing.TB
}

func (l limitedAllocator) Allocate(n int) []byte {
	if n > 256<<20 {
		l.t.Errorf("allocation of %d bytes", n)
	}
	return l.Allocator.Allocate(n)
}

// chew reads everything that a file, sound or not, lets one read. It gives the
// first error.
func chew(t testing.TB, data []byte) error {
	f, err := OpenSection(bytes.NewReader(data), int64(len(data)), "bad.parquet")
	if err != nil {
		return err
	}
	var first error
	note := func(err error) {
		if first == nil && err != nil && err != io.EOF {
			first = err
		}
	}
	for _, g := range f.RowGroups() {
		for _, c := range g.Columns() {
			_, err := c.OffsetIndex()
			note(err)
			_, err = c.ColumnIndex()
			note(err)
			b, err := c.BloomFilter()
			note(err)
			if b != nil {
				b.MayContain([]byte("x"))
			}
		}
	}
	mem := memory.NewCheckedAllocator(limitedAllocator{memory.DefaultAllocator, t})
	options := []ReadOptions{{Allocator: mem, Position: true}}
	if n := f.NumRows(); n > 3 {
		options = append(options, ReadOptions{Allocator: mem, Rows: []RowRange{{1, 2}, {n / 2, n/2 + 1}, {n - 1, n}}})
	}
	for _, field := range f.Schema().Fields() {
		options = append(options, ReadOptions{Allocator: mem, Columns: []string{field.Name}})
	}
	for _, o := range options {
		note(chewRows(f, o))
	}
	mem.AssertSize(t, 0)
	return first
}

func chewRows(f *File, o ReadOptions) error {
	r, err := f.Read(context.Background(), o)
	if err != nil {
		return err
	}
	defer r.Close()
	// A few bytes can stand for billions of nulls.
	for range 8 {
		b, err := r.Next()
		if err != nil {
			return err
		}
		for _, c := range b.Columns() {
			for i := range min(c.Len(), 100) {
				cell(c, i)
			}
		}
		b.Release()
	}
	return nil
}

// fuzzSeeds are small files that between them use all encodings.
func fuzzSeeds(t testing.TB) [][]byte {
	seeds := [][]byte{realFile(t, "spark_zstd"), realFile(t, "spark_all_types")}
	delta := map[string]aparquet.Encoding{
		"bool": aparquet.Encodings.RLE, "i32": aparquet.Encodings.DeltaBinaryPacked, "i64": aparquet.Encodings.DeltaBinaryPacked,
		"str": aparquet.Encodings.DeltaLengthByteArray, "bin": aparquet.Encodings.DeltaByteArray, "f64": aparquet.Encodings.ByteStreamSplit,
	}
	for _, o := range []genOptions{
		{rows: 20, pageSize: 128, nulls: 0.3},
		{rows: 20, pageSize: 128, nulls: 0.3, v2: true, dict: true, index: true},
		{rows: 40, pageSize: 128, nulls: 0.3, v2: true, encodings: delta},
		{rows: 40, pageSize: 128, dict: true, intDec: true, groupRows: 15, index: true, bloom: true},
	} {
		seeds = append(seeds, generate(t, o))
	}
	return seeds
}

func FuzzRead(f *testing.F) {
	for _, s := range fuzzSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) { chew(t, data) })
}

// TestDamagedFiles changes bytes here and there: nothing may panic or leak,
// whatever comes out.
func TestDamagedFiles(t *testing.T) {
	seeds := fuzzSeeds(t)
	seeds = append(seeds, generate(t, genOptions{rows: 30, pageSize: 128, nulls: 0.2, dict: true, codec: compress.Codecs.Gzip}))
	seeds = append(seeds, nearly(t, genOptions{pageSize: 1 << 10, codec: compress.Codecs.Gzip, index: true}, keyTexts(1000, genOptions{}), 501))
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, seed := range seeds {
		for range 100 {
			data := bytes.Clone(seed)
			for range 1 + rnd.IntN(4) {
				data[rnd.IntN(len(data))] = byte(rnd.IntN(256))
			}
			chew(t, data)
		}
	}
}

func TestTruncatedFiles(t *testing.T) {
	data := realFile(t, "spark_zstd")
	for n := range len(data) {
		if err := chew(t, data[:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("first %d of %d bytes: error %v", n, len(data), err)
		}
		// The front is gone, the footer stands.
		if err := chew(t, data[n+1:]); err == nil {
			t.Fatalf("all but the first %d bytes: no error", n+1)
		}
	}
}

func FuzzFooter(f *testing.F) {
	for _, s := range fuzzSeeds(f) {
		p := openBytes(f, s)
		footer, err := p.readFooter()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(footer)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := decodeFileMeta(data); err == nil {
			p := &File{meta: m, name: "x"}
			p.init()
		}
		decodePageHeader(data)
		decodeColumnIndex(data)
	})
}
