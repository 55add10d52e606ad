package hudilog

import "strconv"

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
}

// A Visibility tells which instants a read sees.
type Visibility struct {
	// Latest is the newest instant that the read sees; "" = no bound.
	Latest string
	// Valid tells whether an instant is committed (nil = all are). Tables of
	// version 8 and later decide this by file, so it is nil for them.
	Valid func(instant string) bool
	// InRange restricts an incremental read (nil = all instants).
	InRange func(instant string) bool
}
