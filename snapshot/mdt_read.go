package snapshot

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/storage"
)

// A selection says which keys are wanted: some, or those with a prefix. Both
// are sorted.
type selection struct {
	keys     []string
	prefixes []string
}

func (s selection) has(key string) bool {
	if s.keys != nil {
		_, ok := slices.BinarySearch(s.keys, key)
		return ok
	}
	for _, p := range s.prefixes {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

// each gives the wanted entries of an HFile.
func (s selection) each(r *hfile.Reader, do func(key string, value []byte) error) error {
	found := r.Prefixes(s.prefixes)
	if s.keys != nil {
		found = r.Find(s.keys)
	}
	for e, err := range found {
		if err != nil {
			return err
		}
		if err := do(e.Key, e.Value); err != nil {
			return err
		}
	}
	return nil
}

// read merges one file group's records into found.
func (m *MetadataTable) read(ctx context.Context, g FileSlice, s selection, found map[string]*MetadataRecord) error {
	r := &groupReader{m: m, ctx: ctx, sel: s, merged: map[string]*MetadataRecord{}}
	defer r.close()
	if g.Base != nil {
		if err := r.base(g.Base.Path); err != nil {
			return m.fail(g.Base.Path, err)
		}
	}
	if err := r.logs(g.Logs); err != nil {
		return m.fail(g.Partition+"/"+g.FileID, err)
	}
	for key, rec := range r.merged {
		if !rec.isDeleted() {
			rec.Key = key
			found[key] = rec
		}
	}
	return nil
}

// isDeleted tells whether nothing is left of a record.
func (r *MetadataRecord) isDeleted() bool {
	return r.deleted || r.Stats != nil && r.Stats.deleted || r.Bloom != nil && r.Bloom.deleted
}

// groupReader reads one file group of the metadata table.
type groupReader struct {
	m      *MetadataTable
	ctx    context.Context
	sel    selection
	merged map[string]*MetadataRecord
	open   []io.Closer
	failed error // of isValid, which has no way to say so
}

func (r *groupReader) close() {
	for _, c := range r.open {
		c.Close()
	}
}

func (r *groupReader) file(path string) (storage.File, error) {
	f, err := r.m.st.Open(r.ctx, path)
	if err != nil {
		return nil, err
	}
	r.open = append(r.open, f)
	return f, nil
}

func (r *groupReader) base(path string) error {
	f, err := r.file(path)
	if err != nil {
		return err
	}
	return r.hfile(f, f.Size(), "")
}

// hfile merges the records of an HFile: a base file, a block of a log, or a
// native log. Its records are of the schema given, or of its own.
func (r *groupReader) hfile(in io.ReaderAt, size int64, schema string) error {
	h, err := hfile.Open(in, size)
	if err != nil || h.Len() == 0 {
		return err
	}
	if schema == "" {
		own, _ := h.Info("schema")
		schema = string(own)
	}
	d, err := metadataDecoderFor(schema)
	if err != nil {
		return err
	}
	return r.sel.each(h, func(key string, value []byte) error {
		rec, err := d.decode(value)
		if err != nil {
			return fmt.Errorf("record %q: %w", key, err)
		}
		r.merged[key] = r.merged[key].merge(rec)
		return nil
	})
}

// A logBlock is a block to choose from: of an inline log, or a native log as
// a whole.
type logBlock struct {
	block  *hudilog.Block // nil: native
	native storage.File
}

// logs merges the blocks that count.
func (r *groupReader) logs(logs []LogFile) error {
	var blocks []logBlock
	var infos []hudilog.BlockInfo
	for _, l := range logs {
		f, err := r.file(l.Path)
		if err != nil {
			return err
		}
		if l.Kind != LogInline {
			info, err := nativeInfo(f, l)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Path, err)
			}
			blocks, infos = append(blocks, logBlock{native: f}), append(infos, info)
			continue
		}
		some, err := hudilog.Blocks(r.ctx, f)
		if err != nil {
			return err
		}
		for _, b := range some {
			if b.Corrupt { // files would be missing from the listing, and nobody would know
				return fmt.Errorf("%s: %d bytes at offset %d can't be read", l.Path, b.ContentLength, b.Offset)
			}
			blocks, infos = append(blocks, logBlock{block: b}), append(infos, b.BlockInfo)
		}
	}
	chosen := hudilog.Select(infos, hudilog.Visibility{Latest: r.m.instant, Valid: r.isValid})
	if r.failed != nil {
		return r.failed
	}
	for _, n := range chosen {
		if err := r.merge(blocks[n], infos[n]); err != nil {
			return err
		}
	}
	return nil
}

func (r *groupReader) isValid(instant string) bool {
	ok, err := r.m.isValid(r.ctx, instant)
	if err != nil && r.failed == nil {
		r.failed = err
	}
	return ok
}

func (r *groupReader) merge(b logBlock, info hudilog.BlockInfo) error {
	switch {
	case b.block == nil && info.Type == hudilog.DeleteBlock:
		h, err := hfile.Open(b.native, b.native.Size())
		if err != nil || h.Len() == 0 {
			return err
		}
		return r.sel.each(h, func(key string, _ []byte) error {
			r.merged[key] = &MetadataRecord{deleted: true}
			return nil
		})
	case b.block == nil:
		return r.hfile(b.native, b.native.Size(), info.Header[hudilog.Schema])
	case info.Type == hudilog.DeleteBlock:
		content, err := b.block.Content()
		if err != nil {
			return err
		}
		deletes, err := hudilog.Deletes(content)
		if err != nil {
			return err
		}
		for _, key := range deletes.Keys {
			if r.sel.has(key) {
				r.merged[key] = &MetadataRecord{deleted: true}
			}
		}
		return nil
	case info.Type == hudilog.HFileDataBlock:
		return r.hfile(b.block.Section(), b.block.ContentLength, info.Header[hudilog.Schema])
	}
	return fmt.Errorf("%s: %w: %s in the metadata table", b.block.File, ErrUnsupported, info.Type)
}

// nativeInfo makes a block of a native log: its footer is the header.
func nativeInfo(f storage.File, l LogFile) (hudilog.BlockInfo, error) {
	info := hudilog.BlockInfo{Type: hudilog.HFileDataBlock, Header: map[hudilog.HeaderKey]string{}}
	if l.Kind == LogDeletes {
		info.Type = hudilog.DeleteBlock
	}
	if l.Format != FormatHFile {
		return info, fmt.Errorf("%w: native log of format %s in the metadata table", ErrUnsupported, l.Format)
	}
	h, err := hfile.Open(f, f.Size())
	if err != nil {
		return info, err
	}
	if text, ok := h.Info(nativeFooterKey); ok {
		if info.Header, err = hudilog.ParseNativeHeader(string(text)); err != nil {
			return info, err
		}
	}
	if info.Header[hudilog.InstantTime] == "" {
		info.Header[hudilog.InstantTime] = l.Instant
	}
	return info, nil
}

// nativeFooterKey is the entry of a native log's footer with its header.
const nativeFooterKey = "hudi.log.format.metadata"
