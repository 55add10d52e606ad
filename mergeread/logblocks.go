package mergeread

import (
	"context"
	"fmt"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/snapshot"
)

// logBlock is a block of an inline log, or a native log taken as one block.
type logBlock struct {
	hudilog.BlockInfo
	slice  *slice
	log    *snapshot.LogFile
	inline *hudilog.Block // nil for native logs
	native *parquet.File
}

// instant is the requested instant of the write that made the block.
func (b *logBlock) instant() string { return b.Header[hudilog.InstantTime] }

// name tells the block in messages.
func (b *logBlock) name() string {
	if b.inline == nil {
		return b.log.Path
	}
	return fmt.Sprintf("%s, block at %d", b.log.Path, b.inline.Offset)
}

func (b *logBlock) failed(err error) error {
	return &snapshot.TableError{Table: b.slice.env.Job.URI, File: b.name(), Instant: b.instant(), Err: err}
}

// openLogs opens the slice's log files and gives the blocks that count, in the
// order in which they apply. Only headers and footers have been read.
func (s *slice) openLogs(ctx context.Context) ([]*logBlock, error) {
	var all []*logBlock
	for i := range s.task.Slice.Logs {
		log := &s.task.Slice.Logs[i]
		f, err := s.env.Storage.Open(ctx, log.Path)
		if err != nil {
			return nil, s.env.FileError(log.Path, log.Instant, err)
		}
		s.files = append(s.files, f)
		blocks, err := s.blocksOf(ctx, log, f)
		if err != nil {
			return nil, s.env.FileError(log.Path, log.Instant, err)
		}
		all = append(all, blocks...)
	}
	infos := make([]hudilog.BlockInfo, len(all))
	for i, b := range all {
		infos[i] = b.BlockInfo
	}
	var chosen []*logBlock
	for _, i := range hudilog.Select(infos, s.env.Job.Blocks.Visibility()) {
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func (s *slice) blocksOf(ctx context.Context, log *snapshot.LogFile, f storage.File) ([]*logBlock, error) {
	if log.Kind != snapshot.LogInline {
		b, err := s.nativeBlock(log, f)
		return []*logBlock{b}, err
	}
	inline, err := hudilog.Blocks(ctx, f)
	if err != nil {
		return nil, err
	}
	blocks := make([]*logBlock, len(inline))
	for i, b := range inline {
		blocks[i] = &logBlock{BlockInfo: b.BlockInfo, slice: s, log: log, inline: b}
	}
	return blocks, nil
}

// nativeBlock makes the one block that a native log file stands for; the kind
// in its name is the type, its footer the header.
func (s *slice) nativeBlock(log *snapshot.LogFile, f storage.File) (*logBlock, error) {
	if log.Format != snapshot.FormatParquet {
		return nil, fmt.Errorf("native log files of format %s are not supported (hoodie.table.base.file.format): compact the table with Hudi, then read it", log.Format)
	}
	pf, err := parquet.Open(f)
	if err != nil {
		return nil, err
	}
	text, _ := pf.KeyValue(hudilog.NativeFooterKey)
	header, err := hudilog.ParseNativeHeader(text)
	if err != nil {
		return nil, err
	}
	if header[hudilog.Schema] == "" {
		return nil, fmt.Errorf("footer entry %s has no SCHEMA: this is no native log file", hudilog.NativeFooterKey)
	}
	if header[hudilog.InstantTime] == "" {
		header[hudilog.InstantTime] = log.Instant
	}
	t := hudilog.ParquetDataBlock
	if log.Kind == snapshot.LogDeletes {
		t = hudilog.DeleteBlock
	}
	return &logBlock{BlockInfo: hudilog.BlockInfo{Type: t, Header: header}, slice: s, log: log, native: pf}, nil
}

// parquetFile gives the Parquet file of a data block.
func (b *logBlock) parquetFile() (*parquet.File, error) {
	if b.native != nil {
		return b.native, nil
	}
	sec := b.inline.Section()
	return parquet.OpenSection(sec, sec.Size(), b.name())
}

// hfileReader opens the HFile of a data block.
func (b *logBlock) hfileReader() (*hfile.Reader, error) {
	sec := b.inline.Section()
	return hfile.Open(sec, sec.Size())
}
