// Package hfile reads HFiles of version 3, the sorted key-value files of the
// metadata table, of HFile log blocks and of tables with HFile base files.
//
// [Open] reads the trailer, the root index and the file info, usually with one
// range read of the file's end. [Reader.Find], [Reader.Entries] and
// [Reader.Prefixes] then descend the index and read only the blocks they need.
// Keys are record keys; the rest of HBase's cell key (family, timestamp, type)
// is constant in Hudi's files and left out. Values are opaque here (Avro
// records, see internal/avro).
//
// Two writers exist: HBase's own (until Hudi 1.0), whose index keys are whole
// cell keys and may be made up to lie between two blocks, and Hudi's (since
// 1.1), whose index keys are the plain first keys and which writes no
// checksums. Both are read by the same code.
package hfile
