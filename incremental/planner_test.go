package incremental

import (
	"testing"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/snapshot"
)

// TestPlansOfRealTables plans every range between two writes of every table,
// and checks what must hold whatever the table: changed slices are a part of
// the snapshot's, each change has one partition, images are of one group.
func TestPlansOfRealTables(t *testing.T) {
	for _, f := range tabletest.All(t) {
		if f.Manifest.Refused != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			s, err := snapshot.Open(t.Context(), f.Storage(t), snapshot.Options{Hudi: f.Options(t)})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Select(t.Context(), s, "", "", Options{Holes: StopBeforeHole})
			if err != nil || len(r.Instants) == 0 {
				return
			}
			current, err := s.Slices(t.Context(), snapshot.SliceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range r.Instants {
				checkPlan(t, s, r.Time(i), current)
			}
		})
	}
}

func checkPlan(t *testing.T, s *snapshot.Snapshot, begin string, current []snapshot.FileSlice) {
	r, err := Select(t.Context(), s, begin, "", Options{Holes: StopBeforeHole})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlanner(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	v, rows, err := p.Rows(t.Context())
	if err != nil {
		t.Fatalf("after %s: %v", begin, err)
	}
	now := (&View{Slices: current}).byGroup()
	if r.End == "" {
		for _, slice := range v.Slices {
			if now[snapshot.FileGroupID{Partition: slice.Partition, FileID: slice.FileID}] == nil {
				t.Errorf("after %s: file group %s is not current", begin, slice.FileID)
			}
		}
	}
	if rows.Has(begin) && !r.ByCompletion {
		t.Errorf("rows of %s are after it", begin)
	}
	changes, err := p.Differences(t.Context())
	if err == nil {
		for _, c := range changes {
			for _, side := range []View{c.Before, c.After} {
				for _, slice := range side.Slices {
					if slice.Partition != c.Partition() {
						t.Errorf("after %s: a change of %q has %q", begin, c.Partition(), slice.Partition)
					}
				}
			}
		}
	}
	images, err := p.Images(t.Context())
	if err != nil {
		return // cleaned
	}
	last := ""
	for _, c := range images {
		if len(c.Before.Slices) > 1 || len(c.After.Slices) > 1 || len(c.Before.Slices)+len(c.After.Slices)+len(c.Logged) == 0 {
			t.Errorf("after %s: a change of %d to %d groups", begin, len(c.Before.Slices), len(c.After.Slices))
		}
		if !r.ByCompletion && c.Instant < last {
			t.Errorf("after %s: %s comes after %s", begin, c.Instant, last)
		}
		last = c.Instant
	}
}
