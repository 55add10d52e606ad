package snapshot

import (
	"context"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
)

// A TableSchema holds the texts that say what the table's schema is.
type TableSchema struct {
	// Avro is the table's schema as Avro JSON; "" if nothing was written yet
	// and none was declared, or if only File has it.
	Avro string `json:"avro"`
	// Instant is the commit that Avro is of, "" if it is declared.
	Instant string `json:"instant,omitempty"`
	// File is a base file whose own schema is the table's, when no commit has
	// one and the file carries no Avro schema.
	File string `json:"file,omitempty"`
	// Internal is the schema with column ids as JSON (latest_schema); "" if
	// the table was never evolved by schema-on-read.
	Internal string `json:"internal,omitempty"`
	// History is all such schemas, as the newest .schemacommit has them.
	History string `json:"history,omitempty"`
}

const schemaFolder = metaFolder + "/.schema"

// Schema gives the table's schema as of the pinned instant: that of the newest
// write that has one, else the declared one, else that of a file.
func (s *Snapshot) Schema(ctx context.Context) (TableSchema, error) {
	return s.schema.get(func() (TableSchema, error) { return s.readSchema(ctx) })
}

func (s *Snapshot) readSchema(ctx context.Context) (TableSchema, error) {
	var ts TableSchema
	var err error
	if ts.History, err = s.schemaHistory(ctx); err != nil {
		return ts, err
	}
	commits := s.timeline.Commits()
	if err := s.schemaOfCommits(ctx, commits, &ts); err != nil {
		return ts, err
	}
	if ts.Avro == "" && s.instant != "" {
		archived, err := s.timeline.Archived(ctx)
		if err != nil {
			return ts, err
		}
		if err := s.schemaOfCommits(ctx, archived, &ts); err != nil {
			return ts, err
		}
	}
	if ts.Avro == "" {
		ts.Avro = s.cfg.CreateSchema
	}
	if ts.Avro == "" {
		err = s.schemaOfFiles(ctx, commits, &ts)
	}
	if ts.Internal == "" {
		ts.History = "" // of a feature that is not in use
	}
	return ts, err
}

// schemaOfCommits walks back over writes. Writes carry the internal schema on,
// but table services need not, so it is looked for further back.
func (s *Snapshot) schemaOfCommits(ctx context.Context, instants []Instant, ts *TableSchema) error {
	for _, i := range slices.Backward(instants) {
		if i.Requested > s.instant || !i.IsWrite() || !i.IsCompleted() {
			continue
		}
		if ts.Avro != "" && (ts.Internal != "" || ts.History == "") {
			return nil
		}
		m, err := s.timeline.CommitMetadata(ctx, i)
		if err != nil {
			return err
		}
		if ts.Avro == "" && m.Schema() != "" {
			ts.Avro, ts.Instant = m.Schema(), i.Requested
		}
		if ts.Internal == "" {
			ts.Internal = m.Extra["latest_schema"]
		}
	}
	return nil
}

// schemaHistory reads the newest schema history whose commit is visible.
func (s *Snapshot) schemaHistory(ctx context.Context) (string, error) {
	entries, err := s.st.List(ctx, schemaFolder)
	if absent(err) {
		return "", nil
	}
	if err != nil {
		return "", &TableError{Table: s.st.Root(), File: schemaFolder, Reason: "can't list the schema history", Err: err}
	}
	newest, file := "", ""
	for _, e := range entries {
		i, ok := parseInstant(e.Name, 2)
		if !ok || i.Action != ActionSchemaCommit || !i.IsCompleted() || i.Requested > s.instant || i.Requested < newest {
			continue
		}
		if ok, err := s.timeline.Committed(ctx, i.Requested); err != nil {
			return "", err
		} else if ok {
			newest, file = i.Requested, storage.Join(schemaFolder, e.Name)
		}
	}
	if file == "" {
		return "", nil
	}
	data, err := storage.ReadFile(ctx, s.st, file)
	if err != nil {
		return "", &TableError{Table: s.st.Root(), File: file, Instant: newest, Reason: "can't read the schema history", Err: err}
	}
	return string(data), nil
}

// schemaOfFiles takes the schema from a file that the newest write wrote rows
// to.
func (s *Snapshot) schemaOfFiles(ctx context.Context, commits []Instant, ts *TableSchema) error {
	for _, i := range slices.Backward(commits) {
		if i.Requested > s.instant {
			continue
		}
		m, err := s.timeline.CommitMetadata(ctx, i)
		if err != nil {
			return err
		}
		for _, stats := range m.WriteStats {
			for _, stat := range stats {
				if stat.Path == "" || stat.NumWrites == 0 && stat.NumInserts == 0 && stat.NumUpdates == 0 {
					continue
				}
				err := s.schemaOfFile(ctx, stat.Path, ts)
				switch {
				case absent(err): // cleaned
				case err != nil:
					return &TableError{Table: s.st.Root(), File: stat.Path, Instant: i.Requested,
						Reason: "no commit has a schema, and the file's can't be read", Err: err}
				case ts.Avro != "" || ts.File != "":
					ts.Instant = i.Requested
					return nil
				}
			}
		}
	}
	return nil
}

func (s *Snapshot) schemaOfFile(ctx context.Context, path string, ts *TableSchema) error {
	name := path[strings.LastIndexByte(path, '/')+1:]
	f, ok := parseFile(name)
	if !ok || f.external {
		return nil
	}
	in, err := s.st.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	if f.kind == kindInline {
		blocks, err := hudilog.Blocks(ctx, in)
		for _, b := range slices.Backward(blocks) {
			if !b.Corrupt && b.Type.IsData() && b.Header[hudilog.Schema] != "" {
				ts.Avro = b.Header[hudilog.Schema]
				break
			}
		}
		return err
	}
	if f.format != FormatParquet || f.kind == kindDeletes {
		return nil
	}
	p, err := parquet.Open(in)
	if err != nil {
		return err
	}
	for _, key := range [...]string{"parquet.avro.schema", "avro.schema"} {
		if text, ok := p.KeyValue(key); ok {
			ts.Avro = text
			return nil
		}
	}
	ts.File = path
	return nil
}
