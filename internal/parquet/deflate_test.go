package parquet

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// deflateInputs are texts of different kinds.
func deflateInputs() map[string][]byte {
	rnd := rand.New(rand.NewPCG(9, 9))
	in := map[string][]byte{"empty": {}, "one": {'x'}, "run": bytes.Repeat([]byte{7}, 100000)}
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	in["noise"] = noise
	var keys, skewed []byte
	for i := range 20000 {
		keys = fmt.Appendf(keys, "20240102030405678_%d_%d", i%3, i)
		skewed = append(skewed, byte(rnd.ExpFloat64()*6))
	}
	in["keys"], in["skewed"] = keys, skewed
	for period := 2; period < 20; period++ {
		in[fmt.Sprint("period ", period)] = bytes.Repeat(noise[:period], 5000/period)
	}
	for n := range 40 {
		in[fmt.Sprint("short ", n)] = keys[:n*17]
	}
	// Letters of widely different frequency need codewords longer than the
	// first level of the tables.
	var steep []byte
	for i := range 17 {
		steep = append(steep, bytes.Repeat([]byte{byte(i * 11)}, 1<<i)...)
	}
	rnd.Shuffle(len(steep), func(i, j int) { steep[i], steep[j] = steep[j], steep[i] })
	in["steep"] = steep
	return in
}

func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestInflate(t *testing.T) {
	z := new(inflater) // used again, as in a scan
	for name, data := range deflateInputs() {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			src := append(deflated(t, data, level), "behind"...)
			dst := make([]byte, len(data))
			n, used, err := z.inflate(dst, src)
			if err != nil || n != len(data) || used != len(src)-len("behind") || !bytes.Equal(dst, data) {
				t.Fatalf("%s, level %d: %d of %d bytes, %d of %d used, error %v", name, level, n, len(data), used, len(src), err)
			}
			if len(data) > 0 {
				if _, _, err := z.inflate(dst[:len(data)-1], src); err == nil {
					t.Fatalf("%s, level %d: fits into one byte less", name, level)
				}
			}
		}
	}
}

// TestInflateDamaged compares verdict and result with those of the standard
// library.
func TestInflateDamaged(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for name, data := range deflateInputs() {
		src := deflated(t, data, 6)
		for range 20 {
			bad := bytes.Clone(src)
			if rnd.IntN(4) == 0 {
				bad = bad[:rnd.IntN(len(bad))]
			} else {
				bad[rnd.IntN(min(len(bad), 200))] ^= 1 << rnd.IntN(8)
			}
			if err := likeStandard(bad, len(data)+1000); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// likeStandard inflates by both ways. Ours need not refuse all incomplete
// codes, so it may accept what the library refuses, not the other way round.
func likeStandard(src []byte, size int) error {
	want, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(src)), int64(size)+1))
	if len(want) > size {
		return nil
	}
	dst := make([]byte, size)
	n, _, own := new(inflater).inflate(dst, src)
	if err == nil && (own != nil || !bytes.Equal(dst[:n], want)) {
		return fmt.Errorf("got %d bytes and error %v, want %d", n, own, len(want))
	}
	return nil
}

func FuzzInflate(f *testing.F) {
	for _, data := range deflateInputs() {
		if len(data) < 5000 {
			f.Add(deflated(f, data, 6))
			f.Add(deflated(f, data, flate.HuffmanOnly))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := likeStandard(src, 1<<16); err != nil {
			t.Fatal(err)
		}
	})
}

func TestGzipPages(t *testing.T) {
	page := bytes.Repeat([]byte("some page "), 1000)
	pack := func(h gzip.Header, data []byte) []byte {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		w.Header = h
		w.Write(data)
		w.Close()
		return buf.Bytes()
	}
	plain := pack(gzip.Header{}, page)
	named := pack(gzip.Header{Name: "n", Comment: "c", Extra: []byte("extra")}, page)
	double := append(pack(gzip.Header{}, page[:123]), pack(gzip.Header{}, page[123:])...)
	for name, src := range map[string][]byte{"plain": plain, "named": named, "two members": double} {
		dst := make([]byte, len(page))
		if err := inflateGzip(dst, src); err != nil || !bytes.Equal(dst, page) {
			t.Errorf("%s: %v", name, err)
		}
	}
	flip := func(at int) []byte {
		b := bytes.Clone(plain)
		b[at] ^= 0x55
		return b
	}
	for name, src := range map[string][]byte{
		"checksum": flip(len(plain) - 8), "size": flip(len(plain) - 1), "magic": flip(0), "method": flip(2),
		"no trailer": plain[:len(plain)-8], "cut": plain[:20], "rubbish behind": append(bytes.Clone(plain), 1, 2, 3), "empty": {},
	} {
		if err := inflateGzip(make([]byte, len(page)), src); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, n := range []int{len(page) - 1, len(page) + 1} {
		if err := inflateGzip(make([]byte, n), plain); err == nil {
			t.Errorf("page of %d bytes taken for %d", len(page), n)
		}
	}
}

func BenchmarkInflate(b *testing.B) {
	data := deflateInputs()["keys"]
	src := deflated(b, data, 6)
	dst := make([]byte, len(data))
	z := new(inflater)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := z.inflate(dst, src); err != nil {
			b.Fatal(err)
		}
	}
}
