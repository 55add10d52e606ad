package hfile

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A codec is the number of a compression codec.
type codec int64

const (
	codecGZ   codec = 1
	codecNone codec = 2
	codecZSTD codec = 6
)

// maxRatio bounds how much larger than its compressed form a block may be
// before memory for it is taken on trust.
const maxRatio = 1100

var codecNames = []string{"LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD"}

func (c codec) check() error {
	switch {
	case c == codecGZ || c == codecNone || c == codecZSTD:
		return nil
	case c >= 0 && int(c) < len(codecNames):
		return unsupportedf("codec %s; rewrite with hoodie.hfile.compression.algorithm=GZ", codecNames[c])
	}
	return corruptf("codec number %d", c)
}

// decompress gives the payload of a block, which must have exactly size bytes.
func (c codec) decompress(b []byte, size int) ([]byte, error) {
	var out []byte
	var err error
	switch c {
	case codecNone:
		out = b
	case codecGZ:
		out, err = gunzip(b, size)
	case codecZSTD:
		out, err = unzstd(b, size)
	}
	if err != nil {
		return nil, corruptf("decompress block: %v", err)
	}
	if len(out) != size {
		return nil, corruptf("block has %d bytes, its header says %d", len(out), size)
	}
	return out, nil
}

var gzipReaders sync.Pool

func gunzip(b []byte, size int) ([]byte, error) {
	if size == 0 && len(b) == 0 {
		return nil, nil
	}
	src := bytes.NewReader(b)
	z, _ := gzipReaders.Get().(*gzip.Reader)
	var err error
	if z == nil {
		z, err = gzip.NewReader(src)
	} else {
		err = z.Reset(src)
	}
	if err != nil {
		return nil, err
	}
	defer gzipReaders.Put(z)
	z.Multistream(false)
	if size > maxRatio*len(b)+1024 {
		return nil, corruptf("%d bytes cannot become %d", len(b), size)
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, err
	}
	// The end must be here, and reading it verifies gzip's own checksum.
	if n, err := z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, corruptf("more data than the header says (%v)", err)
	}
	return out, nil
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
})

func unzstd(b []byte, size int) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(b, make([]byte, 0, min(size, maxRatio*len(b))))
}
