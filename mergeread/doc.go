// Package mergeread merges the base file of a file slice with its logs.
//
// # What goes through
//
// An [Input] is a slice that [Slices] opened for package scan (slice.go; the
// blocks of its logs become runs in logblocks.go and runs.go): a base and, in
// log order, runs of data rows or of delete entries, all as streams of Arrow
// batches. [Merge] (merge.go) chooses one of the ways below. [Rules]
// say how records of one key combine; they are compiled to an algebra of three
// steps (log over log, delete entry over log, log over base), each a choice of
// the winner and a way to combine columns. Every path below applies these
// steps through the same resolver, which names rows by reference (number of a
// batch, row in it) and never copies one: a record that was combined from
// several rows is an overlay, a list of references by column. An output batch
// is made column by column: in the memory of the base batch where that belongs
// to the merge (see inplace.go), by copying rows elsewhere, and by neither where
// a stretch of a batch goes on unchanged: that is a slice of it.
//
// # Which way a slice takes
//
// By hashing (hashPath): the log side is folded into a table of keys, then
// the base streams past it. Base rows without log record pass; the first row
// of a key takes the key's log state; log-only keys follow at the end. Rows
// that a later log record superseded are dropped from memory as they pile up.
//
// By position (positionPath): if every run knows the ordinals of its rows in
// the base file, these take the place of keys; the base needs no key column.
// Base and runs are read side by side, stretch by stretch of the file, with one
// batch of each in memory. Positions that turn out not to fit send the slice to
// the hashPath.
//
// In key order (sortedPath): if all sources are sorted by key, a loser tree
// merges the runs, and the base meets what comes of it, with one batch of each
// in memory. The promise is checked; see there for what happens when it is
// broken.
//
// # Beyond memory
//
// A log side that outgrows Options.MemoryLimit goes to disk, parted by the
// hash of the keys, in log order; base rows whose key is in no log pass at
// once (a Bloom filter of the log keys tells), the others follow to disk, and
// then each part is merged like a slice of its own. The base is read once and
// memory holds one part and the filter.
//
// Runs folded on their own, spilled, and merged later would need less disk,
// but be wrong: the fold is not associative. In event time, of a row with
// ordering value 5, a delete without ordering value and a row with 3, the last
// survives, as the delete ended what was before; if delete and second row are
// folded first, the row with 5 wins. So records go to disk unfolded unless
// they are the winners so far, and are folded from the left when read back.
// Nor could sorted log runs meet a base that isn't sorted without sorting it.
package mergeread
