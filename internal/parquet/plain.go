package parquet

import (
	"encoding/binary"
	"fmt"
	"slices"
)

var errShortPage = fmt.Errorf("%w: page holds fewer values than its header says", ErrCorrupt)

// plainFixed decodes n plain values of a leaf with values of fixed width to
// dst and gives what is left of src.
func plainFixed(l *leaf, dst, src []byte, n int) ([]byte, error) {
	if l.conv == convBigVar {
		return plainBigVar(l, dst, src, n)
	}
	size := n * physicalWidth(l)
	if size > len(src) {
		return nil, errShortPage
	}
	convertFixed(l, dst, src[:size], n)
	return src[size:], nil
}

// physicalWidth is the size of a value in the file; 0 for byte arrays.
func physicalWidth(l *leaf) int {
	switch l.physical {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Int96:
		return 12
	case FixedLenByteArray:
		return l.length
	}
	return 0
}

// convertFixed turns n values of the file's width into n Arrow values.
func convertFixed(l *leaf, dst, src []byte, n int) {
	le := binary.LittleEndian
	switch l.conv {
	case convCopy:
		copy(dst, src)
	case convNarrow1:
		for i := range n {
			dst[i] = src[4*i]
		}
	case convNarrow2:
		for i := range n {
			le.PutUint16(dst[2*i:], le.Uint16(src[4*i:]))
		}
	case convWiden32:
		for i := range n {
			widen(dst[i*l.width:(i+1)*l.width], int64(int32(le.Uint32(src[4*i:]))))
		}
	case convWiden64:
		for i := range n {
			widen(dst[i*l.width:(i+1)*l.width], int64(le.Uint64(src[8*i:])))
		}
	case convBig:
		convertBig(l, dst, src, n)
	case convInt96:
		for i := range n {
			v := src[12*i : 12*i+12]
			le.PutUint64(dst[8*i:], uint64(int96Micros(le.Uint64(v), le.Uint32(v[8:]))))
		}
	}
}

// widen writes an integer as a little-endian one of len(dst) bytes.
func widen(dst []byte, v int64) {
	binary.LittleEndian.PutUint64(dst, uint64(v))
	for i := 8; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], uint64(v>>63))
	}
}

// int96Micros turns nanoseconds of the day and a Julian day into microseconds
// since the epoch. The day is signed: writers of dates before its origin exist.
func int96Micros(nanos uint64, day uint32) int64 {
	const epoch = 2440588
	return (int64(int32(day))-epoch)*86_400_000_000 + floorDiv(int64(nanos), 1000)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// convertBig turns big-endian decimals of fixed length into little-endian ones.
func convertBig(l *leaf, dst, src []byte, n int) {
	w := l.length
	be, le := binary.BigEndian, binary.LittleEndian
	switch {
	case l.width == 16 && w <= 8 && len(src) >= 8:
		convertBig8(dst, src, n, w)
	case l.width == 16 && w > 8 && w <= 16:
		shift := uint(64 - 8*(w-8))
		for i := range n {
			v := src[i*w : (i+1)*w]
			out := dst[16*i : 16*i+16]
			le.PutUint64(out, be.Uint64(v[w-8:]))
			// The high word's bytes lie at the front, with low ones behind them.
			le.PutUint64(out[8:], uint64(int64(be.Uint64(v))>>shift))
		}
	default:
		for i := range n {
			bigValue(dst[i*l.width:(i+1)*l.width], src[i*w:(i+1)*w])
		}
	}
}

// convertBig8 reads each value of up to eight bytes as the end of a word.
func convertBig8(dst, src []byte, n, w int) {
	be, le := binary.BigEndian, binary.LittleEndian
	shift := uint(64 - 8*w)
	i := 0
	for ; i < n && i*w+w < 8; i++ {
		bigValue(dst[16*i:16*i+16], src[i*w:(i+1)*w])
	}
	for ; i < n; i++ {
		v := int64(be.Uint64(src[i*w+w-8:])) << shift >> shift
		out := dst[16*i : 16*i+16]
		le.PutUint64(out, uint64(v))
		le.PutUint64(out[8:], uint64(v>>63))
	}
}

// bigValue writes a big-endian integer as a little-endian one, extending its
// sign. Bytes in front that do not fit are dropped by plainBigVar's check.
func bigValue(dst, src []byte) {
	sign := byte(0)
	if len(src) > 0 && src[0]&0x80 != 0 {
		sign = 0xff
	}
	for i := range dst {
		if j := len(src) - 1 - i; j >= 0 {
			dst[i] = src[j]
		} else {
			dst[i] = sign
		}
	}
}

// plainBigVar decodes decimals in byte arrays.
func plainBigVar(l *leaf, dst, src []byte, n int) ([]byte, error) {
	for i := range n {
		if len(src) < 4 {
			return nil, errShortPage
		}
		size := int(binary.LittleEndian.Uint32(src))
		src = src[4:]
		if size > len(src) {
			return nil, errShortPage
		}
		if err := bigVar(dst[i*l.width:(i+1)*l.width], src[:size]); err != nil {
			return nil, err
		}
		src = src[size:]
	}
	return src, nil
}

func bigVar(dst, src []byte) error {
	if extra := len(src) - len(dst); extra > 0 {
		sign := byte(0)
		if src[0]&0x80 != 0 {
			sign = 0xff
		}
		if slices.ContainsFunc(src[:extra], func(b byte) bool { return b != sign }) {
			return fmt.Errorf("%w: decimal of %d bytes", ErrCorrupt, len(src))
		}
	}
	bigValue(dst, src)
	return nil
}

// skipPlainStrings passes over n byte arrays.
func skipPlainStrings(src []byte, n int) ([]byte, error) {
	for range n {
		if len(src) < 4 {
			return nil, errShortPage
		}
		size := int(binary.LittleEndian.Uint32(src))
		if size > len(src)-4 {
			return nil, errShortPage
		}
		src = src[4+size:]
	}
	return src, nil
}
