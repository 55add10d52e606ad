package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hudi-go/hudi/internal/storage"
)

func newInspect(e *Env) *cobra.Command {
	var t tableFlags
	var l listFlags
	c := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show what is inside a file of a table",
		Long: `Show what is inside a file of a table. Its first bytes tell what it is:

a log file       its blocks: type, instant, number of records, headers, stretches that can't be read
an HFile         its entries; those of the metadata table are decoded
a Parquet file   its footer (base files, native logs): columns with statistics, and Hudi's entries`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := l.json()
			if err != nil {
				return err
			}
			o, err := t.providerOptions(e)
			if err != nil {
				return err
			}
			return inspect(c.Context(), e, args[0], o.Storage, asJSON)
		},
	}
	l.register(c)
	t.register(c)
	return c
}

// inspectors show a kind of file each.
var inspectors = []struct {
	magic string
	show  func(ctx context.Context, e *Env, f storage.File, asJSON bool) error
}{
	{"#HUDI#", inspectLog},
	{"PAR1", inspectParquet},
	{"DATABLK*", inspectHFile},
	{"METABLKc", inspectHFile}, // an HFile without entries
	{"IDXROOT2", inspectHFile},
	{"TRABLK\"$", inspectHFile},
}

func inspect(ctx context.Context, e *Env, uri string, options map[string]string, asJSON bool) error {
	dir, name := ".", uri
	if i := strings.LastIndexByte(uri, '/'); i >= 0 {
		dir, name = uri[:i+1], uri[i+1:]
	}
	if info := localFile(uri); name == "" || info != nil && info.IsDir() {
		return usagef("%s is a folder: give a base file, a log or an HFile in it; \"hudi info\" is for tables", uri)
	}
	st, err := storage.Open(ctx, dir, options)
	if err != nil {
		return err
	}
	f, err := st.Open(ctx, name)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) { // which names the file again
			err = path.Err
		}
		return fmt.Errorf("%s: %w", uri, err)
	}
	defer f.Close()
	head := make([]byte, 8)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", uri, err)
	}
	for _, i := range inspectors {
		if strings.HasPrefix(string(head[:n]), i.magic) {
			if err := i.show(ctx, e, f, asJSON); err != nil {
				return fmt.Errorf("%s: %w", uri, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: neither a log file, nor an HFile, nor a Parquet file: it begins with %q", uri, head[:n])
}
