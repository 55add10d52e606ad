// Package hudilog reads Hudi's log files: their names, the blocks of the
// inline format (version 1), and the choice of the blocks that a read at one
// instant merges.
//
// A file slice's logs are put in order by [Compare]. [Blocks] walks an inline
// file with range reads that touch headers only; [Select] decides over the
// headers of all files of the slice, native ones included, which blocks count
// and in which order; [Contents] then loads what was chosen. [AvroRecords],
// [Deletes] and [Positions] take contents and headers apart. Records are not
// decoded here.
package hudilog
