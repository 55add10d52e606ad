package hudilog

import (
	"encoding/binary"
	"iter"
)

// Content versions of data and delete blocks.
const (
	minContentVersion = 1
	maxContentVersion = 3
)

// AvroRecords gives the number of records of an Avro data (or change data)
// block and an iterator over them: plain binary records that follow the
// block's SCHEMA. The iterator ends after an error.
func AvroRecords(content []byte) (count int, records iter.Seq2[[]byte, error], err error) {
	if len(content) < 8 {
		return 0, nil, corruptf("Avro block of %d bytes", len(content))
	}
	n, err := recordCount(content, int64(len(content)))
	if err != nil {
		return 0, nil, err
	}
	body := content[8:]
	return n, func(yield func([]byte, error) bool) {
		rest := body
		for i := range n {
			if len(rest) < 4 {
				yield(nil, corruptf("record %d of %d is cut off", i, n))
				return
			}
			size := int64(int32(binary.BigEndian.Uint32(rest)))
			rest = rest[4:]
			if size < 0 || size > int64(len(rest)) {
				yield(nil, corruptf("record %d of %d has %d bytes, %d are left", i, n, size, len(rest)))
				return
			}
			if !yield(rest[:size:size], nil) {
				return
			}
			rest = rest[size:]
		}
	}, nil
}

// recordCount reads the head of an Avro block of some length.
func recordCount(head []byte, length int64) (int, error) {
	version := int32(binary.BigEndian.Uint32(head))
	n := int64(int32(binary.BigEndian.Uint32(head[4:])))
	if version < minContentVersion || version > maxContentVersion {
		return 0, unsupportedf("Avro block of content version %d", version)
	}
	if n < 0 || n > (length-8)/4 {
		return 0, corruptf("Avro block of %d records in %d bytes", n, length-8)
	}
	return int(n), nil
}
