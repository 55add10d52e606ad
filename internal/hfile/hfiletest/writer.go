// Package hfiletest makes HFiles of any shape for tests: of all codecs, levels of
// index and forms of keys. It shares nothing with the reader.
package hfiletest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
)

// Codecs.
const (
	GZ   = 1
	None = 2
	ZSTD = 6
)

// Checksums.
const (
	CRC32  = 1
	CRC32C = 2
)

const blockHeaderSize = 33

// A Writer makes a file.
type Writer struct {
	Codec    int
	Checksum byte
	PerBlock int  // cells in a data block, entries in an index block
	Levels   int  // of the index
	FullKeys bool // index keys are whole cell keys, as HBase writes them
	MVCC     bool
	Info     map[string]string // more entries of the file info

	out bytes.Buffer
}

type indexEntry struct {
	row    []byte
	offset int64
	size   int64
}

// Write makes a file of n entries, sorted by key.
func (w *Writer) Write(n int, entry func(i int) (key string, value []byte)) []byte {
	var index []indexEntry
	for at := 0; at < n; at += w.PerBlock {
		var payload []byte
		first := ""
		for i := at; i < min(at+w.PerBlock, n); i++ {
			row, value := entry(i)
			if i == at {
				first = row
			}
			key := cellKey([]byte(row), true)
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(key)))
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(value)))
			payload = append(append(payload, key...), value...)
			if w.MVCC {
				payload = append(payload, 0)
			}
		}
		index = append(index, w.block("DATABLK*", []byte(first), payload))
	}
	for level := w.Levels; level > 1; level-- {
		magic := "IDXINTE2"
		if level == w.Levels {
			magic = "IDXLEAF2"
		}
		index = w.indexLevel(magic, index)
	}
	var root []byte
	for _, e := range index {
		root = append(root, entryBytes(e, nil)...)
		key := cellKey(e.row, w.FullKeys)
		root = append(appendVInt(root, len(key)), key...)
	}
	loadOnOpen := w.block("IDXROOT2", nil, root).offset
	w.block("IDXROOT2", nil, nil)
	fileInfo := w.block("FILEINF2", nil, w.fileInfo()).offset
	return w.trailer(loadOnOpen, fileInfo, len(index), n)
}

// indexLevel writes index blocks over the entries and gives theirs.
func (w *Writer) indexLevel(magic string, below []indexEntry) []indexEntry {
	var index []indexEntry
	for at := 0; at < len(below); at += w.PerBlock {
		chunk := below[at:min(at+w.PerBlock, len(below))]
		payload := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)))
		payload = binary.BigEndian.AppendUint32(payload, 0)
		var body []byte
		for _, e := range chunk {
			body = append(body, entryBytes(e, cellKey(e.row, w.FullKeys))...)
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(body)))
		}
		index = append(index, w.block(magic, chunk[0].row, append(payload, body...)))
	}
	return index
}

// block writes one block and gives the index entry that points to it.
func (w *Writer) block(magic string, row, payload []byte) indexEntry {
	const per = 64
	packed := w.compress(payload)
	dataEnd := blockHeaderSize + len(packed)
	sums := 4 * ((dataEnd + per - 1) / per)
	b := []byte(magic)
	b = binary.BigEndian.AppendUint32(b, uint32(len(packed)+sums))
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.BigEndian.AppendUint64(b, ^uint64(0))
	b = append(b, w.Checksum)
	b = binary.BigEndian.AppendUint32(b, per)
	b = binary.BigEndian.AppendUint32(b, uint32(dataEnd))
	b = append(b, packed...)
	for at := 0; at < dataEnd; at += per {
		chunk, sum := b[at:min(at+per, dataEnd)], uint32(0)
		switch w.Checksum {
		case CRC32:
			sum = crc32.ChecksumIEEE(chunk)
		case CRC32C:
			sum = crc32.Checksum(chunk, crc32.MakeTable(crc32.Castagnoli))
		}
		b = binary.BigEndian.AppendUint32(b, sum)
	}
	e := indexEntry{row: row, offset: int64(w.out.Len()), size: int64(len(b))}
	w.out.Write(b)
	return e
}

func (w *Writer) compress(payload []byte) []byte {
	var packed bytes.Buffer
	switch w.Codec {
	case GZ:
		z := gzip.NewWriter(&packed)
		z.Write(payload)
		z.Close()
	case ZSTD:
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		return z.EncodeAll(payload, nil)
	default:
		return payload
	}
	return packed.Bytes()
}

func (w *Writer) fileInfo() []byte {
	version := []byte{0, 0, 0, 0}
	if w.MVCC {
		version[3] = 1
	}
	list := infoPair(nil, "KEY_VALUE_VERSION", version)
	for _, key := range slices.Sorted(maps.Keys(w.Info)) {
		list = infoPair(list, key, []byte(w.Info[key]))
	}
	return protowire.AppendBytes([]byte("PBUF"), list)
}

func infoPair(list []byte, key string, value []byte) []byte {
	pair := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte(key))
	pair = protowire.AppendBytes(protowire.AppendTag(pair, 2, protowire.BytesType), value)
	return protowire.AppendBytes(protowire.AppendTag(list, 1, protowire.BytesType), pair)
}

func (w *Writer) trailer(loadOnOpen, fileInfo int64, rootEntries, entries int) []byte {
	var fields []byte
	for _, f := range []struct {
		num protowire.Number
		v   int64
	}{{1, fileInfo}, {2, loadOnOpen}, {5, int64(rootEntries)}, {7, int64(entries)}, {8, int64(w.Levels)}, {12, int64(w.Codec)}} {
		fields = protowire.AppendVarint(protowire.AppendTag(fields, f.num, protowire.VarintType), uint64(f.v))
	}
	t := protowire.AppendBytes([]byte("TRABLK\"$"), fields)
	t = append(t, make([]byte, 4096-len(t)-1)...)
	w.out.Write(append(t, 3))
	return w.out.Bytes()
}

// cellKey is a row as a key: whole or with its length only.
func cellKey(row []byte, full bool) []byte {
	key := append(binary.BigEndian.AppendUint16(nil, uint16(len(row))), row...)
	if full {
		key = append(key, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 4)
	}
	return key
}

func entryBytes(e indexEntry, key []byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(e.offset))
	b = binary.BigEndian.AppendUint32(b, uint32(e.size))
	return append(b, key...)
}

// appendVInt appends Hadoop's variable-length form of a length.
func appendVInt(b []byte, n int) []byte {
	switch {
	case n <= 127:
		return append(b, byte(n))
	case n <= 255:
		return append(b, 0x8f, byte(n)) // -113: one byte follows
	}
	return append(b, 0x8e, byte(n>>8), byte(n))
}
