package adbc

import (
	"context"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

type database struct {
	options
	alloc memory.Allocator
	uri   string
}

var _ adbc.GetSetOptions = (*database)(nil)

func newDatabase(alloc memory.Allocator, opts map[string]string) (*database, error) {
	d := &database{alloc: alloc}
	d.options = options{of: "database", known: d.option}
	return d, d.SetOptions(opts)
}

func (d *database) option(key string) (option, bool) {
	if key == adbc.OptionKeyURI {
		return option{get: func() (string, error) { return d.uri, nil }, set: func(v string) error { d.uri = v; return nil }}, true
	}
	return option{}, false
}

// SetOptions sets several options.
func (d *database) SetOptions(opts map[string]string) error {
	for key, value := range opts {
		if err := d.SetOption(key, value); err != nil {
			return err
		}
	}
	return nil
}

// Open opens a connection.
func (d *database) Open(ctx context.Context) (adbc.Connection, error) { return newConnection(d), nil }

// Close closes the database.
func (d *database) Close() error { return nil }
