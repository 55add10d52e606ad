package cabi

// #include "cabi.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

type connection struct {
	settings
	scope
	conn adbc.Connection // nil before Init
}

func theConnection(o *C.struct_AdbcConnection) (*connection, error) {
	if err := present(o, "the connection"); err != nil {
		return nil, err
	}
	return get[connection](&o.private_data, "connection")
}

// openConnection is theConnection after Init.
func openConnection(o *C.struct_AdbcConnection) (*connection, error) {
	c, err := theConnection(o)
	if err == nil && c.conn == nil {
		err = failure(adbc.StatusInvalidState, "the connection is not initialized")
	}
	return c, err
}

//export hudiConnectionNew
func hudiConnectionNew(o *C.struct_AdbcConnection, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		if err := present(o, "the connection"); err != nil {
			return err
		}
		put(&o.private_data, &connection{settings: settings{pending: map[string]string{}}})
		return nil
	})
}

//export hudiConnectionInit
func hudiConnectionInit(o *C.struct_AdbcConnection, db *C.struct_AdbcDatabase, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := theConnection(o)
		if err != nil {
			return err
		}
		if c.conn != nil {
			return failure(adbc.StatusInvalidState, "the connection is initialized already")
		}
		d, err := theDatabase(db)
		if err != nil {
			return err
		}
		conn, err := d.open(c.context(), c.pending)
		if err != nil {
			return err
		}
		c.conn, c.target, c.pending = conn, conn, nil
		return nil
	})
}

//export hudiConnectionRelease
func hudiConnectionRelease(o *C.struct_AdbcConnection, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		if err := present(o, "the connection"); err != nil {
			return err
		}
		c, err := take[connection](&o.private_data, "connection")
		if err != nil || c.conn == nil {
			return err
		}
		return c.conn.Close()
	})
}

//export hudiConnectionCancel
func hudiConnectionCancel(o *C.struct_AdbcConnection, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := openConnection(o)
		if err == nil {
			c.stop()
		}
		return err
	})
}

//export hudiConnectionCommit
func hudiConnectionCommit(o *C.struct_AdbcConnection, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := openConnection(o)
		if err != nil {
			return err
		}
		return c.conn.Commit(c.context())
	})
}

//export hudiConnectionRollback
func hudiConnectionRollback(o *C.struct_AdbcConnection, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := openConnection(o)
		if err != nil {
			return err
		}
		return c.conn.Rollback(c.context())
	})
}

// answer runs a call of a connection that gives rows.
func answer(o *C.struct_AdbcConnection, out *C.struct_ArrowArrayStream, e *C.struct_AdbcError,
	f func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error)) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := openConnection(o)
		if err != nil {
			return err
		}
		if err := present(out, "the stream"); err != nil {
			return err
		}
		reader, err := f(c.context(), c.conn)
		if err == nil {
			export(reader, out)
		}
		return err
	})
}

//export hudiConnectionGetInfo
func hudiConnectionGetInfo(o *C.struct_AdbcConnection, codes *C.hudi_code, n C.size_t, out *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		var wanted []adbc.InfoCode
		if codes != nil {
			for _, c := range unsafe.Slice(codes, int(n)) {
				wanted = append(wanted, adbc.InfoCode(c))
			}
		}
		return conn.GetInfo(ctx, wanted)
	})
}

//export hudiConnectionGetObjects
func hudiConnectionGetObjects(o *C.struct_AdbcConnection, depth C.int, catalog, schema, table *C.hudi_char, types **C.hudi_char, column *C.hudi_char,
	out *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		if depth < C.ADBC_OBJECT_DEPTH_ALL || depth > C.ADBC_OBJECT_DEPTH_TABLES {
			return nil, failure(adbc.StatusInvalidArgument, "depth %d of objects is not known", int(depth))
		}
		return conn.GetObjects(ctx, adbc.ObjectDepth(depth), text(catalog), text(schema), text(table), text(column), texts(types))
	})
}

// texts reads a list of strings that ends with a null pointer.
func texts(list **C.hudi_char) []string {
	if list == nil {
		return nil
	}
	all := []string{}
	for p := list; *p != nil; p = (**C.hudi_char)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		all = append(all, *text(*p))
	}
	return all
}

//export hudiConnectionGetTableSchema
func hudiConnectionGetTableSchema(o *C.struct_AdbcConnection, catalog, schema, table *C.hudi_char, out *C.struct_ArrowSchema, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		c, err := openConnection(o)
		if err != nil {
			return err
		}
		name, err := must(table, "the table's name")
		if err != nil {
			return err
		}
		return giveSchema(out, func() (*arrow.Schema, error) {
			return c.conn.GetTableSchema(c.context(), text(catalog), text(schema), name)
		})
	})
}

//export hudiConnectionGetTableTypes
func hudiConnectionGetTableTypes(o *C.struct_AdbcConnection, out *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		return conn.GetTableTypes(ctx)
	})
}

//export hudiConnectionGetStatistics
func hudiConnectionGetStatistics(o *C.struct_AdbcConnection, catalog, schema, table *C.hudi_char, approximate C.char, out *C.struct_ArrowArrayStream,
	e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		s, ok := conn.(adbc.ConnectionGetStatistics)
		if !ok {
			return nil, unsupported("statistics")
		}
		return s.GetStatistics(ctx, text(catalog), text(schema), text(table), approximate != 0)
	})
}

//export hudiConnectionGetStatisticNames
func hudiConnectionGetStatisticNames(o *C.struct_AdbcConnection, out *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		s, ok := conn.(adbc.ConnectionGetStatistics)
		if !ok {
			return nil, unsupported("statistics")
		}
		return s.GetStatisticNames(ctx)
	})
}

//export hudiConnectionReadPartition
func hudiConnectionReadPartition(o *C.struct_AdbcConnection, partition *C.hudi_byte, n C.size_t, out *C.struct_ArrowArrayStream, e *C.struct_AdbcError) C.AdbcStatusCode {
	return answer(o, out, e, func(ctx context.Context, conn adbc.Connection) (array.RecordReader, error) {
		p, err := bytes(partition, n, "the partition")
		if err != nil {
			return nil, err
		}
		return conn.ReadPartition(ctx, p)
	})
}
