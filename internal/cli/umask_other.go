//go:build !unix

package cli

import "os"

func umask() os.FileMode { return 0 }
