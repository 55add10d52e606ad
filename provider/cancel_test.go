package provider_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/tabletest"
	"github.com/hudi-go/hudi/provider"
)

// TestStoppingAnywhere ends scans at random points, by the context or by
// closing the result. Nothing may go on or be held afterwards.
func TestStoppingAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, f := range tabletest.All(t) {
		switch f.Name {
		case "v9/cow_basic", "v9/many_partitions", "v9/mor_avro_logs", "v9/mor_parquet_logs", "v9/mor_hfile_logs", "v9/bootstrap_metadata_only_mor", "v9/partial_update":
		default:
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			table, err := provider.Open(context.Background(), f.Open(t), provider.Options{Hudi: f.Options(t), Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, 8))
			for i := range 40 {
				if err := stopSomewhere(table, r, i); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// stopSomewhere runs a scan and stops it: after some batches, or while a batch
// is waited for.
func stopSomewhere(table *provider.Table, r *rand.Rand, round int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := provider.Query{BatchSize: 1 + r.IntN(20), Threads: 1 + round%5, MemoryLimit: int64(r.IntN(2)) * 4096, Meta: true}
	res, err := table.Scan(ctx, q)
	if err != nil {
		return err
	}
	defer res.Close()
	if round%2 == 0 {
		pause := time.Duration(r.IntN(4000)) * time.Microsecond
		time.AfterFunc(pause, cancel)
	}
	for n := r.IntN(12); ; n-- {
		if n == 0 && round%2 == 1 {
			if round%4 == 1 {
				return res.Close()
			}
			cancel()
		}
		b, err := res.Next()
		switch {
		case err == nil:
			b.Release()
		case err == io.EOF:
			return nil
		case errors.Is(err, context.Canceled):
			_, again := res.Next()
			if !errors.Is(again, context.Canceled) {
				return errors.Join(errors.New("another error after the first"), again)
			}
			return nil
		default:
			return err
		}
	}
}
