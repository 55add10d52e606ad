package cabi

// The option functions of each kind of object.

// #include "cabi.h"
import "C"

func ofDatabase(o *C.struct_AdbcDatabase) owner {
	return func() (*settings, error) {
		v, err := theDatabase(o)
		if err != nil {
			return nil, err
		}
		return &v.settings, nil
	}
}

//export hudiDatabaseSetOption
func hudiDatabaseSetOption(o *C.struct_AdbcDatabase, key, value *C.hudi_char, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setText(ofDatabase(o), key, value, e)
}

//export hudiDatabaseSetOptionBytes
func hudiDatabaseSetOptionBytes(o *C.struct_AdbcDatabase, key *C.hudi_char, value *C.hudi_byte, n C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setBytes(ofDatabase(o), key, value, n, e)
}

//export hudiDatabaseSetOptionInt
func hudiDatabaseSetOptionInt(o *C.struct_AdbcDatabase, key *C.hudi_char, value C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setInt(ofDatabase(o), key, value, e)
}

//export hudiDatabaseSetOptionDouble
func hudiDatabaseSetOptionDouble(o *C.struct_AdbcDatabase, key *C.hudi_char, value C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setDouble(ofDatabase(o), key, value, e)
}

//export hudiDatabaseGetOption
func hudiDatabaseGetOption(o *C.struct_AdbcDatabase, key *C.hudi_char, value *C.char, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getText(ofDatabase(o), key, value, n, e)
}

//export hudiDatabaseGetOptionBytes
func hudiDatabaseGetOptionBytes(o *C.struct_AdbcDatabase, key *C.hudi_char, value *C.uint8_t, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getBytes(ofDatabase(o), key, value, n, e)
}

//export hudiDatabaseGetOptionInt
func hudiDatabaseGetOptionInt(o *C.struct_AdbcDatabase, key *C.hudi_char, value *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getInt(ofDatabase(o), key, value, e)
}

//export hudiDatabaseGetOptionDouble
func hudiDatabaseGetOptionDouble(o *C.struct_AdbcDatabase, key *C.hudi_char, value *C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getDouble(ofDatabase(o), key, value, e)
}

func ofConnection(o *C.struct_AdbcConnection) owner {
	return func() (*settings, error) {
		v, err := theConnection(o)
		if err != nil {
			return nil, err
		}
		return &v.settings, nil
	}
}

//export hudiConnectionSetOption
func hudiConnectionSetOption(o *C.struct_AdbcConnection, key, value *C.hudi_char, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setText(ofConnection(o), key, value, e)
}

//export hudiConnectionSetOptionBytes
func hudiConnectionSetOptionBytes(o *C.struct_AdbcConnection, key *C.hudi_char, value *C.hudi_byte, n C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setBytes(ofConnection(o), key, value, n, e)
}

//export hudiConnectionSetOptionInt
func hudiConnectionSetOptionInt(o *C.struct_AdbcConnection, key *C.hudi_char, value C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setInt(ofConnection(o), key, value, e)
}

//export hudiConnectionSetOptionDouble
func hudiConnectionSetOptionDouble(o *C.struct_AdbcConnection, key *C.hudi_char, value C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setDouble(ofConnection(o), key, value, e)
}

//export hudiConnectionGetOption
func hudiConnectionGetOption(o *C.struct_AdbcConnection, key *C.hudi_char, value *C.char, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getText(ofConnection(o), key, value, n, e)
}

//export hudiConnectionGetOptionBytes
func hudiConnectionGetOptionBytes(o *C.struct_AdbcConnection, key *C.hudi_char, value *C.uint8_t, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getBytes(ofConnection(o), key, value, n, e)
}

//export hudiConnectionGetOptionInt
func hudiConnectionGetOptionInt(o *C.struct_AdbcConnection, key *C.hudi_char, value *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getInt(ofConnection(o), key, value, e)
}

//export hudiConnectionGetOptionDouble
func hudiConnectionGetOptionDouble(o *C.struct_AdbcConnection, key *C.hudi_char, value *C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getDouble(ofConnection(o), key, value, e)
}

func ofStatement(o *C.struct_AdbcStatement) owner {
	return func() (*settings, error) {
		v, err := theStatement(o)
		if err != nil {
			return nil, err
		}
		return &v.settings, nil
	}
}

//export hudiStatementSetOption
func hudiStatementSetOption(o *C.struct_AdbcStatement, key, value *C.hudi_char, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setText(ofStatement(o), key, value, e)
}

//export hudiStatementSetOptionBytes
func hudiStatementSetOptionBytes(o *C.struct_AdbcStatement, key *C.hudi_char, value *C.hudi_byte, n C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setBytes(ofStatement(o), key, value, n, e)
}

//export hudiStatementSetOptionInt
func hudiStatementSetOptionInt(o *C.struct_AdbcStatement, key *C.hudi_char, value C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setInt(ofStatement(o), key, value, e)
}

//export hudiStatementSetOptionDouble
func hudiStatementSetOptionDouble(o *C.struct_AdbcStatement, key *C.hudi_char, value C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return setDouble(ofStatement(o), key, value, e)
}

//export hudiStatementGetOption
func hudiStatementGetOption(o *C.struct_AdbcStatement, key *C.hudi_char, value *C.char, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getText(ofStatement(o), key, value, n, e)
}

//export hudiStatementGetOptionBytes
func hudiStatementGetOptionBytes(o *C.struct_AdbcStatement, key *C.hudi_char, value *C.uint8_t, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getBytes(ofStatement(o), key, value, n, e)
}

//export hudiStatementGetOptionInt
func hudiStatementGetOptionInt(o *C.struct_AdbcStatement, key *C.hudi_char, value *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getInt(ofStatement(o), key, value, e)
}

//export hudiStatementGetOptionDouble
func hudiStatementGetOptionDouble(o *C.struct_AdbcStatement, key *C.hudi_char, value *C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return getDouble(ofStatement(o), key, value, e)
}
