package adbc

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/scan"
	"github.com/hudi-go/hudi/snapshot"
)

// A partition descriptor is the text partitionMark, whose last byte is the
// version, and a compressed JSON text of a partition.
const partitionMark = "hudi-partition\x01"

// maxPartition is the most bytes that a partition may take uncompressed.
const maxPartition = 64 << 20

// maxBatch is the most rows of a batch that a partition may ask for.
const maxBatch = 1 << 24

// A partition is a part of a plain scan. It holds all that is needed to read
// the rows but the storage's options, which may be secrets: these are the
// reading database's own.
type partition struct {
	// URI is the table's when it was planned, Path the same relative to the
	// database's. A reader takes the first if that lies in its own database,
	// else the second.
	URI  string    `json:"uri"`
	Path string    `json:"path"`
	Scan plainScan `json:"scan"`
}

// ExecutePartitions takes a plain scan apart, into a partition for each file
// slice, or one of all where the statement limits the rows. Together they have
// the rows of ExecuteQuery. Other statements can't be taken apart.
func (s *statement) ExecutePartitions(ctx context.Context) (*arrow.Schema, adbc.Partitions, int64, error) {
	fail := func(err error) (*arrow.Schema, adbc.Partitions, int64, error) {
		return nil, adbc.Partitions{}, -1, wrap(err)
	}
	_, ctx = s.noting(ctx)
	e, current, set, err := s.begin(ctx)
	if err != nil {
		return fail(err)
	}
	defer e.release()
	p, err := s.planPlain(ctx, e, current, set)
	if err != nil {
		return fail(err)
	}
	parts, err := p.partitions(e.path)
	if err != nil {
		return fail(err)
	}
	return p.schema(), adbc.Partitions{NumPartitions: uint64(len(parts)), PartitionIDs: parts}, -1, nil
}

const notPartitioned = "partitions are of SELECT columns FROM table [WHERE condition] [LIMIT n] only%s; call ExecuteQuery"

// planPlain plans the statement, which has to be a plain scan.
func (s *statement) planPlain(ctx context.Context, e *engine, current string, set settings) (p *plainScan, err error) {
	plain, text := s.selected, ""
	if plain == nil {
		if text, err = s.onlyText(); err != nil {
			return nil, err
		}
		if plain = parsePlain(text); plain == nil {
			return nil, notAScan(errNotPlain, notPartitioned)
		}
	}
	err = e.bound(ctx, text+strings.Join(plain.Table, "."), func() (err error) {
		p, err = e.plan(ctx, plain, current, set)
		return err
	})
	return p, notAScan(err, notPartitioned)
}

// notAScan gives an errNotPlain a status, and a message with the reason.
func notAScan(err error, message string) error {
	var known adbc.Error
	if !errors.Is(err, errNotPlain) || errors.As(err, &known) {
		return err
	}
	reason := strings.TrimPrefix(strings.TrimPrefix(oneLine(err.Error()), errNotPlain.Error()), ":")
	if reason != "" {
		reason = ": " + strings.TrimSpace(reason)
	}
	return sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, message, reason)
}

// onlyText is the SQL with the values of one row of parameters.
func (s *statement) onlyText() (string, error) {
	switch {
	case s.bound == nil:
		return s.sql, nil
	case s.bound.rows() != 1:
		return "", sqlErrorf(adbc.StatusNotImplemented, stateUnsupported, "partitions of a statement with %d rows of parameters: bind one row", s.bound.rows())
	}
	return s.bound.text(s.sql, 0)
}

// partitions serializes the parts of a scan of a table in a database.
func (p *plainScan) partitions(database string) ([][]byte, error) {
	groups := [][]scan.Task{p.Plan.Tasks}
	if p.Plan.Limit == 0 && p.Skip == 0 {
		groups = groups[:0]
		for i := range p.Plan.Tasks {
			groups = append(groups, p.Plan.Tasks[i:i+1])
		}
	}
	var all [][]byte
	for _, tasks := range groups {
		if len(tasks) == 0 {
			continue
		}
		plan := provider.Plan{Job: p.Plan.Job, Tasks: tasks, Limit: p.Plan.Limit, SkipMerge: p.Plan.SkipMerge}
		part := partition{URI: plan.Job.URI, Scan: *p}
		if relative, ok := below(database, plan.Job.URI); ok {
			part.Path = relative
		}
		plan.Job.URI, plan.Job.Storage = "", nil
		part.Scan.Plan, part.Scan.Batch = &plan, min(p.Batch, maxBatch)
		text, err := part.encode()
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

func (p *partition) encode() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(partitionMark)
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(w).Encode(p), w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// decodePartition reads a partition descriptor, whoever wrote it.
func decodePartition(text []byte) (*partition, error) {
	invalid := func(format string, args ...any) (*partition, error) {
		return nil, errorf(adbc.StatusInvalidArgument, "the partition is not one of this driver: "+format, args...)
	}
	packed, ok := bytes.CutPrefix(text, []byte(partitionMark))
	if !ok {
		if bytes.HasPrefix(text, []byte(partitionMark[:len(partitionMark)-1])) {
			return invalid("it is of another version; plan and read with the same one")
		}
		return invalid("it does not begin as one")
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxPartition+1))
	if err != nil {
		return invalid("%v", err)
	}
	if len(plain) > maxPartition {
		return invalid("it has more than %d bytes", maxPartition)
	}
	var p partition
	if err := json.Unmarshal(plain, &p); err != nil {
		return invalid("%v", err)
	}
	if err := p.Scan.check(); err != nil {
		return invalid("%v", err)
	}
	return &p, nil
}

// check looks whether a scan that came from elsewhere is one that this driver
// makes.
func (p *plainScan) check() error {
	switch {
	case p.Plan == nil:
		return errors.New("it has no plan")
	case p.Skip < 0 || p.Batch < 0 || p.Batch > maxBatch || p.Plan.Limit < 0:
		return errors.New("a number of rows is out of range")
	case len(p.Columns) != len(p.Names):
		return errors.New("columns and names are not as many")
	}
	if p.Plan.Job.Schema.Schema == nil {
		return errors.New("it has no schema")
	}
	columns, err := p.Plan.Job.OutputSchema()
	if err != nil {
		return err
	}
	for _, c := range p.Columns {
		if c < 0 || c >= columns.NumFields() {
			return fmt.Errorf("it has no column %d", c)
		}
	}
	return nil
}

// ReadPartition reads a partition that ExecutePartitions made, in this process
// or in another one. The table has to lie in the connection's database.
func (c *connection) ReadPartition(ctx context.Context, descriptor []byte) (_ array.RecordReader, err error) {
	defer func() { err = wrap(err) }()
	defer guard.Recover(&err)
	set, _, err := c.state()
	if err != nil {
		return nil, err
	}
	p, err := decodePartition(descriptor)
	if err != nil {
		return nil, err
	}
	if err := c.db.place(ctx, p); err != nil {
		return nil, err
	}
	p.Scan.threads, p.Scan.memory = set.workers(), set.memory
	c.mu.Lock()
	found, ctx := c.found.start(ctx)
	c.mu.Unlock()
	r, _, err := p.Scan.read(ctx, c.db.alloc)
	if err != nil {
		return nil, err
	}
	return newStream(r, found.stream(nil)), nil
}

// place says where a partition's table lies for this database.
func (d *database) place(ctx context.Context, p *partition) error {
	d.mu.Lock()
	root, o := d.path, d.providerOptions()
	d.mu.Unlock()
	p.Scan.logger = o.Logger
	job := &p.Scan.Plan.Job
	job.Storage = o.Storage
	if _, ok := below(root, p.URI); ok {
		job.URI = p.URI
	} else {
		if p.Path != "" && !localName(p.Path) {
			return errorf(adbc.StatusInvalidArgument, "the partition's table is at %q, outside of the database", p.Path)
		}
		job.URI = strings.TrimSuffix(root+"/"+p.Path, "/")
	}
	sources := bootstrapRoots(p.Scan.Plan.Tasks)
	if len(sources) == 0 {
		return nil
	}
	// Source files lie outside of the table; the table says where.
	t, err := provider.Open(ctx, job.URI, o)
	if err != nil {
		return err
	}
	for _, source := range sources {
		if source != t.Config().BootstrapBase && source != o.Hudi[snapshot.OptionBootstrapBase] {
			return errorf(adbc.StatusUnauthorized, "the partition reads source files at %s, which the table at %s does not name: set %s%s", source, job.URI, OptionHudiPrefix, snapshot.OptionBootstrapBase)
		}
	}
	return nil
}

// bootstrapRoots gives the folders outside of the table that tasks read of.
func bootstrapRoots(tasks []scan.Task) []string {
	roots := map[string]bool{}
	add := func(s snapshot.FileSlice) {
		if s.Base != nil && s.Base.Bootstrap != nil {
			roots[s.Base.Bootstrap.Root] = true
		}
	}
	for _, t := range tasks {
		add(t.Slice)
		if t.Change != nil {
			for _, s := range slices.Concat(t.Change.Before.Slices, t.Change.After.Slices) {
				add(s)
			}
		}
	}
	return slices.Sorted(maps.Keys(roots))
}

// below tells whether one URI is that of a folder or of something in it, and
// where there.
func below(folder, uri string) (relative string, ok bool) {
	folder, uri = comparableURI(folder), comparableURI(uri)
	if folder == uri {
		return "", true
	}
	relative, ok = strings.CutPrefix(uri, strings.TrimSuffix(folder, "/")+"/")
	return relative, ok && localName(relative)
}

// localName tells whether a relative path stays in its folder.
func localName(name string) bool {
	return name == path.Clean(name) && name != "." && name != ".." && !strings.HasPrefix(name, "../") && !strings.HasPrefix(name, "/") && !strings.ContainsRune(name, 0)
}

// comparableURI writes a local path and its file URI in the same way.
func comparableURI(uri string) string {
	for _, prefix := range []string{"file://", "file:"} {
		if rest, ok := strings.CutPrefix(uri, prefix); ok && strings.HasPrefix(rest, "/") {
			if p, err := url.PathUnescape(rest); err == nil {
				uri = p
			}
			break
		}
	}
	if trimmed := strings.TrimRight(uri, "/"); trimmed != "" {
		return trimmed
	}
	return uri
}
