package adbc

import (
	"context"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

type connection struct {
	options
	db *database
}

var (
	_ adbc.GetSetOptions           = (*connection)(nil)
	_ adbc.ConnectionGetStatistics = (*connection)(nil)
)

func newConnection(db *database) *connection {
	c := &connection{db: db}
	c.options = options{of: "connection", known: func(string) (option, bool) { return option{}, false }}
	return c
}

var errUnfinished = errorf(adbc.StatusNotImplemented, "not written yet")

func (c *connection) GetInfo(ctx context.Context, codes []adbc.InfoCode) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) GetObjects(ctx context.Context, depth adbc.ObjectDepth, catalog, dbSchema, tableName, columnName *string, tableType []string) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) GetTableSchema(ctx context.Context, catalog, dbSchema *string, tableName string) (*arrow.Schema, error) {
	return nil, errUnfinished
}

func (c *connection) GetTableTypes(ctx context.Context) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) GetStatistics(ctx context.Context, catalog, dbSchema, tableName *string, approximate bool) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) GetStatisticNames(ctx context.Context) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) Commit(ctx context.Context) error { return errUnfinished }

func (c *connection) Rollback(ctx context.Context) error { return errUnfinished }

func (c *connection) NewStatement() (adbc.Statement, error) { return newStatement(c), nil }

func (c *connection) ReadPartition(ctx context.Context, partition []byte) (array.RecordReader, error) {
	return nil, errUnfinished
}

func (c *connection) Close() error { return nil }
