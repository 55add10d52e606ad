//go:build !(libdeflate && cgo)

package parquet

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

type gzipReader struct {
	src  bytes.Reader
	gzip gzip.Reader
}

var gzipReaders = sync.Pool{New: func() any { return new(gzipReader) }}

func inflateGzip(dst, src []byte) error {
	r := gzipReaders.Get().(*gzipReader)
	defer gzipReaders.Put(r)
	r.src.Reset(src)
	defer r.src.Reset(nil)
	if err := r.gzip.Reset(&r.src); err != nil {
		return exactly(dst, 0, err)
	}
	n, err := io.ReadFull(&r.gzip, dst)
	if err != nil {
		return exactly(dst, n, err)
	}
	return exactly(dst, n, atEnd(&r.gzip))
}
