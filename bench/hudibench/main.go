// Command hudibench reads a table once, throws the batches away and prints what that cost as one JSON object: wall time,
// CPU time, peak memory, allocations, bytes. Each measurement is a process of its own, as in peers.py, which runs it beside
// the other readers.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/hudi-go/hudi/provider"
)

type figures struct {
	Reader     string  `json:"reader"`
	Rows       int64   `json:"rows"`
	Batches    int64   `json:"batches"`
	ArrowBytes uint64  `json:"arrow_bytes"` // of the batches handed out
	BytesRead  int64   `json:"bytes_read"`  // from storage
	Seconds    float64 `json:"seconds"`
	CPU        float64 `json:"cpu_seconds"`
	RowsPerCPU float64 `json:"rows_per_cpu_second"`
	PeakRSS    int64   `json:"peak_rss"`
	Allocs     uint64  `json:"allocs"`
	AllocBytes uint64  `json:"alloc_bytes"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "hudibench:", err)
		os.Exit(1)
	}
}

func run() error {
	table := flag.String("table", "", "path of the table")
	columns := flag.String("columns", "", "columns, separated by commas; all of the table's own if empty")
	where := flag.String("where", "", "SQL condition")
	kind := flag.String("query", "snapshot", "query type")
	threads := flag.Int("threads", 1, "threads")
	size := flag.Int("batch", 0, "rows of a batch")
	limit := flag.Int64("memory", 0, "bytes that merges may hold")
	meta := flag.Bool("meta", false, "read the _hoodie_ columns too")
	recycle := flag.Bool("recycle", true, "use the memory of released batches again")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	q := provider.Query{
		Where: *where, Threads: *threads, BatchSize: *size, MemoryLimit: *limit, Meta: *meta,
	}
	if *columns != "" {
		q.Columns = strings.Split(*columns, ",")
	}
	var err error
	if q.Type, err = provider.ParseQueryType(*kind); err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	f, err := measure(*table, provider.Options{Recycle: *recycle}, q)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// measure runs the query, from opening the table to the last batch.
func measure(table string, o provider.Options, q provider.Query) (figures, error) {
	f := figures{Reader: "hudi-go"}
	ctx := context.Background()
	start, cpu := time.Now(), usage()
	t, err := provider.Open(ctx, table, o)
	if err != nil {
		return f, err
	}
	r, err := t.Scan(ctx, q)
	if err != nil {
		return f, err
	}
	defer r.Close()
	for b, err := range r.Batches() {
		if err != nil {
			return f, err
		}
		f.Rows += b.NumRows()
		f.Batches++
		for _, c := range b.Columns() {
			f.ArrowBytes += c.Data().SizeInBytes()
		}
	}
	end := usage()
	f.Seconds = time.Since(start).Seconds()
	f.CPU = end.cpu - cpu.cpu
	f.RowsPerCPU = float64(f.Rows) / f.CPU
	f.PeakRSS = end.peak
	f.BytesRead = r.Stats().BytesRead
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.Allocs, f.AllocBytes = m.Mallocs, m.TotalAlloc
	return f, nil
}
