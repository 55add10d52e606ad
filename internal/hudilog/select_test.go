package hudilog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// The scripts in testdata/select are blocks in file order, one a line, and
// after the line the blocks that are merged in their order:
//
//	select [latest=005] [committed=(001,002)] [range=(002,003)]
//	001 data
//	002 deletes
//	004 rollback 002
//	005 data compacted=001,002
//	006 cdc
//	corrupt
func TestSelect(t *testing.T) {
	datadriven.Walk(t, "testdata/select", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "select" {
				t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			}
			v := Visibility{Valid: member(d, "committed"), InRange: member(d, "range")}
			d.MaybeScanArgs(t, "latest", &v.Latest)
			lines := strings.Split(d.Input, "\n")
			blocks := make([]BlockInfo, len(lines))
			for i, line := range lines {
				blocks[i] = parseBlockLine(t, line)
			}
			var out strings.Builder
			for _, i := range Select(blocks, v) {
				fmt.Fprintf(&out, "%d: %s\n", i+1, lines[i])
			}
			if out.Len() == 0 {
				return "nothing\n"
			}
			return out.String()
		})
	})
}

// member makes a test of the instants that an argument lists.
func member(d *datadriven.TestData, key string) func(string) bool {
	for _, arg := range d.CmdArgs {
		if arg.Key == key {
			return func(instant string) bool { return slices.Contains(arg.Vals, instant) }
		}
	}
	return nil
}

func parseBlockLine(t *testing.T, line string) BlockInfo {
	f := strings.Fields(line)
	if f[0] == "corrupt" {
		return BlockInfo{Type: CorruptBlock}
	}
	b := BlockInfo{Header: map[HeaderKey]string{InstantTime: f[0]}}
	switch f[1] {
	case "data":
		b.Type = AvroDataBlock
	case "parquet":
		b.Type = ParquetDataBlock
	case "deletes":
		b.Type = DeleteBlock
	case "cdc":
		b.Type = CDCDataBlock
	case "rollback":
		b.Type = CommandBlock
		b.Header[TargetInstantTime] = f[2]
		return b
	default:
		t.Fatalf("unknown block %q", line)
	}
	if len(f) > 2 {
		times, ok := strings.CutPrefix(f[2], "compacted=")
		if !ok {
			t.Fatalf("unknown block %q", line)
		}
		b.Header[CompactedBlockTimes] = times
	}
	return b
}
