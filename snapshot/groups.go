package snapshot

import "context"

// isReplaced tells whether a file group is gone because a replacecommit that
// was requested at or before the snapshot's instant took it away. newest is
// the group's newest slice.
//
// Archived replacecommits count too: usually the cleaner has removed their
// files by then, but it need not have. They are looked at only for groups
// that nothing on the active timeline has written.
func (s *Snapshot) isReplaced(ctx context.Context, g FileGroupID, newest string) (bool, error) {
	active, err := s.replacedGroups(ctx)
	if err != nil {
		return false, err
	}
	if at, ok := active[g]; ok {
		return at <= s.instant, nil
	}
	if newest >= s.timeline.start {
		return false, nil
	}
	archived, err := s.archivedReplacedGroups(ctx)
	if err != nil {
		return false, err
	}
	at, ok := archived[g]
	return ok && at <= s.instant, nil
}

// replacedGroups gives the file groups that the active timeline's completed
// replacecommits took away, with the earliest such instant.
func (s *Snapshot) replacedGroups(ctx context.Context) (map[FileGroupID]string, error) {
	return s.replaced.get(func() (map[FileGroupID]string, error) {
		return s.readReplaced(ctx, s.timeline.Completed(ActionReplaceCommit))
	})
}

func (s *Snapshot) archivedReplacedGroups(ctx context.Context) (map[FileGroupID]string, error) {
	return s.archived.get(func() (map[FileGroupID]string, error) {
		all, err := s.timeline.Archived(ctx)
		if err != nil {
			return nil, err
		}
		var some []Instant
		for _, i := range all {
			if i.Action == ActionReplaceCommit && i.IsCompleted() {
				some = append(some, i)
			}
		}
		return s.readReplaced(ctx, some)
	})
}

func (s *Snapshot) readReplaced(ctx context.Context, instants []Instant) (map[FileGroupID]string, error) {
	groups := map[FileGroupID]string{}
	for _, i := range instants {
		m, err := s.timeline.WrittenMetadata(ctx, i)
		if err != nil {
			return nil, err
		}
		for partition, ids := range m.ReplacedFileIDs {
			for _, id := range ids {
				g := FileGroupID{Partition: partition, FileID: id}
				if old, ok := groups[g]; !ok || i.Requested < old {
					groups[g] = i.Requested
				}
			}
		}
	}
	return groups, nil
}

// pendingCompactions gives the instant of the pending compaction of each file
// group that has one. A group has at most one.
func (s *Snapshot) pendingCompactions(ctx context.Context) (map[FileGroupID]string, error) {
	return s.pending.get(func() (map[FileGroupID]string, error) {
		return s.timeline.pendingCompactions(ctx)
	})
}

func (t *Timeline) pendingCompactions(ctx context.Context) (map[FileGroupID]string, error) {
	groups := map[FileGroupID]string{}
	for _, i := range t.Pending() {
		if i.Action != ActionCompaction {
			continue
		}
		plan, err := t.CompactionPlan(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, op := range plan.Operations {
			groups[FileGroupID{Partition: op.Partition, FileID: op.FileID}] = i.Requested
		}
	}
	return groups, nil
}
