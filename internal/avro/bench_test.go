package avro

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hudi-go/hudi/internal/parquet"
)

// BenchmarkDecode decodes records as Hudi logs a line item: the five meta
// fields and 17 columns, nearly all of them nullable.
func BenchmarkDecode(b *testing.B) {
	s, block, from, to := lineItems(b, 8192)
	for _, c := range []struct {
		name    string
		columns []string
	}{
		{"all", nil},
		{"own", s.Fields()[5:]},
		{"first3", []string{"l_key", "l_orderkey", "l_partkey"}},
		{"last3", []string{"l_orderkey", "l_quantity", "l_comment"}},
		{"merge3", []string{"_hoodie_record_key", "l_orderkey", "l_quantity", "l_shipdate", "l_receiptdate"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, err := NewDecoder(s, c.columns, parquet.NewRecycler(64<<20))
			if err != nil {
				b.Fatal(err)
			}
			best := time.Hour // of all passes: what else runs on the machine is left out
			for b.Loop() {
				start := time.Now()
				if _, err := d.AppendAll(block, from, to); err != nil {
					b.Fatal(err)
				}
				d.NewBatch().Release()
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best.Nanoseconds())/float64(len(from)), "ns/record")
		})
	}
}

// lineItems gives records of the shape of a line item, one behind the other in
// one buffer as in a block.
func lineItems(tb testing.TB, n int) (s *Schema, block []byte, from, to []uint32) {
	const decimal = `{"type":"fixed","name":"%s","size":7,"logicalType":"decimal","precision":15,"scale":2}`
	const date = `{"type":"int","logicalType":"date"}`
	var fields []string
	for _, f := range strings.Fields("_hoodie_commit_time _hoodie_commit_seqno _hoodie_record_key _hoodie_partition_path _hoodie_file_name " +
		"l_key l_orderkey:long l_partkey:long l_suppkey:long l_linenumber:int l_quantity:dec l_extendedprice:dec l_discount:dec l_tax:dec " +
		"l_returnflag l_linestatus l_shipdate:date l_commitdate:date l_receiptdate:date l_shipinstruct l_shipmode l_comment") {
		name, typ, _ := strings.Cut(f, ":")
		switch typ {
		case "":
			typ = `"string"`
		case "dec":
			typ = fmt.Sprintf(decimal, name+"_t")
		case "date":
			typ = date
		default:
			typ = `"` + typ + `"`
		}
		if name != "l_linestatus" {
			typ = `["null",` + typ + `]`
		}
		fields = append(fields, fmt.Sprintf(`{"name":"%s","type":%s}`, name, typ))
	}
	s, err := Parse(`{"type":"record","name":"r","fields":[` + strings.Join(fields, ",") + `]}`)
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		block = append(block, 0, 0, 0, 0)
		from = append(from, uint32(len(block)))
		block = lineItem(r, block, i)
		to = append(to, uint32(len(block)))
	}
	return s, block, from, to
}

// lineItem appends a record.
func lineItem(r *rand.Rand, b []byte, i int) []byte {
	text := func(s string) { b = append(binary.AppendVarint(append(b, 2), int64(len(s))), s...) }
	number := func(v int) { b = binary.AppendVarint(append(b, 2), int64(v)) }
	decimal := func(v int) {
		var be [8]byte
		binary.BigEndian.PutUint64(be[:], uint64(v))
		b = append(append(b, 2), be[1:]...)
	}
	key := fmt.Sprintf("%010d-%d", i*8, 1+r.IntN(7))
	text("20261129221302429")
	text("20261129221302429_0_" + fmt.Sprint(i))
	text(key)
	text("")
	text("4326df6b-dd3e-4551-a290-d27952bd94ea-0")
	text(key)
	number(1000000 + i*8)
	number(1 + r.IntN(200000))
	number(1 + r.IntN(10000))
	number(1 + r.IntN(7))
	decimal(100 * (1 + r.IntN(50)))
	decimal(90000 + r.IntN(10000000))
	decimal(r.IntN(11))
	decimal(r.IntN(9))
	text("NRA"[i%3 : i%3+1])
	b = append(b, 2, "OF"[i%2])
	ship := 8037 + r.IntN(2526)
	number(ship)
	number(ship + 30 + r.IntN(61))
	number(ship + 1 + r.IntN(30))
	text([]string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}[r.IntN(4)])
	text([]string{"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}[r.IntN(7)])
	text(strings.Repeat("furiously careful ", 3)[:10+r.IntN(34)])
	return b
}
