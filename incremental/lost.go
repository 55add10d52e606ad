package incremental

import (
	"fmt"

	"github.com/hudi-go/hudi/snapshot"
)

// A LostError says that files which the changes of a range need are gone: the
// cleaner has removed them.
type LostError struct {
	Table string
	Group snapshot.FileGroupID // one of those concerned
	At    string               // the moment that can't be shown any more
	// Earliest is the first instant from which on changes can be read again,
	// as far as the cleaner tells; "" if not even the last one.
	Earliest string
	// End says that the moment is the end of the range, not its begin.
	End bool
}

func (e *LostError) Error() string {
	way := "ask for changes from " + e.Earliest + " on"
	switch {
	case e.Earliest == "":
		way = "read a snapshot of the table and go on from there"
	case e.End:
		way = "ask for changes from " + e.Earliest + " on, or without images and deletes for a range that ends then or later"
	}
	moment := e.At
	if moment == "" {
		moment = "the beginning"
	}
	return fmt.Sprintf("hudi table %s: the changes can't be told: files of %s (file group %s, partition %q) have been removed by the cleaner: %s (hoodie.cleaner.commits.retained says how far back it keeps files)",
		e.Table, moment, e.Group.FileID, e.Group.Partition, way)
}

// Unwrap makes it one of [snapshot.ErrTimeTravel].
func (e *LostError) Unwrap() error { return snapshot.ErrTimeTravel }
