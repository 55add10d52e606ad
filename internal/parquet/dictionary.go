package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// A dictionary holds the values of a dictionary page in the form that the
// Arrow arrays will have.
type dictionary struct {
	n       int
	width   int
	fixed   []uint64 // values of fixed width; words, so that any type is aligned
	offsets []uint32 // of strings, n+1
	bytes   []byte   // of strings, with padding behind
}

// stringPadding is what a copy of a short string may read and write behind it.
const stringPadding = 16

var errDictionary = fmt.Errorf("%w: dictionary page is malformed", ErrCorrupt)
var errIndex = fmt.Errorf("%w: dictionary index out of range", ErrCorrupt)

func (d *dictionary) load(l *leaf, data []byte, n int) error {
	if n < 0 {
		return errDictionary
	}
	d.n, d.width = n, l.width
	if l.conv == convStrings {
		return d.loadStrings(data)
	}
	if l.conv == convBits {
		return fmt.Errorf("%w: dictionary of booleans", ErrUnsupported)
	}
	// Every value takes a byte at least, which bounds what is set aside.
	if n > len(data) {
		return errDictionary
	}
	if words := (n*l.width + 7) / 8; cap(d.fixed) < words {
		d.fixed = make([]uint64, words)
	} else {
		d.fixed = d.fixed[:words]
	}
	_, err := plainFixed(l, d.fixedBytes(), data, n)
	return err
}

func (d *dictionary) fixedBytes() []byte {
	return arrow.Uint64Traits.CastToBytes(d.fixed)[:d.n*d.width]
}

func (d *dictionary) loadStrings(data []byte) error {
	if d.n > len(data)/4 || len(data) > math.MaxInt32 {
		return errDictionary
	}
	if cap(d.offsets) < d.n+1 {
		d.offsets = make([]uint32, d.n+1)
	}
	d.offsets = d.offsets[:d.n+1]
	if cap(d.bytes) < len(data)+stringPadding {
		d.bytes = make([]byte, len(data)+stringPadding)
	}
	d.bytes = d.bytes[:cap(d.bytes)]
	off := 0
	d.offsets[0] = 0
	for i := range d.n {
		if len(data) < 4 {
			return errDictionary
		}
		n := int(binary.LittleEndian.Uint32(data))
		data = data[4:]
		if n > len(data) {
			return errDictionary
		}
		copy(d.bytes[off:], data[:n])
		off += n
		data = data[n:]
		d.offsets[i+1] = uint32(off)
	}
	return nil
}

// gather writes the values that idx names to dst.
func (d *dictionary) gather(dst []byte, idx []uint32) error {
	src := d.fixedBytes()
	ok := true
	switch d.width {
	case 4:
		ok = gather(arrow.Uint32Traits.CastFromBytes(dst), arrow.Uint32Traits.CastFromBytes(src), idx)
	case 8:
		ok = gather(arrow.Uint64Traits.CastFromBytes(dst), arrow.Uint64Traits.CastFromBytes(src), idx)
	case 16:
		ok = gather(arrow.Decimal128Traits.CastFromBytes(dst), arrow.Decimal128Traits.CastFromBytes(src), idx)
	default:
		w := d.width
		for i, x := range idx {
			if int(x) >= d.n {
				return errIndex
			}
			copy(dst[i*w:(i+1)*w], src[int(x)*w:])
		}
	}
	if !ok {
		return errIndex
	}
	return nil
}

func gather[T uint32 | uint64 | decimal128.Num](dst, src []T, idx []uint32) bool {
	dst = dst[:len(idx)]
	for i, x := range idx {
		if int(x) >= len(src) {
			return false
		}
		dst[i] = src[x]
	}
	return true
}

// repeat writes value number x to all of dst.
func (d *dictionary) repeat(dst []byte, x uint32) error {
	if int(x) >= d.n {
		return errIndex
	}
	w := d.width
	v := d.fixedBytes()[int(x)*w : (int(x)+1)*w]
	n := copy(dst, v)
	for n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}
	return nil
}
