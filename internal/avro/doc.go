// Package avro turns binary Avro records, as they stand in log blocks and as
// values of HFiles, into Arrow batches.
//
// [Parse] reads the writer schema; [Schema.Arrow] is its Arrow form. A
// [Decoder] is compiled from a schema and the wanted columns: a tree of small
// operations that either append a value to a column's buffers or step over
// its bytes. Nothing is allocated per record but the growth of the buffers,
// and a field that nobody wants costs only its length bytes, or nothing where it
// stands behind the last wanted one.
//
// Records by the block go through [Decoder.AppendAll]: a sweep reads one field
// of many records in a loop of its own. The operations read what is rare, and
// records that come one by one.
//
// Records come from files, so every length is checked against the bytes that
// are there before anything is done with it, and recursion is bounded.
//
// Metadata that ends in Go structs rather than in columns (timeline files,
// records of the archive) goes the slow road of reflection through hamba/avro:
// [DecodeContainer] and [Schema.Unmarshal].
package avro
