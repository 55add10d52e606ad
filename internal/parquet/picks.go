package parquet

import (
	"sort"
)

// pageGap is the size of unneeded bytes between needed pages that are read
// along rather than skipped by a second read.
const pageGap = 64 << 10

// picks are the row ranges that a read wants, and what follows from them for
// the pages of a chunk.
type picks struct {
	file   *File
	ranges []RowRange
}

// a span is a stretch of a chunk that will be read.
type span struct{ start, end int64 }

// offsetIndex gives the offset index of a chunk; nil if it has none or holds
// no rows.
func (p *picks) offsetIndex(l *leaf, group int) (*OffsetIndex, error) {
	x, err := RowGroup{file: p.file, index: group}.chunk(l).OffsetIndex()
	if err != nil || x == nil || len(x.Pages) == 0 {
		return nil, err
	}
	return x, nil
}

// spans finds the stretches of a chunk that hold the wanted rows.
func (p *picks) spans(x *OffsetIndex, m *columnMeta, first int64) []span {
	i := sort.Search(len(p.ranges), func(i int) bool { return p.ranges[i].End > first })
	rest := p.ranges[i:]
	all := []span{{m.start(), x.Pages[0].Offset}} // the dictionary page
	for j, page := range x.Pages {
		for len(rest) > 0 && rest[0].End <= first+page.FirstRow {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		if rest[0].Start >= first+x.End(j) {
			continue
		}
		if last := &all[len(all)-1]; page.Offset-last.end <= pageGap {
			last.end = page.Offset + page.Size
		} else {
			all = append(all, span{page.Offset, page.Offset + page.Size})
		}
	}
	return all
}

// plan makes the reader's window read no further ahead than wanted pages lie.
func (p *picks) plan(r *leafReader, group int) {
	r.spans = p.spans(r.index, r.pages.meta, p.file.first[group])
	p.aim(r)
}

// aim is plan for the place that the reader has jumped to.
func (p *picks) aim(r *leafReader) {
	for len(r.spans) > 1 && r.spans[0].end <= r.pages.pos {
		r.spans = r.spans[1:]
	}
	r.pages.win.want = r.pages.pos
	if s := r.spans[0]; s.start <= r.pages.pos {
		r.pages.win.want = max(s.end, r.pages.pos)
	}
}
