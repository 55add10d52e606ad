package parquet

import (
	"encoding/binary"
	"fmt"
)

// A hybrid decodes the RLE / bit-packing hybrid encoding: levels, dictionary
// indices, booleans.
type hybrid struct {
	data   []byte // after the current run
	width  uint8
	packed []byte // of the current run, if bit-packed
	at     int    // next value in packed
	left   int    // values left in the current run
	value  uint32 // of the current run, if not bit-packed
	isRLE  bool
}

var errRuns = fmt.Errorf("%w: run-length data ends early", ErrCorrupt)

func (h *hybrid) reset(data []byte, width uint8) {
	*h = hybrid{data: data, width: width}
}

// run makes sure that the current run has values left.
func (h *hybrid) run() error {
	for h.left == 0 {
		head, n := binary.Uvarint(h.data)
		if n <= 0 || head>>1 > 1<<31 {
			return errRuns
		}
		h.data = h.data[n:]
		if head&1 == 0 {
			size := int(h.width+7) / 8
			if len(h.data) < size {
				return errRuns
			}
			h.value = 0
			for i := range size {
				h.value |= uint32(h.data[i]) << (8 * i)
			}
			h.data = h.data[size:]
			h.left, h.isRLE = int(head>>1), true
			continue
		}
		groups := int(head >> 1)
		count, size := groups*8, groups*int(h.width)
		if size > len(h.data) {
			// Writers may leave out the padding of the last run.
			size = len(h.data)
			count = size * 8 / int(h.width)
			if count == 0 {
				return errRuns
			}
		}
		h.packed, h.data = h.data[:size], h.data[size:]
		h.at, h.left, h.isRLE = 0, count, false
	}
	return nil
}

// decode fills dst with the next values.
func (h *hybrid) decode(dst []uint32) error {
	for len(dst) > 0 {
		if err := h.run(); err != nil {
			return err
		}
		k := min(len(dst), h.left)
		if h.isRLE {
			run := dst[:k]
			for i := range run {
				run[i] = h.value
			}
		} else {
			unpack(dst[:k], h.packed, h.at, h.width)
			h.at += k
		}
		h.left -= k
		dst = dst[k:]
	}
	return nil
}

// levels fills dst with the next values, which must not be above limit.
func (h *hybrid) levels(dst []uint8, limit uint8) error {
	for len(dst) > 0 {
		if err := h.run(); err != nil {
			return err
		}
		k := min(len(dst), h.left)
		if h.isRLE {
			if h.value > uint32(limit) {
				return errLevel
			}
			run, v := dst[:k], uint8(h.value)
			for i := range run {
				run[i] = v
			}
		} else {
			if !unpackLevels(dst[:k], h.packed, h.at, h.width, limit) {
				return errLevel
			}
			h.at += k
		}
		h.left -= k
		dst = dst[k:]
	}
	return nil
}

var errLevel = fmt.Errorf("%w: a level is above the maximum of its column", ErrCorrupt)

// bitmap appends the next n values, of one bit each, to a bitmap at bit off
// and counts the ones.
func (h *hybrid) bitmap(dst []byte, off, n int) (ones int, err error) {
	for n > 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
		k := min(n, h.left)
		switch {
		case !h.isRLE:
			ones += copyBits(dst, off, h.packed, h.at, k)
			h.at += k
		case h.value > 1:
			return 0, errLevel
		case h.value == 1:
			setBits(dst, off, k, true)
			ones += k
		default:
			setBits(dst, off, k, false)
		}
		h.left -= k
		off += k
		n -= k
	}
	return ones, nil
}

// skip passes over n values.
func (h *hybrid) skip(n int) error {
	for n > 0 {
		if err := h.run(); err != nil {
			return err
		}
		k := min(n, h.left)
		h.at += k
		h.left -= k
		n -= k
	}
	return nil
}

// skipOnes passes over n values of one bit each and counts the ones.
func (h *hybrid) skipOnes(n int) (ones int, err error) {
	for n > 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
		k := min(n, h.left)
		if h.isRLE {
			ones += k * int(h.value&1)
		} else {
			ones += countBits(h.packed, h.at, k)
			h.at += k
		}
		h.left -= k
		n -= k
	}
	return ones, nil
}

// unpack reads len(dst) values of width bits from src, from value number at on.
// The caller has made sure that src holds them.
func unpack(dst []uint32, src []byte, at int, width uint8) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := uint64(1)<<width - 1
	bit := at * int(width)
	i := 0
	// Eight bytes hold a value wherever it begins within the first of them.
	// What lies behind the run is read along, as far as there is memory, and
	// masked away.
	src = src[:min(cap(src), len(src)+8)]
	// Small values come in fours: seven bits and four values fit in a word.
	for w := width & 63; w <= 14 && i+4 <= len(dst); i += 4 {
		p := bit >> 3
		if p+8 > len(src) {
			break
		}
		word := binary.LittleEndian.Uint64(src[p:]) >> (bit & 7)
		four := dst[i : i+4 : i+4]
		four[0] = uint32(word & mask)
		word >>= w
		four[1] = uint32(word & mask)
		word >>= w
		four[2] = uint32(word & mask)
		word >>= w
		four[3] = uint32(word & mask)
		bit += 4 * int(width)
	}
	for ; i < len(dst); i++ {
		p := bit >> 3
		if p+8 > len(src) {
			break
		}
		dst[i] = uint32(binary.LittleEndian.Uint64(src[p:]) >> (bit & 7) & mask)
		bit += int(width)
	}
	for ; i < len(dst); i++ {
		dst[i] = uint32(tail64(src, bit>>3) >> (bit & 7) & mask)
		bit += int(width)
	}
}

// tail64 reads up to eight bytes at the end of src.
func tail64(src []byte, p int) uint64 {
	v := uint64(0)
	for i := 0; i < 8 && p+i < len(src); i++ {
		v |= uint64(src[p+i]) << (8 * i)
	}
	return v
}

// unpackLevels is unpack for small widths; it tells whether all values are
// within limit.
func unpackLevels(dst []uint8, src []byte, at int, width, limit uint8) bool {
	mask := uint8(1)<<width - 1
	worst := uint8(0)
	src = src[:min(cap(src), len(src)+8)]
	for len(dst) > 0 {
		bit := at * int(width)
		p := bit >> 3
		// A word holds eight levels of up to seven bits, wherever they begin
		// within its first byte.
		if width > 7 || len(dst) < 8 || p+8 > len(src) {
			v := uint8(tail64(src, p)>>(bit&7)) & mask
			worst = max(worst, v)
			dst[0] = v
			dst, at = dst[1:], at+1
			continue
		}
		word := binary.LittleEndian.Uint64(src[p:]) >> (bit & 7)
		out := dst[:8]
		for i := range out {
			v := uint8(word) & mask
			worst = max(worst, v)
			out[i] = v
			word >>= width
		}
		dst, at = dst[8:], at+8
	}
	return worst <= limit
}
