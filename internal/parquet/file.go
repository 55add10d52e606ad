// Package parquet reads Parquet files into Arrow record batches.
//
// It is made for the base files of Hudi tables, which are unlike the files
// that most readers are tuned for: gzip pages, one row group of millions of
// rows per file, an offset index beside it. [Open] reads the footer and
// nothing else. [File.Read] then streams the wanted columns: every column has
// a window of bounded size over its chunk, inflates one page at a time and
// decodes the values straight into the Arrow buffers of the next batch, so
// that memory stays flat whatever the size of row groups. Row ranges are
// answered through the offset index by reading only the pages they touch.
//
// Data passes through the package from left to right:
//
//	window (bytes of a chunk) -> pageReader (inflated pages) -> leafReader
//	(levels and values of one column) -> assembler (Arrow arrays, nested ones
//	included) -> reader (batches of aligned columns)
//
// Columns whose chunks hold the same bytes, as those of the record key and of
// the key column do, are inflated and decoded once.
//
// The metadata that pruning needs is given as it stands in the file:
// statistics of row groups, column and offset indexes, Bloom filters.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/storage"
)

// ErrCorrupt is wrapped by every error that says that the bytes of a file are
// not those of a sound Parquet file.
var ErrCorrupt = errors.New("corrupt parquet file")

// ErrUnsupported is wrapped by every error that says that a file uses a part of
// the format which is not read here, such as encryption.
var ErrUnsupported = errors.New("unsupported parquet feature")

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	trailerSize    = 8
	// One read fetches the trailer and, nearly always, the whole footer.
	footerGuess = 64 << 10
	// The page index of a big file can follow; metadata above this size is
	// taken for corruption.
	maxFooter = 256 << 20
)

// A File is an open Parquet file: its footer, and the place to read the rest
// from. It is safe for concurrent use. The underlying file stays the caller's
// to close, after the last read.
type File struct {
	src    io.ReaderAt
	size   int64
	name   string
	meta   *fileMeta
	schema *arrow.Schema
	nodes  []*node
	leaves []*leaf
	first  []int64 // ordinal of the first row of each row group
}

// Open reads the footer of a file.
func Open(f storage.File) (*File, error) { return OpenSection(f, f.Size(), f.Path()) }

// OpenSection reads the footer of a Parquet file that takes up all size bytes
// of r, such as a section of a log file. The name is for messages.
func OpenSection(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{src: r, size: size, name: name}
	footer, err := f.readFooter()
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: footer: %w", name, err)
	}
	if f.meta, err = decodeFileMeta(footer); err != nil {
		return nil, fmt.Errorf("parquet: %s: footer: %w: %w", name, ErrCorrupt, err)
	}
	if err := f.init(); err != nil {
		return nil, fmt.Errorf("parquet: %s: %w: %w", name, ErrCorrupt, err)
	}
	return f, nil
}

func (f *File) readFooter() ([]byte, error) {
	if f.size < int64(len(magic)+trailerSize) {
		return nil, fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, f.size)
	}
	buf := make([]byte, min(f.size, footerGuess))
	if err := readFull(f.src, buf, f.size-int64(len(buf))); err != nil {
		return nil, err
	}
	trailer := buf[len(buf)-trailerSize:]
	switch string(trailer[4:]) {
	case magic:
	case magicEncrypted:
		return nil, fmt.Errorf("%w: encrypted footer", ErrUnsupported)
	default:
		return nil, fmt.Errorf("%w: no %s at the end", ErrCorrupt, magic)
	}
	n := int64(binary.LittleEndian.Uint32(trailer))
	if n > f.size-int64(len(magic)+trailerSize) || n > maxFooter {
		return nil, fmt.Errorf("%w: footer of %d bytes in a file of %d", ErrCorrupt, n, f.size)
	}
	if have := int64(len(buf) - trailerSize); n <= have {
		return buf[have-n : have], nil
	}
	buf = make([]byte, n)
	return buf, readFull(f.src, buf, f.size-trailerSize-n)
}

// init checks the footer against itself and derives what reads need.
func (f *File) init() error {
	var err error
	if f.nodes, f.leaves, err = buildSchema(f.meta.schema); err != nil {
		return err
	}
	fields := make([]arrow.Field, len(f.nodes))
	for i, n := range f.nodes {
		fields[i] = n.field
	}
	f.schema = arrow.NewSchema(fields, nil)
	rows := int64(0)
	for i := range f.meta.groups {
		g := &f.meta.groups[i]
		if g.rows < 0 || rows+g.rows < rows {
			return fmt.Errorf("row group %d has %d rows", i, g.rows)
		}
		if len(g.columns) != len(f.leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.columns), len(f.leaves))
		}
		f.first = append(f.first, rows)
		rows += g.rows
	}
	if rows != f.meta.rows {
		return fmt.Errorf("%d rows in all, %d in the row groups", f.meta.rows, rows)
	}
	return nil
}

// Name is the name by which messages call the file.
func (f *File) Name() string { return f.name }

// Schema is the Arrow schema of the file, all top-level columns in file order.
// It follows the Parquet schema alone: an Arrow schema that a writer embedded
// is not looked at. Lists and maps have the Arrow form whichever form they
// have in the file; field ids are kept as metadata under [FieldIDKey].
func (f *File) Schema() *arrow.Schema { return f.schema }

// NumRows is the number of rows.
func (f *File) NumRows() int64 { return f.meta.rows }

// CreatedBy names the program that wrote the file.
func (f *File) CreatedBy() string { return f.meta.createdBy }

// KeyValue gives an entry of the footer's key-value metadata.
func (f *File) KeyValue(key string) (string, bool) {
	for _, kv := range f.meta.kv {
		if kv.key == key {
			return kv.value, true
		}
	}
	return "", false
}

// Keys lists the keys of the key-value metadata in file order.
func (f *File) Keys() []string {
	keys := make([]string, len(f.meta.kv))
	for i, kv := range f.meta.kv {
		keys[i] = kv.key
	}
	return keys
}

// readFull reads all of buf; a file that ends earlier is corrupt.
func readFull(r io.ReaderAt, buf []byte, off int64) error {
	n, err := r.ReadAt(buf, off)
	if n == len(buf) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: ends within %d bytes at %d", ErrCorrupt, len(buf), off)
	}
	return err
}
