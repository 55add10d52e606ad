package snapshot

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestView runs the scripts in testdata/view. A script describes a table and
// asks for slices:
//
//	table version=9
//	<requested> <action> <completed>|inflight|requested|legacy [<partition>/<fileId>... | <instant>...]
//	archived <requested> <action> <completed> [<partition>/<fileId>...]
//	file <path>
//
// where the groups are those that a compaction plans or a replacecommit takes
// away, the instants those that a rollback takes away, and
//
//	slices [as-of=T] [read-optimized]
//	visible <instant>...
//
// The answers are worked out by hand.
func TestView(t *testing.T) {
	datadriven.Walk(t, "testdata/view", func(t *testing.T, file string) {
		var f *fake
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				var version int
				d.ScanArgs(t, "version", &version)
				f = newFake(version)
				for line := range strings.Lines(d.Input) {
					f.line(t, strings.Fields(line))
				}
				return ""
			case "slices":
				return f.slices(t, d)
			case "visible":
				v, err := f.open(t, Options{ListFiles: true}).LogVisibility(t.Context())
				if err != nil {
					return err.Error() + "\n"
				}
				var b strings.Builder
				for _, a := range d.CmdArgs {
					fmt.Fprintf(&b, "%s %t\n", a.Key, v.IsValid(a.Key))
				}
				return b.String()
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func (f *fake) line(t *testing.T, words []string) {
	t.Helper()
	switch {
	case len(words) == 0:
	case words[0] == "file":
		f.files[words[1]] = nil
		dir := path.Dir(words[1])
		f.files[path.Join(dir, partitionMetafile)] = nil
	case words[0] == "archived":
		l := historyLine{requested: words[1], action: words[2], completed: words[3]}
		if len(words) > 4 {
			l.metadata = string(replaceMetadata(t, words[4:]))
		}
		f.history = append(f.history, l)
	default:
		requested, action, completed := words[0], words[1], words[2]
		var metadata, plan []byte
		switch groups := words[3:]; action {
		case ActionReplaceCommit, ActionClustering:
			metadata = replaceMetadata(t, groups)
		case ActionCompaction:
			plan = compactionPlan(t, groups)
		case ActionClean:
			metadata = cleanMetadata(t, groups[0])
		case ActionRollback:
			metadata = rollbackMetadata(t, groups)
		}
		f.instant(requested, action, completed, metadata, plan)
	}
}

func (f *fake) slices(t *testing.T, d *datadriven.TestData) string {
	o := Options{ListFiles: true}
	if d.HasArg("as-of") {
		d.ScanArgs(t, "as-of", &o.AsOf)
	}
	s, err := Open(t.Context(), f.storage(t), o)
	if err != nil {
		return err.Error() + "\n"
	}
	all, err := s.Slices(t.Context(), SliceOptions{ReadOptimized: d.HasArg("read-optimized")})
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s/%s @%s\n", s.Partition, s.FileID, s.BaseInstant)
		if s.Base != nil {
			fmt.Fprintf(&b, "  base %s\n", path.Base(s.Base.Path))
		}
		for _, l := range s.Logs {
			fmt.Fprintf(&b, "  %s %s\n", l.Kind, path.Base(l.Path))
		}
	}
	if len(all) == 0 {
		return "nothing\n"
	}
	return b.String()
}
