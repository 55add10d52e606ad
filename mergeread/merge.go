package mergeread

import (
	"context"
	"errors"

	"github.com/hudi-go/hudi/internal/batch"
)

type resolver struct{}
type state struct{}

// Merge reads a slice and yields its merged rows.
func Merge(ctx context.Context, in Input, o Options) (batch.Reader, error) {
	return nil, errors.New("mergeread: not there yet")
}
