package hfile

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by every error about bytes that are no valid HFile.
var ErrCorrupt = errors.New("corrupt HFile")

// ErrUnsupported is wrapped by errors about valid files that use something
// this package does not read (a codec, encryption, cell tags).
var ErrUnsupported = errors.New("unsupported HFile")

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

func unsupportedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}
