package adbc_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
)

func TestMain(m *testing.M) {
	if os.Getenv(partitionEnv) != "" {
		os.Exit(readPartitions())
	}
	goleak.VerifyTestMain(m)
}

// open connects to a table or a folder. All that its allocator gave has to be
// back at the end of the test.
func open(t testing.TB, uri string, opts ...string) adbc.Connection {
	t.Helper()
	return connect(t, database(t, uri, opts...))
}

func database(t testing.TB, uri string, opts ...string) adbc.Database {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	all := map[string]string{adbc.OptionKeyURI: uri}
	for i := 0; i < len(opts); i += 2 {
		all[opts[i]] = opts[i+1]
	}
	db, err := hudi.NewDriver(mem).NewDatabase(all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		mem.AssertSize(t, 0)
	})
	return db
}

func connect(t testing.TB, db adbc.Database) adbc.Connection {
	t.Helper()
	c, err := db.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func statement(t testing.TB, c adbc.Connection, sql string) adbc.Statement {
	t.Helper()
	s, err := c.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.SetSqlQuery(sql); err != nil {
		t.Fatal(err)
	}
	return s
}

// execute runs SQL and keeps its rows. What ExecuteSchema tells has to be what
// comes.
func execute(t testing.TB, c adbc.Connection, sql string) *kept {
	t.Helper()
	return run(t, statement(t, c, sql))
}

func run(t testing.TB, s adbc.Statement) *kept {
	t.Helper()
	said, err := s.(adbc.StatementExecuteSchema).ExecuteSchema(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := s.ExecuteQuery(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	k := keep(t, r)
	sameSchema(t, "ExecuteSchema", said, k.schema)
	return k
}

func sameSchema(t testing.TB, what string, said, is *arrow.Schema) {
	t.Helper()
	if !said.Equal(is) {
		t.Errorf("%s tells %s, what comes is %s", what, said, is)
	}
}

// kept are rows that were read: a table for the judge.
type kept struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
}

// keep reads a stream to its end.
func keep(t testing.TB, r array.RecordReader) *kept {
	t.Helper()
	defer r.Release()
	k := &kept{schema: r.Schema()}
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		k.batches = append(k.batches, b)
		if !b.Schema().Equal(k.schema) {
			t.Errorf("a batch has the schema %s, its stream %s", b.Schema(), k.schema)
		}
	}
	t.Cleanup(k.release)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *kept) release() {
	for _, b := range k.batches {
		b.Release()
	}
	k.batches = nil
}

func (k *kept) rows() (n int64) {
	for _, b := range k.batches {
		n += b.NumRows()
	}
	return n
}

func (k *kept) Schema() *arrow.Schema { return k.schema }

func (k *kept) Scan(_ context.Context, columns []string) (batch.Reader, error) {
	var fields []arrow.Field
	var places []int
	for _, c := range columns {
		at := k.schema.FieldIndices(c)[0]
		places, fields = append(places, at), append(fields, k.schema.Field(at))
	}
	schema := arrow.NewSchema(fields, nil)
	var out []arrow.RecordBatch
	for _, b := range k.batches {
		var picked []arrow.Array
		for _, p := range places {
			picked = append(picked, b.Column(p))
		}
		out = append(out, array.NewRecordBatch(schema, picked, b.NumRows()))
	}
	return batch.FromSlice(schema, out), nil
}

// A judge compares rows, by a DuckDB that knows nothing of the driver.
type judge struct {
	engine *duckdb.Engine
	conn   *duckdb.Conn
}

func newJudge(t testing.TB) *judge {
	t.Helper()
	e, err := duckdb.Open(duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), e.Close()); err != nil {
			t.Error(err)
		}
	})
	return &judge{e, c}
}

func (j *judge) know(t testing.TB, name string, k *kept) {
	t.Helper()
	if err := j.engine.Register(context.Background(), "", name, k); err != nil {
		t.Fatal(err)
	}
}

// same tells whether two table expressions have the same rows.
func (j *judge) same(t testing.TB, a, b string) {
	t.Helper()
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		r, err := j.conn.Query(context.Background(), "SELECT * FROM ("+pair[0]+" EXCEPT ALL "+pair[1]+") LIMIT 3")
		if err != nil {
			t.Fatal(err)
		}
		found, err := batch.Collect(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range found {
			t.Errorf("rows of %s that are not in %s: %v", pair[0], pair[1], rows)
			rows.Release()
		}
	}
}

func errorOf(t testing.TB, err error) adbc.Error {
	t.Helper()
	var e adbc.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v (%T) is no ADBC error", err, err)
	}
	return e
}
