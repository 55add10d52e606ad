// Package pushdown holds the conditions of queries: what they say, what they
// need, which parts of a table can't fulfil them, and which rows do.
//
// A condition comes in as SQL text ([ParseSQL], [ParseSQLParts]), as a
// Substrait expression ([ReadSubstrait]) or from Go ([Col], [And], ...) and is a [Predicate] then.
// [Bind] resolves it against the schema of the table at the query's instant.
// The bound form is small: negations are pushed to the leaves and gone, and a
// leaf is a column with the set of values that fulfil it, as sorted cuts
// through the order of the column's type, and whether null does. A condition
// keeps a row only when it is true, so that false and unknown need not be told
// apart below the top: intersections and unions of sets say all. Comparisons
// with constants between two values of the column (a whole number against 1.5,
// milliseconds against microseconds) fall into place as cuts, contradictions
// as empty sets.
//
// Two questions are asked of a [Bound]:
//
//	Filter: which rows of this batch?           kernels -> Selection -> Apply
//	Prune:  may this container hold such rows?  Stats   -> Answer
//
// There is one pruning engine. Containers (partitions, files, row groups,
// pages, bloom filters) differ only in how they come to the [Stats] of a
// column, and that is where statistics are distrusted: [ParquetStats],
// [IndexStats], [ExpressionIndex], [Partitions], [ReadBloom]. What is not known
// keeps a container. [BaseRows] and [PruneSlice] tell how far the answers hold for
// file slices with logs, whose rows exist only after the merge.
//
// The package does no I/O: callers bring footers, index rows and batches.
package pushdown
