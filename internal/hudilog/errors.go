package hudilog

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by errors about bytes that are no log and that cannot
// be passed over. (A torn block is no error, it is yielded as corrupt.)
var ErrCorrupt = errors.New("corrupt Hudi log")

// ErrUnsupported is wrapped by errors about valid logs that use something
// this package does not read.
var ErrUnsupported = errors.New("unsupported Hudi log")

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

func unsupportedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}
