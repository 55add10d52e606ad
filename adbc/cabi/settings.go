package cabi

// #include <string.h>
// #include "cabi.h"
import "C"

import (
	"strconv"
	"unsafe"

	"github.com/apache/arrow-adbc/go/adbc"
)

// settings are the options of an object. Those of a database or connection that
// is not open yet are kept as text.
type settings struct {
	pending map[string]string // nil once there is a target
	target  any               // the driver's object
}

func (s *settings) full(what string) (adbc.GetSetOptions, error) {
	if o, ok := s.target.(adbc.GetSetOptions); ok {
		return o, nil
	}
	return nil, unsupported(what)
}

func (s *settings) set(key, value string) error {
	if s.target == nil {
		s.pending[key] = value
		return nil
	}
	if o, ok := s.target.(adbc.PostInitOptions); ok {
		return o.SetOption(key, value)
	}
	if o, ok := s.target.(adbc.Database); ok {
		return o.SetOptions(map[string]string{key: value})
	}
	if o, ok := s.target.(adbc.Statement); ok {
		return o.SetOption(key, value)
	}
	return unsupported("options that can be set")
}

func (s *settings) setBytes(key string, value []byte) error {
	if s.target == nil {
		return s.set(key, string(value))
	}
	o, err := s.full("options of bytes")
	if err != nil {
		return err
	}
	return o.SetOptionBytes(key, value)
}

func (s *settings) setInt(key string, value int64) error {
	if s.target == nil {
		return s.set(key, strconv.FormatInt(value, 10))
	}
	o, err := s.full("options of whole numbers")
	if err != nil {
		return err
	}
	return o.SetOptionInt(key, value)
}

func (s *settings) setDouble(key string, value float64) error {
	if s.target == nil {
		return s.set(key, strconv.FormatFloat(value, 'g', -1, 64))
	}
	o, err := s.full("options of numbers")
	if err != nil {
		return err
	}
	return o.SetOptionDouble(key, value)
}

// known gives the text of an option that was set before there is a target.
func (s *settings) known(key string) (string, error) {
	if value, ok := s.pending[key]; ok {
		return value, nil
	}
	return "", failure(adbc.StatusNotFound, "option %s is not set", key)
}

func (s *settings) get(key string) (string, error) {
	if s.target == nil {
		return s.known(key)
	}
	o, err := s.full("options that can be read")
	if err != nil {
		return "", err
	}
	return o.GetOption(key)
}

func (s *settings) getBytes(key string) ([]byte, error) {
	if s.target == nil {
		value, err := s.known(key)
		return []byte(value), err
	}
	o, err := s.full("options that can be read")
	if err != nil {
		return nil, err
	}
	return o.GetOptionBytes(key)
}

func (s *settings) getInt(key string) (int64, error) {
	if s.target == nil {
		value, err := s.known(key)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0, failure(adbc.StatusInvalidArgument, "option %s is %q, which is not a whole number", key, value)
		}
		return n, nil
	}
	o, err := s.full("options that can be read")
	if err != nil {
		return 0, err
	}
	return o.GetOptionInt(key)
}

func (s *settings) getDouble(key string) (float64, error) {
	if s.target == nil {
		value, err := s.known(key)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, failure(adbc.StatusInvalidArgument, "option %s is %q, which is not a number", key, value)
		}
		return n, nil
	}
	o, err := s.full("options that can be read")
	if err != nil {
		return 0, err
	}
	return o.GetOptionDouble(key)
}

// An owner finds the settings of a C object.
type owner = func() (*settings, error)

// option runs what an exported function does to an option.
func option(of owner, key *C.hudi_char, e *C.struct_AdbcError, f func(s *settings, key string) error) C.AdbcStatusCode {
	return call(e, func() error {
		s, err := of()
		if err != nil {
			return err
		}
		name, err := must(key, "the option's name")
		if err != nil {
			return err
		}
		return f(s, name)
	})
}

func setText(of owner, key, value *C.hudi_char, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error {
		v, err := must(value, "the option's value")
		if err != nil {
			return err
		}
		return s.set(name, v)
	})
}

func setBytes(of owner, key *C.hudi_char, value *C.hudi_byte, n C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error {
		v, err := bytes(value, n, "the option's value")
		if err != nil {
			return err
		}
		return s.setBytes(name, v)
	})
}

func getText(of owner, key *C.hudi_char, value *C.char, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error {
		v, err := s.get(name)
		if err != nil {
			return err
		}
		return fill(unsafe.Pointer(value), n, append([]byte(v), 0))
	})
}

func getBytes(of owner, key *C.hudi_char, value *C.uint8_t, n *C.size_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error {
		v, err := s.getBytes(name)
		if err != nil {
			return err
		}
		return fill(unsafe.Pointer(value), n, v)
	})
}

// fill copies a value into the caller's memory if there is room for all of it,
// and says how long it is.
func fill(to unsafe.Pointer, n *C.size_t, value []byte) error {
	if err := present(n, "the length of the value"); err != nil {
		return err
	}
	room := int(*n)
	*n = C.size_t(len(value))
	if len(value) == 0 || len(value) > room {
		return nil
	}
	if err := present((*byte)(to), "the room for the value"); err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(to), room), value)
	return nil
}

// number reads or writes an option that is a number of C.
func number[T any](of owner, key *C.hudi_char, to *T, e *C.struct_AdbcError, f func(s *settings, key string) (T, error)) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error {
		if err := present(to, "the room for the value"); err != nil {
			return err
		}
		v, err := f(s, name)
		if err == nil {
			*to = v
		}
		return err
	})
}

func getInt(of owner, key *C.hudi_char, to *C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return number(of, key, to, e, func(s *settings, name string) (C.int64_t, error) {
		v, err := s.getInt(name)
		return C.int64_t(v), err
	})
}

func getDouble(of owner, key *C.hudi_char, to *C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return number(of, key, to, e, func(s *settings, name string) (C.double, error) {
		v, err := s.getDouble(name)
		return C.double(v), err
	})
}

func setInt(of owner, key *C.hudi_char, value C.int64_t, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error { return s.setInt(name, int64(value)) })
}

func setDouble(of owner, key *C.hudi_char, value C.double, e *C.struct_AdbcError) C.AdbcStatusCode {
	return option(of, key, e, func(s *settings, name string) error { return s.setDouble(name, float64(value)) })
}
