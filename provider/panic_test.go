package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/guard"
	"github.com/hudi-go/hudi/internal/storage"
	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// faulty is a storage whose data files panic when they are read.
type faulty struct{ storage.Storage }

type faultyFile struct{ storage.File }

func (faultyFile) ReadAt([]byte, int64) (int, error) { panic("a fault of ours") }

func (f faulty) Open(ctx context.Context, path string) (storage.File, error) {
	file, err := f.Storage.Open(ctx, path)
	if err == nil && !strings.Contains(path, ".hoodie/") {
		file = faultyFile{file}
	}
	return file, err
}

// TestPanicIsAnError reads with several goroutines: in the host process of an
// extension or a driver, a fault of ours may end the query, not the process.
func TestPanicIsAnError(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, f := range tabletest.All(t) {
		if f.Name != "v9/mor_avro_logs" && f.Name != "v9/many_partitions" {
			continue
		}
		storage.Register("faulty", func(context.Context, string, map[string]string) (storage.Storage, error) {
			return faulty{f.Storage(t)}, nil
		})
		table, err := provider.Open(context.Background(), "faulty://"+f.Name, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := table.Scan(context.Background(), provider.Query{Threads: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range res.Batches() {
			if err != nil {
				break
			}
		}
		res.Close()
		var p *guard.PanicError
		if !errors.As(err, &p) {
			t.Errorf("%s: got %v, want the panic as an error", f.Name, err)
		}
	}
}
