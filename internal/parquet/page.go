package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
)

// headerGuess is how much is looked at for a page header. Headers hold
// statistics of the page, and with them values of any size, so it doubles
// until the header is whole.
const headerGuess = 128

// maxPage bounds the size of an inflated page.
const maxPage = 1 << 30

// pageReader walks the pages of one column chunk after the other.
type pageReader struct {
	src      io.ReaderAt
	fileSize int64
	win      window
	meta     *columnMeta
	leaf     *leaf
	pos      int64 // place of the next page in the file
	end      int64 // of the chunk
	dict     dictionary
	hasDict  bool
	buf      []byte // the inflated page
	twins    []*pageReader
	parting  bool // some of the twins are none
	differs  bool // it is no twin
}

// open begins a column chunk.
func (p *pageReader) open(m *columnMeta) error {
	p.meta, p.hasDict = m, false
	switch {
	case m.encrypted:
		return fmt.Errorf("%w: encrypted column", ErrUnsupported)
	case m.externalFile != "":
		return fmt.Errorf("%w: column chunk in another file, %q", ErrUnsupported, m.externalFile)
	case !m.hasMeta:
		return fmt.Errorf("%w: column chunk without metadata", ErrCorrupt)
	case m.typ != p.leaf.physical:
		return fmt.Errorf("%w: column chunk has %v, its schema %v", ErrCorrupt, m.typ, p.leaf.physical)
	}
	p.pos = m.start()
	if p.pos < 0 || m.compressed < 0 || m.compressed > p.fileSize-p.pos {
		return fmt.Errorf("%w: column chunk of %d bytes at %d in a file of %d", ErrCorrupt, m.compressed, p.pos, p.fileSize)
	}
	p.end = p.pos + m.compressed
	p.win.reset(p.src, p.pos, p.end)
	return checkCodec(m.codec)
}

// start is where the pages of the chunk begin.
func (m *columnMeta) start() int64 {
	// Some writers say 0 for "no dictionary page".
	if m.hasDictPage && m.dictOffset > 0 && m.dictOffset < m.dataOffset {
		return m.dictOffset
	}
	return m.dataOffset
}

// header reads the header at pos and passes over it.
func (p *pageReader) header() (pageHeader, error) {
	for size := headerGuess; ; size *= 8 {
		b, err := p.win.upTo(p.pos, size)
		if err != nil {
			return pageHeader{}, err
		}
		h, n, err := decodePageHeader(b)
		if err == nil {
			p.confirm(b[:n])
			p.pos += int64(n)
			if int64(h.compressed) > p.end-p.pos {
				return h, fmt.Errorf("%w: page of %d bytes at %d lies outside of its column chunk", ErrCorrupt, h.compressed, p.pos)
			}
			return h, nil
		}
		if len(b) < size || size > 16<<20 {
			return h, fmt.Errorf("%w: page header at %d: %w", ErrCorrupt, p.pos, err)
		}
	}
}

// nextData gives the header of the next data page, reading a dictionary page
// on the way. The page's bytes follow at pos. It gives io.EOF at the end of
// the chunk.
func (p *pageReader) nextData() (pageHeader, error) {
	for p.pos < p.end {
		h, err := p.header()
		if err != nil {
			return h, err
		}
		switch h.typ {
		case pageData, pageDataV2:
			if h.values < 0 {
				return h, fmt.Errorf("%w: data page without a count of values", ErrCorrupt)
			}
			return h, nil
		case pageDictionary:
			if err := p.readDictionary(h); err != nil {
				return h, err
			}
		default:
			p.skip(h)
		}
	}
	return pageHeader{}, io.EOF
}

// skip passes over the bytes of a page.
func (p *pageReader) skip(h pageHeader) { p.pos += int64(h.compressed) }

func (p *pageReader) readDictionary(h pageHeader) error {
	if p.hasDict {
		return fmt.Errorf("%w: second dictionary page in a column chunk", ErrCorrupt)
	}
	if h.encoding != encPlain && h.encoding != encPlainDictionary {
		return fmt.Errorf("%w: dictionary page with encoding %d", ErrUnsupported, h.encoding)
	}
	b, err := p.win.bytes(p.pos, int(h.compressed))
	if err != nil {
		return err
	}
	p.confirm(b)
	p.skip(h)
	if b, err = p.inflate(b, int(h.uncompressed)); err != nil {
		return err
	}
	p.hasDict = true
	return p.dict.load(p.leaf, b, int(h.values))
}

// loadDictionary reads the dictionary page at the start of the chunk, if there
// is one, before a jump into its middle.
func (p *pageReader) loadDictionary() error {
	if p.hasDict || p.pos != p.meta.start() {
		return nil
	}
	h, err := p.header()
	if err != nil {
		return err
	}
	if h.typ == pageDictionary {
		return p.readDictionary(h)
	}
	return nil
}

// inflate gives the decompressed bytes of a page or of a part of it, valid
// until the next page is read.
func (p *pageReader) inflate(src []byte, size int) ([]byte, error) {
	if p.meta.codec == codecNone {
		if len(src) != size {
			return nil, fmt.Errorf("%w: uncompressed page of %d bytes says %d", ErrCorrupt, len(src), size)
		}
		return src, nil
	}
	if size == 0 {
		return nil, nil
	}
	if size > maxPage {
		return nil, fmt.Errorf("%w: page of %d bytes", ErrUnsupported, size)
	}
	if int64(size) > (int64(len(src))+64)*maxRatio(p.meta.codec) {
		return nil, fmt.Errorf("%w: page of %d bytes inflating to %d", ErrCorrupt, len(src), size)
	}
	// Room behind the page lets the decoders read whole words.
	if cap(p.buf) < size+pagePadding {
		p.buf = make([]byte, max(size+size/8, 4<<10)+pagePadding)
	}
	dst := p.buf[:size]
	return dst, inflate(p.meta.codec, dst, src)
}

const pagePadding = 64

// A page is an inflated data page: its parts.
type page struct {
	values   int
	encoding int32
	rep, def []byte // run-length encoded levels, or nil if there are none
	data     []byte
}

// read inflates the data page whose header was just read.
func (p *pageReader) read(h pageHeader) (page, error) {
	src, err := p.win.bytes(p.pos, int(h.compressed))
	if err != nil {
		return page{}, err
	}
	p.confirm(src)
	p.skip(h)
	if h.typ == pageDataV2 {
		return p.readV2(h, src)
	}
	pg := page{values: int(h.values), encoding: h.encoding}
	if pg.data, err = p.inflate(src, int(h.uncompressed)); err != nil {
		return pg, err
	}
	if p.leaf.maxRep > 0 {
		if pg.rep, pg.data, err = cutLevels(pg.data, h.repEncoding); err != nil {
			return pg, err
		}
	}
	if p.leaf.maxDef > 0 {
		pg.def, pg.data, err = cutLevels(pg.data, h.defEncoding)
	}
	return pg, err
}

func (p *pageReader) readV2(h pageHeader, src []byte) (page, error) {
	pg := page{values: int(h.values), encoding: h.encoding}
	rep, def := int64(h.repBytes), int64(h.defBytes)
	if rep < 0 || def < 0 || rep+def > int64(len(src)) || rep+def > int64(h.uncompressed) {
		return pg, fmt.Errorf("%w: levels of %d and %d bytes in a page of %d", ErrCorrupt, rep, def, len(src))
	}
	pg.rep, pg.def, pg.data = src[:rep], src[rep:rep+def], src[rep+def:]
	if !h.isCompressed {
		return pg, nil
	}
	var err error
	pg.data, err = p.inflate(pg.data, int(int64(h.uncompressed)-rep-def))
	return pg, err
}

// cutLevels takes the levels off the front of a page of version 1.
func cutLevels(data []byte, encoding int32) (lev, rest []byte, err error) {
	if encoding != encRLE {
		return nil, nil, fmt.Errorf("%w: levels with encoding %d", ErrUnsupported, encoding)
	}
	if len(data) < 4 {
		return nil, nil, errRuns
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return nil, nil, errRuns
	}
	return data[4 : 4+n], data[4+n:], nil
}
