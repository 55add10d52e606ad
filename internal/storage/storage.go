// Package storage is the only door through which bytes of a table come in: a
// read-only, rooted view of a folder of files with range reads.
//
// A [Storage] is opened once per root (a table's base path, a folder of
// tables, a bootstrap source) by [Open]; every path after that is relative to
// the root, separated by slashes, without a leading one ("" is the root
// itself). Nothing in this package, or in the interface, can write.
package storage

import (
	"context"
	"io"
	"time"
)

// A Storage reads files below one root. Implementations are safe for
// concurrent use.
type Storage interface {
	// Root names the root as the user wrote it; used in messages and to tell
	// tables apart, never parsed.
	Root() string
	// Open opens a file for range reads. Reads of the file stop when ctx is
	// done. An absent file gives an error for which
	// errors.Is(err, fs.ErrNotExist) holds.
	Open(ctx context.Context, path string) (File, error)
	// List gives the immediate children of a folder, sorted by name. An absent
	// folder gives an error for which errors.Is(err, fs.ErrNotExist) holds
	// (object stores, which have no folders, may give an empty list instead).
	List(ctx context.Context, dir string) ([]Entry, error)
	// Sub gives the storage rooted at a folder below this root.
	Sub(dir string) Storage
}

// A File is an open file. It is safe for concurrent ReadAt calls.
type File interface {
	io.ReaderAt
	io.Closer
	// Size is the file's length in bytes.
	Size() int64
	// Path is the path the file was opened by, for messages.
	Path() string
}

// A Distant is a file whose reads cost a round trip each.
type Distant interface {
	// Stride is how many bytes are worth one.
	Stride() int
}

// Stride is how many bytes a reader that goes on should ask for at once at
// least: 0 if it does not matter.
func Stride(f io.ReaderAt) int {
	if d, ok := f.(Distant); ok {
		return d.Stride()
	}
	return 0
}

// An Entry is a child of a listed folder.
type Entry struct {
	Name    string // last path component
	Size    int64  // bytes; 0 for folders
	ModTime time.Time
	IsDir   bool
}
