// Package hfile reads HFiles (version 3).
package hfile

import (
	"errors"
	"io"
	"iter"
)

var errStub = errors.New("hfile: not there yet")

// An Entry is one key and its value.
type Entry struct {
	Key   string
	Value []byte
}

// A Reader reads one HFile.
type Reader struct{}

// Open reads the trailer and the index of an HFile.
func Open(r io.ReaderAt, size int64) (*Reader, error) { return nil, errStub }

// Get looks one key up.
func (r *Reader) Get(key string) ([]byte, bool, error) { return nil, false, errStub }

// Entries yields entries in key order from the first key that is >= from.
func (r *Reader) Entries(from string) iter.Seq2[Entry, error] { return nil }

// Prefix yields the entries whose key begins with p.
func (r *Reader) Prefix(p string) iter.Seq2[Entry, error] { return nil }

// Info gives an entry of the file info.
func (r *Reader) Info(name string) ([]byte, bool) { return nil, false }

// Len is the number of entries.
func (r *Reader) Len() int64 { return 0 }

// MinKey is the smallest key as the writer noted it.
func (r *Reader) MinKey() (string, bool) { return "", false }

// MaxKey is the largest key as the writer noted it.
func (r *Reader) MaxKey() (string, bool) { return "", false }
