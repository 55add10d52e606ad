package hfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/hfile/hfiletest"
)

// made makes a file of sorted entries.
func made(w hfiletest.Writer, all []Entry) []byte {
	return w.Write(len(all), func(i int) (string, []byte) { return all[i].Key, all[i].Value })
}

// get looks one key up.
func get(r *Reader, key string) ([]byte, bool, error) {
	for e, err := range r.Find([]string{key}) {
		return e.Value, err == nil, err
	}
	return nil, false, nil
}

// counting counts the range reads of a file.
type counting struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	c.bytes += len(b)
	return c.ReaderAt.ReadAt(b, off)
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openBytes(t testing.TB, b []byte) (*Reader, *counting) {
	t.Helper()
	c := &counting{ReaderAt: bytes.NewReader(b)}
	r, err := Open(c, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r, c
}

func collect(t testing.TB, seq func(func(Entry, error) bool)) []Entry {
	t.Helper()
	var all []Entry
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// The files were written by Hudi 1.0 with HBase 2.4; their names upstream tell
// the number of entries, and keys and values are numbered.
func TestHBaseFiles(t *testing.T) {
	large := "hudi-key-" + strings.Repeat("a", 3)
	for _, tt := range []struct {
		file   string
		levels int
		keys   int
		key    func(i int) string
	}{
		{"no_entry.hfile", 1, 0, nil},
		{"fake_first_key.hfile", 1, 20000, func(i int) string { return fmt.Sprintf("hudi-key-%09d-abcdefghij", i) }},
		{"deep_index.hfile", 3, 10000, nil},
	} {
		t.Run(tt.file, func(t *testing.T) {
			r, _ := openBytes(t, readFile(t, tt.file))
			all := collect(t, r.Entries(""))
			if len(all) != tt.keys || r.Len() != int64(tt.keys) || r.trailer.indexLevels != tt.levels {
				t.Fatalf("%d entries, Len %d, %d levels", len(all), r.Len(), r.trailer.indexLevels)
			}
			for i, e := range all {
				if want := fmt.Sprintf("hudi-value-%09d", i); string(e.Value) != want {
					t.Fatalf("value %d is %q", i, e.Value)
				}
				if tt.key != nil && e.Key != tt.key(i) || !strings.HasPrefix(e.Key, large[:9]) {
					t.Fatalf("key %d is %q", i, e.Key)
				}
			}
			if !slices.IsSortedFunc(all, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) }) {
				t.Fatal("keys are out of order")
			}
			lookups(t, r, all)
		})
	}
}

// lookups checks Get, Entries and Prefix against all entries of a file.
func lookups(t *testing.T, r *Reader, all []Entry) {
	t.Helper()
	probes := []string{"", "a", "hudi-key-", "hudi-key-000000099", "hudi-key-00001", "zzz", "\xff\xff"}
	for i := 0; i < len(all); i += max(1, len(all)/40) {
		k := all[i].Key
		probes = append(probes, k, k+"\x00", k+"z", k[:len(k)-min(1, len(k))])
	}
	for _, p := range probes {
		at := sort.Search(len(all), func(i int) bool { return all[i].Key >= p })
		value, ok, err := get(r, p)
		if err != nil {
			t.Fatal(err)
		}
		if want := at < len(all) && all[at].Key == p; ok != want || ok && !bytes.Equal(value, all[at].Value) {
			t.Fatalf("Get(%q) = %q, %v; want %v", p, value, ok, want)
		}
		n := at
		for e, err := range r.Entries(p) {
			if err != nil || e.Key != all[n].Key || !bytes.Equal(e.Value, all[n].Value) {
				t.Fatalf("Entries(%q): entry %d is %q (%v)", p, n, e.Key, err)
			}
			if n++; n > at+100 {
				break
			}
		}
		if n < min(len(all), at+100) {
			t.Fatalf("Entries(%q) ended at %d", p, n)
		}
		end := at
		for end < len(all) && strings.HasPrefix(all[end].Key, p) {
			end++
		}
		if got := collect(t, r.Prefixes([]string{p})); len(got) != end-at || len(got) > 0 && got[0].Key != all[at].Key {
			t.Fatalf("Prefix(%q) gave %d entries, want %d", p, len(got), end-at)
		}
	}
}

func TestRepeatedKeys(t *testing.T) {
	r, _ := openBytes(t, readFile(t, "non_unique.hfile"))
	if all := collect(t, r.Entries("")); len(all) != 4200 {
		t.Fatalf("%d entries", len(all))
	}
	for i := range 200 {
		key := fmt.Sprintf("hudi-key-%09d", i)
		got := collect(t, r.Prefixes([]string{key}))
		value, ok, err := get(r, key)
		if len(got) != 21 || !ok || err != nil || string(value) != string(got[0].Value) {
			t.Fatalf("%s: %d entries; Get gave %q, %v, %v", key, len(got), value, ok, err)
		}
	}
}

func TestMetadataTableFiles(t *testing.T) {
	for _, tt := range []struct {
		file, min, max string
		n              int64
		get            string
	}{
		{"hbase_column_stats.hfile", "+WGrmgkN3io=fFk6rSidSEI=aFo9mWFfhrC2zoBHNIrCyA==", "uSJGdDiVr/k=xqJF3TniBpU=tvRY78GvG3LGLBxf/TW09A==", 63, ""},
		{"native_secondary_index.hfile", "-2-2$k00002", "絵里-2-14$k00014", 37, "絵里-2-14$k00014"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			r, _ := openBytes(t, readFile(t, tt.file))
			first, _ := r.MinKey()
			last, _ := r.MaxKey()
			if first != tt.min || last != tt.max || r.Len() != tt.n {
				t.Errorf("%q to %q, %d entries", first, last, r.Len())
			}
			if s, ok := r.Info("schema"); !ok || !strings.Contains(string(s), "HoodieMetadataRecord") {
				t.Errorf("schema is %.40q", s)
			}
			all := collect(t, r.Entries(""))
			if int64(len(all)) != tt.n || all[0].Key != tt.min || all[len(all)-1].Key != tt.max {
				t.Errorf("%d entries read", len(all))
			}
			lookups(t, r, all)
		})
	}
}

// Files of every shape, read back and compared with the sorted entries.
func TestShapes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []int{hfiletest.None, hfiletest.GZ, hfiletest.ZSTD} {
		for levels := 1; levels <= 4; levels++ {
			for _, n := range []int{0, 1, 7, 500} {
				keys := make(map[string]bool)
				for len(keys) < n {
					keys[strings.Repeat(string(rune('a'+rnd.IntN(3))), rnd.IntN(300))+fmt.Sprint(rnd.IntN(5000))] = true
				}
				var all []Entry
				for k := range keys {
					all = append(all, Entry{k, []byte(fmt.Sprint("value of ", k))})
				}
				slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
				w := hfiletest.Writer{Codec: c, Checksum: byte(n % 3), PerBlock: 6, Levels: levels, FullKeys: n%2 == 0, MVCC: levels%2 == 0}
				r, _ := openBytes(t, made(w, all))
				if got := collect(t, r.Entries("")); len(got) != n {
					t.Fatalf("codec %d, %d levels: %d of %d entries", c, levels, len(got), n)
				}
				lookups(t, r, all)
			}
		}
	}
}

// TestFind finds many keys and prefixes at once in files of every shape.
func TestFind(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		w := hfiletest.Writer{Codec: hfiletest.None, PerBlock: 1 + rnd.IntN(6), Levels: 1 + n%3, FullKeys: n%2 == 0}
		var all []Entry
		for i := range rnd.IntN(60) {
			all = append(all, Entry{fmt.Sprintf("%03d%s", i*3+rnd.IntN(3), strings.Repeat("x", rnd.IntN(3))), []byte{byte(i)}})
		}
		slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
		r, _ := openBytes(t, made(w, all))
		for range 20 {
			wanted := map[string]bool{}
			for range rnd.IntN(12) {
				k := fmt.Sprintf("%03d%s", rnd.IntN(200), strings.Repeat("x", rnd.IntN(3)))
				wanted[k[:min(len(k), 1+rnd.IntN(5))]] = true
			}
			var keys, prefixes []string
			for k := range wanted {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				if len(prefixes) == 0 || !strings.HasPrefix(k, prefixes[len(prefixes)-1]) {
					prefixes = append(prefixes, k)
				}
			}
			var byKey, byPrefix []Entry
			for _, e := range all {
				if wanted[e.Key] {
					byKey = append(byKey, e)
				}
				if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.Key, p) }) {
					byPrefix = append(byPrefix, e)
				}
			}
			same := func(a, b Entry) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }
			if got := collect(t, r.Find(keys)); !slices.EqualFunc(got, byKey, same) {
				t.Fatalf("%q of %q: %q", keys, all, got)
			}
			if got := collect(t, r.Prefixes(prefixes)); !slices.EqualFunc(got, byPrefix, same) {
				t.Fatalf("%q of %q: %q", prefixes, all, got)
			}
		}
	}
}

func TestOnlyNeededBlocksAreRead(t *testing.T) {
	b := readFile(t, "deep_index.hfile")
	r, c := openBytes(t, b)
	if c.reads > 2 {
		t.Errorf("Open took %d reads", c.reads)
	}
	c.reads, c.bytes = 0, 0
	all := collect(t, r.Entries(""))
	if c.reads > 400 {
		t.Errorf("a full scan took %d reads", c.reads)
	}
	c.reads, c.bytes = 0, 0
	if _, ok, err := get(r, all[700].Key); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if c.reads > 7 || c.bytes > 32<<10 {
		t.Errorf("one lookup took %d reads of %d bytes", c.reads, c.bytes)
	}
}

// Every cut and every changed byte must give an error or the right entries;
// the checksums find all changes within blocks.
func TestDamage(t *testing.T) {
	w := hfiletest.Writer{Codec: hfiletest.GZ, Checksum: hfiletest.CRC32C, PerBlock: 4, Levels: 2, MVCC: true}
	var all []Entry
	for i := range 40 {
		all = append(all, Entry{fmt.Sprintf("key%03d", i), []byte(fmt.Sprint("value", i))})
	}
	good := made(w, all)
	for n := range len(good) {
		if _, err := Open(bytes.NewReader(good[:n]), int64(n)); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	found := 0
	for at := 0; at < len(good)-trailerSize+40; at++ {
		bad := bytes.Clone(good)
		bad[at] ^= 0x11
		r, err := Open(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			found++
			continue
		}
		for _, err := range r.Entries("") {
			if err != nil {
				found++
			}
		}
	}
	if blocks := len(good) - trailerSize; found < blocks*3/4 {
		t.Errorf("%d of %d changes were found", found, blocks)
	}
}

func TestRefusals(t *testing.T) {
	w := hfiletest.Writer{Codec: hfiletest.None, PerBlock: 4, Levels: 1}
	good := made(w, []Entry{{"a", nil}})
	snappy := bytes.Replace(good, []byte{12 << 3, byte(codecNone)}, []byte{12 << 3, 3}, 1)
	_, err := Open(bytes.NewReader(snappy), int64(len(snappy)))
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "SNAPPY") {
		t.Errorf("snappy: %v", err)
	}
	v2 := bytes.Clone(good)
	v2[len(v2)-1] = 2
	if _, err := Open(bytes.NewReader(v2), int64(len(v2))); !errors.Is(err, ErrUnsupported) {
		t.Errorf("version 2: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, name := range []string{"no_entry.hfile", "native_secondary_index.hfile"} {
		f.Add(readFile(f, name), "hudi-key-000000017")
	}
	w := hfiletest.Writer{Codec: hfiletest.None, PerBlock: 2, Levels: 3, MVCC: true}
	f.Add(bytes.Clone(made(w, []Entry{{"a", []byte("1")}, {"b", []byte("2")}, {"c", []byte("3")}, {"d", nil}, {"e", nil}})), "c")
	f.Fuzz(func(t *testing.T, b []byte, key string) {
		r, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		get(r, key)
		for _, err := range r.Entries(key) {
			if err != nil {
				break
			}
		}
	})
}

func BenchmarkEntries(b *testing.B) {
	r, _ := openBytes(b, readFile(b, "fake_first_key.hfile"))
	for b.Loop() {
		n := 0
		for range r.Entries("") {
			n++
		}
		if n != 20000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/entry")
}
