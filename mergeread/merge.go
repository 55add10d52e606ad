package mergeread

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// Merge reads a slice and yields its merged rows in the schema of
// [Input.OutputSchema]. Nothing is opened before the first call of Next.
func Merge(ctx context.Context, in Input, o Options) (batch.Reader, error) {
	if o.Allocator == nil {
		o.Allocator = memory.DefaultAllocator
	}
	if o.BatchSize <= 0 {
		o.BatchSize = 8192
	}
	if o.Stats == nil {
		o.Stats = new(Stats)
	}
	if err := in.validate(); err != nil {
		return nil, err
	}
	b, err := newBinding(&in, o.Allocator)
	if err != nil {
		return nil, err
	}
	return &stream{ctx: ctx, schema: in.OutputSchema(), path: choose(ctx, &in, o, b)}, nil
}

// choose takes the cheapest way that the slice allows.
func choose(ctx context.Context, in *Input, o Options, b *binding) path {
	switch {
	case in.SkipMerge || len(in.Runs) == 0:
		return newPassPath(ctx, in, o, b)
	case in.positioned():
		return newPositionPath(ctx, in, o, b)
	case in.Sorted:
		return newSortedPath(ctx, in, o, b)
	}
	return newHashPath(ctx, in, o, b)
}

func (in *Input) validate() error {
	n := in.Schema.NumFields()
	if in.Key < 0 || in.Key >= n {
		return fmt.Errorf("mergeread: the working schema of %d columns has no key column %d", n, in.Key)
	}
	for _, c := range in.Output {
		if c < 0 || c >= n {
			return fmt.Errorf("mergeread: the working schema of %d columns has no output column %d", n, c)
		}
	}
	for _, r := range in.Runs {
		if r.Present != nil && len(r.Present) != n {
			return fmt.Errorf("mergeread: log %s says of %d columns whether it stores them, the working schema has %d", r.Name, len(r.Present), n)
		}
	}
	return in.Rules.Validate()
}
