package storage

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// local is a folder of the local file system.
//
// Symbolic links count as what they point at, as in every other reader, but
// for links to a folder above themselves: those would make a table contain
// itself, so they are not listed.
type local struct {
	name string // as the user wrote it
	dir  string
}

func newLocal(name, dir string) (Storage, error) {
	abs, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		return nil, fmt.Errorf("storage: %s: %w", name, err)
	}
	return &local{name: name, dir: abs}, nil
}

func (l *local) Root() string { return l.name }

func (l *local) Sub(dir string) Storage {
	if dir == "" {
		return l
	}
	return &local{name: strings.TrimSuffix(l.name, "/") + "/" + dir, dir: filepath.Join(l.dir, filepath.FromSlash(dir))}
}

func (l *local) Open(ctx context.Context, path string) (File, error) {
	full, err := l.resolve(ctx, "open", path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: full, Err: fmt.Errorf("is a folder")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &localFile{File: f, ctx: ctx, path: path, size: info.Size()}, nil
}

func (l *local) List(ctx context.Context, dir string) ([]Entry, error) {
	full, err := l.resolve(ctx, "list", dir)
	if err != nil {
		return nil, err
	}
	children, err := os.ReadDir(full)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(children))
	for _, c := range children {
		info, err := c.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, err = followed(full, c.Name())
		}
		if err != nil {
			continue // gone since, or a dead or looping link
		}
		e := Entry{Name: c.Name(), ModTime: info.ModTime(), IsDir: info.IsDir()}
		if !e.IsDir {
			e.Size = info.Size()
		}
		entries = append(entries, e)
	}
	// ReadDir sorts by name already; the contract asks for it, so hold it here.
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

// followed describes what the link dir/name points at.
func followed(dir, name string) (fs.FileInfo, error) {
	link := filepath.Join(dir, name)
	info, err := os.Stat(link)
	if err != nil || !info.IsDir() {
		return info, err
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return nil, err
	}
	from, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if from == target || strings.HasPrefix(from, strings.TrimSuffix(target, string(filepath.Separator))+string(filepath.Separator)) {
		return nil, fmt.Errorf("link to a folder above itself")
	}
	return info, nil
}

// resolve gives the full name of a path below the root.
func (l *local) resolve(ctx context.Context, op, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := Valid(path); err != nil {
		return "", &fs.PathError{Op: op, Path: path, Err: err}
	}
	return filepath.Join(l.dir, filepath.FromSlash(path)), nil
}

// Valid tells whether a path may be given to a Storage: relative, and without
// "." or ".." components, so that nothing outside the root can be named.
func Valid(path string) error {
	if path == "" || fs.ValidPath(path) && path != "." {
		return nil
	}
	// fs.ValidPath wants UTF-8; names on disk may be any bytes.
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%w: paths are relative to the root and have no empty, \".\" or \"..\" parts", fs.ErrInvalid)
		}
	}
	return nil
}

type localFile struct {
	*os.File
	ctx  context.Context
	path string
	size int64
}

func (f *localFile) Size() int64  { return f.size }
func (f *localFile) Path() string { return f.path }

func (f *localFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}
