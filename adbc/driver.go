package adbc

import (
	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

type driver struct{ alloc memory.Allocator }

// NewDriver gives the driver. alloc is where the batches of own scans and of
// metadata lie; nil is Go memory.
func NewDriver(alloc memory.Allocator) adbc.Driver {
	if alloc == nil {
		alloc = memory.DefaultAllocator
	}
	return &driver{alloc: alloc}
}

// NewDatabase makes a database with options; one that is not known is an error.
func (d *driver) NewDatabase(opts map[string]string) (adbc.Database, error) {
	return newDatabase(d.alloc, opts)
}
