package parquet

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// encodeHybrid writes values by runs of either kind.
func encodeHybrid(rnd *rand.Rand, values []uint32, width uint8) []byte {
	var out []byte
	for len(values) > 0 {
		if rnd.IntN(2) == 0 {
			n := 1
			for n < len(values) && values[n] == values[0] {
				n++
			}
			out = binary.AppendUvarint(out, uint64(n)<<1)
			for i := range (width + 7) / 8 {
				out = append(out, byte(values[0]>>(8*i)))
			}
			values = values[n:]
			continue
		}
		groups := 1 + rnd.IntN(10)
		out = binary.AppendUvarint(out, uint64(groups)<<1|1)
		packed := make([]byte, groups*int(width))
		n := min(len(values), groups*8)
		for i, v := range values[:n] {
			for b := range int(width) {
				if v>>b&1 != 0 {
					setBit(packed, i*int(width)+b, true)
				}
			}
		}
		out = append(out, packed...)
		if values = values[n:]; n < groups*8 {
			break
		}
	}
	return out
}

func TestHybrid(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for width := uint8(1); width <= 32; width++ {
		values := make([]uint32, 2000)
		for i := range values {
			if i > 0 && rnd.IntN(3) > 0 {
				values[i] = values[i-1]
			} else {
				values[i] = rnd.Uint32() >> (32 - width)
			}
		}
		var h hybrid
		h.reset(encodeHybrid(rnd, values, width), width)
		for at := 0; at < len(values); {
			n := min(1+rnd.IntN(100), len(values)-at)
			if rnd.IntN(4) == 0 {
				if err := h.skip(n); err != nil {
					t.Fatal(err)
				}
				at += n
				continue
			}
			got := make([]uint32, n)
			if err := h.decode(got); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if v != values[at+i] {
					t.Fatalf("width %d, value %d: got %d, want %d", width, at+i, v, values[at+i])
				}
			}
			at += n
		}
	}
}

func TestHybridBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		values := make([]uint32, 3000)
		for i := range values {
			values[i] = uint32(rnd.IntN(2))
			if i > 0 && rnd.IntN(5) > 0 {
				values[i] = values[i-1]
			}
		}
		var h hybrid
		h.reset(encodeHybrid(rnd, values, 1), 1)
		bitmap := make([]byte, 500)
		off := rnd.IntN(20)
		for at := 0; at < len(values); {
			n := min(1+rnd.IntN(300), len(values)-at)
			want := 0
			for _, v := range values[at : at+n] {
				want += int(v)
			}
			var ones int
			var err error
			skipped := rnd.IntN(4) == 0
			if skipped {
				ones, err = h.skipOnes(n)
			} else {
				ones, err = h.bitmap(bitmap, off+at, n)
			}
			if err != nil || ones != want {
				t.Fatalf("%d ones, want %d: %v", ones, want, err)
			}
			for i := range n {
				if !skipped && bitAt(bitmap, off+at+i) != (values[at+i] == 1) {
					t.Fatalf("bit %d", at+i)
				}
			}
			at += n
		}
	}
}

func TestLevelsAboveLimit(t *testing.T) {
	var h hybrid
	h.reset([]byte{10 << 1, 3}, 2)
	if err := h.levels(make([]uint8, 5), 2); err == nil {
		t.Error("a run of levels above the limit")
	}
	h.reset([]byte{1<<1 | 1, 0xff, 0xff}, 2)
	if err := h.levels(make([]uint8, 5), 2); err == nil {
		t.Error("packed levels above the limit")
	}
}

func TestInt96(t *testing.T) {
	for _, c := range []struct {
		nanos uint64
		day   uint32
		want  string
	}{
		{0, 2440588, "1970-01-01T00:00:00Z"},
		{1500, 2440588, "1970-01-01T00:00:00.000001Z"},
		{86_399_999_999_999, 2440587, "1969-12-31T23:59:59.999999Z"},
		{3_600_000_000_000, 2459946, "2023-01-01T01:00:00Z"},
		{0, 1721426, "0001-01-01T00:00:00Z"},
	} {
		if got := time.UnixMicro(int96Micros(c.nanos, c.day)).UTC().Format(time.RFC3339Nano); got != c.want {
			t.Errorf("day %d + %d ns: got %s, want %s", c.day, c.nanos, got, c.want)
		}
	}
}

// TestBigDecimals checks every width of big-endian decimals against math/big.
func TestBigDecimals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, width := range []int{16, 32} {
		for size := 1; size <= width; size++ {
			l := &leaf{physical: FixedLenByteArray, length: size, conv: convBig, width: width}
			src := make([]byte, 20*size)
			for i := range src {
				src[i] = byte(rnd.Uint32())
			}
			for i := range 5 {
				clear(src[i*size : (i+1)*size-1]) // small values too
			}
			dst := make([]byte, 20*width)
			if _, err := plainFixed(l, dst, src, 20); err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				want := signed(src[i*size : (i+1)*size])
				cell := dst[i*width : (i+1)*width]
				big := make([]byte, width)
				for j := range cell {
					big[width-1-j] = cell[j]
				}
				if got := signed(big); got.Cmp(want) != 0 {
					t.Fatalf("%d to %d bytes, value %d: got %v, want %v", size, width, i, got, want)
				}
			}
		}
	}
}

func signed(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

func TestVariableDecimals(t *testing.T) {
	l := &leaf{physical: ByteArray, conv: convBigVar, width: 16}
	wide := append(make([]byte, 20), 5) // leading zeros beyond the width
	var src []byte
	for _, v := range [][]byte{{1}, {0xff}, {}, {0x12, 0x34, 0x56}, wide} {
		src = binary.LittleEndian.AppendUint32(src, uint32(len(v)))
		src = append(src, v...)
	}
	dst := make([]byte, 5*16)
	if _, err := plainFixed(l, dst, src, 5); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{1, -1, 0, 0x123456, 5} {
		lo, hi := binary.LittleEndian.Uint64(dst[16*i:]), binary.LittleEndian.Uint64(dst[16*i+8:])
		if int64(lo) != want || int64(hi) != want>>63 {
			t.Errorf("value %d: got %x %x", i, hi, lo)
		}
	}
	if err := bigVar(dst[:16], append([]byte{1}, make([]byte, 16)...)); err == nil {
		t.Error("a decimal that does not fit")
	}
}

func TestDeltaErrors(t *testing.T) {
	var d delta
	for name, data := range map[string][]byte{
		"empty":            {},
		"block size":       {1, 4, 1, 0},
		"no miniblocks":    {128, 1, 0, 1, 0},
		"values missing":   {128, 1, 4, 3, 0},
		"width":            {128, 1, 4, 3, 0, 0, 65, 0, 0, 0},
		"miniblock is cut": {128, 1, 4, 100, 0, 0, 8, 0, 0, 0, 1},
	} {
		err := d.reset(data, false)
		if err == nil {
			err = d.decode(make([]int64, 3))
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestBits checks operations on bitmaps at all alignments.
func TestBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		src, dst := make([]byte, 40), make([]byte, 40)
		for i := range src {
			src[i], dst[i] = byte(rnd.Uint32()), byte(rnd.Uint32())
		}
		off, at := rnd.IntN(100), rnd.IntN(100)
		n := rnd.IntN(320 - max(off, at) + 1)
		want := make([]bool, 320)
		ones := 0
		for i := range want {
			want[i] = bitAt(dst, i)
			if i >= off && i < off+n {
				if want[i] = bitAt(src, at+i-off); want[i] {
					ones++
				}
			}
		}
		if got := copyBits(dst, off, src, at, n); got != ones {
			t.Fatalf("%d ones, want %d", got, ones)
		}
		if got := countBits(src, at, n); got != ones {
			t.Fatalf("%d ones counted, want %d", got, ones)
		}
		checkBits(t, dst, want)
		v := rnd.IntN(2) == 0
		setBits(dst, off, n, v)
		for i := off; i < off+n; i++ {
			want[i] = v
		}
		checkBits(t, dst, want)
		w := bitsFrom(dst, off)
		for i := range n {
			w.put(i%3 == 0)
			want[off+i] = i%3 == 0
		}
		w.flush()
		checkBits(t, dst[:(off+n+7)/8], want[:off+n])
	}
}

func checkBits(t *testing.T, got []byte, want []bool) {
	t.Helper()
	for i, v := range want {
		if bitAt(got, i) != v {
			t.Fatalf("bit %d is %v", i, !v)
		}
	}
}
