package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// spread moves ones values at the front of cells to those of its k slots that
// have a bit in mask, from bit at on. Empty slots become zero.
func spread(cells []byte, width int, mask []byte, at, k, ones int) {
	if ones == k {
		return
	}
	switch width {
	case 1:
		spreadCells(cells, mask, at, k, ones)
	case 4:
		spreadCells(arrow.Uint32Traits.CastFromBytes(cells), mask, at, k, ones)
	case 8:
		spreadCells(arrow.Uint64Traits.CastFromBytes(cells), mask, at, k, ones)
	case 16:
		spreadCells(arrow.Decimal128Traits.CastFromBytes(cells), mask, at, k, ones)
	default:
		j := ones - 1
		for i := k - 1; i >= 0; i-- {
			cell := cells[i*width : (i+1)*width]
			if bitAt(mask, at+i) {
				copy(cell, cells[j*width:(j+1)*width])
				j--
			} else {
				clear(cell)
			}
		}
	}
}

// spreadCells goes from the back, so that no value is overwritten before it is
// moved, and stops where the rest is in place.
func spreadCells[T uint8 | uint32 | uint64 | decimal128.Num](cells []T, mask []byte, at, k, ones int) {
	var zero T
	j := ones - 1
	for i := k - 1; i > j; i-- {
		if bitAt(mask, at+i) {
			cells[i] = cells[j]
			j--
		} else {
			cells[i] = zero
		}
	}
}

// spreadOffsets is spread for the ends of strings: offsets[at] is where the
// first slot begins, the ends of the strings follow.
func spreadOffsets(offsets []int32, mask []byte, at, k, ones int) {
	if ones == k {
		return
	}
	j := ones
	ends := offsets[at:]
	for i := k; i > j; i-- {
		ends[i] = ends[j]
		if bitAt(mask, at+i-1) {
			j--
		}
	}
}

// spreadBits is spread for booleans.
func spreadBits(cells, mask []byte, at, k, ones int) {
	if ones == k {
		return
	}
	j := ones - 1
	for i := k - 1; i > j; i-- {
		v := false
		if bitAt(mask, at+i) {
			v = bitAt(cells, at+j)
			j--
		}
		setBit(cells, at+i, v)
	}
}
