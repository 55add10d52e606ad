package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/mergeread"
	"github.com/hudi-go/hudi/provider"
	"github.com/hudi-go/hudi/snapshot"
)

// tableInfo is what the info command tells.
type tableInfo struct {
	Name             string             `json:"name"`
	Database         string             `json:"database,omitempty"`
	Path             string             `json:"path"`
	Type             string             `json:"type"`
	Version          int                `json:"version"`
	TimelineLayout   int                `json:"timelineLayout"`
	Instant          string             `json:"instant"`
	Completion       string             `json:"completion,omitempty"` // of the instant, from table version 6 on
	Commits          int                `json:"commits"`              // completed writes on the active timeline
	Pending          int                `json:"pending"`              // actions that are not completed
	Columns          int                `json:"columns"`
	RecordKeys       []string           `json:"recordKeys"`
	PartitionColumns []string           `json:"partitionColumns"`
	OrderingFields   []string           `json:"orderingFields"`
	KeyGenerator     string             `json:"keyGenerator,omitempty"`
	MergeMode        string             `json:"mergeMode,omitempty"` // as recorded, from table version 8 on
	Merge            string             `json:"merge"`               // how records of one key combine
	StorageLayout    string             `json:"storageLayout"`
	BaseFormat       string             `json:"baseFileFormat"`
	MetaFields       bool               `json:"metaFields"`
	CDC              bool               `json:"cdc"`
	Metadata         []string           `json:"metadataPartitions"`
	BootstrapBase    string             `json:"bootstrapBase,omitempty"`
	Files            provider.PlanStats `json:"files"`
}

func newInfo(e *Env) *cobra.Command {
	var t tableFlags
	var l listFlags
	c := &cobra.Command{
		Use:   "info PATH",
		Short: "Tell what a table is: type, version, keys, size, latest instant",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := l.json()
			if err != nil {
				return err
			}
			table, err := t.openTable(c.Context(), e, args[0])
			if err != nil {
				return err
			}
			info, err := infoOf(c.Context(), table)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(e.Stdout).Encode(info)
			}
			return render.Pairs(e.Stdout, info.pairs())
		},
	}
	l.register(c)
	t.register(c)
	return c
}

func infoOf(ctx context.Context, t *provider.Table) (*tableInfo, error) {
	cfg := t.Config()
	i := &tableInfo{
		Name: cfg.Name, Database: cfg.Database, Path: t.URI(), Type: cfg.Type, Version: cfg.Version,
		TimelineLayout: cfg.TimelineLayout, Instant: t.Instant(),
		RecordKeys: nonNil(cfg.RecordKeys), PartitionColumns: nonNil(cfg.PartitionNames()), OrderingFields: nonNil(cfg.OrderingFields),
		KeyGenerator: cfg.KeyGenerator, MergeMode: cfg.MergeMode, Merge: mergeText(cfg), StorageLayout: cfg.StorageLayout, BaseFormat: cfg.BaseFormat,
		MetaFields: cfg.PopulateMeta, CDC: cfg.CDC, Metadata: nonNil(cfg.MetadataPartitions), BootstrapBase: cfg.BootstrapBase,
	}
	timeline, err := t.Timeline(ctx, false)
	if err != nil {
		return nil, err
	}
	for _, instant := range timeline {
		switch {
		case !instant.IsCompleted():
			i.Pending++
		case instant.IsWrite():
			i.Commits++
			if instant.Requested == i.Instant {
				i.Completion = instant.Completed
			}
		}
	}
	schema, err := t.Schema(ctx, provider.Query{})
	switch {
	case err == nil:
		i.Columns = schema.NumFields()
	case i.Instant != "": // else nothing was written yet, and the schema need not be known
		return nil, err
	default:
		return i, nil
	}
	plan, err := t.Plan(ctx, provider.Query{})
	if err != nil {
		return nil, err
	}
	i.Files = plan.Stats
	return i, nil
}

// mergeText is the merge mode, be it recorded or not, and what else decides how
// the records of a key combine.
func mergeText(cfg *snapshot.Config) string {
	r, err := mergeread.TableRules(cfg)
	if err != nil && !errors.Is(err, mergeread.ErrNoMerger) {
		return orNone(cfg.MergeMode) + ", refused" // a scan says why
	}
	parts := []string{map[mergeread.Mode]string{
		mergeread.CommitTime: "COMMIT_TIME_ORDERING", mergeread.EventTime: "EVENT_TIME_ORDERING", mergeread.Custom: "CUSTOM",
	}[r.Mode]}
	if r.Mode == mergeread.Custom && r.Payload != "" {
		parts = append(parts, "payload class "+r.Payload)
	}
	if r.Mode == mergeread.Custom && (r.Payload == "" || err != nil) && r.Strategy != "" {
		parts = append(parts, "strategy "+r.Strategy)
	}
	if err != nil {
		parts = append(parts, "for which no merger is registered")
	}
	if r.Partial != mergeread.WholeRecord {
		parts = append(parts, "partial updates "+cfg.PartialUpdateMode)
	}
	return strings.Join(parts, ", ")
}

func nonNil(s []string) []string { return append([]string{}, s...) }

func (i *tableInfo) pairs() [][2]string {
	list := func(s []string) string {
		if len(s) == 0 {
			return "none"
		}
		return strings.Join(s, ", ")
	}
	yes := map[bool]string{true: "yes", false: "no"}
	name := i.Name
	if i.Database != "" {
		name = i.Database + "." + i.Name
	}
	kind := map[string]string{snapshot.CopyOnWrite: "copy on write", snapshot.MergeOnRead: "merge on read"}[i.Type]
	instant := orNone(i.Instant)
	if i.Completion != "" {
		instant += ", completed " + i.Completion
	}
	pairs := [][2]string{
		{"name", name},
		{"path", i.Path},
		{"type", kind},
		{"table version", strconv.Itoa(i.Version)},
		{"latest instant", instant},
		{"timeline", fmt.Sprintf("layout %d, %d completed writes, %d pending actions", i.TimelineLayout, i.Commits, i.Pending)},
		{"columns", strconv.Itoa(i.Columns)},
		{"record key", list(i.RecordKeys)},
		{"partitioned by", list(i.PartitionColumns)},
		{"ordering", list(i.OrderingFields)},
		{"key generator", orNone(i.KeyGenerator)},
		{"merge mode", i.Merge},
		{"base files", strings.ToLower(i.BaseFormat)},
		{"meta columns", yes[i.MetaFields]},
		{"change data", yes[i.CDC]},
		{"metadata table", list(i.Metadata)},
		{"files", fmt.Sprintf("%d partitions, %d file slices, %d base files, %d logs, %s", i.Files.Partitions, i.Files.Slices, i.Files.BaseFiles, i.Files.LogFiles, bytesText(i.Files.Bytes))},
	}
	if i.StorageLayout != "default" {
		pairs = append(pairs, [2]string{"storage layout", i.StorageLayout})
	}
	if i.BootstrapBase != "" {
		pairs = append(pairs, [2]string{"bootstrapped from", i.BootstrapBase})
	}
	return pairs
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
