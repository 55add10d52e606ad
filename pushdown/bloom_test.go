package pushdown

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"testing"
)

// makeBloom writes a filter as Hadoop does.
func makeBloom(hashes, kind, size int32, hash func([]byte, int32) int32, keys ...string) []byte {
	bits := make([]byte, (size+7)/8)
	for _, k := range keys {
		seed := int32(0)
		for range hashes {
			seed = hash([]byte(k), seed)
			at := max(seed%size, -(seed % size))
			bits[at/8] |= 1 << (at % 8)
		}
	}
	out := binary.BigEndian.AppendUint32(nil, 0xffffffff)
	out = binary.BigEndian.AppendUint32(out, uint32(hashes))
	out = append(out, byte(kind))
	out = binary.BigEndian.AppendUint32(out, uint32(size))
	return append(out, bits...)
}

// TestHadoopHashes: values of the published test programs of both functions.
func TestHadoopHashes(t *testing.T) {
	for _, c := range []struct {
		name string
		got  int32
		want uint32
	}{
		// lookup3's own examples: hashlittle of "" and of a speech.
		{"jenkins of nothing", jenkins(nil, 0), 0xdeadbeef},
		{"jenkins of nothing, seed", jenkins(nil, int32(-559038737)), 0xbd5b7dde},
		{"jenkins", jenkins([]byte("Four score and seven years ago"), 0), 0x17770551},
		{"jenkins, seed 1", jenkins([]byte("Four score and seven years ago"), 1), 0xcd628161},
	} {
		if uint32(c.got) != c.want {
			t.Errorf("%s: %08x, want %08x", c.name, uint32(c.got), c.want)
		}
	}
}

func TestBloomForms(t *testing.T) {
	keys := []string{"a", "key-1", "schlüssel", "日本語", "\U0001F600", "12345678901234567890"}
	simple := makeBloom(7, 1, 1000, murmur, keys...)
	old := append(binary.BigEndian.AppendUint32(nil, 7), makeBloom(7, 0, 1000, jenkins, keys...)[9:]...)
	dynamic := append([]byte(nil), simple[:13]...)
	dynamic = binary.BigEndian.AppendUint32(dynamic, 3)
	dynamic = binary.BigEndian.AppendUint32(dynamic, 3)
	dynamic = binary.BigEndian.AppendUint32(dynamic, 2)
	dynamic = append(dynamic, makeBloom(7, 1, 1000, murmur, keys[:3]...)...)
	dynamic = append(dynamic, makeBloom(7, 1, 1000, murmur, keys[3:]...)...)
	for name, c := range map[string]struct {
		typ  string
		data []byte
	}{"simple": {BloomSimple, simple}, "no type": {"", simple}, "without version": {"", old}, "dynamic": {BloomDynamic, dynamic}} {
		b, err := ReadBloom(c.typ, base64.StdEncoding.EncodeToString(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, k := range keys {
			if !b.Has(k) {
				t.Errorf("%s: %q is missing", name, k)
			}
		}
		found := 0
		for i := range 1000 {
			if b.Has(fmt.Sprint("other", i)) {
				found++
			}
		}
		if found > 10 {
			t.Errorf("%s: %d of 1000 other keys are found", name, found)
		}
		for n := range c.data {
			if _, err := ReadBloom(c.typ, base64.StdEncoding.EncodeToString(c.data[:n])); err == nil {
				t.Errorf("%s: torn after %d bytes, it is read", name, n)
			}
		}
	}
	if _, err := ReadBloom("CUCKOO", ""); err == nil {
		t.Error("an unknown type is read")
	}
}

func FuzzReadBloom(f *testing.F) {
	f.Add(true, makeBloom(7, 1, 100, murmur, "a"))
	f.Add(false, makeBloom(7, 0, 100, jenkins, "a"))
	f.Fuzz(func(t *testing.T, dynamic bool, data []byte) {
		typ := BloomSimple
		if dynamic {
			typ = BloomDynamic
		}
		if b, err := ReadBloom(typ, base64.StdEncoding.EncodeToString(data)); err == nil {
			b.Has("some key")
		}
	})
}
