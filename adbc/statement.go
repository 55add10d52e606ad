package adbc

import (
	"context"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

type statement struct {
	options
	conn *connection
}

var (
	_ adbc.GetSetOptions          = (*statement)(nil)
	_ adbc.StatementExecuteSchema = (*statement)(nil)
)

func newStatement(c *connection) *statement {
	s := &statement{conn: c}
	s.options = options{of: "statement", known: func(string) (option, bool) { return option{}, false }}
	return s
}

func (s *statement) SetSqlQuery(query string) error { return errUnfinished }

func (s *statement) SetSubstraitPlan(plan []byte) error { return errUnfinished }

func (s *statement) Prepare(ctx context.Context) error { return errUnfinished }

func (s *statement) Bind(ctx context.Context, values arrow.RecordBatch) error { return errUnfinished }

func (s *statement) BindStream(ctx context.Context, stream array.RecordReader) error {
	return errUnfinished
}

func (s *statement) GetParameterSchema() (*arrow.Schema, error) { return nil, errUnfinished }

func (s *statement) ExecuteQuery(ctx context.Context) (array.RecordReader, int64, error) {
	return nil, -1, errUnfinished
}

func (s *statement) ExecuteUpdate(ctx context.Context) (int64, error) { return -1, errUnfinished }

func (s *statement) ExecuteSchema(ctx context.Context) (*arrow.Schema, error) {
	return nil, errUnfinished
}

func (s *statement) ExecutePartitions(ctx context.Context) (*arrow.Schema, adbc.Partitions, int64, error) {
	return nil, adbc.Partitions{}, -1, errUnfinished
}

func (s *statement) Close() error { return nil }
