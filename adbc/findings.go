package adbc

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Findings are warnings of the engine: what an execution left out of its rows
// on purpose, as a stretch of a log file that can't be read. They go to the
// database's logger, and whoever has executed can ask for them. They find their
// execution by the context, as one engine serves many.

// maxFindings is the most bytes of findings that an execution keeps: driver
// managers limit what an option may have.
const maxFindings = 256 << 10

// findings are those of an execution, each once, and its streams.
type findings struct {
	mu      sync.Mutex
	mute    bool // nothing is read: none counts
	seen    map[string]bool
	list    []string // in JSON
	bytes   int
	more    int // that found no place
	streams int // that are not released
}

type findingsKey struct{}

// note gives a context by which what is found is noted.
func (f *findings) note(ctx context.Context) context.Context {
	return context.WithValue(ctx, findingsKey{}, f)
}

// describing is the context of calls that only ask what a statement is.
func describing(ctx context.Context) context.Context {
	return (&findings{mute: true}).note(ctx)
}

// add takes a finding. It tells whether that is a new one.
func (f *findings) add(r slog.Record, attrs []slog.Attr) bool {
	var text bytes.Buffer
	r.Time = time.Time{} // is left out
	slog.NewJSONHandler(&text, nil).WithAttrs(attrs).Handle(context.Background(), r)
	line := strings.TrimSpace(text.String())
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.mute || f.seen[line]:
		return false
	case f.bytes+len(line) > maxFindings:
		f.more++
		return true
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[line] = true
	f.list = append(f.list, line)
	f.bytes += len(line)
	return true
}

// json gives all that was found so far, in a JSON array.
func (f *findings) json() string {
	if f == nil {
		return "[]"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	if f.more > 0 {
		list = append(list[:len(list):len(list)], fmt.Sprintf(`{"level":"WARN","msg":"and %d more"}`, f.more))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// stream counts a stream until it is released.
func (f *findings) stream(release func()) func() {
	f.count(1)
	return func() {
		if release != nil {
			release()
		}
		f.count(-1)
	}
}

func (f *findings) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams += n
}

func (f *findings) open() int {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}

// A latest is the findings of what ran last.
type latest struct{ *findings }

// start begins new ones, which the context notes. The caller holds the mutex
// that guards l.
func (l *latest) start(ctx context.Context) (*findings, context.Context) {
	l.findings = &findings{}
	return l.findings, l.note(ctx)
}

// option gives what can be asked for.
func (l *latest) option(key string) (option, bool) {
	switch key {
	case OptionWarnings:
		return option{get: func() (string, error) { return l.json(), nil }}, true
	case OptionStreams:
		return option{get: func() (string, error) { return fmt.Sprint(l.open()), nil }}, true
	}
	return option{}, false
}

// A handler passes on what the engine logs, and notes findings for whoever
// executes.
type handler struct {
	to    slog.Handler
	attrs []slog.Attr
}

// logger is the one that engines of a database get; to may be nil.
func logger(to *slog.Logger) *slog.Logger {
	if to == nil {
		return slog.New(handler{to: slog.DiscardHandler})
	}
	return slog.New(handler{to: to.Handler()})
}

func noting(ctx context.Context, level slog.Level) *findings {
	if level < slog.LevelWarn {
		return nil
	}
	f, _ := ctx.Value(findingsKey{}).(*findings)
	return f
}

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return noting(ctx, level) != nil || h.to.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if f := noting(ctx, r.Level); f != nil && !f.add(r, h.attrs) || !h.to.Enabled(ctx, r.Level) {
		return nil
	}
	return h.to.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.to.WithAttrs(attrs), append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.to.WithGroup(name), h.attrs}
}
