package incremental

import "slices"

// Rows says which rows changed, by their _hoodie_commit_time: table services
// keep it when they move a row. It is plain data. The zero value is no row.
type Rows struct {
	All bool `json:"all,omitempty"`
	// In are requested times, sorted.
	In []string `json:"in,omitempty"`
	// After (excluded) and UpTo (included) bound a range, where UpTo is set.
	After string `json:"after,omitempty"`
	UpTo  string `json:"upTo,omitempty"`
}

// Has tells whether a row of a commit time changed.
func (r Rows) Has(commitTime string) bool {
	if r.All {
		return true
	}
	if r.UpTo != "" {
		return commitTime > r.After && commitTime <= r.UpTo
	}
	_, found := slices.BinarySearch(r.In, commitTime)
	return found
}
