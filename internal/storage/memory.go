package storage

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strings"
)

// NewMemory gives a storage over files held in memory, by path. The map must
// not change afterwards.
func NewMemory(files map[string][]byte) Storage { return &memory{files: files} }

type memory struct {
	root  string
	files map[string][]byte
}

func (m *memory) Root() string { return "memory:/" + m.root }

func (m *memory) Sub(dir string) Storage {
	return &memory{root: Join(m.root, dir), files: m.files}
}

func (m *memory) Open(ctx context.Context, path string) (File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, ok := m.files[Join(m.root, path)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return &memoryFile{Reader: bytes.NewReader(data), ctx: ctx, path: path}, nil
}

func (m *memory) List(ctx context.Context, dir string) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	prefix := Join(m.root, dir)
	if prefix != "" {
		prefix += "/"
	}
	var entries []Entry
	folders := map[string]bool{}
	for path, data := range m.files {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		switch {
		case !deeper:
			entries = append(entries, Entry{Name: name, Size: int64(len(data))})
		case !folders[name]:
			folders[name] = true
			entries = append(entries, Entry{Name: name, IsDir: true})
		}
	}
	if entries == nil && prefix != "" {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

type memoryFile struct {
	*bytes.Reader
	ctx  context.Context
	path string
}

func (f *memoryFile) Close() error { return nil }
func (f *memoryFile) Path() string { return f.path }

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.Reader.ReadAt(p, off)
}
