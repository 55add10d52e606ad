package provider

import (
	"fmt"

	"github.com/hudi-go/hudi/pushdown"
)

// A QueryType is one of Hudi's ways to look at a table.
type QueryType uint8

const (
	Snapshot      QueryType = iota // rows as of an instant, logs merged
	ReadOptimized                  // rows of base files alone
	Incremental                    // rows changed between two instants
	CDC                            // changes between two instants, with images
)

var queryTypes = [...]string{"snapshot", "read_optimized", "incremental", "cdc"}

// String is Hudi's name of the type.
func (t QueryType) String() string {
	if int(t) >= len(queryTypes) {
		return fmt.Sprintf("query type %d", t)
	}
	return queryTypes[t]
}

// ParseQueryType reads Hudi's name of a query type.
func ParseQueryType(name string) (QueryType, error) {
	for i, n := range queryTypes {
		if n == name {
			return QueryType(i), nil
		}
	}
	return 0, fmt.Errorf("query type %q is not known: use snapshot, read_optimized, incremental or cdc", name)
}

// A Query says what is read of a table. The zero value reads the latest
// snapshot with the table's own columns.
type Query struct {
	Type QueryType
	// AsOf reads the table as it was: an instant, an RFC 3339 time, or a date;
	// for snapshots and read-optimized queries.
	AsOf string
	// Begin (excluded) and End (included) bound incremental and CDC queries, and
	// no others. They are completion times from table version 8 on, requested
	// times before, as an instant, an RFC 3339 time, a date or the offset of a
	// [Change]. Begin may be "" or "earliest", and "latest" for nothing; End ""
	// or "latest".
	Begin, End string
	// Deletes makes an incremental query also give the rows that were deleted,
	// as they were at Begin, and adds the column _hoodie_operation: I, U or D.
	Deletes bool
	// CDCText makes a CDC query give images as JSON, as Spark writes it,
	// instead of as structs.
	CDCText bool
	// Columns are the names of the columns wanted, in order; nil means all of
	// the table's own. Letter case matters only between columns that differ in
	// nothing else.
	Columns []string
	// Meta adds the _hoodie_ columns in front.
	Meta bool
	// Where is an SQL condition on the rows, in the language of
	// [pushdown.ParseSQL]. Rows of a CDC query are asked as they come out:
	// op, before.amount, ...
	Where string
	// Filter and Substrait (a serialized extended expression, as
	// pyarrow.compute writes it) are further conditions; all have to be true.
	Filter    pushdown.Predicate
	Substrait []byte
	// Inexact leaves out the parts of the condition that are not understood,
	// rather than to refuse the query. [Plan.Filters] tells which they are.
	Inexact bool
	// Limit is the most rows returned; 0 means all. Like the numbers below it
	// can't be less than 0.
	Limit int64
	// BatchSize is the most rows of a batch; 0 means 16384.
	BatchSize int
	// Threads bounds what is decoded at the same time; 0 means one.
	Threads int
	// MemoryLimit is how many bytes the log side of merges may take in all
	// before it goes to disk; 0 means no limit.
	MemoryLimit int64
}
