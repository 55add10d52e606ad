package mergeread

import (
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// Merging says what the rules of a table let a planner assume, who has not
// seen the logs: from table version 8 on, any block may be a partial update.
func Merging(c *snapshot.Config, r Rules) pushdown.Merging {
	switch {
	case r.Mode == Custom:
		return pushdown.MergeUnknown
	case r.Partial != WholeRecord || c.Version >= 8:
		return pushdown.MergeFields
	}
	return pushdown.MergeWhole
}

// merging says the same of a slice whose blocks are known.
func (s *slice) merging(runs []Run) pushdown.Merging {
	switch {
	case s.rules.Mode == Custom:
		return pushdown.MergeUnknown
	case s.rules.Partial != WholeRecord || anyPartial(runs):
		return pushdown.MergeFields
	case s.rules.Mode == CommitTime:
		return pushdown.MergeCommitted
	}
	return pushdown.MergeWhole
}

// pruning derives the conditions by which rows of the base file and of logs may
// be left out before they are merged.
func (s *slice) pruning(runs []Run, skipMerge bool) {
	b := s.env.Condition()
	if b == nil {
		return
	}
	if skipMerge { // rows come out as they are
		s.pruneBase, s.pruneLogs = b, b
		return
	}
	if anyPartial(runs) {
		// Records of partial blocks may lack the columns of the key. Without
		// the base row they would fulfil conditions as nulls.
		return
	}
	keys := scan.KeyColumns(s.env.Config, s.env.Job.Schema.Schema)
	s.pruneBase = pushdown.BaseRows(b, len(runs) > 0, s.merging(runs), keys)
	s.pruneLogs = pushdown.LogRows(b, keys)
}

// logOptions say what of a Parquet log is read. Positions go by the rows of a
// block, so that none may be missing there; and partial updates may lack the
// columns of the key.
func (s *slice) logOptions(b *logBlock) scan.BaseOptions {
	if !b.prunable || s.pruneLogs == nil || !scan.PruningOff(s.env.Job.Options).On(scan.PruneLogs) {
		return scan.BaseOptions{}
	}
	return scan.BaseOptions{Prune: s.pruneLogs}
}
