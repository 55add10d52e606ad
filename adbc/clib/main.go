// Command clib is the C shared library of the ADBC driver,
// libadbc_driver_hudi.so. `go run ./adbc/build` builds it, together with the
// library that holds DuckDB.
package main

import (
	"github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/adbc/cabi"
	"github.com/hudi-go/hudi/internal/parquet"
	_ "github.com/hudi-go/hudi/objectstore"
)

// recycled is the most memory of released batches that is kept for new ones.
// Whoever reads through C copies what it wants to keep before it releases.
const recycled = 64 << 20

func init() { cabi.Export(adbc.NewDriver(parquet.NewRecycler(recycled))) }

func main() {}
