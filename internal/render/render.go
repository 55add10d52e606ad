// Package render writes Arrow record batches in the forms that people and
// programs read: tables for eyes, CSV, JSON lines, Arrow IPC streams and
// Parquet files.
//
// A [Writer] takes batches as they come, so results of any size pass through;
// only the table holds rows back, a page at a time, to find the widths of its
// columns. The text forms agree on how a value is spelled:
//
//	NULL           table: NULL (the text NULL is 'NULL'); CSV: nothing (the empty string is ""); JSON: null
//	numbers        exact: all digits of 64-bit integers and decimals; floats as
//	               short as they can be read back, never looking like integers
//	               (9.0); JSON has strings for NaN and the infinities
//	date, time     2024-01-31, 23:59:59.5
//	timestamp      2024-01-31 23:59:59.5, with time zone 2024-01-31 23:59:59.5Z;
//	               JSON has a T between date and time
//	interval       1 year 2 months 3 days 04:05:06.5, as DuckDB spells it
//	binary         hexadecimal digits
//	nested         JSON; maps are objects, whatever the type of the keys
//
// Timestamps with a time zone are shown in UTC.
package render

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/internal/batch"
)

// A Format is a form of output.
type Format string

// The formats.
const (
	Table   Format = "table"
	CSV     Format = "csv"
	JSON    Format = "json"
	Arrow   Format = "arrow"
	Parquet Format = "parquet"
)

// Formats are all formats, in the order in which help texts list them.
var Formats = []Format{Table, CSV, JSON, Arrow, Parquet}

// ParseFormat reads a format's name; only those in the list are allowed.
func ParseFormat(name string, allowed ...Format) (Format, error) {
	if slices.Contains(allowed, Format(name)) {
		return Format(name), nil
	}
	names := make([]string, len(allowed))
	for i, f := range allowed {
		names[i] = string(f)
	}
	return "", fmt.Errorf("output format %q is not known: use %s", name, strings.Join(names, ", "))
}

// Binary tells whether the format is not for a terminal.
func (f Format) Binary() bool { return f == Arrow || f == Parquet }

// Options say how a result is written.
type Options struct {
	// Width is how many columns of characters a table may take; 0 for any.
	Width int
	// Color allows escape sequences in tables.
	Color bool
	// Quiet leaves out the line below a table that counts the rows.
	Quiet bool
}

// A Writer writes one result. Close writes what is held back; nothing is
// complete before. Neither closes what it writes to.
type Writer interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// New makes the writer of a format.
func New(f Format, w io.Writer, s *arrow.Schema, o Options) (Writer, error) {
	switch f {
	case Table:
		return newTable(w, s, o), nil
	case CSV:
		return newCSV(w, s), nil
	case JSON:
		return newJSON(w, s), nil
	case Arrow:
		return newArrow(w, s), nil
	case Parquet:
		return newParquet(w, s)
	}
	return nil, fmt.Errorf("output format %q is not known", f)
}

// Copy writes all batches of a reader and closes the writer. It gives the
// number of rows. The reader is not closed.
func Copy(w Writer, r batch.Reader) (rows int64, err error) {
	for {
		b, err := r.Next()
		if err == io.EOF {
			return rows, w.Close()
		}
		if err == nil {
			rows += b.NumRows()
			err = w.Write(b)
			b.Release()
		}
		if err != nil {
			return rows, errors.Join(err, abandon(w))
		}
	}
}

// Value spells one value as tables do, without care for control characters.
func Value(a arrow.Array, row int) string {
	if isNull(a, row) {
		return null
	}
	return string(plain.cellOf(a)(nil, row))
}

// abandon frees what a writer holds without completing its output.
func abandon(w Writer) error {
	if a, ok := w.(interface{ abandon() }); ok {
		a.abandon()
	}
	return nil
}
