package snapshot

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/storage"
)

// readArchivedLogs reads the archived timeline of layout 1: log files named
// .commits_.archive.<n>_<token> whose Avro data blocks hold one record for
// each instant and state.
func readArchivedLogs(ctx context.Context, st storage.Storage, cfg *Config, add func(Instant, locator)) error {
	entries, err := st.List(ctx, cfg.ArchivePath)
	if absent(err) {
		return nil
	}
	fail := func(file string, err error) error {
		return &TableError{Table: st.Root(), File: file, Reason: "can't read the archived timeline", Err: err}
	}
	if err != nil {
		return fail(cfg.ArchivePath, err)
	}
	type numbered struct {
		name string
		n    int
	}
	var files []numbered
	for _, e := range entries {
		if n, ok := archiveNumber(e.Name); ok && !e.IsDir {
			files = append(files, numbered{e.Name, n})
		}
	}
	slices.SortFunc(files, func(a, b numbered) int { return cmp.Or(cmp.Compare(a.n, b.n), strings.Compare(a.name, b.name)) })
	r := &archiveReader{schemas: map[string]*avro.Schema{}, add: add}
	for _, f := range files {
		file := storage.Join(cfg.ArchivePath, f.name)
		if err := r.file(ctx, st, file); err != nil {
			return fail(file, err)
		}
	}
	return nil
}

// archiveNumber gives the number in a name like .commits_.archive.12_1-0-1.
func archiveNumber(name string) (int, bool) {
	rest, ok := strings.CutPrefix(name, ".commits_.archive.")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(rest[:digits(rest)])
	return n, err == nil
}

type archiveReader struct {
	schemas map[string]*avro.Schema // by their text: files repeat it
	add     func(Instant, locator)
}

func (r *archiveReader) file(ctx context.Context, st storage.Storage, path string) error {
	f, err := st.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	log := hudilog.Open(f)
	for {
		b, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if b.Corrupt || b.Type != hudilog.AvroDataBlock {
			continue
		}
		if err := r.block(b); err != nil {
			return err
		}
	}
}

func (r *archiveReader) block(b *hudilog.Block) error {
	text := b.Header[hudilog.Schema]
	schema := r.schemas[text]
	if schema == nil {
		var err error
		if schema, err = avro.Parse(text); err != nil {
			return err
		}
		r.schemas[text] = schema
	}
	content, err := b.Content()
	if err != nil {
		return err
	}
	_, records, err := hudilog.AvroRecords(content)
	if err != nil {
		return err
	}
	for rec, err := range records {
		if err != nil {
			return err
		}
		var e archivedEntry
		if err := schema.Unmarshal(rec, &e); err != nil {
			return err
		}
		i := Instant{Requested: deref(e.Time), Action: deref(e.Action), State: StateCompleted, Completed: deref(e.Transition)}
		if s := deref(e.State); s == StateRequested || s == StateInflight {
			i.State, i.Completed = s, ""
		}
		r.add(i, archivedRecord{schema, rec})
	}
	return nil
}

// archivedRecord is an undecoded record of an archive file.
type archivedRecord struct {
	schema *avro.Schema
	record []byte
}

func (r archivedRecord) commit(context.Context, *Timeline) (*CommitMetadata, error) {
	var c archivedCommit
	if err := r.schema.Unmarshal(r.record, &c); err != nil {
		return nil, err
	}
	switch {
	case c.Replace != nil:
		return c.Replace.metadata(), nil
	case c.Commit != nil:
		return c.Commit.metadata(), nil
	}
	return &CommitMetadata{}, nil
}
