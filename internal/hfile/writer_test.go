package hfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
)

// A fileWriter makes HFiles of any shape for tests.
type fileWriter struct {
	codec    codec
	checksum byte
	perBlock int  // cells in a data block, entries in an index block
	levels   int  // of the index
	fullKeys bool // index keys are whole cell keys, as HBase writes them
	mvcc     bool

	out bytes.Buffer
}

// write makes a file of sorted entries.
func (w *fileWriter) write(entries []Entry) []byte {
	var index []indexEntry
	for at := 0; at < len(entries); at += w.perBlock {
		chunk := entries[at:min(at+w.perBlock, len(entries))]
		var payload []byte
		for _, e := range chunk {
			key := cellKey([]byte(e.Key), true)
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(key)))
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(e.Value)))
			payload = append(append(payload, key...), e.Value...)
			if w.mvcc {
				payload = append(payload, 0)
			}
		}
		index = append(index, w.block(magicData, []byte(chunk[0].Key), payload))
	}
	for level := w.levels; level > 1; level-- {
		magic := magicIntermediate
		if level == w.levels {
			magic = magicLeafIndex
		}
		index = w.indexLevel(magic, index)
	}
	var root []byte
	for _, e := range index {
		root = append(root, entryBytes(e, nil)...)
		key := cellKey(e.row, w.fullKeys)
		root = append(appendVInt(root, len(key)), key...)
	}
	loadOnOpen := w.block(magicRootIndex, nil, root).offset
	w.block(magicRootIndex, nil, nil)
	fileInfo := w.block(magicFileInfo, nil, w.fileInfo()).offset
	return w.trailer(loadOnOpen, fileInfo, len(index), len(entries))
}

// indexLevel writes index blocks over the entries and gives theirs.
func (w *fileWriter) indexLevel(magic string, below []indexEntry) []indexEntry {
	var index []indexEntry
	for at := 0; at < len(below); at += w.perBlock {
		chunk := below[at:min(at+w.perBlock, len(below))]
		payload := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)))
		payload = binary.BigEndian.AppendUint32(payload, 0)
		var body []byte
		for _, e := range chunk {
			body = append(body, entryBytes(e, cellKey(e.row, w.fullKeys))...)
			payload = binary.BigEndian.AppendUint32(payload, uint32(len(body)))
		}
		index = append(index, w.block(magic, chunk[0].row, append(payload, body...)))
	}
	return index
}

// block writes one block and gives the index entry that points to it.
func (w *fileWriter) block(magic string, row, payload []byte) indexEntry {
	const per = 64
	packed := w.compress(payload)
	dataEnd := blockHeaderSize + len(packed)
	sums := 4 * ((dataEnd + per - 1) / per)
	b := []byte(magic)
	b = binary.BigEndian.AppendUint32(b, uint32(len(packed)+sums))
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.BigEndian.AppendUint64(b, ^uint64(0))
	b = append(b, w.checksum)
	b = binary.BigEndian.AppendUint32(b, per)
	b = binary.BigEndian.AppendUint32(b, uint32(dataEnd))
	b = append(b, packed...)
	for at := 0; at < dataEnd; at += per {
		chunk, sum := b[at:min(at+per, dataEnd)], uint32(0)
		switch w.checksum {
		case checksumCRC32:
			sum = crc32.ChecksumIEEE(chunk)
		case checksumCRC32C:
			sum = crc32.Checksum(chunk, castagnoli)
		}
		b = binary.BigEndian.AppendUint32(b, sum)
	}
	e := indexEntry{row: row, offset: int64(w.out.Len()), size: int64(len(b))}
	w.out.Write(b)
	return e
}

func (w *fileWriter) compress(payload []byte) []byte {
	var packed bytes.Buffer
	switch w.codec {
	case codecGZ:
		z := gzip.NewWriter(&packed)
		z.Write(payload)
		z.Close()
	case codecZSTD:
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

func (w *fileWriter) fileInfo() []byte {
	version := []byte{0, 0, 0, 0}
	if w.mvcc {
		version[3] = 1
	}
	pair := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte("KEY_VALUE_VERSION"))
	pair = protowire.AppendBytes(protowire.AppendTag(pair, 2, protowire.BytesType), version)
	list := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), pair)
	return protowire.AppendBytes([]byte("PBUF"), list)
}

func (w *fileWriter) trailer(loadOnOpen, fileInfo int64, rootEntries, entries int) []byte {
	var fields []byte
	for _, f := range []struct {
		num protowire.Number
		v   int64
	}{{1, fileInfo}, {2, loadOnOpen}, {5, int64(rootEntries)}, {7, int64(entries)}, {8, int64(w.levels)}, {12, int64(w.codec)}} {
		fields = protowire.AppendVarint(protowire.AppendTag(fields, f.num, protowire.VarintType), uint64(f.v))
	}
	t := protowire.AppendBytes([]byte(trailerMagic), fields)
	t = append(t, make([]byte, trailerSize-len(t)-1)...)
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
