package scan

import (
	"context"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/snapshot"
)

// Footer visits the row groups of a slice's base file as containers. It reads
// nothing but the footer. Of a bootstrapped file only the meta columns are
// known.
func (e *Env) Footer(ctx context.Context, s *snapshot.FileSlice, visit func(*pushdown.RowGroup)) error {
	src := parquetSource{path: s.Base.Path, instant: s.Base.Instant, partition: s.Partition}
	f, pf, err := e.openFile(ctx, e.Storage, src)
	if err != nil {
		return err
	}
	defer f.Close()
	columns := e.fileColumns(pf, src)
	if s.Base.Bootstrap != nil {
		columns = halfOf(columns)
	}
	for _, g := range pf.RowGroups() {
		visit(pushdown.NewRowGroup(pf, g, columns))
	}
	return nil
}

// fileColumns maps the table's columns to those of a file.
func (e *Env) fileColumns(pf *parquet.File, src parquetSource) pushdown.FileColumns {
	file := e.annotated(pf.Schema(), src.instant)
	return pushdown.ColumnsOf(file, e.Job.Schema.Schema, e.Keys.PartitionValues(src.partition), e.Config.DropPartitions)
}

// halfOf maps the columns of a skeleton, or of its source: what one lacks may be
// in the other.
func halfOf(columns pushdown.FileColumns) pushdown.FileColumns {
	return func(f *pushdown.Field) (string, pushdown.Presence) {
		path, p := columns(f)
		if p == pushdown.Absent {
			p = pushdown.Unsure
		}
		return path, p
	}
}
