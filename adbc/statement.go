package adbc

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/internal/batch"
	"github.com/hudi-go/hudi/pushdown"
)

// A statement is SQL, or a Substrait plan. It is used by one goroutine at a
// time; options may be read meanwhile.
type statement struct {
	options
	conn *connection

	mu       sync.Mutex // of what options read
	settings settings
	progress progress
	found    latest

	closed   bool
	sql      string
	selected *pushdown.Select // of a Substrait plan; nil for SQL
	bound    *parameters
	named    bool         // values are bound by name
	about    *description // of sql; nil until it is needed
}

// optionBindByName says that parameters take the values of their names; ADBC's
// Go package has no name for it yet.
const optionBindByName = "adbc.statement.bind_by_name"

// A description is what DuckDB tells of a statement with parameters.
type description struct {
	parameters *arrow.Schema
	columns    *arrow.Schema
}

var (
	_ adbc.GetSetOptions          = (*statement)(nil)
	_ adbc.StatementExecuteSchema = (*statement)(nil)
)

func newStatement(c *connection, set settings) *statement {
	s := &statement{conn: c, settings: set}
	s.options = options{of: "statement", known: s.option}
	return s
}

func (s *statement) option(key string) (option, bool) {
	o, ok := option{}, true
	switch {
	case key == adbc.OptionKeyProgress:
		o.get = s.progress.fraction
	case key == adbc.OptionKeyMaxProgress:
		o.get = func() (string, error) { return "1", nil }
	case key == adbc.OptionKeyIncremental:
		o = fixedOption(key, false, "partition that comes later")
	case key == optionBindByName:
		o = flagOption(key, &s.named)
		set := o.set
		o.set = func(v string) error {
			err := set(v)
			if s.bound != nil {
				s.bound.named = s.named
			}
			return err
		}
	case key == OptionFilter:
		o = textOption(&s.settings.filter)
	case strings.HasPrefix(key, "adbc.ingest."):
		o.get = func() (string, error) { return "", errorf(adbc.StatusNotFound, "option %s is not set", key) }
		o.set = func(string) error { return readOnly("bulk ingest (option " + key + ")") }
	default:
		if o, ok = s.found.option(key); !ok {
			o, ok = s.settings.option(key)
		}
	}
	return o.locked(&s.mu, nil), ok
}

// SetSqlQuery sets the statement's SQL.
func (s *statement) SetSqlQuery(query string) error {
	if s.closed {
		return errClosedStatement
	}
	s.set(query, nil)
	return nil
}

// set takes another query. Values that were bound are those of the one before.
func (s *statement) set(query string, selected *pushdown.Select) {
	s.sql, s.selected, s.about = query, selected, nil
	s.bound.release()
	s.bound = nil
}

var errClosedStatement = errorf(adbc.StatusInvalidState, "the statement is closed")

// Bind sets the values of parameters. A statement is executed for each row, and
// gives the rows of all.
func (s *statement) Bind(_ context.Context, values arrow.RecordBatch) error {
	if s.closed {
		return errClosedStatement
	}
	values.Retain()
	s.bound.release()
	s.bound = &parameters{values.Schema(), []arrow.RecordBatch{values}, s.named}
	return nil
}

// BindStream is Bind for the batches of a stream, which are read at once.
func (s *statement) BindStream(_ context.Context, stream array.RecordReader) error {
	if s.closed {
		return errClosedStatement
	}
	p := &parameters{schema: stream.Schema(), named: s.named}
	for stream.Next() {
		b := stream.RecordBatch()
		b.Retain()
		p.batches = append(p.batches, b)
	}
	if err := stream.Err(); err != nil {
		p.release()
		return errorf(adbc.StatusInvalidArgument, "the stream of parameters: %v", err)
	}
	s.bound.release()
	s.bound = p
	return nil
}

// Prepare finds out whether the statement can be run.
func (s *statement) Prepare(ctx context.Context) error {
	if s.selected != nil || parsePlain(s.sql) != nil {
		_, err := s.ExecuteSchema(ctx)
		return err
	}
	_, err := s.describe(describing(ctx))
	return err
}

// GetParameterSchema gives the types of parameters that DuckDB expects.
func (s *statement) GetParameterSchema() (*arrow.Schema, error) {
	if s.selected != nil {
		return arrow.NewSchema(nil, nil), nil
	}
	d, err := s.describe(describing(context.Background()))
	if err != nil {
		return nil, err
	}
	return d.parameters, nil
}

// describe binds the statement without values of parameters.
func (s *statement) describe(ctx context.Context) (*description, error) {
	if s.about != nil {
		return s.about, nil
	}
	e, current, _, err := s.begin(ctx)
	if err != nil {
		return nil, wrap(err)
	}
	defer e.release()
	var d description
	err = e.bound(ctx, s.sql, func() error {
		c, err := e.connect(ctx, s.sql)
		if err != nil {
			return err
		}
		defer e.put(c)
		r, err := prepareOn(ctx, c, s.sql, current)
		if err != nil {
			return err
		}
		defer r.Close()
		d.columns = r.Schema()
		d.parameters, err = r.Parameters()
		return err
	})
	if err != nil {
		return nil, wrap(err)
	}
	s.about = &d
	return s.about, nil
}

// begin gives the engine to run the statement on, which the caller releases,
// the current schema and the settings.
func (s *statement) begin(ctx context.Context) (*engine, string, settings, error) {
	if s.closed {
		return nil, "", settings{}, errClosedStatement
	}
	_, current, err := s.conn.state()
	if err != nil {
		return nil, "", settings{}, err
	}
	if s.sql == "" && s.selected == nil {
		return nil, "", settings{}, errorf(adbc.StatusInvalidState, "the statement has no query: call SetSqlQuery or SetSubstraitPlan first")
	}
	if s.selected == nil {
		if word := firstWord(s.sql); writing[word] {
			return nil, "", settings{}, readOnly(word)
		}
	}
	s.mu.Lock()
	set := s.settings
	s.mu.Unlock()
	sql := s.sql
	if set.deletes {
		sql = operation.ReplaceAllString(sql, "")
	}
	set.meta = set.meta || s.selected == nil && duckdb.NamesMeta(sql)
	e, err := s.conn.db.engine(ctx, set.view)
	return e, current, set, err
}

// operation is the column of changes with deletes, which comes without Hudi's
// other ones.
var operation = regexp.MustCompile(`(?i)\b_hoodie_operation\b`)

// ExecuteQuery starts the statement. Nothing is read before the reader is asked
// for its first batch; the context is that of all reading.
func (s *statement) ExecuteQuery(ctx context.Context) (array.RecordReader, int64, error) {
	found, ctx := s.noting(ctx)
	e, current, set, err := s.begin(ctx)
	if err != nil {
		return nil, -1, wrap(err)
	}
	r, err := s.start(ctx, e, current, set, true)
	if err != nil {
		e.release()
		return nil, -1, wrap(err)
	}
	return newStream(r, found.stream(e.release)), -1, nil
}

// noting begins an execution: its context notes what is found.
func (s *statement) noting(ctx context.Context) (*findings, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found.start(ctx)
}

// ExecuteUpdate runs the statement and drops its rows.
func (s *statement) ExecuteUpdate(ctx context.Context) (int64, error) {
	r, _, err := s.ExecuteQuery(ctx)
	if err != nil {
		return -1, err
	}
	defer r.Release()
	for r.Next() {
	}
	return -1, r.Err()
}

// ExecuteSchema gives the schema that ExecuteQuery's reader will have.
func (s *statement) ExecuteSchema(ctx context.Context) (*arrow.Schema, error) {
	ctx = describing(ctx)
	e, current, set, err := s.begin(ctx)
	if err != nil {
		return nil, wrap(err)
	}
	defer e.release()
	r, err := s.start(ctx, e, current, set, false)
	if err != nil {
		return nil, wrap(err)
	}
	defer r.Close()
	return r.Schema(), nil
}

// start makes the reader of the rows. Where it is not to be read, parameters
// need no values.
func (s *statement) start(ctx context.Context, e *engine, current string, set settings, read bool) (batch.Reader, error) {
	if s.selected != nil {
		var out batch.Reader
		err := e.bound(ctx, strings.Join(s.selected.Table, "."), func() (err error) {
			out, err = s.scan(ctx, e, s.selected, current, set)
			return err
		})
		return out, notAScan(err, "this Substrait plan can't be run%s; send SQL")
	}
	one := func(ctx context.Context, sql string, names *arrow.Schema) (batch.Reader, error) {
		return s.answer(ctx, e, sql, current, set, names)
	}
	if s.bound != nil {
		return s.startBound(ctx, e, current, one)
	}
	_, n, err := duckdb.SubstituteParameters(s.sql, func(int, string) (string, error) { return "", nil })
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return one(ctx, s.sql, nil)
	case read:
		return nil, sqlErrorf(adbc.StatusInvalidState, stateParameters, "the statement has %d parameters, none is bound", n)
	}
	d, err := s.describe(ctx)
	if err != nil {
		return nil, err
	}
	p := &parameters{schema: d.parameters}
	text, err := p.sample(s.sql)
	if err != nil {
		return nil, err
	}
	return one(ctx, text, s.names(ctx, e, current, d, p))
}

// names gives the names of columns with the parameters in them, not their
// values; nil where there is none to be had.
func (s *statement) names(ctx context.Context, e *engine, current string, d *description, p *parameters) *arrow.Schema {
	if d.columns.NumFields() != 1 || d.columns.Field(0).Type.ID() != arrow.NULL {
		return d.columns
	}
	// DuckDB tells nothing of a statement with parameters of any type.
	text, err := p.nulls(s.sql)
	if err != nil {
		return nil
	}
	var names *arrow.Schema
	err = e.bound(ctx, text, func() error {
		r, err := e.query(ctx, text, current, nil)
		if err != nil {
			return err
		}
		defer r.Close()
		fields := r.Schema().Fields()
		for i := range fields {
			fields[i].Name = castNull.ReplaceAllString(fields[i].Name, "?")
		}
		names = arrow.NewSchema(fields, nil)
		return nil
	})
	if err != nil {
		return nil
	}
	return names
}

// castNull is what a parameter of [parameters.nulls] looks like in a name.
var castNull = regexp.MustCompile(`CAST\(NULL AS ("[^"]*"|[^()]*(\([^()]*\))?[^()]*)\)`)

// startBound runs the statement for each row of parameters.
func (s *statement) startBound(ctx context.Context, e *engine, current string, one func(context.Context, string, *arrow.Schema) (batch.Reader, error)) (batch.Reader, error) {
	p, rows := s.bound, s.bound.rows()
	var first string
	var err error
	if rows == 0 {
		first, err = p.sample(s.sql)
	} else {
		first, err = p.text(s.sql, 0)
	}
	if err != nil {
		return nil, err
	}
	var names *arrow.Schema
	if parsePlain(first) == nil {
		d, err := s.describe(ctx)
		if err != nil {
			return nil, err
		}
		names = s.names(ctx, e, current, d, p)
	}
	r, err := one(ctx, first, names)
	if err != nil || rows == 1 {
		return r, err
	}
	if rows == 0 {
		defer r.Close()
		return batch.Empty(r.Schema()), nil
	}
	sql, held, next := s.sql, p.clone(), 1
	return &chain{ctx: ctx, schema: r.Schema(), now: r, done: held.release, more: func(ctx context.Context) (batch.Reader, error) {
		if next == rows {
			return nil, io.EOF
		}
		text, err := held.text(sql, next)
		if err != nil {
			return nil, err
		}
		next++
		return one(ctx, text, names)
	}}, nil
}

// answer runs SQL without parameters: by a plain scan if that has the answer,
// else on DuckDB.
func (s *statement) answer(ctx context.Context, e *engine, sql, current string, set settings, names *arrow.Schema) (out batch.Reader, err error) {
	err = e.bound(ctx, sql, func() error {
		if plain := parsePlain(sql); plain != nil {
			out, err = s.scan(ctx, e, plain, current, set)
			if !errors.Is(err, errNotPlain) {
				return err
			}
		}
		if set.filter != "" {
			return filterNeedsScan(err)
		}
		out, err = e.query(ctx, sql, current, names)
		return err
	})
	return out, err
}

// filterNeedsScan is the error of a statement with a filter of its own that is
// no plain scan; err, if there is one, says why.
func filterNeedsScan(err error) error {
	why := ""
	if err != nil {
		why = ": " + err.Error()
	}
	return errorf(adbc.StatusInvalidArgument, "option %s goes with plain scans only%s", OptionFilter, why)
}

// scan runs a plain scan. e.binding is held.
func (s *statement) scan(ctx context.Context, e *engine, plain *pushdown.Select, current string, set settings) (batch.Reader, error) {
	p, err := e.plan(ctx, plain, current, set)
	if err != nil {
		return nil, err
	}
	r, result, err := p.read(ctx, s.conn.db.alloc)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = progress{result, p.Plan.Stats.Bytes}
	return r, nil
}

// Close closes the statement. What streams goes on.
func (s *statement) Close() error {
	if s.closed {
		return errorf(adbc.StatusInvalidState, "the statement is closed already")
	}
	s.closed = true
	s.bound.release()
	s.bound = nil
	return nil
}

// writing are the first words of statements that change something.
var writing = map[string]bool{
	"INSERT": true, "UPDATE": true, "DELETE": true, "MERGE": true, "UPSERT": true, "REPLACE": true, "TRUNCATE": true,
	"CREATE": true, "DROP": true, "ALTER": true, "COMMENT": true, "COPY": true, "EXPORT": true, "IMPORT": true,
	"ATTACH": true, "DETACH": true, "USE": true, "SET": true, "RESET": true, "INSTALL": true, "LOAD": true, "UPDATE_EXTENSIONS": true,
	"BEGIN": true, "START": true, "COMMIT": true, "ROLLBACK": true, "ABORT": true, "VACUUM": true, "ANALYZE": true, "CHECKPOINT": true, "FORCE": true,
	"PREPARE": true, "EXECUTE": true, "DEALLOCATE": true, "GRANT": true, "REVOKE": true, "CALL": true,
}

var leading = regexp.MustCompile(`(?is)^(\s|;|--[^\n]*(\n|$)|/\*.*?\*/|explain\s+(analyze\s+)?(\([^)]*\)\s*)?)*(\w*)`)

// firstWord is the word that tells what a statement does, that after EXPLAIN.
func firstWord(sql string) string {
	found := leading.FindStringSubmatch(sql)
	return strings.ToUpper(found[len(found)-1])
}
