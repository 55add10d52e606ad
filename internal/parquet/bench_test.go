package parquet

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRead reads the file that HUDI_BENCH_FILE names.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("HUDI_BENCH_FILE")
	if path == "" {
		b.Skip("HUDI_BENCH_FILE names no file")
	}
	f := openFile(b, path)
	for _, c := range []struct {
		name string
		o    ReadOptions
	}{
		{"serial", ReadOptions{}},
		{"recycled", ReadOptions{Allocator: NewRecycler(128 << 20)}},
		{"recycled, batch=8192", ReadOptions{BatchSize: 8192, Allocator: NewRecycler(128 << 20)}},
		{"recycled, batch=16384", ReadOptions{BatchSize: 16384, Allocator: NewRecycler(128 << 20)}},
		{"threads=2", ReadOptions{Threads: 2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			start := cpuTime()
			for b.Loop() {
				drain(b, f, c.o)
			}
			b.ReportMetric((cpuTime()-start).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// cpuTime is what the process has used of all processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func drain(t testing.TB, f *File, o ReadOptions) (rows int64) {
	r, err := f.Read(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += b.NumRows()
		b.Release()
	}
}

func openFile(t testing.TB, path string) *File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := OpenSection(f, info.Size(), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
