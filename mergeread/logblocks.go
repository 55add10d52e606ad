package mergeread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// logBlock is a block of an inline log, or a native log taken as one block.
type logBlock struct {
	hudilog.BlockInfo
	slice  *slice
	log    *snapshot.LogFile
	inline *hudilog.Block // nil for native logs
	native *parquet.File
	bare   bool // a native log without footer entry

	prunable bool // records may be left out: they are whole, and have no positions in the base file
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
	return &snapshot.TableError{Table: b.slice.env.Job.URI, File: b.name(), Instant: b.instant(), Reason: damage(err), Err: err}
}

// damage says what to do about a log whose bytes make no sense, "" where
// something else is wrong.
func damage(err error) string {
	for _, kind := range []error{hudilog.ErrCorrupt, avro.ErrCorrupt, parquet.ErrCorrupt} {
		if errors.Is(err, kind) {
			return "the log is damaged: restore it from a copy, or query read_optimized, which does without logs"
		}
	}
	return ""
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
		if f.Size() < log.Size {
			s.env.Warn(ctx, "a log file is shorter than the table has recorded: changes in it are lost",
				log.Path, log.Instant, "bytes", f.Size(), "recorded", log.Size)
		}
		blocks, err := s.blocksOf(ctx, log, f)
		if reason := damage(err); reason != "" {
			return nil, &snapshot.TableError{Table: s.env.Job.URI, File: log.Path, Instant: log.Instant, Reason: reason, Err: err}
		}
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
		if b.Corrupt {
			s.env.Warn(ctx, "a stretch of a log file can't be read and is left out, as Hudi does",
				log.Path, log.Instant, "offset", b.Offset, "bytes", b.ContentLength)
		}
		blocks[i] = &logBlock{BlockInfo: b.BlockInfo, slice: s, log: log, inline: b}
	}
	return blocks, nil
}

// nativeBlock makes the one block that a native log file stands for; the kind
// in its name is the type, its footer the header. A file that some converter
// wrote without footer entry speaks for itself: the instant stands in its name,
// the columns in its Parquet schema.
func (s *slice) nativeBlock(log *snapshot.LogFile, f storage.File) (*logBlock, error) {
	if log.Format != snapshot.FormatParquet {
		return nil, fmt.Errorf("native log files of format %s are not supported (hoodie.table.base.file.format): compact the table with Hudi, then read it", log.Format)
	}
	pf, err := parquet.Open(f)
	if err != nil {
		return nil, err
	}
	b := &logBlock{slice: s, log: log, native: pf}
	b.Type = hudilog.ParquetDataBlock
	if log.Kind == snapshot.LogDeletes {
		b.Type = hudilog.DeleteBlock
	}
	if b.Header, b.bare, err = nativeHeader(pf); err != nil {
		return nil, err
	}
	if b.Header[hudilog.InstantTime] == "" {
		b.Header[hudilog.InstantTime] = log.Instant
	}
	return b, nil
}

// nativePrefix begins footer entries of files that hold each header entry by
// itself, a form that Hudi had for a short time.
const nativePrefix = "hudi.log.format."

// nativeHeader reads the footer of a native log; bare says that it has no entry.
func nativeHeader(pf *parquet.File) (header map[hudilog.HeaderKey]string, bare bool, err error) {
	text, ok := pf.KeyValue(hudilog.NativeFooterKey)
	if !ok {
		entries := map[string]string{}
		for _, k := range pf.Keys() {
			if name, found := strings.CutPrefix(k, nativePrefix); found {
				entries[name], _ = pf.KeyValue(k)
			}
		}
		if len(entries) == 0 {
			return map[hudilog.HeaderKey]string{}, true, nil
		}
		raw, err := json.Marshal(entries)
		if err != nil {
			return nil, false, err
		}
		text = string(raw)
	}
	header, err = hudilog.ParseNativeHeader(text)
	if err == nil && header[hudilog.Schema] == "" {
		err = fmt.Errorf("footer entry %s has no SCHEMA: the file is no native log, or damaged", hudilog.NativeFooterKey)
	}
	return header, false, err
}

// fileSchema is the schema of a data block's records.
func (b *logBlock) fileSchema() (*arrow.Schema, error) {
	if b.native != nil {
		return b.native.Schema(), nil
	}
	as, err := b.avroSchema()
	if err != nil {
		return nil, err
	}
	return as.Arrow()
}

// parquetFile gives the Parquet file of a data block.
func (b *logBlock) parquetFile() (*parquet.File, error) {
	if b.native != nil {
		return b.native, nil
	}
	sec := b.inline.Section()
	return parquet.OpenSection(sec, sec.Size(), b.name())
}

// openBlock reads the Parquet file that is a block, or stands for one.
func (s *slice) openBlock(ctx context.Context, b *logBlock, pf *parquet.File, t *arrow.Schema, o scan.BaseOptions) (batch.Reader, error) {
	r, err := s.env.ReadParquet(ctx, pf, b.instant(), s.task.Slice.Partition, t, o)
	if err != nil {
		return nil, b.failed(err)
	}
	return &blockReader{r, b}, nil
}

// A blockReader names the block in errors, which the base file's instant would
// be taken for otherwise.
type blockReader struct {
	batch.Reader
	block *logBlock
}

func (r *blockReader) Next() (arrow.RecordBatch, error) {
	rec, err := r.Reader.Next()
	if err != nil && err != io.EOF && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = r.block.failed(err)
	}
	return rec, err
}

// Owned implements [batch.Owner].
func (r *blockReader) Owned() bool { return batch.Owned(r.Reader) }

// Rows implements [batch.Counter].
func (r *blockReader) Rows() (n int64, known bool) { return batch.Rows(r.Reader) }

// hfileReader opens the HFile of a data block.
func (b *logBlock) hfileReader() (*hfile.Reader, error) {
	sec := b.inline.Section()
	return hfile.Open(sec, sec.Size())
}
