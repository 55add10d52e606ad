package adbc

import (
	"strconv"
	"sync"

	"github.com/apache/arrow-adbc/go/adbc"
)

// An option is a setting that has a name. All values are text.
type option struct {
	get func() (string, error)
	set func(string) error // nil: can only be read
}

// locked makes an option safe for concurrent use; changed, if set, is told of
// new values, under the lock.
func (o option) locked(mu *sync.Mutex, changed func()) option {
	get, set := o.get, o.set
	o.get = func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		return get()
	}
	if set != nil {
		o.set = func(v string) error {
			mu.Lock()
			defer mu.Unlock()
			err := set(v)
			if err == nil && changed != nil {
				changed()
			}
			return err
		}
	}
	return o
}

// options are the settings of a database, a connection or a statement.
type options struct {
	of    string // for messages
	known func(key string) (option, bool)
}

// SetOption sets an option; one that is not known is an error of status NotImplemented.
func (o *options) SetOption(key, value string) error {
	known, ok := o.known(key)
	if !ok {
		return errorf(adbc.StatusNotImplemented, "option %s of a %s is not known", key, o.of)
	}
	if known.set == nil {
		return errorf(adbc.StatusNotImplemented, "option %s of a %s can only be read", key, o.of)
	}
	return known.set(value)
}

// SetOptionBytes sets an option to a text given as bytes.
func (o *options) SetOptionBytes(key string, value []byte) error {
	return o.SetOption(key, string(value))
}

// SetOptionInt sets an option to a number.
func (o *options) SetOptionInt(key string, value int64) error {
	return o.SetOption(key, strconv.FormatInt(value, 10))
}

// SetOptionDouble sets an option to a number.
func (o *options) SetOptionDouble(key string, value float64) error {
	return o.SetOption(key, strconv.FormatFloat(value, 'g', -1, 64))
}

// GetOption gives the value of an option; one that is not known is an error of status NotFound.
func (o *options) GetOption(key string) (string, error) {
	known, ok := o.known(key)
	if !ok {
		return "", errorf(adbc.StatusNotFound, "option %s of a %s is not known", key, o.of)
	}
	return known.get()
}

// GetOptionBytes gives the text of an option as bytes.
func (o *options) GetOptionBytes(key string) ([]byte, error) {
	value, err := o.GetOption(key)
	return []byte(value), err
}

// GetOptionInt gives an option that is a whole number.
func (o *options) GetOptionInt(key string) (int64, error) {
	value, err := o.GetOption(key)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, errorf(adbc.StatusInvalidArgument, "option %s is %q, which is not a whole number", key, value)
	}
	return n, nil
}

// GetOptionDouble gives an option that is a number.
func (o *options) GetOptionDouble(key string) (float64, error) {
	value, err := o.GetOption(key)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, errorf(adbc.StatusInvalidArgument, "option %s is %q, which is not a number", key, value)
	}
	return n, nil
}
