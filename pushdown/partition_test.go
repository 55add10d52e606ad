package pushdown

import (
	"maps"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/snapshot"
)

func partitionsOf(t *testing.T, props map[string]string) *Partitions {
	t.Helper()
	all := map[string]string{"hoodie.table.name": "t", "hoodie.table.version": "8", "hoodie.table.type": "COPY_ON_WRITE"}
	maps.Copy(all, props)
	c, err := snapshot.ConfigOf("t", all)
	if err != nil {
		t.Fatal(err)
	}
	return NewPartitions(c)
}

const (
	fields     = "hoodie.table.partition.fields"
	generator_ = "hoodie.table.keygenerator.type"
	encoded    = "hoodie.datasource.write.partitionpath.urlencode"
	timeType   = "hoodie.keygen.timebased.timestamp.type"
	timeOut    = "hoodie.keygen.timebased.output.dateformat"
	timeIn     = "hoodie.keygen.timebased.input.dateformat"
	timeZone   = "hoodie.keygen.timebased.timezone"
)

var partitionSchema = arrow.NewSchema([]arrow.Field{
	nullable("s", arrow.BinaryTypes.String), nullable("n", arrow.PrimitiveTypes.Int32), nullable("day", arrow.FixedWidthTypes.Date32),
	nullable("ev", arrow.PrimitiveTypes.Int64), nullable("text", arrow.BinaryTypes.String), nullable("ts", arrow.FixedWidthTypes.Timestamp_us),
	nullable("f", arrow.PrimitiveTypes.Float64), nullable("st", arrow.StructOf(nullable("x", arrow.PrimitiveTypes.Int32))),
}, nil)

func TestPartitionsByHand(t *testing.T) {
	millis := map[string]string{generator_: "TIMESTAMP", fields: "ev", timeType: "EPOCHMILLISECONDS", timeOut: "yyyy/MM/dd"}
	with := func(m map[string]string, more ...string) map[string]string {
		m = maps.Clone(m)
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	simple := map[string]string{generator_: "SIMPLE", fields: "s"}
	dates := map[string]string{generator_: "TIMESTAMP", fields: "text", timeType: "DATE_STRING", timeIn: "yyyy-MM-dd HH:mm:ss,yyyy-MM-dd'T'HH:mm:ssZ", timeOut: "yyyy-MM-dd"}
	for _, c := range []struct {
		props       map[string]string
		path, where string
		want        Answer
	}{
		{simple, "a", "s = 'a'", Yes},
		{simple, "s=a", "s = 'b'", No},
		{simple, "a", "s <> 'a' or s is null", No},
		{simple, "a", "n = 1", Unknown},
		{simple, "__HIVE_DEFAULT_PARTITION__", "s = 'a'", No},
		{simple, "__HIVE_DEFAULT_PARTITION__", "s is null", Unknown}, // it may be an empty text
		{simple, "__HIVE_DEFAULT_PARTITION__", "s = ''", Unknown},
		{with(simple, fields, "n"), "__HIVE_DEFAULT_PARTITION__", "n is null", Yes},
		{with(simple, fields, "n"), "n=08", "n = 8", Yes},
		{with(simple, fields, "n"), "n=x", "n = 8", Unknown},
		{with(simple, fields, "day"), "day=2024-01-05", "day between date '2024-01-01' and '2024-01-05'", Yes},
		{with(simple, fields, "day"), "day=2024-01-05", "day < date '2024-01-05'", No},
		{with(simple, fields, "f"), "f=1.5", "f > 1.5", No},
		{with(simple, fields, "ts"), "ts=2024-01-05 00%3A00%3A00", "ts < timestamp '2000-01-01 00:00:00'", Unknown},
		{with(simple, fields, "s,n", generator_, "COMPLEX"), "a/3", "s = 'a' and n > 3", No},
		{with(simple, fields, "s,n", generator_, "COMPLEX"), "s=a/b/n=3", "s = 'a/b' and n = 3", Unknown},
		{with(simple, fields, "s,n", generator_, "COMPLEX"), "a/b/3", "s = 'q'", Unknown}, // not to be taken apart
		{with(simple, fields, "st.x"), "st.x=3", "st.x = 4", No},
		{with(simple, encoded, "true"), "a%2Fb", "s = 'a/b'", Unknown}, // a date, written with slashes?
		{with(simple, encoded, "true"), "a%3Ab", "s = 'a:b'", Yes},
		{simple, "50%25", "s = '50%'", Unknown}, // was not encoded, perhaps
		{simple, "2024/01/02", "s = '2024-01-02'", Unknown},
		{simple, "2024/01/02", "s = '2024-01-03'", No},
		{simple, "2024/01/02", "s >= '2024-01-03'", Unknown},
		{simple, "2024/01/02", "s < '2024-01-02'", No},
		{simple, "2024/01/02", "s like '2024%'", Yes},
		{with(simple, generator_, "", "hoodie.table.keygenerator.class", "com.example.MyGenerator"), "a", "s = 'b'", Unknown},

		// Numbers in buckets of time: ends widen to the bucket.
		{millis, "2024/01/02", "ev >= 1704153600000 and ev < 1704240000000", Yes},
		{millis, "2024/01/02", "ev > 1704239999999", No},
		{millis, "2024/01/02", "ev < 1704153600000", No},
		{millis, "2024/01/02", "ev = 1704200000000", Unknown},
		{millis, "2024/01/02", "ev = 1704240000000", No},
		{millis, "2024/01/02", "ev <> 1704200000000", Unknown},
		{millis, "2024/01/02", "ev is null", No},
		{millis, "1970/01/01", "ev is null", Unknown}, // nulls are written there
		{millis, "ev=2024/01/02", "ev < 1704153600000", No},
		{millis, "gone", "ev < 5", Unknown},
		{with(millis, timeZone, "GMT+8"), "2024/01/02", "ev < 1704124800000", No}, // 2024-01-01T16:00Z
		{with(millis, timeZone, "GMT+8"), "2024/01/02", "ev = 1704124800000", Unknown},
		{with(millis, timeZone, "GMT+8"), "2024/01/02", "ev >= 1704211200000", No},
		{with(millis, timeZone, "Nowhere/Land"), "2024/01/02", "ev < 5", Unknown},
		{with(millis, timeType, "UNIX_TIMESTAMP", timeOut, "yyyy-MM-dd HH"), "2024-01-02 03", "ev >= 1704168000", No},
		{with(millis, timeType, "UNIX_TIMESTAMP", timeOut, "yyyy-MM-dd HH"), "2024-01-02 03", "ev < 1704164400", No},
		{with(millis, timeType, "UNIX_TIMESTAMP", timeOut, "yyyy-MM-dd HH"), "2024-01-02 03", "ev = 1704164400", Unknown},
		{with(millis, timeType, "SCALAR", "hoodie.keygen.timebased.timestamp.scalar.time.unit", "microseconds"), "2024/01/02", "ev < 1704153600000000", No},
		{with(millis, timeType, "SCALAR", "hoodie.keygen.timebased.timestamp.scalar.time.unit", "days"), "2024/01/02", "ev < 5", Unknown},
		{with(millis, timeOut, "yyyy/ww"), "2024/01", "ev < 5", Unknown}, // no range of time here
		{with(millis, timeOut, "MM/dd"), "01/02", "ev < 5", Unknown},
		{with(millis, fields, "f"), "2024/01/02", "f >= 1704240000002", No},

		// Texts in buckets: equality only.
		{dates, "2024-01-02", "text = '2024-01-03 00:00:00'", No},
		{dates, "2024-01-02", "text = '2024-01-02 23:59:59'", Unknown},
		{dates, "2024-01-02", "text in ('2024-01-01 23:59:59', '2024-01-03 00:00:00')", No},
		{dates, "2024-01-02", "text in ('2024-01-02 23:59:59', '2024-01-03 00:00:00')", Unknown},
		{dates, "2024-01-02", "text = '2024-01-02T23:59:59-0100'", No},
		{dates, "2024-01-02", "text = '2024-01-02T23:59:59+0000'", Unknown},
		{dates, "2024-01-02", "text = 'no date'", Unknown},
		{dates, "2024-01-02", "text > '2030-01-01 00:00:00'", Unknown},
		{dates, "2024-01-02", "text is null", Unknown},

		{map[string]string{generator_: "CUSTOM", fields: "s:SIMPLE,ev:TIMESTAMP", timeType: "EPOCHMILLISECONDS", timeOut: "yyyy-MM-dd"}, "eu/2024-01-02", "s = 'eu' and ev < 5", No},
		{map[string]string{generator_: "CUSTOM", fields: "s:SIMPLE,ev:TIMESTAMP", timeType: "EPOCHMILLISECONDS", timeOut: "yyyy-MM-dd"}, "eu/2024-01-02", "s = 'us'", No},
		{map[string]string{generator_: "CUSTOM", fields: "s,ev", timeType: "EPOCHMILLISECONDS", timeOut: "yyyy-MM-dd"}, "eu/2024-01-02", "s = 'us'", Unknown},
	} {
		p := partitionsOf(t, c.props)
		if got := mustBind(t, c.where, partitionSchema).Prune(p.Container(c.path)).Answer; got != c.want {
			t.Errorf("%v\n%s: %s: %s, want %s", c.props, c.path, c.where, got, c.want)
		}
	}
}

// TestBucketsHoldTheirTimes formats times as key generators do, in zones whose
// clocks jump, and asks the bucket for the time.
func TestBucketsHoldTheirTimes(t *testing.T) {
	for pattern, layout := range map[string]string{
		"yyyy": "2006", "yyyy/MM": "2006/01", "yyyy-MM-dd": "2006-01-02", "yyyyMMdd": "20060102", "dd.MM.yyyy": "02.01.2006",
		"yyyy-MM-dd'T'HH": "2006-01-02T15", "yyyy-MM-dd/HH/mm": "2006-01-02/15/04", "yyyyMMddHHmmss": "20060102150405",
	} {
		for _, zone := range []string{"UTC", "GMT+8", "GMT-03:30", "America/New_York", "Europe/Berlin", "Asia/Kathmandu"} {
			k := newTimeKeys(map[string]string{timeType: "UNIX_TIMESTAMP", timeOut: pattern, timeZone: zone})
			if k == nil {
				t.Fatalf("%s in %s is not understood", pattern, zone)
			}
			loc, err := javaZone(zone)
			if err != nil {
				t.Fatal(err)
			}
			for at := int64(1698000000); at < 1731000000; at += 1000003 / 7 {
				text := time.Unix(at, 0).In(loc).Format(layout)
				s := k.stats(text, domain{order: orderSigned})
				if s.Min.IsNull() || s.Min.Int64() > at || s.Max.Int64() < at {
					t.Fatalf("%s in %s: %d is written as %s, which is from %s to %s", pattern, zone, at, text, s.Min, s.Max)
				}
			}
		}
	}
}

func TestDatePatterns(t *testing.T) {
	for pattern, ok := range map[string]bool{
		"yyyy-MM-dd": true, "": false, "yy": false, "YYYY": false, "MM/dd": false, "yyyy-dd": false, "yyyy yyyy": false, "EEE": false,
		"yyyy'": false, "'on 'yyyy": true, "yyyy''MM": true, "yyyy-MM-dd hh": false, "yyyy-MM-ddXXX": true, "yyyy-MMM": false,
	} {
		if _, err := parseDatePattern(pattern); (err == nil) != ok {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	for _, zone := range []string{"GMT+25", "GMT+", "Local", "PST8", "nonsense"} {
		if loc, err := javaZone(zone); err == nil {
			t.Errorf("%q is taken for %v", zone, loc)
		}
	}
}
