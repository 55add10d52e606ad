package snapshot

import (
	"errors"
	"io/fs"
	"strings"
)

// What a [TableError] is about; ask with errors.Is.
var (
	// ErrNotTable: the folder is no Hudi table.
	ErrNotTable = errors.New("not a Hudi table")
	// ErrUnsupported: the table uses something that this reader does not
	// read. Its rows would be wrong, so it is refused.
	ErrUnsupported = errors.New("not supported")
	// ErrCorrupt: metadata of the table can't be read as what it should be.
	ErrCorrupt = errors.New("corrupt table metadata")
	// ErrTimeTravel: the table can't be shown as of the wanted time.
	ErrTimeTravel = errors.New("no such point in time")
	// ErrStale: files of the snapshot were removed since it was opened. A new
	// snapshot can be read.
	ErrStale = errors.New("snapshot is stale")
)

// A TableError says what is wrong with a table: where, and what to do. Its
// text is one line.
type TableError struct {
	Table   string // root of the table's storage
	File    string // path relative to the table, "" if no single file is at fault
	Instant string // "" if no instant is at fault
	Key     string // config key, "" if none is at fault
	Kind    error  // one of the Err values of this package, or nil
	Reason  string // what is wrong and the way out
	Err     error  // cause, or nil
}

func (e *TableError) Error() string {
	var b strings.Builder
	b.WriteString("hudi table ")
	b.WriteString(e.Table)
	for _, part := range [...]struct{ name, value string }{
		{"file", e.File}, {"instant", e.Instant}, {"config key", e.Key},
	} {
		if part.value != "" {
			b.WriteString(", " + part.name + " " + part.value)
		}
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	} else if e.Kind != nil {
		b.WriteString(": " + e.Kind.Error())
	}
	if e.Err != nil {
		b.WriteString(": " + e.cause())
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// cause is the text of the cause without the file, which is named already: what
// reads files names them in errors, as others do not.
func (e *TableError) cause() string {
	text := e.Err.Error()
	if e.File == "" {
		return text
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, e.File+": "), ": "+e.File+": ", ": ")
}

// Unwrap gives the kind and the cause.
func (e *TableError) Unwrap() []error {
	var all []error
	for _, err := range [...]error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// absent tells whether err says that a file or folder is not there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
