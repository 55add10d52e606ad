package cli

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// localFile is the file or folder of a path on disk; nil if there is none, or
// if the path is of another storage.
func localFile(path string) fs.FileInfo {
	if strings.Contains(path, "://") {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// notFile refuses a file where a table's folder belongs.
func notFile(path string) error {
	if info := localFile(path); info != nil && !info.IsDir() {
		return fmt.Errorf("%s is a file: give the folder of a table, which holds .hoodie; \"hudi inspect\" looks into files", path)
	}
	return nil
}
