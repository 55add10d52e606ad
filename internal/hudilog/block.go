package hudilog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/hudi-go/hudi/internal/storage"
)

// A BlockType is the kind of a log block, by its number on disk.
type BlockType int

// Block types.
const (
	CommandBlock     BlockType = 0
	DeleteBlock      BlockType = 1
	CorruptBlock     BlockType = 2 // never on disk: a stretch that cannot be read
	AvroDataBlock    BlockType = 3
	HFileDataBlock   BlockType = 4
	ParquetDataBlock BlockType = 5
	CDCDataBlock     BlockType = 6 // change data; laid out as Avro data
)

// IsData tells whether blocks of the type hold records to merge.
func (t BlockType) IsData() bool {
	return t == AvroDataBlock || t == HFileDataBlock || t == ParquetDataBlock
}

// String names the type as Hudi does.
func (t BlockType) String() string {
	names := [...]string{"COMMAND_BLOCK", "DELETE_BLOCK", "CORRUPT_BLOCK", "AVRO_DATA_BLOCK",
		"HFILE_DATA_BLOCK", "PARQUET_DATA_BLOCK", "CDC_DATA_BLOCK"}
	if t < 0 || int(t) >= len(names) {
		return "block type " + strconv.Itoa(int(t))
	}
	return names[t]
}

// A HeaderKey names an entry of a block's header, by its number on disk.
type HeaderKey int

// Header entries. Numbers beyond these are kept as they come.
const (
	InstantTime                HeaderKey = 0
	TargetInstantTime          HeaderKey = 1
	Schema                     HeaderKey = 2
	CommandBlockType           HeaderKey = 3
	CompactedBlockTimes        HeaderKey = 4
	RecordPositions            HeaderKey = 5
	BlockIdentifier            HeaderKey = 6
	IsPartial                  HeaderKey = 7
	BaseFileInstantOfPositions HeaderKey = 8
)

var headerNames = [...]string{"INSTANT_TIME", "TARGET_INSTANT_TIME", "SCHEMA", "COMMAND_BLOCK_TYPE",
	"COMPACTED_BLOCK_TIMES", "RECORD_POSITIONS", "BLOCK_IDENTIFIER", "IS_PARTIAL",
	"BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS"}

// String names the entry as Hudi does.
func (k HeaderKey) String() string {
	if k < 0 || int(k) >= len(headerNames) {
		return "header " + strconv.Itoa(int(k))
	}
	return headerNames[k]
}

// A BlockInfo is what the choice of blocks looks at: a block of an inline
// file, or a native log file taken as one block.
type BlockInfo struct {
	Type   BlockType
	Header map[HeaderKey]string
}

// A Block is one block of an inline log file. Its content is read on demand.
type Block struct {
	BlockInfo
	Version       int    // log format version
	File          string // path of the file, for messages
	Offset        int64  // of the block's magic
	ContentOffset int64
	ContentLength int64
	Corrupt       bool // a stretch that cannot be read; contributes nothing

	file    storage.File
	content []byte // nil = not in memory
}

// Content gives the block's content, which must not be changed. It is read
// anew at each call unless it is in memory, see [Contents].
func (b *Block) Content() ([]byte, error) {
	if b.content != nil {
		return b.content, nil
	}
	content := make([]byte, b.ContentLength)
	if err := readFull(b.file, content, b.ContentOffset); err != nil {
		return nil, fmt.Errorf("log file %s: %w", b.File, err)
	}
	return content, nil
}

// Section gives the content for range reads, as Parquet and HFile readers
// want it.
func (b *Block) Section() *io.SectionReader {
	if b.content != nil {
		return io.NewSectionReader(bytes.NewReader(b.content), 0, b.ContentLength)
	}
	return io.NewSectionReader(b.file, b.ContentOffset, b.ContentLength)
}

// readFull fills b. Reaching the end of the file in the very last byte is no
// error.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(b), offset, err)
}
