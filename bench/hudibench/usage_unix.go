//go:build unix

package main

import (
	"runtime"
	"syscall"
)

type used struct {
	cpu  float64 // seconds, user and system
	peak int64   // bytes of memory
}

// usage asks the system what this process has taken so far.
func usage() used {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return used{}
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	peak := int64(u.Maxrss)
	if runtime.GOOS == "linux" { // kilobytes there, bytes elsewhere
		peak <<= 10
	}
	return used{seconds(u.Utime) + seconds(u.Stime), peak}
}
