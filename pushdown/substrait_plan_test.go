package pushdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
)

type substraitPlan struct {
	Name, Want string
	Plan       []byte
}

func substraitPlans(t testing.TB) (all []substraitPlan) {
	t.Helper()
	text, err := os.ReadFile("testdata/substrait_plans.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReadSubstraitPlan reads plans that Substrait's own code wrote.
func TestReadSubstraitPlan(t *testing.T) {
	for _, p := range substraitPlans(t) {
		s, err := ReadSubstraitPlan(p.Plan)
		switch {
		case p.Want == "plan":
			if !errors.Is(err, ErrSubstraitPlan) {
				t.Errorf("%s: %+v, %v", p.Name, s, err)
			}
		case p.Want == "text":
			if !errors.Is(err, ErrSubstrait) {
				t.Errorf("%s: %+v, %v", p.Name, s, err)
			}
		case err != nil:
			t.Errorf("%s: %v", p.Name, err)
		default:
			if got := fmt.Sprint(s.Table, s.Columns, s.Where, s.Offset, s.Limit); got != p.Want {
				t.Errorf("%s: %s, want %s", p.Name, got, p.Want)
			}
		}
	}
}

func FuzzReadSubstraitPlan(f *testing.F) {
	for _, p := range substraitPlans(f) {
		f.Add(p.Plan)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadSubstraitPlan(b)
		if err == nil && (len(s.Table) == 0 || s.Offset < 0 || s.Limit < -1) {
			t.Errorf("%+v", s)
		}
	})
}
