package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A delta decodes DELTA_BINARY_PACKED integers as a stream, so that no more
// memory is used than the caller's for the result.
type delta struct {
	data       []byte
	left       int // values left in all
	blockSize  int // values of a block
	miniSize   int // values of a miniblock
	minis      int
	bits32     bool // sums wrap at 32 bits
	first      bool // the next value is in the header
	last       int64
	minDelta   int64
	widths     []byte // of the miniblocks left in the block
	packed     []byte // of the current miniblock
	at         int    // next value in packed
	miniLeft   int
	width      uint8
	unpackNext [64]uint64
}

var errDelta = fmt.Errorf("%w: delta-encoded data is malformed", ErrCorrupt)

// reset reads the header of the stream at the start of data.
func (d *delta) reset(data []byte, bits32 bool) error {
	var head [4]uint64
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return errDelta
		}
		head[i], data = v, data[n:]
	}
	block, minis, count := head[0], head[1], head[2]
	if block == 0 || block%128 != 0 || block > 1<<20 || minis == 0 || block%minis != 0 || block/minis%32 != 0 || count > 1<<31 {
		return errDelta
	}
	d.data, d.bits32 = data, bits32
	d.blockSize, d.minis, d.miniSize = int(block), int(minis), int(block/minis)
	d.left, d.first, d.last = int(count), true, int64(head[3]>>1)^-int64(head[3]&1)
	d.widths, d.packed, d.miniLeft = nil, nil, 0
	return nil
}

// mini opens the next miniblock.
func (d *delta) mini() error {
	if len(d.widths) == 0 {
		v, n := binary.Uvarint(d.data)
		if n <= 0 || len(d.data)-n < d.minis {
			return errDelta
		}
		d.minDelta = int64(v>>1) ^ -int64(v&1)
		d.widths, d.data = d.data[n:n+d.minis], d.data[n+d.minis:]
	}
	d.width = d.widths[0]
	d.widths = d.widths[1:]
	if d.width > 64 {
		return errDelta
	}
	size := d.miniSize * int(d.width) / 8
	if size > len(d.data) {
		// The last miniblock may lack its padding.
		if need := (min(d.left, d.miniSize)*int(d.width) + 7) / 8; need > len(d.data) {
			return errDelta
		}
		size = len(d.data)
	}
	d.packed, d.data = d.data[:size], d.data[size:]
	d.at, d.miniLeft = 0, d.miniSize
	return nil
}

// decode fills dst with the next values.
func (d *delta) decode(dst []int64) error {
	if len(dst) > d.left {
		return errDelta
	}
	d.left -= len(dst)
	if d.first && len(dst) > 0 {
		dst[0] = d.last
		dst, d.first = dst[1:], false
	}
	for len(dst) > 0 {
		if d.miniLeft == 0 {
			d.left += len(dst)
			err := d.mini()
			d.left -= len(dst)
			if err != nil {
				return err
			}
		}
		k := min(len(dst), d.miniLeft, len(d.unpackNext))
		unpack64(d.unpackNext[:k], d.packed, d.at, d.width)
		last := d.last
		for i, u := range d.unpackNext[:k] {
			last += d.minDelta + int64(u)
			if d.bits32 {
				last = int64(int32(last))
			}
			dst[i] = last
		}
		d.last = last
		d.at += k
		d.miniLeft -= k
		dst = dst[k:]
	}
	return nil
}

// end gives what follows the stream. It may be called before any value has
// been decoded only on a copy, since it passes over all of them.
func (d *delta) end() ([]byte, error) {
	var sink [256]int64
	for d.left > 0 {
		if err := d.decode(sink[:min(d.left, len(sink))]); err != nil {
			return nil, err
		}
	}
	// Miniblocks of the last block that hold no values take no space.
	return d.data, nil
}

func unpack64(dst []uint64, src []byte, at int, width uint8) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := ^uint64(0) >> (64 - width)
	bit := at * int(width)
	for i := range dst {
		p, shift := bit>>3, uint(bit&7)
		var v uint64
		if p+9 <= len(src) {
			v = binary.LittleEndian.Uint64(src[p:])>>shift | uint64(src[p+8])<<(64-shift)
		} else {
			v = tail64(src, p) >> shift
			if p+8 < len(src) {
				v |= uint64(src[p+8]) << (64 - shift)
			}
		}
		dst[i] = v & mask
		bit += int(width)
	}
}

// levelWidth is the number of bits of a level.
func levelWidth(limit uint8) uint8 { return uint8(bits.Len8(limit)) }
