package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
)

// A Conn is a connection: statements run on it one after the other, and its
// settings and temporary tables are its own. It is not safe for concurrent use.
type Conn struct {
	engine *Engine
	conn   bindings.Connection
	id     uint64
	open   *Result // the result that still streams
	schema string  // the current one, "" for main
	makes  bool    // it may have tables and views of its own

	settings []string          // statements that set what the shadow must have as well
	prepared map[string]string // lower-case name -> statement
}

// Use makes a schema the one in which names are looked for.
func (c *Conn) Use(schema string) error {
	if schema == c.schema {
		return nil
	}
	name := schema
	if name == "" {
		name = "main"
	}
	if c.engine.options.Catalog != "" {
		name = QuoteName(c.engine.options.Catalog) + "." + QuoteName(name)
	} else {
		name = QuoteName(name)
	}
	if _, err := c.texts("USE " + name); err != nil {
		return err
	}
	c.schema = schema
	return nil
}

// Close ends the connection and the result that it still streams.
func (c *Conn) Close() error {
	if c.conn.Ptr == nil {
		return nil
	}
	if c.open != nil {
		c.open.Close()
	}
	bindings.Disconnect(&c.conn)
	return nil
}

// Exec runs all statements of a text and drops their results.
func (c *Conn) Exec(ctx context.Context, sql string) error {
	s, err := c.Statements(sql)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		r, err := s.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.drain()
		}
		if err != nil {
			return err
		}
	}
}

// Query runs a text of one statement. The result must be closed.
func (c *Conn) Query(ctx context.Context, sql string) (*Result, error) {
	s, err := c.Statements(sql)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.Len() != 1 {
		return nil, fmt.Errorf("duckdb: one statement is wanted, not %d", s.Len())
	}
	return s.Next(ctx)
}

// Statements is a parsed text of statements, each of which runs when it is
// asked for. The zero statements of an empty text are no error.
type Statements struct {
	conn *Conn
	list bindings.ExtractedStatements
	n    int
	next int
	text []string // of each statement; nil where it is not known
	own  bool     // the engine's, not the user's
}

// Statements parses a text. What it returns must be closed.
func (c *Conn) Statements(sql string) (*Statements, error) {
	if c.conn.Ptr == nil {
		return nil, ErrClosed
	}
	s := &Statements{conn: c}
	s.n = int(bindings.ExtractStatements(c.conn, sql, &s.list))
	if s.n == 0 {
		if message := bindings.ExtractStatementsError(s.list); message != "" {
			s.Close()
			return nil, newError(message)
		}
	}
	if s.text = sqltext.Split(sql); len(s.text) != s.n {
		s.text = nil
	}
	return s, nil
}

// Len is the number of statements.
func (s *Statements) Len() int { return s.n }

// Close frees the statements. Results that were given out live on.
func (s *Statements) Close() { bindings.DestroyExtracted(&s.list) }

// Next starts the next statement and gives its result, or io.EOF after the
// last. The result must be read and closed before the next statement.
func (s *Statements) Next(ctx context.Context) (*Result, error) {
	if s.next >= s.n {
		return nil, io.EOF
	}
	if s.conn.open != nil {
		return nil, errors.New("duckdb: the connection still streams a result")
	}
	i := s.next
	s.next++
	r, err := s.bind(ctx, i)
	if err != nil {
		return nil, err
	}
	r.interruptible(func() { err = r.start() })
	if err != nil {
		err = r.cause(err)
		r.Close()
		return nil, err
	}
	if !s.own {
		s.conn.engine.shadow.ran(s.conn, bindings.PreparedStatementType(r.stmt), s.textOf(i))
		s.conn.prepares(s.textOf(i))
	}
	return r, nil
}

// textOf gives the text of a statement, "" if it is not known.
func (s *Statements) textOf(i int) string {
	if s.text == nil {
		return ""
	}
	return s.text[i]
}

// bind prepares a statement. The context is that of its execution and of all
// reading of the result.
func (s *Statements) bind(ctx context.Context, i int) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := s.conn
	hints := ""
	if !s.own {
		if r := c.bindWritten(ctx, s.textOf(i)); r != nil {
			return r, nil
		}
		hints = c.foresee(s.textOf(i))
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Result{conn: c, ctx: ctx, cancel: cancel, hints: hints, prepared: true}
	c.engine.running.Store(c.id, ctx)
	c.open = r
	var err error
	r.interruptible(func() {
		if bindings.PrepareExtractedStatement(c.conn, s.list, bindings.IdxT(i), &r.stmt) == bindings.StateError {
			err = newError(bindings.PrepareError(r.stmt))
		}
	})
	if err != nil {
		err = r.cause(err)
		r.Close()
		return nil, err
	}
	return r, nil
}

// interruptible runs a call into DuckDB and, when the context is done,
// interrupts DuckDB until the call returns.
func (r *Result) interruptible(call func()) {
	done, stopped := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(r.ctx, func() {
		defer close(stopped)
		// DuckDB forgets an interruption that comes just before the query starts.
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			bindings.Interrupt(r.conn.conn)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	call()
	close(done)
	if !stop() {
		<-stopped
	}
}

// cause is the error to report: a cancelled context explains any other.
func (r *Result) cause(err error) error {
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return err
}
