package adbc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/incremental"
	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/snapshot"
)

// SQLSTATEs of errors.
const (
	stateReadOnly     = "25006"
	stateUnsupported  = "0A000"
	stateNoTable      = "42S02"
	stateNoColumn     = "42S22"
	stateSyntax       = "42601"
	stateNoFunction   = "42883"
	stateParameters   = "07001"
	stateCancelled    = "57014"
	stateNoSchema     = "3F000"
	stateNoCatalog    = "3D000"
	stateOutOfRange   = "22003"
	stateBadText      = "22018"
	stateForbidden    = "42501"
	stateMemory       = "53200"
	stateIO           = "58030"
	stateCorrupt      = "XX001"
	stateBadStatement = "42000"
)

// errorf makes an error of a status. The message becomes one line.
func errorf(code adbc.Status, format string, args ...any) error {
	return sqlErrorf(code, "", format, args...)
}

// sqlErrorf makes an error of a status and a SQLSTATE.
func sqlErrorf(code adbc.Status, state string, format string, args ...any) error {
	e := adbc.Error{Code: code, Msg: "[hudi] " + oneLine(fmt.Sprintf(format, args...))}
	copy(e.SqlState[:], state)
	return e
}

// oneLine joins the lines of a message, without the one that points at a place
// with a caret.
func oneLine(text string) string {
	var parts []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" && line != "^" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

func readOnly(what string) error {
	return sqlErrorf(adbc.StatusNotImplemented, stateReadOnly, "%s: tables are read, never written", what)
}

// wrap gives an error its status. An error that has one is left alone.
func wrap(err error) error {
	var known adbc.Error
	var engine *duckdb.Error
	var syntax *pushdown.SyntaxError
	var lost *incremental.LostError
	var crash *guard.PanicError
	var option *provider.OptionError
	var condition *pushdown.BindError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return sqlErrorf(adbc.StatusCancelled, stateCancelled, "the statement was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return sqlErrorf(adbc.StatusTimeout, stateCancelled, "the statement ran out of time")
	case errors.As(err, &crash):
		return errorf(adbc.StatusInternal, "%v", err)
	case errors.As(err, &engine):
		code, state := ofEngine(engine)
		return sqlErrorf(code, state, "%v", err)
	case errors.As(err, &syntax):
		return sqlErrorf(adbc.StatusInvalidArgument, stateSyntax, "%v", err)
	case errors.As(err, &lost):
		return errorf(adbc.StatusNotFound, "%v", err)
	case errors.As(err, &option):
		return errorf(adbc.StatusInvalidArgument, "%v", err)
	case errors.Is(err, pushdown.ErrSubstrait):
		return errorf(adbc.StatusInvalidArgument, "option %s is no serialized extended expression: %v", OptionFilter, err)
	case errors.As(err, &condition):
		return ofCondition(err, condition)
	}
	code, state := ofTable(err)
	return sqlErrorf(code, state, "%v", err)
}

// ofCondition gives an error its status that is about a condition which came
// as Substrait: what is wrong in one of SQL, DuckDB tells.
func ofCondition(err error, condition *pushdown.BindError) error {
	var unknown *pushdown.UnknownColumnError
	switch _, opaque := condition.Predicate.(pushdown.Opaque); {
	case opaque:
		return sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "%v: write it in SQL", err)
	case errors.As(err, &unknown):
		return sqlErrorf(adbc.StatusInvalidArgument, stateNoColumn, "%v", err)
	}
	return sqlErrorf(adbc.StatusInvalidArgument, stateBadStatement, "%v", err)
}

// ofTable is the status of an error of reading a table.
func ofTable(err error) (adbc.Status, string) {
	switch {
	case errors.Is(err, snapshot.ErrNotTable):
		return adbc.StatusNotFound, stateNoTable
	case errors.Is(err, snapshot.ErrUnsupported), errors.Is(err, errors.ErrUnsupported):
		return adbc.StatusNotImplemented, stateUnsupported
	case errors.Is(err, snapshot.ErrTimeTravel):
		return adbc.StatusNotFound, ""
	case errors.Is(err, snapshot.ErrStale):
		return adbc.StatusInvalidState, ""
	case errors.Is(err, snapshot.ErrCorrupt):
		return adbc.StatusInvalidData, stateCorrupt
	case errors.Is(err, fs.ErrNotExist):
		return adbc.StatusNotFound, stateIO
	case errors.Is(err, fs.ErrPermission):
		return adbc.StatusUnauthorized, stateForbidden
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return adbc.StatusIO, stateIO
	}
	return adbc.StatusInternal, ""
}

// ofEngine is the status of an error of DuckDB.
func ofEngine(e *duckdb.Error) (adbc.Status, string) {
	switch e.Kind {
	case "Parser Error", "Syntax Error":
		return adbc.StatusInvalidArgument, stateSyntax
	case "Catalog Error":
		switch {
		case strings.HasPrefix(e.Message, "Table with name"):
			return adbc.StatusNotFound, stateNoTable
		case strings.Contains(e.Message, "Function with name"):
			return adbc.StatusNotFound, stateNoFunction
		}
		return adbc.StatusNotFound, stateBadStatement
	case "Binder Error":
		if strings.Contains(e.Message, "column") {
			return adbc.StatusInvalidArgument, stateNoColumn
		}
		return adbc.StatusInvalidArgument, stateBadStatement
	case "Conversion Error":
		return adbc.StatusInvalidData, stateBadText
	case "Out of Range Error":
		return adbc.StatusInvalidData, stateOutOfRange
	case "Invalid Input Error":
		if strings.HasPrefix(e.Message, "hudi table ") { // of reading it
			return adbc.StatusIO, stateIO
		}
		return adbc.StatusInvalidArgument, stateBadStatement
	case "Not implemented Error":
		return adbc.StatusNotImplemented, stateUnsupported
	case "IO Error":
		return adbc.StatusIO, stateIO
	case "Permission Error":
		return adbc.StatusUnauthorized, stateForbidden
	case "Out of Memory Error":
		return adbc.StatusInternal, stateMemory
	case "INTERRUPT Error":
		return adbc.StatusCancelled, stateCancelled
	}
	return adbc.StatusInternal, ""
}
