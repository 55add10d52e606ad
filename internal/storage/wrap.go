package storage

import (
	"context"
	"sync/atomic"
)

// An Op is a kind of access to a storage.
type Op string

// The kinds of access.
const (
	OpOpen Op = "open"
	OpList Op = "list"
	OpRead Op = "read" // one ReadAt of an open file
)

// Failing gives s with faults: before each access, fail is asked, and an error
// that it gives is the access's result. It may also count, sleep or block, to
// make races visible.
func Failing(s Storage, fail func(op Op, path string) error) Storage {
	return &hooked{Storage: s, before: func(op Op, path string) error { return fail(op, path) }}
}

// Counters tells how much was asked of a storage. Its fields may be read while
// the storage is in use.
type Counters struct {
	Opens, Lists, Reads, Bytes atomic.Int64
}

// Metered gives s and counters of all accesses to it, to its files and to the
// storages below it.
func Metered(s Storage) (Storage, *Counters) {
	c := &Counters{}
	count := func(op Op, path string) error {
		switch op {
		case OpOpen:
			c.Opens.Add(1)
		case OpList:
			c.Lists.Add(1)
		case OpRead:
			c.Reads.Add(1)
		}
		return nil
	}
	return &hooked{Storage: s, before: count, read: func(n int) { c.Bytes.Add(int64(n)) }}, c
}

// hooked calls before ahead of every access, and read after every read. Paths
// are those the storage sees; below Sub they begin with the folder.
type hooked struct {
	Storage
	below  string
	before func(op Op, path string) error
	read   func(n int)
}

func (h *hooked) Open(ctx context.Context, path string) (File, error) {
	full := Join(h.below, path)
	if err := h.before(OpOpen, full); err != nil {
		return nil, err
	}
	f, err := h.Storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &hookedFile{File: f, h: h, path: full}, nil
}

func (h *hooked) List(ctx context.Context, dir string) ([]Entry, error) {
	if err := h.before(OpList, Join(h.below, dir)); err != nil {
		return nil, err
	}
	return h.Storage.List(ctx, dir)
}

func (h *hooked) Sub(dir string) Storage {
	return &hooked{Storage: h.Storage.Sub(dir), below: Join(h.below, dir), before: h.before, read: h.read}
}

type hookedFile struct {
	File
	h    *hooked
	path string
}

func (f *hookedFile) Stride() int { return Stride(f.File) }

func (f *hookedFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.h.before(OpRead, f.path); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, off)
	if f.h.read != nil {
		f.h.read(n)
	}
	return n, err
}
