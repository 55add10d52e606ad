package incremental

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// A write is what one instant did.
type write struct {
	snapshot.Instant
	meta    *snapshot.CommitMetadata
	service bool // rewrites rows, changes none
}

// isService tells whether a write is a compaction or clustering. Old metadata
// need not name the operation.
func isService(mergeOnRead bool, i snapshot.Instant, m *snapshot.CommitMetadata) bool {
	switch strings.ToUpper(m.OperationType) {
	case "COMPACT", "CLUSTER", "LOG_COMPACT", "INDEX":
		return true
	case "", "UNKNOWN":
		return m.Compacted || mergeOnRead && i.Action == snapshot.ActionCommit
	}
	return false
}

// written gives what the write wrote, by file group: a group may have several
// files of one write.
func (w *write) written() map[snapshot.FileGroupID][]snapshot.WriteStat {
	groups := map[snapshot.FileGroupID][]snapshot.WriteStat{}
	for partition, stats := range w.meta.WriteStats {
		for _, s := range stats {
			if s.FileID == "" || s.Path == "" {
				continue
			}
			g := snapshot.FileGroupID{Partition: partition, FileID: s.FileID}
			groups[g] = append(groups[g], s)
		}
	}
	return groups
}

// replaced gives the file groups that the write took away.
func (w *write) replaced() []snapshot.FileGroupID {
	var groups []snapshot.FileGroupID
	for partition, ids := range w.meta.ReplacedFileIDs {
		for _, id := range ids {
			groups = append(groups, snapshot.FileGroupID{Partition: partition, FileID: id})
		}
	}
	slices.SortFunc(groups, compareGroups)
	return groups
}

func compareGroups(a, b snapshot.FileGroupID) int {
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.FileID, b.FileID))
}

// left tells whether a file slice holds what the write wrote to its group. The
// base file may be that of a task's second attempt, under another token.
func (w *write) left(s *snapshot.FileSlice, stats []snapshot.WriteStat) bool {
	if s == nil {
		return false
	}
	if s.Base != nil && (s.Base.Instant == w.Requested || s.Base.External) {
		return true
	}
	return slices.ContainsFunc(s.Logs, func(l snapshot.LogFile) bool {
		return l.Instant == w.Requested || slices.ContainsFunc(stats, func(st snapshot.WriteStat) bool { return st.Path == l.Path })
	})
}

// before tells whether the write found something in the file group: earlier is
// the write whose slice it continued.
func before(stats []snapshot.WriteStat) (earlier string, ok bool) {
	for _, s := range stats {
		if s.PrevCommit != "" && s.PrevCommit != "null" {
			return s.PrevCommit, true
		}
	}
	return "", false
}
