package pushdown

import "slices"

// File slices with logs
//
// The rows of a slice with logs exist only after the merge, so that what is
// known of its files holds for them as far as the merge keeps it.
//
// A slice as a whole ([Bound.PruneSlice]): the value of each column of a merged
// row is the value of that column in a row of one of the files. So a leaf of
// the condition that is true of no row of any file is true of no merged row,
// and the answer for the condition follows from those for its leaves. Where
// records are merged whole, the merged row is a row of one file, and it also
// suffices that the condition is true of no row of each file taken by itself.
// Every file must have statistics; deletes only take rows away. A merger that
// makes values of its own (a custom payload) leaves nothing but the columns of
// the key and the partition.
//
// Rows of the base file alone ([BaseRows]): to leave out a base row whose key
// has log records is to merge these with nothing. That is right
//
//   - for conditions on columns that are the same in all records of a key: those
//     of the record key and of the partition. The log records fail the
//     condition as the base row does;
//   - for all conditions, where the log record wins against the base record
//     whatever both hold: whole records in commit-time order. With event time
//     the base record may win, and with partial updates it gives columns to the
//     merged row: its log records would show up as they must not.
//
// Where a log may lack the columns of the key, as blocks of partial updates do,
// its records would pass for nulls: no base row may be left out there.
//
// In any case the merged rows have to be filtered. Log records can be left out
// by conditions on the key and the partition only.

// Merging says how the records of a key become one, as far as it matters to
// pruning.
type Merging uint8

// The kinds of merging.
const (
	MergeUnknown   Merging = iota // the merger may make any value
	MergeFields                   // each value is that of one of the records
	MergeWhole                    // the record is one of the records
	MergeCommitted                // the record is the one that was written last
)

// KeyColumns are the columns that are equal in all records of a key.
type KeyColumns struct {
	Key       []string // record key fields and _hoodie_record_key
	Partition []string // partition fields and _hoodie_partition_path
}

// fixed tells whether all records of a key agree in a conjunct.
func (k KeyColumns) fixed(b *Bound, c Conjunct) bool {
	for _, f := range c.Fields {
		name := b.fields[f].Name()
		if !slices.Contains(k.Key, name) && !slices.Contains(k.Partition, name) {
			return false
		}
	}
	return true
}

// BaseRows gives the part of a condition by which rows of a base file may be
// left out before they are merged with the logs of its slice.
func BaseRows(b *Bound, hasLogs bool, m Merging, keys KeyColumns) *Bound {
	if !hasLogs || m == MergeCommitted {
		return b
	}
	return LogRows(b, keys)
}

// LogRows gives the part of a condition by which records of a log may be left
// out before they are merged.
func LogRows(b *Bound, keys KeyColumns) *Bound {
	return b.Only(func(c Conjunct) bool { return keys.fixed(b, c) })
}

// PruneSlice asks whether a slice may have rows for which the condition is
// true, given what is known about each of its files, base and logs; nil for a
// file of which nothing is known. The answer is No or Unknown for slices of
// more than one file.
func (b *Bound) PruneSlice(files []Container, m Merging, keys KeyColumns) Verdict {
	if len(files) == 1 && files[0] != nil {
		return b.Prune(files[0])
	}
	if len(files) == 0 || slices.Contains(files, nil) {
		return Verdict{}
	}
	if m == MergeUnknown {
		b = LogRows(b, keys)
	}
	v := b.judge(func(n node, excluded *bool) Answer {
		return fold3(n, func(n node) Answer {
			for _, f := range files {
				if b.ask(n, f, excluded) != No {
					return Unknown
				}
			}
			return No
		})
	})
	if v.Answer == No || m < MergeWhole {
		return onlyNo(v)
	}
	for _, f := range files {
		if v = b.Prune(f); v.Answer != No {
			return Verdict{}
		}
	}
	return v
}

func onlyNo(v Verdict) Verdict {
	if v.Answer != No {
		return Verdict{}
	}
	return v
}
