package duckdb

import "strings"

// An Error is an error of DuckDB: of the statement, or of running it.
type Error struct {
	// Kind is DuckDB's class, as "Binder Error"; "" if the text has none.
	Kind string
	// Message is the rest, which may have several lines: the place in the
	// statement, candidates for a wrong name.
	Message string
}

// Error gives the whole text.
func (e *Error) Error() string {
	if e.Kind == "" {
		return e.Message
	}
	return e.Kind + ": " + e.Message
}

func newError(text string) *Error {
	text = strings.TrimSpace(text)
	if kind, rest, ok := strings.Cut(text, ": "); ok && strings.HasSuffix(kind, "Error") && !strings.ContainsAny(kind, "\n:") {
		return &Error{Kind: kind, Message: rest}
	}
	if text == "" {
		text = "duckdb: unknown error"
	}
	return &Error{Message: text}
}
