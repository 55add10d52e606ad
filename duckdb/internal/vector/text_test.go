package vector

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// TestStringT compares string_t with its layout, byte by byte, for strings that
// lie anywhere in a buffer, at its end too.
func TestStringT(t *testing.T) {
	data := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	for start := range data {
		for end := start; end <= len(data); end++ {
			var got, want [16]byte
			binary.LittleEndian.PutUint32(want[:], uint32(end-start))
			var s stringT
			if end-start <= inline {
				copy(want[4:], data[start:end])
				s = inlined(data, start, end)
			} else {
				copy(want[4:8], data[start:])
				binary.LittleEndian.PutUint64(want[8:], 0x1234)
				s = pointing(data, start, end, 0x1234)
			}
			binary.LittleEndian.PutUint64(got[:], s[0])
			binary.LittleEndian.PutUint64(got[8:], s[1])
			if got != want {
				t.Fatalf("[%d:%d] is % x, want % x", start, end, got, want)
			}
		}
	}
}

// TestAllUTF8 compares the check of all strings at once with one by one.
func TestAllUTF8(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	runes := [][]byte{[]byte("a"), []byte("ä"), []byte("€"), []byte("😀"), {0x80}, {0xC3}}
	seen := map[bool]int{}
	for range 20_000 {
		var data []byte
		kinds := 4
		if rng.IntN(3) == 0 {
			kinds = len(runes)
		}
		for range rng.IntN(6) {
			data = append(data, runes[rng.IntN(kinds)]...)
		}
		offsets := []int32{0}
		for rng.IntN(4) > 0 {
			last := offsets[len(offsets)-1]
			offsets = append(offsets, last+rng.Int32N(int32(len(data))-last+1))
		}
		want := true
		for i := range len(offsets) - 1 {
			want = want && utf8.Valid(data[offsets[i]:offsets[i+1]])
		}
		got := allUTF8(data, offsets)
		if got != want {
			t.Fatalf("% x %v: %v, want %v", data, offsets, got, want)
		}
		seen[got]++
	}
	if seen[true] < 1000 || seen[false] < 1000 {
		t.Errorf("the cases are one-sided: %v", seen)
	}
	if allUTF8(bytes.Repeat([]byte("ä"), 3), []int64{1, 3}) {
		t.Error("half a rune at the beginning was taken")
	}
}
