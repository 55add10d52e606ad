package pushdown

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const benchRows = 32 << 10

func benchBatch() arrow.RecordBatch {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64}, {Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 20, Scale: 2}},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range benchRows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if n := r.IntN(100); n < 10 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.Int32Builder).Append(int32(n))
		}
		b.Field(2).(*array.Float64Builder).Append(r.Float64() * 100)
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprintf("key-%02d", r.IntN(100)))
		b.Field(4).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(r.IntN(10000))))
	}
	return b.NewRecordBatch()
}

// BenchmarkFilter: ns/row is what counts.
func BenchmarkFilter(b *testing.B) {
	batch := benchBatch()
	defer batch.Release()
	for _, where := range []string{
		"i > 16000", "n = 50", "n <> 50", "n in (1, 7, 50, 90)", "f between 10 and 20", "s = 'key-50'", "s like 'key-5%'", "s like '%-5_'",
		"s in ('key-01', 'key-02', 'key-03', 'key-04', 'key-05', 'key-06', 'key-07')", "d > 50.00", "n > 10 and s = 'key-50'", "n is null",
	} {
		p, err := ParseSQL(where)
		if err != nil {
			b.Fatal(err)
		}
		bound, err := Bind(p, batch.Schema(), BindOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(where, func(b *testing.B) {
			for b.Loop() {
				if _, err := bound.Filter(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

func BenchmarkApply(b *testing.B) {
	batch := benchBatch()
	defer batch.Release()
	for _, share := range []int{1, 10, 50, 90} {
		s := newSelection(benchRows)
		r := rand.New(rand.NewPCG(2, 2))
		for i := range benchRows {
			if r.IntN(100) < share {
				s.words[i/64] |= 1 << (i % 64)
			}
		}
		s.trim()
		b.Run(fmt.Sprintf("%d%%", share), func(b *testing.B) {
			for b.Loop() {
				out, err := Apply(memory.DefaultAllocator, batch, s)
				if err != nil {
					b.Fatal(err)
				}
				out.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}
