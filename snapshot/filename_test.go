package snapshot

import (
	"testing"

	"github.com/hudi-go/hudi/internal/hudilog"
)

func TestParseFile(t *testing.T) {
	tests := []struct {
		name string
		want file // zero: none
	}{
		{"f-0_1-2-3_20240101000000001.parquet", file{fileID: "f-0", token: "1-2-3", instant: "20240101000000001", kind: kindBase, format: FormatParquet}},
		{"files-0000-0_0-489-650_00000000000000000.hfile", file{fileID: "files-0000-0", token: "0-489-650", instant: "00000000000000000", kind: kindBase, format: FormatHFile}},
		{".f-0_001.log.12_1-2-3", file{fileID: "f-0", token: "1-2-3", instant: "001", version: 12, kind: kindInline}},
		{".f-0_001.log.1", file{fileID: "f-0", instant: "001", version: 1, kind: kindInline}},
		{".my_id_001.log.1_1-0-1", file{fileID: "my_id", token: "1-0-1", instant: "001", version: 1, kind: kindInline}},
		{".d.parquet_001.log.1_1-0-1", file{fileID: "d.parquet", token: "1-0-1", instant: "001", version: 1, kind: kindInline}},
		{"f-0_1-2-3_001_2.log.parquet", file{fileID: "f-0", token: "1-2-3", instant: "001", version: 2, kind: kindData, format: FormatParquet}},
		{"f-0_1-2-3_001_2.deletes.hfile", file{fileID: "f-0", token: "1-2-3", instant: "001", version: 2, kind: kindDeletes, format: FormatHFile}},
		{"f-0_1-2-3_001_2.cdc.parquet", file{}},
		{".f-0_001.log.1_1-2-3.cdc", file{}},
		{".f-0_001.archive.1_1-2-3", file{}},
		{".f-0_001.log.1_1-2", file{}},
		{".f-0_001.log.x_1-2-3", file{}},
		{".f-0.log.1_1-2-3", file{}},
		{"._001.log.1_1-2-3", file{}},
		{".hoodie_partition_metadata", file{}},
		{".hoodie_partition_metadata.parquet", file{}},
		{".f-0_1-2-3_001.parquet.crc", file{}},
		{"f-0_1-2-3_001.parquet.tmp", file{}},
		{"f-0_1-2-3_001.txt", file{}},
		{"f-0_1-2-3_x01.parquet", file{}},
		{"f-0_1-2-3_001_2.log.csv", file{}},
		{"f-0_1-2_001_2.log.parquet", file{}},
		{"f-0_001.parquet", file{}},
		{"part-00000.parquet", file{}},
		{"_SUCCESS", file{}},
		{"", file{}}, {".", file{}}, {"_hudiext", file{}},
		{"d.parquet_001_hudiext", file{fileID: "d.parquet", instant: "001", kind: kindBase, external: true, format: FormatParquet, name: "d.parquet"}},
		{"a_b.c.parquet_001_fg%3Dbucket-0%2Fx_hudiext",
			file{fileID: "bucket-0/x/a_b.c.parquet", instant: "001", kind: kindBase, external: true, format: FormatParquet, name: "bucket-0/x/a_b.c.parquet"}},
		{"d.parquet_x_hudiext", file{}},
		{"d.parquet_001_fg%3D%zz_hudiext", file{}},
	}
	for _, tt := range tests {
		if tt.want.fileID != "" && tt.want.name == "" {
			tt.want.name = tt.name
		}
		got, ok := parseFile(tt.name)
		if ok != (tt.want.fileID != "") || ok && got != tt.want {
			t.Errorf("%q: %+v, %t", tt.name, got, ok)
		}
	}
}

// FuzzParseFile compares with the patterns that say what names are.
func FuzzParseFile(f *testing.F) {
	for _, name := range []string{"f-0_1-2-3_001.parquet", ".f-0_001.log.12_1-2-3", "f-0_1-2-3_001_2.deletes.parquet", "d.parquet_001_fg%3Da_hudiext", ".a.log._1.log.1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, ok := parseFile(name)
		if ok && (got.fileID == "" || !isInstant(got.instant)) {
			t.Errorf("%q: %+v", name, got)
		}
		if !ok || got.external {
			return
		}
		switch got.kind {
		case kindInline:
			if want, ok := hudilog.ParseName(name); ok && (want.FileID != got.fileID || want.Instant != got.instant || want.Version != got.version || want.WriteToken != got.token) {
				t.Errorf("%q: %+v, want %+v", name, got, want)
			}
		case kindData, kindDeletes:
			if want, ok := hudilog.ParseNativeName(name); !ok || want.FileID != got.fileID || want.Instant != got.instant || want.Version != got.version || want.WriteToken != got.token {
				t.Errorf("%q: %+v, want %+v", name, got, want)
			}
		}
	})
}
