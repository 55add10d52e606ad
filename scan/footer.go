package scan

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/snapshot"
)

// Footer visits the row groups of a slice's base file as containers. It reads
// nothing but the footer. Of a bootstrapped file only the meta columns are
// known.
func (e *Env) Footer(ctx context.Context, s *snapshot.FileSlice, visit func(*pushdown.RowGroup)) error {
	f, err := e.Storage.Open(ctx, s.Base.Path)
	if err != nil {
		return e.FileError(s.Base.Path, s.Base.Instant, err)
	}
	defer f.Close()
	pf, err := parquet.Open(f)
	if err != nil {
		return e.FileError(s.Base.Path, s.Base.Instant, err)
	}
	columns := e.fileColumns(e.annotated(pf.Schema(), s.Base.Instant), s.Partition)
	if s.Base.Bootstrap != nil {
		all := columns
		columns = func(f *pushdown.Field) (string, pushdown.Presence) {
			path, p := all(f)
			if p == pushdown.Absent {
				p = pushdown.Unsure // in the source, which is another file
			}
			return path, p
		}
	}
	for _, g := range pf.RowGroups() {
		visit(pushdown.NewRowGroup(pf, g, columns))
	}
	return nil
}

// fileColumns maps the table's columns to those of a file.
func (e *Env) fileColumns(file *arrow.Schema, partition string) pushdown.FileColumns {
	return pushdown.ColumnsOf(file, e.Job.Schema.Schema, e.Keys.PartitionValues(partition), e.Config.DropPartitions)
}
