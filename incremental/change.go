package incremental

import "github.com/hudi-go/hudi/snapshot"

// A View is some file slices as of one moment. It is plain data.
type View struct {
	// Latest is the last instant whose log blocks are seen.
	Latest string               `json:"latest,omitempty"`
	Slices []snapshot.FileSlice `json:"slices,omitempty"`
}

// A Change is what some file groups were before one or more writes and what
// they are after them. It is plain data.
type Change struct {
	// Instant is the write, where it is one.
	Instant string `json:"instant,omitempty"`
	Before  View   `json:"before"`
	After   View   `json:"after"`
	// Rows are the commit times of the rows of After that changed.
	Rows Rows `json:"rows"`
	// Logged are the CDC files that the write logged, relative to the base
	// path. What they hold need not be found out from Before and After.
	Logged []string `json:"logged,omitempty"`
}

// Partition is the partition that the change is in.
func (c *Change) Partition() string {
	for _, v := range [...]*View{&c.After, &c.Before} {
		if len(v.Slices) > 0 {
			return v.Slices[0].Partition
		}
	}
	return ""
}

// byGroup finds slices by their file group, of which a view has one each.
func (v *View) byGroup() map[snapshot.FileGroupID]*snapshot.FileSlice {
	m := make(map[snapshot.FileGroupID]*snapshot.FileSlice, len(v.Slices))
	for i := range v.Slices {
		s := &v.Slices[i]
		m[snapshot.FileGroupID{Partition: s.Partition, FileID: s.FileID}] = s
	}
	return m
}

// of is the part of a view that has one slice, or none.
func (v *View) of(s *snapshot.FileSlice) View {
	if s == nil {
		return View{Latest: v.Latest}
	}
	return View{Latest: v.Latest, Slices: []snapshot.FileSlice{*s}}
}
