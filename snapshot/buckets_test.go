package snapshot

import "testing"

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
