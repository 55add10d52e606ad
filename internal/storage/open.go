package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// An Opener opens the storage that a URI of a registered scheme names.
type Opener func(ctx context.Context, uri string, options map[string]string) (Storage, error)

var openers = struct {
	sync.RWMutex
	byScheme map[string]Opener
}{byScheme: map[string]Opener{}}

// Register makes Open hand URIs of the scheme ("s3", without "://") to open.
// Packages that bring an object store call it from init; a second
// registration of a scheme replaces the first.
func Register(scheme string, open Opener) {
	openers.Lock()
	defer openers.Unlock()
	openers.byScheme[strings.ToLower(scheme)] = open
}

// Open gives the storage rooted at uri: a local path, a file:// URI, or a URI
// of a registered scheme. It does not look whether the root exists.
//
// A local path is taken byte for byte, whatever is in it (%20 is three
// characters); only file:// URIs are percent-decoded.
func Open(ctx context.Context, uri string, options map[string]string) (Storage, error) {
	scheme := schemeOf(uri)
	switch scheme {
	case "":
		return newLocal(uri, uri)
	case "file":
		path, err := filePath(uri)
		if err != nil {
			return nil, err
		}
		return newLocal(uri, path)
	}
	openers.RLock()
	open := openers.byScheme[scheme]
	known := make([]string, 0, len(openers.byScheme))
	for s := range openers.byScheme {
		known = append(known, s+"://")
	}
	openers.RUnlock()
	if open == nil {
		slices.Sort(known)
		return nil, &SchemeError{Scheme: scheme, URI: uri, Known: known}
	}
	return open(ctx, uri, options)
}

// schemeOf gives the lower-case scheme of a URI, "" for a local path. A single
// letter is a Windows drive, not a scheme.
func schemeOf(uri string) string {
	i := strings.IndexByte(uri, ':')
	if i < 2 {
		return ""
	}
	for j, c := range []byte(uri[:i]) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (j == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return ""
		}
	}
	scheme := strings.ToLower(uri[:i])
	// Hadoop writes file:/path with one slash; every other scheme needs two,
	// so that a folder named "a:b" stays a folder.
	if scheme == "file" && strings.HasPrefix(uri[i:], ":/") || strings.HasPrefix(uri[i:], "://") {
		return scheme
	}
	return ""
}

// filePath gives the local path of a file: URI.
func filePath(uri string) (string, error) {
	rest := uri[len("file:"):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			return "", fmt.Errorf("storage: %s has no path: write file:///path", uri)
		}
		if host := after[:slash]; host != "" && host != "localhost" {
			return "", fmt.Errorf("storage: %s names host %q: file:// URIs are local, write file:///path", uri, host)
		}
		rest = after[slash:]
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return "", fmt.Errorf("storage: %s: %w: give the plain path instead", uri, err)
	}
	return path, nil
}

// ReadFile reads a whole file.
func ReadFile(ctx context.Context, s Storage, path string) ([]byte, error) {
	f, err := s.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f)
}

// ReadAll reads a whole open file.
func ReadAll(f File) ([]byte, error) {
	data := make([]byte, f.Size())
	n, err := f.ReadAt(data, 0)
	if n == len(data) {
		return data, nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, fmt.Errorf("read %s: got %d of %d bytes: %w", f.Path(), n, len(data), err)
}

// Join joins path components by slashes, leaving out empty ones.
func Join(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('/')
		}
		b.WriteString(p)
	}
	return b.String()
}

// A SchemeError is the error of [Open] for URIs of a store that is not built
// in. It is an [errors.ErrUnsupported].
type SchemeError struct {
	Scheme, URI string
	Known       []string // what could be opened besides local paths
}

func (e *SchemeError) Error() string {
	return fmt.Sprintf("storage: no support for %s:// in this build (%s): use a local path%s",
		e.Scheme, e.URI, strings.Join(append([]string{""}, e.Known...), ", "))
}

// Is tells what kind of error it is.
func (e *SchemeError) Is(target error) bool { return target == errors.ErrUnsupported }
