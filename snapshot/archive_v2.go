package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
)

// readHistory reads the archived timeline of layout 2: the Parquet files that
// the current manifest names, a row for each instant. Only the names and times
// are read; metadata is read row by row when asked for.
func readHistory(ctx context.Context, st storage.Storage, cfg *Config, add func(Instant, locator)) error {
	names, err := readManifest(ctx, st, cfg.ArchivePath)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := storage.Join(cfg.ArchivePath, name)
		err := scanHistory(ctx, st, path, nil, []string{"instantTime", "completionTime", "action"}, func(row int64, v [3]string) error {
			add(Instant{Requested: v[0], Completed: v[1], Action: v[2], State: StateCompleted}, historyRow{path, row})
			return nil
		})
		if err != nil {
			return &TableError{Table: st.Root(), File: path, Reason: "can't read the archived timeline", Err: err}
		}
	}
	return nil
}

// readManifest gives the names of the live history files. The version file
// names the manifest; without it the manifest of the highest number counts.
func readManifest(ctx context.Context, st storage.Storage, dir string) ([]string, error) {
	entries, err := st.List(ctx, dir)
	if absent(err) {
		return nil, nil
	}
	fail := func(file string, err error) error {
		return &TableError{Table: st.Root(), File: file, Kind: ErrCorrupt, Reason: "can't read the archived timeline", Err: err}
	}
	if err != nil {
		return nil, fail(dir, err)
	}
	current := -1
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name, "manifest_"); ok && !e.IsDir {
			if n, err := strconv.Atoi(number); err == nil {
				current = max(current, n)
			}
		}
	}
	if data, err := storage.ReadFile(ctx, st, storage.Join(dir, "_version_")); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			current = n
		}
	} else if !absent(err) {
		return nil, fail(storage.Join(dir, "_version_"), err)
	}
	if current < 0 {
		return nil, nil
	}
	file := storage.Join(dir, "manifest_"+strconv.Itoa(current))
	data, err := storage.ReadFile(ctx, st, file)
	if err != nil {
		return nil, fail(file, err)
	}
	var m struct {
		Files []struct {
			Name string `json:"fileName"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fail(file, err)
	}
	names := make([]string, len(m.Files))
	for i, f := range m.Files {
		if names[i] = f.Name; f.Name == "" || storage.Valid(f.Name) != nil {
			return nil, fail(file, fmt.Errorf("file name %q", f.Name))
		}
	}
	return names, nil
}

// historyRow is the place of an archived instant.
type historyRow struct {
	path string
	row  int64
}

func (h historyRow) commit(ctx context.Context, t *Timeline) (*CommitMetadata, error) {
	var m *CommitMetadata
	err := scanHistory(ctx, t.st, h.path, &h.row, []string{"metadata"}, func(_ int64, v [3]string) error {
		var err error
		m, err = parseCommit([]byte(v[0]))
		return err
	})
	if err == nil && m == nil {
		err = fmt.Errorf("row %d is not there", h.row)
	}
	if err != nil {
		return nil, &TableError{Table: t.st.Root(), File: h.path, Reason: "can't read an archived commit", Err: err}
	}
	return m, nil
}

// scanHistory gives the values of up to three columns of one row, or of all
// rows.
func scanHistory(ctx context.Context, st storage.Storage, path string, row *int64, columns []string, each func(row int64, v [3]string) error) error {
	f, err := st.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := parquet.Open(f)
	if err != nil {
		return err
	}
	o := parquet.ReadOptions{Columns: columns}
	at := int64(0)
	if row != nil {
		at = *row
		o.Rows = []parquet.RowRange{{Start: at, End: at + 1}}
	}
	r, err := p.Read(ctx, o)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = eachRow(b, at, each)
		at += b.NumRows()
		b.Release()
		if err != nil {
			return err
		}
	}
}

func eachRow(b arrow.RecordBatch, first int64, each func(row int64, v [3]string) error) error {
	for i := range int(b.NumRows()) {
		var v [3]string
		for c := range int(b.NumCols()) {
			switch col := b.Column(c).(type) {
			case *array.String:
				v[c] = strings.Clone(col.Value(i))
			case *array.Binary:
				v[c] = string(col.Value(i))
			default:
				return fmt.Errorf("%w: column %s is %s", ErrCorrupt, b.ColumnName(c), col.DataType())
			}
		}
		if err := each(first+int64(i), v); err != nil {
			return err
		}
	}
	return nil
}
