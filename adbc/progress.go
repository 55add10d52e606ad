package adbc

import (
	"strconv"

	"github.com/hudi-go/hudi/provider"
)

// progress tells how far the statement's latest plain scan is. The statement's
// mutex guards it.
type progress struct {
	scan  *provider.Result
	bytes int64 // of the files that it reads
}

// fraction is the part of the files' bytes that was read. Columns that nobody
// wants are not read, so that it may stay below 1.
func (p *progress) fraction() (string, error) {
	if p.scan == nil {
		return "0", nil
	}
	done := 1.0
	if p.bytes > 0 {
		done = min(1, float64(p.scan.Stats().BytesRead)/float64(p.bytes))
	}
	return strconv.FormatFloat(done, 'f', 4, 64), nil
}
