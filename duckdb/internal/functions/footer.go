package functions

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
)

// A footer is what the planner has to know of a Parquet file. Files of one
// layout share one.
type footer struct {
	schema *arrow.Schema
	// strange says for each column why DuckDB might read other values from it
	// than we do; "" if it reads the same.
	strange map[string]string
	refused string // why DuckDB can't read the file at all
}

// maxFooters bounds how many files' footers are remembered.
const maxFooters = 100_000

// footers remembers the footers of files, which never change.
type footers struct {
	mu      sync.Mutex
	files   map[fileKey]*footer
	layouts map[string]*footer
}

// fileKey names a file. Names of Hudi's files are never used twice.
type fileKey struct {
	table, path string
	size        int64
}

func newFooters() *footers {
	return &footers{files: map[fileKey]*footer{}, layouts: map[string]*footer{}}
}

func (s *footers) get(ctx context.Context, st storage.Storage, key fileKey) (*footer, error) {
	s.mu.Lock()
	f := s.files[key]
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := readFooter(ctx, st, key.path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	layout := fmt.Sprint(f.schema, f.strange, f.refused)
	if same := s.layouts[layout]; same != nil {
		f = same
	} else {
		s.layouts[layout] = f
	}
	if len(s.files) >= maxFooters {
		clear(s.files)
		clear(s.layouts)
	}
	s.files[key] = f
	return f, nil
}

func readFooter(ctx context.Context, st storage.Storage, path string) (*footer, error) {
	in, err := st.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ours, err := parquet.Open(in)
	if err != nil {
		return nil, err
	}
	f := &footer{schema: ours.Schema(), strange: map[string]string{}}
	meta, err := rawFooter(in)
	if err != nil { // what one reader takes and another does not is not for DuckDB
		f.refused = "its footer is unusual"
		return f, nil
	}
	if name, ok := twin(f.schema.Fields()); ok {
		f.refused = fmt.Sprintf("columns differ in letter case only: %q", name)
	}
	for i := range meta.NumRowGroups() {
		g := meta.RowGroup(i)
		for c := range g.NumColumns() {
			if chunk, err := g.ColumnChunk(c); err == nil && !known[chunk.Compression()] {
				f.refused = "its codec is unusual"
			}
		}
	}
	root := meta.Schema.Root()
	for i := range root.NumFields() {
		f.strange[root.Field(i).Name()] = strange(root.Field(i))
	}
	return f, nil
}

// known are the codecs that every DuckDB has.
var known = map[compress.Compression]bool{
	compress.Codecs.Uncompressed: true, compress.Codecs.Snappy: true, compress.Codecs.Gzip: true,
	compress.Codecs.Zstd: true, compress.Codecs.Brotli: true, compress.Codecs.Lz4Raw: true,
}

// twin finds fields that DuckDB can't tell apart.
func twin(fields []arrow.Field) (string, bool) {
	seen := map[string]bool{}
	for _, f := range fields {
		lower := strings.ToLower(f.Name)
		if seen[lower] {
			return f.Name, true
		}
		seen[lower] = true
	}
	return "", false
}

// rawFooter reads the footer once more, with a library that shows what the file
// says word for word.
func rawFooter(in storage.File) (*metadata.FileMetaData, error) {
	const tail = 8 // length and magic
	end := make([]byte, tail)
	if _, err := in.ReadAt(end, in.Size()-tail); err != nil && err != io.EOF {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(end))
	if size > in.Size()-tail {
		return nil, errors.New("the footer is longer than the file")
	}
	data := make([]byte, size)
	if _, err := in.ReadAt(data, in.Size()-tail-size); err != nil && err != io.EOF {
		return nil, err
	}
	return metadata.NewFileMetaData(data, nil)
}
