package hudilog

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/hudi-go/hudi/internal/storage"
)

var errStub = errors.New("hudilog: not there yet")

// A Reader yields the blocks of one inline log file in file order.
type Reader struct{}

// Open gives a reader over an open log file, which must stay open as long as
// blocks' contents are wanted.
func Open(f storage.File) *Reader { return &Reader{} }

// Next gives the next block, or io.EOF.
func (r *Reader) Next() (*Block, error) { return nil, errStub }

// Content reads the block's content.
func (b *Block) Content() ([]byte, error) { return nil, errStub }

// Section is the content as a range reader (Parquet and HFile blocks).
func (b *Block) Section() *io.SectionReader { return nil }

// Blocks reads the headers of all blocks of a file.
func Blocks(ctx context.Context, f storage.File) ([]*Block, error) { return nil, errStub }

// Scan reads the headers of the files, given in slice order (see [Compare]),
// and gives the blocks to merge in merge order. The files must stay open
// while contents are read.
func Scan(ctx context.Context, files []storage.File, v Visibility) ([]*Block, error) {
	return nil, errStub
}

// Contents yields the blocks with their content loaded; adjacent contents are
// read together, up to window bytes at a time (0 = 8 MiB).
func Contents(ctx context.Context, blocks []*Block, window int64) iter.Seq2[*Block, error] {
	return nil
}

// Select gives the indexes of the blocks to merge, in merge order.
func Select(blocks []BlockInfo, v Visibility) []int { return nil }

// AvroRecords iterates over the records of an Avro data (or CDC) block.
func AvroRecords(content []byte) (count int, records iter.Seq2[[]byte, error], err error) {
	return 0, nil, errStub
}

// Deletes decodes the content of a delete block.
func Deletes(content []byte) (*DeleteList, error) { return nil, errStub }

// Positions decodes the RECORD_POSITIONS header of an inline block.
func Positions(header string) ([]uint64, error) { return nil, errStub }

// NativePositions decodes the RECORD_POSITIONS entry of a native log file.
func NativePositions(header string) ([]uint64, error) { return nil, errStub }

// ParseNativeHeader decodes the footer entry NativeFooterKey of a native log.
func ParseNativeHeader(value string) (map[HeaderKey]string, error) { return nil, errStub }
