package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// byExpressions asks the expression indexes of columns of the condition.
func (r *pruner) byExpressions(ctx context.Context, all []snapshot.FileSlice) ([]snapshot.FileSlice, error) {
	isExpression := func(partition string) bool { return strings.HasPrefix(partition, snapshot.PrefixExpressionIndex) }
	if r.meta == nil || !r.off.On(scan.PruneExpressions) || !slices.ContainsFunc(r.snap.Config().MetadataPartitions, isExpression) {
		return all, nil
	}
	defs, err := r.meta.IndexDefinitions(ctx)
	if err != nil {
		return nil, err
	}
	columns := r.statsColumns()
	for _, partition := range slices.Sorted(maps.Keys(defs)) {
		if !isExpression(partition) || !r.has(partition, scan.PruneExpressions) {
			continue
		}
		e, ok := pushdown.NewExpressionIndex(defs[partition])
		if !ok || !slices.Contains(columns, e.Column()) {
			continue
		}
		if all, err = r.byFiles(ctx, all, expressionIndex(partition, e)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func expressionIndex(partition string, e *pushdown.ExpressionIndex) fileIndex {
	x := fileIndex{partition: partition, columns: []string{e.Column()}, container: func(records []*snapshot.MetadataRecord) pushdown.Container {
		return e.Container(records[0])
	}}
	if e.Blooms() {
		x.columns = nil
	}
	return x
}
