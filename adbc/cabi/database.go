package cabi

// #include "cabi.h"
import "C"

import (
	"context"

	"github.com/apache/arrow-adbc/go/adbc"
)

type database struct {
	settings
	db adbc.Database // nil before Init
}

func theDatabase(o *C.struct_AdbcDatabase) (*database, error) {
	if err := present(o, "the database"); err != nil {
		return nil, err
	}
	return get[database](&o.private_data, "database")
}

//export hudiDatabaseNew
func hudiDatabaseNew(o *C.struct_AdbcDatabase, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		if err := present(o, "the database"); err != nil {
			return err
		}
		put(&o.private_data, &database{settings: settings{pending: map[string]string{}}})
		return nil
	})
}

//export hudiDatabaseInit
func hudiDatabaseInit(o *C.struct_AdbcDatabase, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		d, err := theDatabase(o)
		if err != nil {
			return err
		}
		if d.db != nil {
			return failure(adbc.StatusInvalidState, "the database is initialized already")
		}
		if driver == nil {
			return failure(adbc.StatusInternal, "the library was built without a driver")
		}
		db, err := driver.NewDatabase(d.pending)
		if err != nil {
			return err
		}
		initLoggingFromEnv(db)
		d.db, d.target, d.pending = db, db, nil
		return nil
	})
}

//export hudiDatabaseRelease
func hudiDatabaseRelease(o *C.struct_AdbcDatabase, e *C.struct_AdbcError) C.AdbcStatusCode {
	return call(e, func() error {
		if err := present(o, "the database"); err != nil {
			return err
		}
		d, err := take[database](&o.private_data, "database")
		if err != nil || d.db == nil {
			return err
		}
		return d.db.Close()
	})
}

// open opens a connection and gives it the options that it was to have.
func (d *database) open(ctx context.Context, options map[string]string) (adbc.Connection, error) {
	if d.db == nil {
		return nil, failure(adbc.StatusInvalidState, "the database is not initialized")
	}
	conn, err := d.db.Open(ctx)
	if err != nil {
		return nil, err
	}
	set := settings{target: conn}
	for key, value := range options {
		if err := set.set(key, value); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return conn, nil
}
