package snapshot

import (
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
)

// TestBucketConfig reads the config of a table whose partitions have numbers of
// buckets of their own, in the form of PartitionBucketIndexHashingConfig: the
// newest of a write that is not pending.
func TestBucketConfig(t *testing.T) {
	config := func(expressions string) []byte {
		return []byte(`{"expressions" : "` + expressions + `", "defaultBucketNumber" : 4, "rule" : "regex", "version" : 1, "instant" : "0"}`)
	}
	const folder = ".hoodie/.bucket_index/partition_bucket_index_meta/configs/"
	st := storage.NewMemory(map[string][]byte{
		".hoodie/hoodie.properties": []byte("hoodie.table.name=t\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\n" +
			"hoodie.table.recordkey.fields=id\nhoodie.table.partition.fields=part\n"),
		".hoodie/20240102000000000.commit": []byte("{}"), ".hoodie/20240103000000000.replacecommit.requested": {},
		folder + "00000000000000.hashing_config": config("p9,3"), folder + "20240102000000000.hashing_config": config("p[12],2"),
		folder + "20240103000000000.hashing_config": config("p[12],8"),
	})
	s, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Buckets(t.Context())
	if err != nil || b == nil || len(b.Fields) != 1 || b.Fields[0] != "id" {
		t.Fatal(b, err)
	}
	ids := []string{"00000000-a-0", "00000001-a-0", "00000002-a-0", "00000003-a-0"}
	for _, c := range []struct {
		partition string
		groups    []string
		want      []string // that may have the key; nil = not known
	}{
		{"p0", ids, ids[:1]},     // 31 + 'a' = 128, by 4
		{"p1", ids[:2], ids[:1]}, // by 2
		{"p1", ids, nil},         // two of them are no buckets of two
		{"p0", []string{"00000000-a-0", "7d0f0d4e-a-0"}, nil},
	} {
		may, err := b.Of(t.Context(), c.partition, c.groups, [][]string{{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		if (may == nil) != (c.want == nil) {
			t.Errorf("%s %v: known: %t", c.partition, c.groups, may != nil)
			continue
		}
		var got []string
		for _, id := range c.groups {
			if may != nil && may(id) {
				got = append(got, id)
			}
		}
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s %v: %v, want %v", c.partition, c.groups, got, c.want)
		}
	}
}

// TestXXHash32 has the values that XXH32's own tests and other languages have.
func TestXXHash32(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0x02CC5D05, "a": 0x550D7456, "abc": 0x32D153FF, "Nobody inspects the spammish repetition": 0xE2293B2F,
	} {
		if got := xxHash32([]byte(text)); got != want {
			t.Errorf("%q: %08x, want %08x", text, got, want)
		}
	}
}

// TestSimpleBucket has what Java's List.of(...).hashCode() gives.
func TestSimpleBucket(t *testing.T) {
	for _, c := range []struct {
		key         []string
		count, want int
	}{
		{[]string{"a"}, 1000, 128},             // 31 + 97
		{[]string{"a", "b"}, 1000, 66},         // 31 * 128 + 98 = 4066
		{[]string{"polygenelubricants"}, 7, 3}, // 31 + the least number, without its sign
	} {
		if got := simpleBucket(c.key, c.count); got != c.want {
			t.Errorf("%q: %d, want %d", c.key, got, c.want)
		}
	}
}

func TestBucketOf(t *testing.T) {
	for id, want := range map[string]int{"00000003-0000-0000-0000-000000000000-0": 3, "0000001a-4f": -1, "00000012": -1, "dad73638-0699-3d64-9014-d55bccb9782d-0": -1} {
		got, ok := bucketOf(id)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: %d, %t", id, got, ok)
		}
	}
}

func TestBucketRules(t *testing.T) {
	rules, ok := parseBucketRules("regex", `\d{4}-(06-(01|17)|11-11),256;2024-.*,32`)
	if !ok || len(rules) != 2 || rules[0].count != 256 || !rules[0].partitions.MatchString("2024-06-17") || rules[0].partitions.MatchString("2024-06-18") {
		t.Errorf("%+v, %t", rules, ok)
	}
	for _, bad := range []string{`(?i)a,3`, `a`, `a,0`, `\p{javaLowerCase},2`, `a,3;`} {
		if _, ok := parseBucketRules("regex", bad); ok {
			t.Errorf("%s is taken", bad)
		}
	}
	if _, ok := parseBucketRules("range", "a,3"); ok {
		t.Error("an unknown kind of rule is taken")
	}
}

func TestHashRange(t *testing.T) {
	middle, around := hashRange{10, 20}, hashRange{20, 10}
	for hash, in := range map[int32]bool{10: false, 11: true, 20: true, 21: false} {
		if middle.has(hash) != in || around.has(hash) == in {
			t.Errorf("%d", hash)
		}
	}
}
