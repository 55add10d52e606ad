package adbc

import (
	"errors"

	"github.com/apache/arrow-adbc/go/adbc"

	"github.com/hudi-go/hudi/pushdown"
)

// SetSubstraitPlan sets a serialized plan that is a scan of one table: reads,
// filters, projections of columns, and a fetch. Other plans are refused.
func (s *statement) SetSubstraitPlan(plan []byte) error {
	if s.closed {
		return errClosedStatement
	}
	selected, err := pushdown.ReadSubstraitPlan(plan)
	switch {
	case errors.Is(err, pushdown.ErrSubstraitPlan):
		return sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "%v: send SQL instead", err)
	case err != nil:
		return errorf(adbc.StatusInvalidArgument, "%v", err)
	}
	s.set("", selected)
	return nil
}
