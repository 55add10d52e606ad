package cabi

// #include <stdlib.h>
// #include "cabi.h"
import "C"

import (
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

type statement struct {
	settings
	scope
	stmt adbc.Statement
}

func theStatement(o *C.struct_AdbcStatement) (*statement, error) {
	if err := present(o, "the statement"); err != nil {
		return nil, err
	}
	return get[statement](&o.private_data, "statement")
}

// with runs a call of a statement.
func with(o *C.struct_AdbcStatement, e *C.struct_AdbcError, f func(s *statement) error) C.AdbcStatusCode {
	return call(e, func() error {
		s, err := theStatement(o)
		if err != nil {
			return err
		}
		return f(s)
	})
}

//export hudiStatementNew
func hudiStatementNew(c *C.struct_AdbcConnection, o *C.struct_AdbcStatement, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		conn, err := openConnection(c)
		if err != nil {
			return err
		}
		if err := present(o, "the statement"); err != nil {
			return err
		}
		stmt, err := conn.conn.NewStatement()
		if err == nil {
			put(&o.private_data, &statement{stmt: stmt, settings: settings{target: stmt}})
		}
		return err
	})
}

//export hudiStatementRelease
func hudiStatementRelease(o *C.struct_AdbcStatement, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		if err := present(o, "the statement"); err != nil {
			return err
		}
		s, err := take[statement](&o.private_data, "statement")
		if err != nil {
			return err
		}
		return s.stmt.Close()
	})
}

//export hudiStatementCancel
func hudiStatementCancel(o *C.struct_AdbcStatement, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		s.stop()
		return nil
	})
}

//export hudiStatementSetSqlQuery
func hudiStatementSetSqlQuery(o *C.struct_AdbcStatement, query *C.hudi_char, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		sql, err := must(query, "the query")
		if err != nil {
			return err
		}
		return s.stmt.SetSqlQuery(sql)
	})
}

//export hudiStatementSetSubstraitPlan
func hudiStatementSetSubstraitPlan(o *C.struct_AdbcStatement, plan *C.hudi_byte, n C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		p, err := bytes(plan, n, "the plan")
		if err != nil {
			return err
		}
		return s.stmt.SetSubstraitPlan(p)
	})
}

//export hudiStatementPrepare
func hudiStatementPrepare(o *C.struct_AdbcStatement, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error { return s.stmt.Prepare(s.context()) })
}

// The values of Bind and BindStream belong to the callee, whatever comes of it.

//export hudiStatementBind
func hudiStatementBind(o *C.struct_AdbcStatement, values *C.struct_ArrowArray, schema *C.struct_ArrowSchema, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		if err := present(values, "the array of values"); err != nil {
			return err
		}
		if err := present(schema, "the schema of values"); err != nil {
			return err
		}
		array := (*cdata.CArrowArray)(unsafe.Pointer(values))
		batch, err := cdata.ImportCRecordBatch(array, (*cdata.CArrowSchema)(unsafe.Pointer(schema)))
		if err != nil {
			cdata.ReleaseCArrowArray(array)
			return failure(adbc.StatusInvalidArgument, "values to bind: %v", err)
		}
		defer batch.Release()
		return s.stmt.Bind(s.context(), batch)
	})
}

//export hudiStatementBindStream
func hudiStatementBindStream(o *C.struct_AdbcStatement, values *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		if err := present(values, "the stream of values"); err != nil {
			return err
		}
		stream, err := cdata.ImportCRecordReader((*cdata.CArrowArrayStream)(unsafe.Pointer(values)), nil)
		if err != nil {
			return failure(adbc.StatusInvalidArgument, "values to bind: %v", err)
		}
		reader := stream.(array.RecordReader)
		defer reader.Release()
		return s.stmt.BindStream(s.context(), reader)
	})
}

//export hudiStatementExecuteQuery
func hudiStatementExecuteQuery(o *C.struct_AdbcStatement, out *C.struct_ArrowArrayStream, rows *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		if out == nil {
			n, err := s.stmt.ExecuteUpdate(s.context())
			giveRows(rows, n)
			return err
		}
		reader, n, err := s.stmt.ExecuteQuery(s.context())
		if err != nil {
			return err
		}
		giveRows(rows, n)
		export(reader, out)
		return nil
	})
}

func giveRows(to *C.int64_t, n int64) {
	if to != nil {
		*to = C.int64_t(n)
	}
}

//export hudiStatementExecuteSchema
func hudiStatementExecuteSchema(o *C.struct_AdbcStatement, out *C.struct_ArrowSchema, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		x, ok := s.stmt.(adbc.StatementExecuteSchema)
		if !ok {
			return unsupported("schemas of statements that do not run")
		}
		return giveSchema(out, func() (*arrow.Schema, error) { return x.ExecuteSchema(s.context()) })
	})
}

//export hudiStatementGetParameterSchema
func hudiStatementGetParameterSchema(o *C.struct_AdbcStatement, out *C.struct_ArrowSchema, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error { return giveSchema(out, s.stmt.GetParameterSchema) })
}

//export hudiStatementExecutePartitions
func hudiStatementExecutePartitions(o *C.struct_AdbcStatement, out *C.struct_ArrowSchema, p *C.struct_AdbcPartitions, rows *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return with(o, e, func(s *statement) error {
		if err := present(p, "the list of partitions"); err != nil {
			return err
		}
		schema, parts, n, err := s.stmt.ExecutePartitions(s.context())
		if err != nil {
			return err
		}
		if C.hudi_partitions_make(p, C.size_t(len(parts.PartitionIDs))) == 0 {
			return failure(adbc.StatusInternal, "no memory for %d partitions", len(parts.PartitionIDs))
		}
		for i, id := range parts.PartitionIDs {
			C.hudi_partition_set(p, C.size_t(i), C.CBytes(id), C.size_t(len(id)))
		}
		if out != nil && schema != nil {
			exportSchema(schema, out)
		}
		giveRows(rows, n)
		return nil
	})
}
