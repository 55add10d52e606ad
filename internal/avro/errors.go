package avro

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by errors about bytes that do not follow their schema.
var ErrCorrupt = errors.New("corrupt Avro data")

// ErrBatchFull is given by [Decoder.Append] when a column cannot take the
// record (2 GiB of text, say): take the batch and append the record again.
var ErrBatchFull = errors.New("avro batch is full")

// An UnsupportedError tells that a field has a type that has no Arrow form
// here. Fields that are not wanted are never looked at.
type UnsupportedError struct {
	Field  string // path of the field, with dots
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("avro field %s: %s; leave the column out to read the others", e.Field, e.Reason)
}

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
