package adbc

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"

	"github.com/hudi-go/hudi/internal/bytesize"
	"github.com/hudi-go/hudi/provider"
)

// Options of the driver. Databases, connections and statements have those of
// queries and scans; each takes over what its parent is set to when it is made.
const (
	// OptionQueryType is snapshot (the default), read_optimized, incremental or
	// cdc.
	OptionQueryType = "adbc.hudi.query.type"
	// OptionAsOf reads tables as they were at a time: an instant, an RFC 3339
	// time, or a date.
	OptionAsOf = "adbc.hudi.query.as_of"
	// OptionBegin and OptionEnd bound incremental and CDC queries: changes after
	// Begin, up to End.
	OptionBegin = "adbc.hudi.query.begin"
	OptionEnd   = "adbc.hudi.query.end"
	// OptionMeta is true for tables with the _hoodie_ columns in front. Without
	// it, statements that name one of them have them.
	OptionMeta = "adbc.hudi.query.meta"
	// OptionDeletes is true for incremental queries that also give deleted rows,
	// and the column _hoodie_operation.
	OptionDeletes = "adbc.hudi.query.deletes"
	// OptionBatchSize is the most rows of a batch of plain scans.
	OptionBatchSize = "adbc.hudi.scan.batch_size"
	// OptionThreads is how many threads a database uses; of a connection or
	// statement, its plain scans. The default is all cores.
	OptionThreads = "adbc.hudi.scan.threads"
	// OptionMemoryLimit is how much memory, as 256MB or 2GiB, may be taken
	// before data goes to disk.
	OptionMemoryLimit = "adbc.hudi.scan.memory_limit"
	// OptionFilter is a further condition of a statement that is a plain scan: a
	// serialized Substrait extended expression, as bytes.
	OptionFilter = "adbc.hudi.statement.filter"
	// OptionWarnings, to get, is what the latest execution of a statement, or the
	// partition that a connection reads last, has left out so far: a JSON array of
	// objects with level, msg, table, file, instant and more. It is complete when
	// the stream is at its end.
	OptionWarnings = "adbc.hudi.exec.warnings"
	// OptionStreams, to get, is how many streams of that execution are not released.
	OptionStreams = "adbc.hudi.exec.streams"
	// OptionHudiPrefix is in front of Hudi's own read options, as in
	// adbc.hudi.option.hoodie.bootstrap.base.path. They are a database's.
	OptionHudiPrefix = "adbc.hudi.option."
	// OptionStoragePrefix is in front of options of the storage. They are a
	// database's.
	OptionStoragePrefix = "adbc.hudi.storage."
)

// A view is what is read of tables.
type view struct {
	kind             provider.QueryType
	asOf, begin, end string
	meta, deletes    bool
}

// settings are what a database, a connection and a statement have in common.
type settings struct {
	view
	batchSize int
	threads   int    // 0: all cores
	memory    int64  // bytes, 0: no limit of our own
	filter    string // Substrait; a statement's
}

// option gives the setting of a key.
func (s *settings) option(key string) (option, bool) {
	switch key {
	case OptionQueryType:
		return option{
			get: func() (string, error) { return s.kind.String(), nil },
			set: func(v string) (err error) {
				kind, err := provider.ParseQueryType(v)
				if err != nil {
					return errorf(adbc.StatusInvalidArgument, "option %s: %v", key, err)
				}
				s.kind = kind
				return nil
			},
		}, true
	case OptionAsOf:
		return textOption(&s.asOf), true
	case OptionBegin:
		return textOption(&s.begin), true
	case OptionEnd:
		return textOption(&s.end), true
	case OptionMeta:
		return flagOption(key, &s.meta), true
	case OptionDeletes:
		return flagOption(key, &s.deletes), true
	case OptionBatchSize:
		return countOption(key, &s.batchSize), true
	case OptionThreads:
		return countOption(key, &s.threads), true
	case OptionMemoryLimit:
		return option{
			get: func() (string, error) { return strconv.FormatInt(s.memory, 10), nil },
			set: func(v string) error {
				if v == "0" {
					s.memory = 0
					return nil
				}
				n, err := bytesize.Parse(v)
				if err != nil {
					return errorf(adbc.StatusInvalidArgument, "option %s: %v", key, err)
				}
				s.memory = n
				return nil
			},
		}, true
	}
	return option{}, false
}

func textOption(to *string) option {
	return option{
		get: func() (string, error) { return *to, nil },
		set: func(v string) error { *to = v; return nil },
	}
}

func flagOption(key string, to *bool) option {
	return option{
		get: func() (string, error) { return strconv.FormatBool(*to), nil },
		set: func(v string) (err error) {
			flag, err := parseFlag(key, v)
			if err == nil {
				*to = flag
			}
			return err
		},
	}
}

func parseFlag(key, value string) (bool, error) {
	switch value {
	case adbc.OptionValueEnabled:
		return true, nil
	case adbc.OptionValueDisabled:
		return false, nil
	}
	return false, errorf(adbc.StatusInvalidArgument, "option %s is true or false, not %q", key, value)
}

// countOption is a number from 1; 0 is the default.
func countOption(key string, to *int) option {
	return option{
		get: func() (string, error) { return strconv.Itoa(*to), nil },
		set: func(v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return errorf(adbc.StatusInvalidArgument, "option %s is a number from 0 (the default), not %q", key, v)
			}
			*to = n
			return nil
		},
	}
}

// check refuses views that mean nothing.
func (v view) check() error {
	changes := v.kind == provider.Incremental || v.kind == provider.CDC
	switch {
	case !changes && (v.begin != "" || v.end != ""):
		return errorf(adbc.StatusInvalidState, "%s and %s bound changes: set %s to incremental or cdc, or %s for the rows at a time", OptionBegin, OptionEnd, OptionQueryType, OptionAsOf)
	case changes && v.asOf != "":
		return errorf(adbc.StatusInvalidState, "%s does not go with %s = %s: %s bounds the changes", OptionAsOf, OptionQueryType, v.kind, OptionEnd)
	case v.deletes && v.kind != provider.Incremental:
		return errorf(adbc.StatusInvalidState, "%s goes with %s = incremental; cdc gives deletes anyway", OptionDeletes, OptionQueryType)
	}
	return nil
}

// query is what is read of a table.
func (s settings) query() provider.Query {
	return provider.Query{
		Type: s.kind, AsOf: s.asOf, Begin: s.begin, End: s.end, Meta: s.meta, Deletes: s.deletes,
		BatchSize: s.batchSize, Threads: s.workers(), MemoryLimit: s.memory, Substrait: []byte(s.filter),
	}
}

// prefixed gives the options whose names begin with a prefix as a map's.
func prefixed(key, prefix string, m map[string]string, allowed func(string) bool) (option, bool) {
	name, ok := strings.CutPrefix(key, prefix)
	if !ok || name == "" || allowed != nil && !allowed(name) {
		return option{}, false
	}
	return option{
		get: func() (string, error) {
			v, ok := m[name]
			if !ok {
				return "", errorf(adbc.StatusNotFound, "option %s is not set", key)
			}
			return v, nil
		},
		set: func(v string) error { m[name] = v; return nil },
	}, true
}
