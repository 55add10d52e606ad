// Command clib is the C shared library of the ADBC driver,
// libadbc_driver_hudi.so. `go run ./adbc/build` builds it, together with the
// library that holds DuckDB.
package main

import (
	"github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/adbc/cabi"
)

func init() { cabi.Export(adbc.NewDriver(nil)) }

func main() {}
