package functions

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/hudi-go/hudi/duckdb/internal/sqltext"
	"github.com/hudi-go/hudi/duckdb/internal/tablefunc"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/pushdown"
)

// prefix marks names of tables that are for us: FROM 'hudi:/lake/trips'.
const prefix = "hudi:"

// Prefixes of a reference's parameters that are options.
const (
	storagePrefix = "storage."
	readPrefix    = "hoodie."
)

// referable are the parameters that a reference may have.
var referable = []string{asOf, queryType, beginTime, endTime, metaColumns, where, threads}

// reference reads a table's path with parameters behind it, as in
// /lake/trips?as_of=2024-01-02&meta=true.
func reference(text string) (tablefunc.Arguments, error) {
	path, query, _ := strings.Cut(text, "?")
	// hudi:///lake/trips is /lake/trips, as in other URIs.
	if rest, ok := strings.CutPrefix(path, "///"); ok {
		path = "/" + rest
	}
	a := tablefunc.Arguments{Positional: []string{path}, Named: map[string]string{}, Maps: map[string]map[string]string{}}
	if path == "" {
		return a, errors.New("a table's path is needed, as in 'hudi:/lake/trips'")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return a, fmt.Errorf("parameters of %q: %w", text, err)
	}
	for key, v := range values {
		option, isStorage := strings.CutPrefix(key, storagePrefix)
		switch {
		case len(v) > 1:
			return a, fmt.Errorf("parameters of %q: %s is given %d times", text, key, len(v))
		case isStorage:
			a.Maps[storageOptions] = merged(a.Maps[storageOptions], map[string]string{option: v[0]})
		case strings.HasPrefix(key, readPrefix):
			a.Maps[readOptions] = merged(a.Maps[readOptions], map[string]string{key: v[0]})
		case slices.Contains(referable, key) && v[0] == "":
			return a, fmt.Errorf("parameters of %q: %s is empty: leave it out", text, key)
		case key == metaColumns && v[0] != "true" && v[0] != "false":
			return a, fmt.Errorf("parameters of %q: %s=%s: true or false is needed", text, key, v[0])
		case slices.Contains(referable, key):
			a.Named[key] = v[0]
		default:
			return a, fmt.Errorf("parameters of %q: %s is none of %s, and begins neither with %s nor with %s", text, key, strings.Join(referable, ", "), readPrefix, storagePrefix)
		}
	}
	return a, nil
}

// replace serves FROM 'hudi:...'. The table is planned by hudi_sql, which
// DuckDB calls when it binds what stands here.
func (f *Functions) replace(table string) (sql string, ok bool, err error) {
	path, ok := strings.CutPrefix(table, prefix)
	if !ok {
		return "", false, nil
	}
	return "FROM query(hudi_sql(" + quoteString(path) + f.number() + "))", true, nil
}

// number is the argument that tells which statement asks; "" for none.
func (f *Functions) number() string {
	if f.options.Number == "" {
		return ""
	}
	return ", CAST(" + f.options.Number + " AS VARCHAR)"
}

// References gives the tables that a text of SQL names by their path, as
// hudi_sql takes them.
func References(sql string) (all []string) {
	for len(sql) > 0 {
		n := sqltext.TokenLength(sql)
		if quote := sql[:1]; n > 2 && (quote == "'" || quote == `"`) {
			name := strings.ReplaceAll(sql[1:n-1], quote+quote, quote)
			if strings.HasPrefix(name, prefix) {
				all = append(all, name)
			}
		}
		sql = sql[n:]
	}
	return all
}

// Columns gives the columns of a reference in the form of CREATE TABLE.
func (f *Functions) Columns(ctx context.Context, ref string) (string, error) {
	t, q, err := f.refer(ctx, ref)
	if err != nil {
		return "", err
	}
	s, err := t.Schema(ctx, q)
	if err != nil {
		return "", err
	}
	columns := make([]string, s.NumFields())
	for i, name := range tablefunc.UniqueNames(s, "") {
		typ, err := TypeName(s.Field(i).Type)
		if err != nil {
			return "", err
		}
		columns[i] = quoteName(name) + " " + typ
	}
	return strings.Join(columns, ", "), nil
}

// hint gives what the statement that a call tells of asks of a table.
func (f *Functions) hint(name string, arguments []string) pushdown.Predicate {
	if len(arguments) < 2 || f.options.Hint == nil {
		return nil
	}
	return f.options.Hint(name, arguments[1])
}

// sql serves hudi_sql(path).
func (f *Functions) sql(arguments []string) (string, error) {
	if len(arguments) == 0 {
		return "", errors.New("hudi_sql needs a table's path, not NULL")
	}
	ctx := context.Background()
	if name, ok := strings.CutPrefix(arguments[0], mark); ok {
		if n, ok := f.named.Load(name); ok {
			n := n.(named)
			if !n.ready {
				return f.namedSQL(ctx, n)
			}
			return f.last.or(repeatKey(arguments, n.table.Instant()), func() (string, error) {
				n.query = hinted(n.query, f.hint(name, arguments))
				return f.namedSQL(ctx, n)
			})
		}
		return "", fmt.Errorf("table %s is not registered any more", name)
	}
	t, q, err := f.refer(ctx, arguments[0])
	if err != nil {
		return "", err
	}
	return f.last.or(repeatKey(arguments, t.Instant()), func() (string, error) { return f.pathSQL(ctx, t, q, arguments) })
}

// pathSQL is the query of a table that is named by its path.
func (f *Functions) pathSQL(ctx context.Context, t *provider.Table, q provider.Query, arguments []string) (string, error) {
	condition := q.Where
	// DuckDB asks the rows; the plan leaves out what is certain to be left out.
	q.Inexact = true
	q = hinted(q, f.hint(prefix+strings.TrimPrefix(arguments[0], prefix), arguments))
	p, err := t.Plan(ctx, q)
	if err != nil {
		return "", err
	}
	text, err := f.SQL(ctx, t, p, q)
	if err != nil || condition == "" {
		return text, err
	}
	return "SELECT * FROM (" + text + ") WHERE (" + condition + "\n)", nil
}

// namedSQL is the query of a named table.
func (f *Functions) namedSQL(ctx context.Context, n named) (string, error) {
	if n.ready {
		p, err := n.table.Plan(ctx, n.query)
		if err != nil {
			return "", err
		}
		return f.SQL(ctx, n.table, p, n.query)
	}
	s, err := n.table.Schema(ctx, n.query)
	if err != nil {
		return "", err
	}
	none, err := rowsOf(s, func(func(...any)) error { return nil })
	if err != nil {
		return "", err
	}
	return f.mergeSQL(s, none), nil
}

// refer gives the table and the query that a reference stands for.
func (f *Functions) refer(ctx context.Context, text string) (*provider.Table, provider.Query, error) {
	a, err := reference(strings.TrimPrefix(text, prefix))
	if err != nil {
		return nil, provider.Query{}, err
	}
	q, err := f.query(a)
	if err != nil {
		return nil, q, err
	}
	t, err := f.open(ctx, a)
	return t, q, err
}
