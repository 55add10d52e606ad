package objectstore

import (
	"context"
	"io"
	"io/fs"
	"sync"

	"github.com/minio/minio-go/v7"
)

// ahead is how much is fetched when small reads follow one another: blocks of
// an HFile, headers of log blocks. A request costs as much as some megabytes.
const ahead = 1 << 20

// stride is how much of a column is fetched at once.
const stride = 4 << 20

// An object is an open file.
type object struct {
	*folder
	ctx  context.Context
	key  string
	path string
	size int64
	etag string

	mu   sync.Mutex
	at   int64  // where buf begins
	buf  []byte // fetched ahead
	next int64  // where the last read ended
}

func (o *object) Size() int64  { return o.size }
func (o *object) Path() string { return o.path }
func (o *object) Close() error { return nil }

// Stride implements [storage.Distant].
func (o *object) Stride() int { return stride }

func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: o.path, Err: fs.ErrInvalid}
	}
	want := int(min(int64(len(p)), max(0, o.size-off)))
	if want == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n, err := o.read(p[:want], off)
	if err == nil && want < len(p) {
		err = io.EOF
	}
	return n, err
}

// read fills p, out of what was fetched ahead where that will do.
func (o *object) read(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	o.mu.Lock()
	if off >= o.at && end <= o.at+int64(len(o.buf)) {
		n := copy(p, o.buf[off-o.at:])
		o.next = end
		o.mu.Unlock()
		return n, nil
	}
	follows := off >= o.next && off-o.next < ahead && o.next > 0
	o.next = end
	o.mu.Unlock()
	if !follows || len(p) >= ahead/2 {
		return o.fetch(p, off)
	}
	buf := make([]byte, min(ahead, o.size-off))
	n, err := o.fetch(buf, off)
	if err != nil {
		return min(n, len(p)), err
	}
	o.mu.Lock()
	o.at, o.buf = off, buf // never written to again
	o.mu.Unlock()
	return copy(p, buf), nil
}

// fetch asks the store for a range of the version that was opened.
func (o *object) fetch(p []byte, off int64) (int, error) {
	options := minio.GetObjectOptions{}
	if err := options.SetRange(off, off+int64(len(p))-1); err != nil {
		return 0, err
	}
	if o.etag != "" {
		if err := options.SetMatchETag(o.etag); err != nil {
			return 0, err
		}
	}
	body, _, _, err := o.client.GetObject(o.ctx, o.bucket, o.key, options)
	if err != nil {
		return 0, o.explain("read", o.key, err)
	}
	defer body.Close()
	n, err := io.ReadFull(body, p)
	if err != nil {
		return n, o.explain("read", o.key, err)
	}
	return n, nil
}
