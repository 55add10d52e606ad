package hudilog

import (
	"slices"
	"testing"
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]Name{
		".0712b9f9-d2d5-4cae-bcf4-8fd7146af503-0_20250126040823628.log.1_0-33-43": {
			"0712b9f9-d2d5-4cae-bcf4-8fd7146af503-0", "20250126040823628", "log", 1, "0-33-43", false},
		"p=1/q=2/.f-0_001.log.12_1-0-1.cdc":              {"f-0", "001", "log", 12, "1-0-1", true},
		".f-0_001.log.1":                                 {"f-0", "001", "log", 1, "", false},
		".files-0000-0_00000000000000010.log.6_1-0-1":    {"files-0000-0", "00000000000000010", "log", 6, "1-0-1", false},
		".commits_.archive.3_1-0-1":                      {"commits", "", "archive", 3, "1-0-1", false},
		".record-index-a%5Fb%2Dc-0001-0_002.log.1_0-0-0": {"record-index-a%5Fb%2Dc-0001-0", "002", "log", 1, "0-0-0", false},
		".3bbfdf7d_0_20261129213718163.log.1_2-50-73":    {"3bbfdf7d_0", "20261129213718163", "log", 1, "2-50-73", false},
		"f-0_001.log.1_0-0-0":                            {},
		".f-0_001.log.1_0-0-0.crc":                       {},
		".f-0_001.log.1_0-0":                             {},
		".f-0_001.log.x":                                 {},
		".f-0_001.log.99999999999999999999_0-0-0":        {},
		".hoodie_partition_metadata":                     {},
		"..0712b9f9-d2d5-4cae-bcf4-8fd7146af503-0_1.log": {},
		"f-0_0-1-2_001.parquet":                          {},
		"f-0_0-1-2_001_1.log.parquet":                    {},
		".f-0_0-1-2_001_1.log.parquet":                   {},
		"":                                               {},
	} {
		got, ok := ParseName(name)
		if got != want || ok != (want != Name{}) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

func TestParseNativeName(t *testing.T) {
	for name, want := range map[string]NativeName{
		"f-0_1-2-3_20260101000000000_1.log.parquet":        {"f-0", "1-2-3", "20260101000000000", 1, "log", "parquet"},
		"a/b/f-0_1-2-3_20260101000000000_12.deletes.hfile": {"f-0", "1-2-3", "20260101000000000", 12, "deletes", "hfile"},
		"f-0_1-2-3_001_1.cdc.lance":                        {"f-0", "1-2-3", "001", 1, "cdc", "lance"},
		"f-0_1-2-3_001.parquet":                            {},
		"f-0_1-2-3_001_1.parquet":                          {},
		"f-0_1-2-3_001_1.archive.parquet":                  {},
		".f-0_1-2-3_001_1.log.parquet":                     {},
		"f-0_1-2_001_1.log.parquet":                        {},
		"f-0_1-2-3_001_1.log.parquet.crc":                  {},
	} {
		got, ok := ParseNativeName(name)
		if got != want || ok != (want != NativeName{}) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

func TestCompare(t *testing.T) {
	want := []string{
		".f-0_001.log.1",
		".f-0_001.log.1_1-0-1",
		".f-0_001.log.2_0-0-0",
		".f-0_001.log.10_0-0-0",
		"f-0_0-0-0_002_1.log.parquet",
		"f-0_0-0-0_002_1.deletes.parquet",
		"f-0_0-0-0_002_1.cdc.parquet",
		".f-0_002.log.1_1-0-1",
		".f-0_002.log.1_1-0-1.cdc",
		"f-0_0-0-0_002_2.log.parquet",
		".f-0_003.log.1_0-0-0",
		"not a log",
		"not a log either",
	}
	for seed := range want {
		got := slices.Concat(want[seed:], want[:seed])
		slices.Reverse(got)
		slices.SortFunc(got, Compare)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q", got)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add(".0712b9f9-d2d5-4cae-bcf4-8fd7146af503-0_20250126040823628.log.1_0-33-43")
	f.Add("f-0_1-2-3_20260101000000000_1.deletes.parquet")
	f.Add(".commits_.archive.3_1-0-1")
	f.Fuzz(func(t *testing.T, name string) {
		_, inline := ParseName(name)
		_, native := ParseNativeName(name)
		if inline && native {
			t.Errorf("%q is both", name)
		}
		if Compare(name, name) != 0 {
			t.Errorf("%q differs from itself", name)
		}
	})
}
