//go:build unix

package cli

import (
	"os"
	"sync"
	"syscall"
)

// umask gives the process's file mode mask, which can only be read by setting
// it.
var umask = sync.OnceValue(func() os.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return os.FileMode(mask)
})
