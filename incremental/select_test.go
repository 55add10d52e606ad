package incremental

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/snapshot"
)

// tableOf makes a table that has a timeline and nothing else.
func tableOf(t *testing.T, version, layout string, files ...string) *snapshot.Snapshot {
	t.Helper()
	all := map[string][]byte{".hoodie/hoodie.properties": []byte("hoodie.table.name=t\nhoodie.table.type=COPY_ON_WRITE\n" +
		"hoodie.table.version=" + version + "\nhoodie.timeline.layout.version=" + layout + "\nhoodie.table.timeline.timezone=UTC\n")}
	dir := ".hoodie"
	if layout == "2" {
		dir = ".hoodie/timeline"
	}
	for _, f := range files {
		all[path.Join(dir, f)] = nil
	}
	s, err := snapshot.Open(t.Context(), storage.NewMemory(all), snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const day = "20240101"

func at(hhmm string) string { return day + hhmm + "00000" }

func requested(all []snapshot.Instant) string {
	var some []string
	for _, i := range all {
		some = append(some, i.Requested[8:12])
	}
	return strings.Join(some, " ")
}

func TestSelect(t *testing.T) {
	six := tableOf(t, "6", "1", at("0100")+".commit", at("0200")+".commit", at("0300")+".replacecommit", at("0330")+".clean", at("0400")+".commit")
	// The write of 2:00 is completed after that of 3:00.
	eight := tableOf(t, "8", "2", at("0100")+"_"+at("0110")+".commit", at("0200")+"_"+at("0320")+".commit",
		at("0300")+"_"+at("0310")+".commit", at("0400")+".commit.requested", at("0400")+".inflight")
	for _, c := range []struct {
		s          *snapshot.Snapshot
		begin, end string
		want       string
		fromStart  bool
	}{
		{six, "", "", "0100 0200 0300 0400", true},
		{six, "earliest", "", "0100 0200 0300 0400", true},
		{six, "000", at("0200"), "0100 0200", true},
		{six, at("0030"), at("0200"), "0100 0200", true},
		{six, at("0100"), at("0300"), "0200 0300", false},
		{six, at("0400"), "", "", false},
		{six, "2024-01-01 02:30", "2024-01-01T03:30:00Z", "0300", false},
		{eight, "", "", "0100 0300 0200", true},
		{eight, at("0110"), "", "0300 0200", false},
		{eight, at("0110"), at("0315"), "0300", false},
		{eight, at("0310"), at("0320"), "0200", false},
		{eight, at("0100"), at("0110"), "0100", true},
		{eight, at("0320"), "", "", false},
		{eight, "completion:" + at("0110"), "latest", "0300 0200", false},
		{eight, "completion:" + at("0110"), "completion:" + at("0315"), "0300", false},
		{eight, "requested:" + at("0200"), "", "0300", false}, // of before an upgrade
		{eight, "latest", "", "", false},
		{six, "requested:" + at("0200"), "requested:" + at("0300"), "0300", false},
		{six, "Latest", "", "", false},
	} {
		r, err := Select(t.Context(), c.s, c.begin, c.end, Options{})
		if err != nil {
			t.Errorf("(%s, %s]: %v", c.begin, c.end, err)
			continue
		}
		if got := requested(r.Instants); got != c.want || r.FromStart != c.fromStart {
			t.Errorf("(%s, %s]: %q, from start %t, want %q, %t", c.begin, c.end, got, r.FromStart, c.want, c.fromStart)
		}
	}
	for _, bounds := range [][2]string{{"soon", ""}, {"", "later"}, {at("0300"), at("0200")}} {
		if _, err := Select(t.Context(), six, bounds[0], bounds[1], Options{}); !errors.Is(err, snapshot.ErrTimeTravel) {
			t.Errorf("(%s, %s]: %v", bounds[0], bounds[1], err)
		}
	}
	for _, c := range []struct {
		s                *snapshot.Snapshot
		begin, end, want string
	}{
		{six, "completion:" + at("0110"), "", "downgraded"},
		{eight, "", "requested:" + at("0200"), "completion time"},
		{eight, "", "earliest", "leave it out"},
		{eight, "soon", "", "completed, in this table's version), earliest, latest, or an offset as completion:2024"},
		{six, "", "soon", "or an offset as requested:2024"},
	} {
		if _, err := Select(t.Context(), c.s, c.begin, c.end, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("(%s, %s]: %v, want %s", c.begin, c.end, err, c.want)
		}
	}
}

// TestHoles has a write that runs on while a later one is completed.
func TestHoles(t *testing.T) {
	s := tableOf(t, "6", "1", at("0100")+".commit", at("0200")+".commit.requested", at("0200")+".inflight", at("0300")+".commit")
	for _, c := range []struct{ begin, end, policy, want string }{
		{"", at("0100"), "", "0100"},
		{"", at("0200"), "FAIL", "0100"},
		{"", "", "block", "0100"},
		{at("0100"), "", "BLOCK", ""},
	} {
		r, err := Select(t.Context(), s, c.begin, c.end, Options{Holes: c.policy})
		if err != nil || requested(r.Instants) != c.want {
			t.Errorf("(%s, %s] %s: %q, %v", c.begin, c.end, c.policy, requested(r.Instants), err)
		}
	}
	for _, policy := range []string{"", "FAIL", "USE_TRANSITION_TIME", "?"} {
		_, err := Select(t.Context(), s, "", "", Options{Holes: policy})
		var te *snapshot.TableError
		if !errors.As(err, &te) || te.Key != OptionHoles {
			t.Errorf("policy %q: %v", policy, err)
		}
	}
}

func TestOffsets(t *testing.T) {
	six := tableOf(t, "6", "1", at("0100")+".commit", at("0200")+".commit", at("0300")+".commit.requested", at("0400")+".commit")
	eight := tableOf(t, "8", "2", at("0100")+"_"+at("0110")+".commit", at("0200")+"_"+at("0210")+".commit",
		at("0205")+"_"+at("0210")+".commit", at("0400")+"_"+at("0410")+".commit")
	for _, c := range []struct {
		s    *snapshot.Snapshot
		from string
		want []string // requested times and offset of each step
	}{
		{six, "", []string{"0100 requested:" + at("0100"), "0200 requested:" + at("0200")}},
		{six, "requested:" + at("0100"), []string{"0200 requested:" + at("0200")}},
		{six, "latest", nil},
		{six, at("0150"), []string{"0200 requested:" + at("0200")}},
		{eight, "earliest", []string{"0100 completion:" + at("0110"), "0200 0205 completion:" + at("0210"), "0400 completion:" + at("0410")}},
		{eight, "completion:" + at("0110"), []string{"0200 0205 completion:" + at("0210"), "0400 completion:" + at("0410")}},
		{eight, "latest", nil},
		// An offset of before an upgrade.
		{eight, "requested:" + at("0205"), []string{"0400 completion:" + at("0410")}},
	} {
		o, err := ParseOffset(t.Context(), c.s, c.from, Options{})
		if err != nil {
			t.Errorf("%q: %v", c.from, err)
			continue
		}
		if again, err := ParseOffset(t.Context(), c.s, o.String(), Options{}); err != nil || again != o {
			t.Errorf("%q becomes %v, then %v, %v", c.from, o, again, err)
		}
		steps, err := Steps(t.Context(), c.s, o, Options{})
		if err != nil {
			t.Errorf("%q: %v", c.from, err)
			continue
		}
		var got []string
		for _, s := range steps {
			got = append(got, requested(s.Instants)+" "+s.Offset().String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.from, got, c.want)
		}
		if len(steps) > 1 {
			if all := Join(steps); all.Begin != steps[0].Begin || all.Offset() != steps[len(steps)-1].Offset() {
				t.Errorf("%q: joined to (%s, %s]", c.from, all.Begin, all.End)
			}
		}
	}
	for _, text := range []string{"requested:soon", "completion:" + at("0100"), "when?"} {
		if _, err := ParseOffset(context.Background(), six, text, Options{}); err == nil {
			t.Errorf("offset %q is read", text)
		}
	}
}
