package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hudi-go/hudi/duckdb"
	"github.com/hudi-go/hudi/provider"
)

// session is the SQL engine with the tables of a command.
type session struct {
	env    *Env
	engine *duckdb.Engine
	conn   *duckdb.Conn
	tables *duckdb.Tables
	stats  *statsLog

	planned []tablePlan // of the statement at hand
}

// tablePlan is what a statement reads of a table.
type tablePlan struct {
	table *provider.Table
	plan  *provider.Plan
}

func newSession(e *Env, o provider.Options, q provider.Query) (*session, error) {
	s := &session{env: e, stats: &statsLog{}}
	limit, scans := duckdb.ShareMemory(q.MemoryLimit)
	q.MemoryLimit = scans
	var err error
	s.engine, err = duckdb.Open(duckdb.Options{
		Threads: q.Threads, MemoryLimit: limit,
		Paths: true, Provider: o, Scans: q, Scanned: s.stats.add, Handed: s.stats.handed,
		Planned: func(t *provider.Table, p *provider.Plan) { s.planned = append(s.planned, tablePlan{t, p}) },
	})
	if err != nil {
		return nil, err
	}
	s.tables = duckdb.NewTables(func() (*duckdb.Engine, error) { return s.engine, nil }, duckdb.TablesOptions{Provider: o, Query: q, LeftOut: func(t duckdb.TableName, err error) {
		e.notef("table %s is left out: %s", t, message(err))
	}})
	if s.conn, err = s.engine.Connect(); err != nil {
		return nil, errors.Join(err, s.engine.Close())
	}
	return s, nil
}

func (s *session) close() error {
	s.conn.Close()
	return s.engine.Close()
}

// add makes known the table at a path, or all tables of a folder.
func (s *session) add(ctx context.Context, name, path string) error {
	switch info := localFile(path); {
	case info == nil && !strings.Contains(path, "://"):
		return fmt.Errorf("%s: no such folder: give a table, or a folder of tables", path)
	case info != nil && !info.IsDir():
		return fmt.Errorf("%s is a file: give a table, or a folder of tables; statements in a file go to -f", path)
	}
	err := s.tables.Add(ctx, name, path)
	var twice *duckdb.DuplicateError
	if errors.As(err, &twice) {
		return usagef("%w; name them with -t name=PATH", err)
	}
	return err
}
