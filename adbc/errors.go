package adbc

import (
	"fmt"

	"github.com/apache/arrow-adbc/go/adbc"
)

// errorf makes an error of a status. The message is one line.
func errorf(code adbc.Status, format string, args ...any) error {
	return adbc.Error{Code: code, Msg: "[hudi] " + fmt.Sprintf(format, args...)}
}
