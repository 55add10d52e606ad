package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"
)

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

var errGzip = errors.New("gzip: malformed header or trailer")

// inflateGzip inflates a page: the members of a gzip stream (RFC 1952), which
// must fill dst.
func inflateGzip(dst, src []byte) error {
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	filled := 0
	for len(src) > 0 {
		body, err := gzipBody(src)
		if err != nil {
			return exactly(dst, filled, err)
		}
		n, used, err := z.inflate(dst[filled:], body)
		if err != nil {
			return exactly(dst, filled, err)
		}
		trailer := body[used:]
		if len(trailer) < 8 || binary.LittleEndian.Uint32(trailer[4:]) != uint32(n) ||
			binary.LittleEndian.Uint32(trailer) != crc32.ChecksumIEEE(dst[filled:filled+n]) {
			return exactly(dst, filled, errGzip)
		}
		filled += n
		src = trailer[8:]
	}
	return exactly(dst, filled, nil)
}

// gzipBody passes over the header of a member.
func gzipBody(src []byte) ([]byte, error) {
	const headerSize = 10
	const hasCRC, hasExtra, hasName, hasComment = 2, 4, 8, 16
	if len(src) < headerSize || src[0] != 0x1f || src[1] != 0x8b || src[2] != 8 {
		return nil, errGzip
	}
	flags, rest := src[3], src[headerSize:]
	if flags&hasExtra != 0 {
		if len(rest) < 2 || len(rest)-2 < int(binary.LittleEndian.Uint16(rest)) {
			return nil, errGzip
		}
		rest = rest[2+int(binary.LittleEndian.Uint16(rest)):]
	}
	for _, text := range []byte{hasName, hasComment} {
		if flags&text != 0 {
			_, after, ok := bytes.Cut(rest, []byte{0})
			if !ok {
				return nil, errGzip
			}
			rest = after
		}
	}
	if flags&hasCRC != 0 {
		if len(rest) < 2 {
			return nil, errGzip
		}
		rest = rest[2:]
	}
	return rest, nil
}
