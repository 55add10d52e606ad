package functions

import (
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// hinted adds to a query what is known of the rows that a statement needs.
// What does not fit the table is left out.
func hinted(q provider.Query, p pushdown.Predicate) provider.Query {
	if p != nil {
		q.Filter, q.Inexact = p, true
	}
	return q
}
