package hints

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// scanTexts are what the plans of testdata/plans.jsonl, which DuckDB 1.5.6
// made where nothing else is said, ask of their scans; nil for those that are errors.
var scanTexts = [][]string{
	{"t: id = 'a' AND id >= 'a' AND id < 'b' AND amount > 1e+03 AND (qty >= 1 AND qty <= 5 OR part IS NULL) AND id LIKE 'a%b'", "u: id = 'a'"},
	{"t: qty > 3 AND part IN ('a', 'b', 'c') AND (part = 'a' OR part = 'b' OR part = 'c')", "t: f > CAST(1.5e+00 AS FLOAT)"},
	nil,
	{"t: id = 'z' AND part = 'p'"},
	{"t: part <> 'q' AND tz > TIMESTAMPTZ '2024-01-01 00:00:00.000000+00'", "u: n = 3", "u: n > 10"},
	nil,
	// Of DuckDB 2.0.1, which writes them otherwise.
	{"t: c > 1.5e+00 AND e = 3.25 AND d >= DATE '2024-01-02' AND b >= 'z' AND b < '{' AND i <> 7 AND (f IS NULL OR a = 1)"},
	{"t: b >= 'a' AND b < 'b' AND (a > 3 OR b = 'x') AND b LIKE 'a%c'", "u: n IN (1, 5, 9) AND (n = 1 OR n = 5 OR n = 9)"},
}

func plans(t testing.TB) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/plans.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func TestRead(t *testing.T) {
	all := plans(t)
	if len(all) != len(scanTexts) {
		t.Fatalf("%d plans", len(all))
	}
	for i, text := range all {
		scans, err := Read([]byte(text))
		if (err != nil) != (scanTexts[i] == nil) {
			t.Errorf("plan %d: %v", i, err)
		}
		var got []string
		for _, s := range scans {
			got = append(got, s.Table+": "+s.Where.String())
		}
		if !slices.Equal(got, scanTexts[i]) {
			t.Errorf("plan %d: %q, want %q", i, got, scanTexts[i])
		}
	}
}

func TestJoin(t *testing.T) {
	scans, err := Read([]byte(plans(t)[1]))
	if err != nil {
		t.Fatal(err)
	}
	if got := Join(scans).String(); !strings.Contains(got, " OR f > ") {
		t.Errorf("joined: %s", got)
	}
	if got := Join(append(scans, Scan{Table: "t"})); got != nil {
		t.Errorf("a scan that asks nothing, joined: %s", got)
	}
	if got := Join(nil); got != nil {
		t.Errorf("no scan: %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range plans(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scans, err := Read(text)
		if err != nil {
			return
		}
		for _, s := range scans {
			if s.Where != nil {
				_ = s.Where.String()
			}
		}
	})
}
