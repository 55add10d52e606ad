package parquet

import (
	"fmt"
	"sort"
)

// A cursor walks the wanted rows in stretches that lie in one row group.
type cursor struct {
	ranges []RowRange // what is left; shared by all columns of a read
	passed int64      // rows of the first range that are passed
	first  []int64    // first rows of the row groups
	rows   int64      // of the file
}

// next gives where the next rows are, up to n of them, without passing over
// them.
func (c *cursor) next(n int) (group int, row int64, rows int) {
	start, end := c.ranges[0].Start+c.passed, c.ranges[0].End
	group = sort.Search(len(c.first), func(i int) bool { return c.first[i] > start }) - 1
	if group+1 < len(c.first) {
		end = min(end, c.first[group+1])
	}
	return group, start - c.first[group], int(min(int64(n), end-start))
}

// advance passes over n rows, no more than next gave.
func (c *cursor) advance(n int) {
	c.passed += int64(n)
	if c.passed == c.ranges[0].End-c.ranges[0].Start {
		c.ranges, c.passed = c.ranges[1:], 0
	}
}

// checkRanges checks that ranges are sorted, disjoint and within the file, and
// leaves out empty ones.
func checkRanges(ranges []RowRange, rows int64) (kept []RowRange, total int64, err error) {
	last := int64(0)
	for _, r := range ranges {
		if r.Start < last || r.End < r.Start || r.End > rows {
			return nil, 0, fmt.Errorf("rows %d to %d asked for: ranges must be sorted, disjoint and within the file's %d rows", r.Start, r.End, rows)
		}
		last = r.End
		if r.Start < r.End {
			kept = append(kept, r)
			total += r.End - r.Start
		}
	}
	return kept, total, nil
}
