package hudilog

import (
	"slices"
	"strings"
)

// A Visibility tells which instants a read sees.
type Visibility struct {
	// Latest is the newest instant that the read sees; "" = no bound.
	Latest string
	// Valid tells whether an instant is committed (nil = all are). Tables of
	// version 8 and later decide this by file, so it is nil for them.
	Valid func(instant string) bool
	// InRange restricts an incremental read (nil = all instants).
	InRange func(instant string) bool
}

func (v Visibility) sees(instant string) bool {
	return (v.Latest == "" || instant <= v.Latest) &&
		(v.Valid == nil || v.Valid(instant)) &&
		(v.InRange == nil || v.InRange(instant))
}

// Select gives the indexes of the blocks to merge, in merge order. The blocks
// are those of all logs of a file slice: files in the order of [Compare],
// blocks in file order, a native file as one block.
//
//   - Blocks of instants that the read does not see are left out, and so are
//     corrupt blocks and change data.
//   - A rollback removes all blocks of its target instant before it, in
//     whichever file. It counts even if its own instant is not seen: the
//     target's blocks are never coming back.
//   - The blocks of one instant stay together, at the place of its first one.
//   - Blocks that a log compaction merged are replaced by its output, at the
//     place of the newest instant that it covers. The output is not used
//     without any of them.
func Select(blocks []BlockInfo, v Visibility) []int {
	var s selection
	s.gather(blocks, v)
	return s.resolve(blocks)
}

// A selection holds the blocks of each instant; order has the instants by
// their first block.
type selection struct {
	order []string
	of    map[string][]int
}

func (s *selection) gather(blocks []BlockInfo, v Visibility) {
	s.of = make(map[string][]int)
	for i, b := range blocks {
		if b.Type == CommandBlock {
			s.rollback(b.Header[TargetInstantTime])
			continue
		}
		instant := b.Header[InstantTime]
		if !b.Type.IsData() && b.Type != DeleteBlock || !v.sees(instant) {
			continue
		}
		if len(s.of[instant]) == 0 {
			s.order = append(s.order, instant)
		}
		s.of[instant] = append(s.of[instant], i)
	}
}

func (s *selection) rollback(target string) {
	if _, ok := s.of[target]; ok {
		delete(s.of, target)
		s.order = slices.DeleteFunc(s.order, func(instant string) bool { return instant == target })
	}
}

// resolve puts the outputs of log compactions in the place of what they cover.
// It goes from the newest instant to the oldest, for an output comes after its
// inputs and may itself be covered by a later one.
func (s *selection) resolve(blocks []BlockInfo) []int {
	finalOf := make(map[string]string) // covered instant -> instant of the last output
	taken := make(map[string]bool)
	var newestFirst [][]int
	for _, instant := range slices.Backward(s.order) {
		group := s.of[instant]
		final, covered := finalOf[instant]
		if !covered {
			final = instant
		}
		if times, ok := blocks[group[0]].Header[CompactedBlockTimes]; ok {
			for t := range strings.SplitSeq(times, ",") {
				finalOf[t] = final
			}
			continue
		}
		if !taken[final] {
			taken[final] = true
			newestFirst = append(newestFirst, s.of[final])
		}
	}
	var chosen []int
	for _, group := range slices.Backward(newestFirst) {
		chosen = append(chosen, group...)
	}
	return chosen
}
