// Package objectstore brings tables in S3, and in any store that speaks S3's
// protocol (MinIO, Ceph, R2, Google Cloud Storage with HMAC keys), to the
// reader. A program that wants it imports it for its effect:
//
//	import _ "github.com/hudi-go/hudi/objectstore"
//
// From then on URIs s3://bucket/path, and s3a:// and s3n:// as Hadoop writes
// them, open like folders. What to reach and who asks is said by storage
// options (see [Options]) or by AWS's environment variables and files.
//
// Each file is opened by one request for its size and version; every read
// names that version, so that a file that is overwritten in between fails the
// read instead of giving bytes of two files.
package objectstore

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/hudi-go/hudi/internal/storage"
)

func init() {
	for _, scheme := range []string{"s3", "s3a", "s3n"} {
		storage.Register(scheme, open)
	}
}

// open opens the storage of scheme://bucket/prefix.
func open(_ context.Context, uri string, options map[string]string) (storage.Storage, error) {
	_, rest, _ := strings.Cut(uri, "://")
	bucket, prefix, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return nil, fmt.Errorf("objectstore: %s names no bucket: write s3://bucket/path", uri)
	}
	o, err := newOptions(options)
	if err != nil {
		return nil, fmt.Errorf("objectstore: %s: %w", uri, err)
	}
	client, err := o.client()
	if err != nil {
		return nil, fmt.Errorf("objectstore: %s: %w", uri, err)
	}
	return &folder{client: client, bucket: bucket, prefix: strings.Trim(prefix, "/"), name: uri}, nil
}

// A folder is what lies below a prefix of a bucket.
type folder struct {
	client *minio.Core
	bucket string
	prefix string // without a slash at either end
	name   string // as the user wrote it
}

func (f *folder) Root() string { return f.name }

func (f *folder) Sub(dir string) storage.Storage {
	sub := *f
	sub.prefix, sub.name = storage.Join(f.prefix, dir), strings.TrimSuffix(f.name, "/")+"/"+dir
	return &sub
}

// key is the name of an object. Paths must not lead out of the folder.
func (f *folder) key(op, name string) (string, error) {
	if name != "" && (!fs.ValidPath(name) || name == ".") {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return storage.Join(f.prefix, name), nil
}

func (f *folder) Open(ctx context.Context, name string) (storage.File, error) {
	key, err := f.key("open", name)
	if err != nil {
		return nil, err
	}
	info, err := f.client.StatObject(ctx, f.bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return nil, f.explain("open", key, err)
	}
	return &object{folder: f, ctx: ctx, key: key, path: name, size: info.Size, etag: info.ETag}, nil
}

func (f *folder) List(ctx context.Context, dir string) ([]storage.Entry, error) {
	key, err := f.key("list", dir)
	if err != nil {
		return nil, err
	}
	if key != "" {
		key += "/"
	}
	var entries []storage.Entry
	for o := range f.client.ListObjectsIter(ctx, f.bucket, minio.ListObjectsOptions{Prefix: key}) {
		if o.Err != nil {
			return nil, f.explain("list", key, o.Err)
		}
		e := storage.Entry{Name: path.Base(o.Key), Size: o.Size, ModTime: o.LastModified}
		if strings.HasSuffix(o.Key, "/") {
			if o.Key == key {
				continue // a marker that stands for the folder itself
			}
			e.Size, e.IsDir = 0, true
		}
		entries = append(entries, e)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b storage.Entry) int { return strings.Compare(a.Name, b.Name) })
	// Some stores list a folder twice that has a marker.
	return slices.CompactFunc(entries, func(a, b storage.Entry) bool { return a.Name == b.Name && a.IsDir == b.IsDir }), nil
}

// explain makes an error of the store one of the file system where there is
// one, and names the object.
func (f *folder) explain(op, key string, err error) error {
	uri := "s3://" + f.bucket + "/" + key
	switch r := minio.ToErrorResponse(err); r.Code {
	case "NoSuchKey", "NotFound":
		err = fs.ErrNotExist
	case "NoSuchBucket":
		err = fmt.Errorf("no such bucket: %w", fs.ErrNotExist)
	case "AccessDenied", "Forbidden":
		err = fmt.Errorf("%w (%s): set aws_access_key_id and aws_secret_access_key, AWS's environment variables, or aws_skip_signature=true for a public bucket", fs.ErrPermission, r.Message)
	case "PreconditionFailed":
		err = fmt.Errorf("it was overwritten since it was opened: open the table anew")
	}
	return &fs.PathError{Op: op, Path: uri, Err: err}
}
