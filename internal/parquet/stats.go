package parquet

import "github.com/apache/arrow-go/v18/arrow"

// Statistics of a column chunk or page, as the writer left them. Bounds are
// values in the plain encoding of the physical type (without a length in front
// of byte arrays), to be interpreted by the physical and logical type.
type Statistics struct {
	Min, Max   []byte
	HasMinMax  bool
	Exact      bool // false: the bounds may have been truncated
	Deprecated bool // bounds of the old fields, ordered as signed bytes by old writers
	Nulls      int64
	HasNulls   bool
}

// A RowGroup describes a row group of a file.
type RowGroup struct {
	file     *File
	index    int
	Rows     int64
	FirstRow int64 // ordinal in the file
	Bytes    int64 // uncompressed size of all columns
}

// RowGroups lists the row groups in file order.
func (f *File) RowGroups() []RowGroup {
	groups := make([]RowGroup, len(f.meta.groups))
	for i := range groups {
		g := &f.meta.groups[i]
		groups[i] = RowGroup{file: f, index: i, Rows: g.rows, FirstRow: f.first[i], Bytes: g.bytes}
	}
	return groups
}

// A Chunk is a column of a row group.
type Chunk struct {
	file     *File
	leaf     *leaf
	group    int
	Path     string // names from the root, as in the file, joined by dots
	Physical Physical
	Length   int            // of FIXED_LEN_BYTE_ARRAY
	Type     arrow.DataType // Arrow type of the values
	Values   int64          // nulls included; the elements of lists for columns below lists
	Bytes    int64          // compressed size
}

// Columns lists the leaf columns of the row group in file order.
func (g RowGroup) Columns() []Chunk {
	chunks := make([]Chunk, len(g.file.leaves))
	for i := range chunks {
		chunks[i] = g.chunk(g.file.leaves[i])
	}
	return chunks
}

// Column gives a leaf column by its path: the name of a top-level column, or
// names joined by dots below structs.
func (g RowGroup) Column(path string) (Chunk, bool) {
	for _, l := range g.file.leaves {
		if l.path == path {
			return g.chunk(l), true
		}
	}
	return Chunk{}, false
}

func (g RowGroup) chunk(l *leaf) Chunk {
	m := &g.file.meta.groups[g.index].columns[l.index]
	return Chunk{
		file: g.file, leaf: l, group: g.index, Path: l.path, Physical: l.physical, Length: l.length, Type: l.typ,
		Values: m.values, Bytes: m.compressed,
	}
}

func (c Chunk) meta() *columnMeta { return &c.file.meta.groups[c.group].columns[c.leaf.index] }

// Statistics gives the statistics of the chunk, if the writer left any.
func (c Chunk) Statistics() (Statistics, bool) {
	m := c.meta()
	return m.stats, m.hasStats
}
