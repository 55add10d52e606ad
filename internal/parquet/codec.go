package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Compression codecs, numbered as in the format.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecLZ4    = 5 // with Hadoop's framing
	codecZstd   = 6
	codecLZ4Raw = 7
)

// maxRatio bounds what a codec can make of a byte: a page that claims to
// inflate to more is corrupt, and is refused before memory is set aside.
func maxRatio(codec int32) int64 {
	switch codec {
	case codecSnappy:
		return 32
	case codecGzip:
		return 1040
	case codecLZ4, codecLZ4Raw:
		return 256
	}
	return 1 << 16
}

// inflate decompresses src, which must give exactly len(dst) bytes.
func inflate(codec int32, dst, src []byte) error {
	switch codec {
	case codecGzip:
		return inflateGzip(dst, src)
	case codecSnappy:
		return inflateSnappy(dst, src)
	case codecZstd:
		return inflateZstd(dst, src)
	case codecLZ4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		return exactly(dst, n, err)
	case codecLZ4:
		return inflateHadoopLZ4(dst, src)
	case codecBrotli:
		return inflateBrotli(dst, src)
	}
	return checkCodec(codec)
}

// checkCodec tells whether pages of the codec can be read.
func checkCodec(codec int32) error {
	switch codec {
	case codecNone, codecGzip, codecSnappy, codecZstd, codecLZ4, codecLZ4Raw, codecBrotli:
		return nil
	case codecLZO:
		return fmt.Errorf("%w: LZO compression", ErrUnsupported)
	}
	return fmt.Errorf("%w: compression codec %d", ErrUnsupported, codec)
}

func exactly(dst []byte, n int, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if n != len(dst) {
		return fmt.Errorf("%w: page inflates to %d bytes, its header says %d", ErrCorrupt, n, len(dst))
	}
	return nil
}

func inflateSnappy(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err != nil || n != len(dst) {
		return exactly(dst, n, err)
	}
	_, err = snappy.Decode(dst, src)
	return exactly(dst, n, err)
}

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<31))
	if err != nil {
		panic(err) // the options are constant
	}
	return d
})

func inflateZstd(dst, src []byte) error {
	// The limit on the capacity keeps a lying frame from growing the buffer.
	out, err := zstdDecoder().DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) > 0 && &out[0] != &dst[0] {
		return exactly(dst, len(out), nil)
	}
	return exactly(dst, len(out), err)
}

// inflateHadoopLZ4 reads blocks of raw LZ4, each after its two sizes.
func inflateHadoopLZ4(dst, src []byte) error {
	total := 0
	for len(src) > 0 {
		if len(src) < 8 {
			return exactly(dst, total, io.ErrUnexpectedEOF)
		}
		raw, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(packed) > uint64(len(src)) || uint64(raw) > uint64(len(dst)-total) {
			return exactly(dst, total, io.ErrUnexpectedEOF)
		}
		n, err := lz4.UncompressBlock(src[:packed], dst[total:total+int(raw)])
		if err != nil || n != int(raw) {
			return exactly(dst, total+n, err)
		}
		total += n
		src = src[packed:]
	}
	return exactly(dst, total, nil)
}

func inflateBrotli(dst, src []byte) error {
	r := brotli.NewReader(bytes.NewReader(src))
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return exactly(dst, n, err)
	}
	return exactly(dst, n, atEnd(r))
}

// atEnd fails if the stream holds more than was expected.
func atEnd(r io.Reader) error {
	var more [1]byte
	for {
		n, err := r.Read(more[:])
		switch {
		case n > 0:
			return fmt.Errorf("page inflates to more than its header says")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
