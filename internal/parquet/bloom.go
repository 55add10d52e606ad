package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

const (
	bloomBlock  = 32 // bytes
	maxBloom    = 128 << 20
	bloomHeader = 64 // more than enough for the header
)

// bloomSalt is the format's constant: one odd number for each word of a block.
var bloomSalt = [8]uint32{
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
}

// A BloomFilter is the split-block Bloom filter of a column chunk.
type BloomFilter struct{ blocks []byte }

// BloomFilter reads the chunk's Bloom filter; nil if it has none, or one of a
// kind that is not known.
func (c Chunk) BloomFilter() (*BloomFilter, error) {
	off := c.meta().bloomOffset
	if off <= 0 {
		return nil, nil
	}
	head, err := c.file.section(off, min(bloomHeader, c.file.size-off))
	if err != nil {
		return nil, c.wrap("bloom filter", err)
	}
	r := &thriftReader{data: head}
	size, known := int32(0), true
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			size = r.i32(typ)
		case 2, 3, 4: // algorithm, hash, compression: one of each is defined
			known = known && r.union(typ, nil) == 1
		default:
			r.skip(typ)
		}
	})
	if r.err != nil {
		return nil, c.wrap("bloom filter", fmt.Errorf("%w: %w", ErrCorrupt, r.err))
	}
	if !known {
		return nil, nil
	}
	if size <= 0 || size%bloomBlock != 0 || size > maxBloom {
		return nil, c.wrap("bloom filter", fmt.Errorf("%w: %d bytes", ErrCorrupt, size))
	}
	blocks, err := c.file.section(off+int64(r.pos), int64(size))
	if err != nil {
		return nil, c.wrap("bloom filter", err)
	}
	return &BloomFilter{blocks}, nil
}

// MayContain tells whether a value may be in the chunk; false is certain. The
// value is in the plain encoding of the physical type, byte arrays without
// their length.
func (b *BloomFilter) MayContain(plain []byte) bool {
	h := xxhash.Sum64(plain)
	i, _ := bits.Mul64(h>>32<<32, uint64(len(b.blocks)/bloomBlock))
	block := b.blocks[int(i)*bloomBlock:]
	for w, salt := range bloomSalt {
		bit := uint32(h) * salt >> 27
		if binary.LittleEndian.Uint32(block[4*w:])>>bit&1 == 0 {
			return false
		}
	}
	return true
}
