package adbc

import (
	"context"
	"log/slog"
	"maps"
	"runtime"
	"strings"
	"sync"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/provider"
)

// A database is a table, or a folder of tables, with options.
type database struct {
	options
	settings
	alloc   memory.Allocator
	uri     string // as it was set
	path    string // of the storage
	hudi    map[string]string
	storage map[string]string
	logger  *slog.Logger // of warnings; nil for none

	mu      sync.Mutex
	closed  bool
	engines []engineOf // made so far, the latest used last
}

// engineOf is the engine of a view.
type engineOf struct {
	view
	engine *engine
}

// maxEngines is how many views of a database are kept ready.
const maxEngines = 4

var (
	_ adbc.GetSetOptions   = (*database)(nil)
	_ adbc.DatabaseLogging = (*database)(nil)
)

func newDatabase(alloc memory.Allocator, opts map[string]string) (*database, error) {
	d := &database{alloc: alloc, hudi: map[string]string{}, storage: map[string]string{}}
	d.options = options{of: "database", known: d.option}
	// Options that stand behind the URI are weaker than those that are set.
	if uri, ok := opts[adbc.OptionKeyURI]; ok {
		if err := d.SetOption(adbc.OptionKeyURI, uri); err != nil {
			return nil, err
		}
	}
	if err := d.SetOptions(opts); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *database) option(key string) (option, bool) {
	if key == adbc.OptionKeyURI {
		o := option{get: func() (string, error) { return d.uri, nil }, set: d.setURI}
		return o.locked(&d.mu, d.forget), true
	}
	isHudi := func(name string) bool { return strings.HasPrefix(name, "hoodie.") || strings.HasPrefix(name, "hudi.") }
	o, ok := prefixed(key, OptionHudiPrefix, d.hudi, isHudi)
	if !ok {
		o, ok = prefixed(key, OptionStoragePrefix, d.storage, nil)
	}
	if !ok {
		o, ok = d.settings.option(key)
	}
	return o.locked(&d.mu, d.forget), ok
}

func (d *database) setURI(uri string) error {
	path, behind, err := parseURI(uri)
	if err != nil {
		return err
	}
	for key, value := range behind {
		o, ok := d.settings.option(key)
		if !ok {
			if o, ok = prefixed(key, OptionHudiPrefix, d.hudi, nil); !ok {
				o, _ = prefixed(key, OptionStoragePrefix, d.storage, nil)
			}
		}
		if err := o.set(value); err != nil {
			return err
		}
	}
	d.uri, d.path = uri, path
	return nil
}

// SetOptions sets several options.
func (d *database) SetOptions(opts map[string]string) error {
	for key, value := range opts {
		if key == adbc.OptionKeyURI && value == d.uri {
			continue
		}
		if err := d.SetOption(key, value); err != nil {
			return err
		}
	}
	return nil
}

// SetLogger sets the logger that gets warnings: what queries leave out on
// purpose, with the attributes table, file and instant. Each execution tells
// of a finding once. Without a logger, or with nil, there is silence. What runs
// already keeps the logger that it has.
func (d *database) SetLogger(l *slog.Logger) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.logger = l
	d.forget()
}

// forget drops the engines that options have changed for. d.mu is held.
func (d *database) forget() {
	for _, e := range d.engines {
		e.engine.release()
	}
	d.engines = nil
}

// engine gives the engine of a view; the caller releases it.
func (d *database) engine(ctx context.Context, v view) (*engine, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errorf(adbc.StatusInvalidState, "the database is closed")
	}
	for i, e := range d.engines {
		if e.view == v {
			d.engines = append(append(d.engines[:i:i], d.engines[i+1:]...), e)
			e.engine.retain()
			return e.engine, nil
		}
	}
	s := d.settings
	s.view = v
	e, err := openEngine(ctx, d.path, s, d.providerOptions())
	if err != nil {
		return nil, err
	}
	if len(d.engines) == maxEngines {
		d.engines[0].engine.release()
		d.engines = d.engines[1:]
	}
	d.engines = append(d.engines, engineOf{v, e})
	e.retain()
	return e, nil
}

func (d *database) providerOptions() provider.Options {
	return provider.Options{
		Allocator: d.alloc, Hudi: maps.Clone(d.hudi), Storage: maps.Clone(d.storage), Logger: logger(d.logger),
	}
}

// Open opens a connection. It looks whether there are tables.
func (d *database) Open(ctx context.Context) (adbc.Connection, error) {
	d.mu.Lock()
	path, settings := d.path, d.settings
	d.mu.Unlock()
	if path == "" {
		return nil, errorf(adbc.StatusInvalidState, "option uri is not set: it is a table or a folder of tables, as in hudi:///lake/trips or /lake")
	}
	e, err := d.engine(ctx, settings.view)
	if err != nil {
		return nil, wrap(err)
	}
	e.release()
	return newConnection(d, settings), nil
}

// Close closes the database. What streams goes on.
func (d *database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errorf(adbc.StatusInvalidState, "the database is closed already")
	}
	d.closed = true
	d.forget()
	return nil
}

// workers is the number of threads.
func (s settings) workers() int {
	if s.threads > 0 {
		return s.threads
	}
	return runtime.GOMAXPROCS(0)
}
