package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/provider"
)

// followFlags are those of a scan that goes on.
type followFlags struct {
	follow   bool
	interval time.Duration
}

func (f *followFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.follow, "follow", false, "incremental and cdc: go on with what is written from now on, until interrupted; each write's changes are followed on standard error by the offset to --begin again from")
	c.Flags().DurationVar(&f.interval, "interval", provider.DefaultInterval, "with --follow: time between looks at the timeline")
}

// check refuses flags that do not go together.
func (f *followFlags) check(c *cobra.Command, q provider.Query, o *outputFlags) error {
	switch {
	case !f.follow && c.Flags().Changed("interval"):
		return usagef("--interval goes with --follow")
	case !f.follow:
		return nil
	case q.Type != provider.Incremental && q.Type != provider.CDC:
		return usagef("--follow goes with --query incremental or cdc")
	case q.End != "" || c.Flags().Changed("limit"):
		return usagef("--follow does not end, so that --end and --limit do not go with it")
	case o.file != "" || o.format != "json" && o.format != "table":
		return usagef("--follow writes to standard output, with -o json or table")
	case f.interval <= 0:
		return usagef("--interval %s: it must be more than 0", f.interval)
	}
	return nil
}

// run writes the changes of each write as a result of its own.
func (f *followFlags) run(ctx context.Context, e *Env, q *queryFlags, query provider.Query, path string, out *output) error {
	t, err := q.openTable(ctx, e, path)
	if err != nil {
		return err
	}
	changes, err := t.Changes(ctx, query.Begin, provider.Follow{Query: query, Interval: f.interval})
	if err != nil {
		return whereError(err)
	}
	for {
		ch, err := changes.Next(ctx)
		if err != nil {
			return whereError(err)
		}
		_, err = out.write(ch)
		if closeErr := ch.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "hudi: offset %s\n", ch.Offset)
	}
}
