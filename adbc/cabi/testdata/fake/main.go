// Command fake is a driver for the tests of package cabi: its statements do what their text says.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/adbc/cabi"
)

func init() { cabi.Export(driver{}) }

func main() {}

type driver struct{}

func (driver) NewDatabase(opts map[string]string) (adbc.Database, error) {
	if opts["uri"] == "refused" {
		return nil, adbc.Error{Code: adbc.StatusIO, Msg: "refused"}
	}
	return &database{options{maps.Clone(opts)}}, nil
}

// SetLogger logs at once.
func (d *database) SetLogger(l *slog.Logger) { l.Warn("a warning", "uri", d.m["uri"]) }

// options keeps texts; numbers and bytes are seen through them.
type options struct{ m map[string]string }

func (o options) SetOption(k, v string) error { o.m[k] = v; return nil }
func (o options) SetOptions(m map[string]string) error {
	maps.Copy(o.m, m)
	return nil
}
func (o options) SetOptionBytes(k string, v []byte) error { o.m[k] = string(v); return nil }
func (o options) SetOptionInt(k string, v int64) error    { o.m[k] = fmt.Sprint(v); return nil }
func (o options) SetOptionDouble(k string, v float64) error {
	o.m[k] = fmt.Sprint(v)
	return nil
}
func (o options) GetOption(k string) (string, error) {
	if v, ok := o.m[k]; ok {
		return v, nil
	}
	return "", adbc.Error{Code: adbc.StatusNotFound, Msg: "no " + k}
}
func (o options) GetOptionBytes(k string) ([]byte, error) {
	v, err := o.GetOption(k)
	return []byte(v), err
}
func (o options) GetOptionInt(k string) (int64, error) {
	v, err := o.GetOption(k)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(v, 10, 64)
}
func (o options) GetOptionDouble(k string) (float64, error) {
	v, err := o.GetOption(k)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(v, 64)
}

type database struct{ options }

func (d *database) Open(context.Context) (adbc.Connection, error) {
	return &connection{options{map[string]string{}}}, nil
}
func (d *database) Close() error { return nil }

type connection struct{ options }

func (c *connection) GetInfo(_ context.Context, codes []adbc.InfoCode) (array.RecordReader, error) {
	return &rows{left: len(codes)}, nil
}
func (c *connection) GetObjects(_ context.Context, _ adbc.ObjectDepth, _, _, _, _ *string, types []string) (array.RecordReader, error) {
	return &rows{left: len(types)}, nil
}
func (c *connection) GetTableSchema(context.Context, *string, *string, string) (*arrow.Schema, error) {
	return schema, nil
}
func (c *connection) GetTableTypes(context.Context) (array.RecordReader, error) {
	panic("types of tables")
}
func (c *connection) Commit(context.Context) error   { return nil }
func (c *connection) Rollback(context.Context) error { return nil }
func (c *connection) NewStatement() (adbc.Statement, error) {
	return &statement{options: c.options}, nil
}
func (c *connection) Close() error { return nil }
func (c *connection) ReadPartition(_ context.Context, p []byte) (array.RecordReader, error) {
	n, err := strconv.Atoi(string(p))
	return &rows{left: n}, err
}

type statement struct {
	options
	text  string
	bound int64
}

func (s *statement) SetSqlQuery(q string) error                 { s.text = q; return nil }
func (s *statement) SetSubstraitPlan(p []byte) error            { s.text = string(p); return nil }
func (s *statement) Prepare(context.Context) error              { return nil }
func (s *statement) Close() error                               { return nil }
func (s *statement) GetParameterSchema() (*arrow.Schema, error) { return schema, nil }
func (s *statement) Bind(_ context.Context, b arrow.RecordBatch) error {
	s.bound = b.NumRows()
	return nil
}
func (s *statement) BindStream(_ context.Context, r array.RecordReader) error {
	for r.Next() {
		s.bound += r.RecordBatch().NumRows()
	}
	return r.Err()
}
func (s *statement) ExecuteUpdate(context.Context) (int64, error)         { return s.bound, nil }
func (s *statement) ExecuteSchema(context.Context) (*arrow.Schema, error) { return schema, nil }

func (s *statement) ExecuteQuery(ctx context.Context) (array.RecordReader, int64, error) {
	what, number, _ := strings.Cut(s.text, " ")
	n, _ := strconv.Atoi(number)
	switch what {
	case "rows":
		return &rows{left: n}, int64(n), nil
	case "panic":
		var nothing map[string]int
		nothing["x"] = 1
	case "wait":
		<-ctx.Done()
		return nil, -1, ctx.Err()
	case "error":
		return nil, -1, adbc.Error{Code: adbc.StatusUnauthorized, Msg: "keep out", VendorCode: 42, SqlState: [5]byte{'4', '2', '5', '0', '1'},
			Details: []adbc.ErrorDetail{&adbc.TextErrorDetail{Name: "door", Detail: "left"}, &adbc.BinaryErrorDetail{Name: "key", Detail: []byte{0, 1}}}}
	case "later": // an error, panic or wait of the stream
		return &rows{left: 1, ctx: ctx, then: number}, -1, nil
	}
	return nil, -1, adbc.Error{Code: adbc.StatusInvalidArgument, Msg: "what is " + what}
}

func (s *statement) ExecutePartitions(context.Context) (*arrow.Schema, adbc.Partitions, int64, error) {
	return schema, adbc.Partitions{NumPartitions: 2, PartitionIDs: [][]byte{[]byte("3"), []byte("4")}}, 7, nil
}

var schema = arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)

// rows is a stream of batches of one row.
type rows struct {
	left  int
	ctx   context.Context
	then  string
	batch arrow.RecordBatch
	err   error
}

func (r *rows) Retain()                        {}
func (r *rows) Release()                       { r.drop() }
func (r *rows) Schema() *arrow.Schema          { return schema }
func (r *rows) RecordBatch() arrow.RecordBatch { return r.batch }
func (r *rows) Record() arrow.RecordBatch      { return r.batch }
func (r *rows) Err() error                     { return r.err }

func (r *rows) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

func (r *rows) Next() bool {
	r.drop()
	if r.left == 0 {
		switch r.then {
		case "panic":
			panic("in the stream")
		case "wait":
			<-r.ctx.Done()
			r.err = r.ctx.Err()
		case "error":
			r.err = adbc.Error{Code: adbc.StatusNotFound, Msg: "file is gone", Details: []adbc.ErrorDetail{&adbc.TextErrorDetail{Name: "file", Detail: "f"}}}
		}
		return false
	}
	r.left--
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(int64(r.left))
	b.Field(1).(*array.StringBuilder).Append(strings.Repeat("x", r.left%100))
	r.batch = b.NewRecordBatch()
	return true
}
