package provider

import "fmt"

// check refuses a query that can't be meant: what is asked for would be left
// out of account.
func (t *Table) check(q Query) error {
	err := q.check()
	if err == nil && (q.Type == CDC || q.Deletes) && t.skipsMerge() {
		err = fmt.Errorf("%s=%s gives rows that are not merged, of which changes can't be told: leave it out", OptionMergeType, skipMerge)
	}
	if err != nil {
		err = fmt.Errorf("table %s at %s: %w", t.Name(), t.uri, err)
	}
	return err
}

func (q Query) check() error {
	changes := q.Type == Incremental || q.Type == CDC
	switch {
	case int(q.Type) >= len(queryTypes):
		return fmt.Errorf("%s is not known: use %s, %s, %s or %s", q.Type, Snapshot, ReadOptimized, Incremental, CDC)
	case !changes && (q.Begin != "" || q.End != ""):
		return fmt.Errorf("begin and end bound incremental and cdc queries, not %s: an as-of time reads an earlier snapshot", q.Type)
	case changes && q.AsOf != "":
		return fmt.Errorf("%s queries have no as-of time: their end bounds the changes", q.Type)
	case q.Deletes && q.Type != Incremental:
		return fmt.Errorf("deleted rows go with incremental queries, not with %s", q.Type)
	case q.Limit < 0:
		return fmt.Errorf("the limit of rows is %d: it can't be less than 0, which means all", q.Limit)
	case q.BatchSize < 0:
		return fmt.Errorf("the batch size is %d: it can't be less than 0, which means the default", q.BatchSize)
	case q.Threads < 0:
		return fmt.Errorf("the number of threads is %d: it can't be less than 0, which means one", q.Threads)
	case q.MemoryLimit < 0:
		return fmt.Errorf("the memory limit is %d: it can't be less than 0, which means none", q.MemoryLimit)
	}
	return nil
}
