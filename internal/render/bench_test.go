package render

import (
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// BenchmarkWriters measures the formats on rows of an order line.
func BenchmarkWriters(b *testing.B) {
	const n = 100_000
	s := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 15, Scale: 2}, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "mode", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	r := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i := range n {
		r.Field(0).(*array.StringBuilder).Append("key-" + string(rune('a'+i%26)) + "-of-some-length")
		r.Field(1).(*array.Int64Builder).Append(int64(i) * 7919 % 1_000_003)
		r.Field(2).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(i) * 104729 % 10_000_019))
		r.Field(3).(*array.Date32Builder).Append(arrow.Date32(8000 + i%2500))
		r.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + int64(i)*1_234_567))
		r.Field(5).(*array.StringBuilder).Append([]string{"AIR", "RAIL", "SHIP"}[i%3])
	}
	rows := r.NewRecordBatch()
	for _, f := range Formats {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				w, err := New(f, io.Discard, s, Options{})
				if err != nil {
					b.Fatal(err)
				}
				for at := int64(0); at < n; at += 20_000 {
					part := rows.NewSlice(at, at+20_000)
					if err := w.Write(part); err != nil {
						b.Fatal(err)
					}
					part.Release()
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
