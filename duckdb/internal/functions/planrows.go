package functions

import (
	"context"
	"strings"

	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
)

// planRows tells how a query would be read: what its condition leaves out at
// each level, and who reads what remains.
func planRows(ctx context.Context, f *Functions, t *provider.Table, a tablefunc.Arguments, add func(...any)) error {
	q, err := f.query(a)
	if err != nil {
		return err
	}
	q.Inexact = true
	p, err := t.Plan(ctx, q)
	if err != nil {
		return err
	}
	n, err := f.native(ctx, p)
	if err != nil {
		return err
	}
	for _, c := range p.Filters {
		how := "used by the scan"
		if c.Support != "exact" {
			how = "left to DuckDB"
		}
		add("condition "+how, nil, nil, c.Condition)
	}
	for _, level := range p.Stats.Levels {
		var by []string
		for _, r := range level.By {
			by = append(by, strings.TrimSpace(r.Index+" "+r.Condition))
		}
		add(level.Level+" pruned", level.Seen, level.Pruned, orNull(strings.Join(by, "; ")))
	}
	s := p.Stats
	add("partitions read", int64(s.Partitions), nil, nil)
	add("file slices read", int64(s.Slices), nil, nil)
	add("base files read", int64(s.BaseFiles), nil, nil)
	add("log files read", int64(s.LogFiles), nil, nil)
	add("bytes of these files", s.Bytes, nil, nil)
	add("read by DuckDB's Parquet reader", int64(n.files()), nil, nil)
	add("read by the merge scan", int64(len(n.rest)), nil, orNull(n.why()))
	return nil
}
