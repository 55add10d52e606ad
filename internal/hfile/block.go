package hfile

import (
	"encoding/binary"
	"hash/crc32"
)

// blockHeaderSize is the length of what precedes a block's payload.
const blockHeaderSize = 33

// Magics of the blocks that are read.
const (
	magicData         = "DATABLK*"
	magicLeafIndex    = "IDXLEAF2"
	magicIntermediate = "IDXINTE2"
	magicRootIndex    = "IDXROOT2"
	magicFileInfo     = "FILEINF2"
)

// Checksum types.
const (
	checksumNone   = 0
	checksumCRC32  = 1
	checksumCRC32C = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A block is one decompressed block.
type block struct {
	magic   string
	payload []byte
	next    int // length on disk, header included
}

// parseBlock takes apart the block at the beginning of b.
func parseBlock(b []byte, c codec) (block, error) {
	if len(b) < blockHeaderSize {
		return block{}, corruptf("block header is cut off")
	}
	be := binary.BigEndian
	onDisk := int64(int32(be.Uint32(b[8:])))        // payload and checksums
	uncompressed := int64(int32(be.Uint32(b[12:]))) // payload
	dataEnd := int64(int32(be.Uint32(b[29:])))      // header and compressed payload
	end := blockHeaderSize + onDisk
	if onDisk < 0 || uncompressed < 0 || dataEnd < blockHeaderSize || dataEnd > end || end > int64(len(b)) {
		return block{}, corruptf("block lengths do not fit: %d on disk, %d with data, %d bytes are left", end, dataEnd, len(b))
	}
	if err := verifyChecksums(b[:end], dataEnd); err != nil {
		return block{}, err
	}
	payload, err := c.decompress(b[blockHeaderSize:dataEnd], int(uncompressed))
	if err != nil {
		return block{}, err
	}
	return block{magic: string(b[:8]), payload: payload, next: int(end)}, nil
}

// verifyChecksums checks the checksums of a whole block, one for each
// bytesPerChecksum bytes of header and payload. Hudi's own writer notes the
// type "none" and leaves their place empty.
func verifyChecksums(b []byte, dataEnd int64) error {
	var table *crc32.Table
	switch b[24] {
	case checksumNone:
		return nil
	case checksumCRC32:
		table = crc32.IEEETable
	case checksumCRC32C:
		table = castagnoli
	default:
		return corruptf("checksum type %d", b[24])
	}
	per := int64(int32(binary.BigEndian.Uint32(b[25:])))
	data, sums := b[:dataEnd], b[dataEnd:]
	if per <= 0 || (dataEnd+per-1)/per*4 != int64(len(sums)) {
		return corruptf("%d bytes of checksums for %d bytes of data", len(sums), dataEnd)
	}
	for len(data) > 0 {
		n := min(per, int64(len(data)))
		if crc32.Checksum(data[:n], table) != binary.BigEndian.Uint32(sums) {
			return corruptf("wrong checksum")
		}
		data, sums = data[n:], sums[4:]
	}
	return nil
}

// A cell is one key and value within a data block.
type cell struct {
	row   []byte
	value []byte
}

// nextCell reads the cell at pos of a data block's payload and gives the
// position after it. With mvcc set a variable-length number follows each cell.
func nextCell(b []byte, pos int, mvcc bool) (cell, int, error) {
	if len(b)-pos < 8 {
		return cell{}, 0, corruptf("cell is cut off")
	}
	keyLen := int64(int32(binary.BigEndian.Uint32(b[pos:])))
	valueLen := int64(int32(binary.BigEndian.Uint32(b[pos+4:])))
	pos += 8
	if keyLen < 0 || valueLen < 0 || keyLen+valueLen > int64(len(b)-pos) {
		return cell{}, 0, corruptf("cell lengths %d and %d do not fit", keyLen, valueLen)
	}
	row, err := rowOf(b[pos : pos+int(keyLen)])
	if err != nil {
		return cell{}, 0, err
	}
	pos += int(keyLen)
	value := b[pos : pos+int(valueLen) : pos+int(valueLen)]
	pos += int(valueLen)
	if mvcc {
		n := 0
		if _, n = vint(b[pos:]); n == 0 {
			return cell{}, 0, corruptf("cell is cut off")
		}
		pos += n
	}
	return cell{row, value}, pos, nil
}

// rowOf gives the row of a cell key: a two-byte length and as many bytes.
// What follows it is of no interest.
func rowOf(key []byte) ([]byte, error) {
	if len(key) < 2 {
		return nil, corruptf("key of %d bytes", len(key))
	}
	n := int(binary.BigEndian.Uint16(key))
	if n > len(key)-2 {
		return nil, corruptf("row of %d bytes in a key of %d", n, len(key))
	}
	return key[2 : 2+n : 2+n], nil
}

// vint reads Hadoop's variable-length integer and gives the number of bytes
// it takes, 0 if b is too short.
func vint(b []byte) (int64, int) {
	if len(b) == 0 {
		return 0, 0
	}
	first := int8(b[0])
	if first >= -112 {
		return int64(first), 1
	}
	n, negative := int(-112-int(first)), false
	if first < -120 {
		n, negative = int(-120-int(first)), true
	}
	if len(b) < 1+n {
		return 0, 0
	}
	var v uint64
	for _, c := range b[1 : 1+n] {
		v = v<<8 | uint64(c)
	}
	if negative {
		return ^int64(v), 1 + n
	}
	return int64(v), 1 + n
}
