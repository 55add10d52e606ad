package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// A listed file is a name in a partition, as a listing gives it.
type listed struct {
	name string
	size int64
}

// A view turns the files of a partition into the file slices that a read as of
// one instant merges. It is the only code that does so: for data tables and
// for the metadata table, whichever way the files were listed.
//
// The rules, per file group (timeline.md §5):
//
//   - Base files of writes that are not committed do not exist.
//   - Each committed base file begins a slice at its instant, and so does a
//     pending compaction, whose base file is yet to come.
//   - A log belongs to the newest slice that began before the log's write was
//     completed; below table version 8 its name says which slice.
//   - Logs of writes that are not committed do not exist (below version 8:
//     logs of slices that are not committed; blocks are judged one by one when
//     they are read). A log before every base file begins a slice itself.
//   - The read takes the newest slice that began at or before its instant. If
//     that is one of a pending compaction, it takes the one before, with the
//     logs of both.
//
// Unlike Hudi's own view, files that are not committed are left out before
// anything is grouped, so that they can't draw committed logs to themselves.
type view struct {
	instant string // the read's instant, or the horizon of the newest state
	version int    // table version
	format  string // extension of base files by format; "" = any

	committed func(ctx context.Context, instant string) (bool, error)
	completed func(ctx context.Context, instant string) (string, bool, error)
	// pending gives the instant of the pending compaction of a file group.
	pending map[FileGroupID]string
	// replaced tells whether a file group was replaced at the read's instant.
	replaced func(ctx context.Context, g FileGroupID, newest string) (bool, error)

	readOptimized bool
	only          map[FileGroupID]bool // the file groups wanted, nil = all
	judged        map[string]bool      // committed, by instant: few instants, many files
	protos        []proto              // memory of group, used again
}

// partition gives the slices of one partition, by file id.
func (v *view) partition(ctx context.Context, partition string, names []listed) ([]FileSlice, error) {
	groups := v.groups(names)
	all := make([]FileSlice, 0, len(groups))
	for _, files := range groups {
		if v.only != nil && !v.only[FileGroupID{Partition: partition, FileID: files[0].fileID}] {
			continue
		}
		s, ok, err := v.group(ctx, partition, files)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// groups parses names and gathers those of each file group, the groups by file
// id. Groups are small and many, so gathering by hash and sorting within each
// costs a fraction of sorting all.
func (v *view) groups(names []listed) [][]file {
	files := make([]file, 0, len(names))
	numbers := make([]int32, 0, len(names)) // of the files' groups
	var sizes []int32                       // of the groups
	byID := map[string]int32{}
	for _, n := range names {
		f, ok := parseFile(n.name)
		if !ok || f.kind == kindBase && v.format != "" && f.format != v.format {
			continue
		}
		f.size = n.size
		g, known := int32(0), false
		if last := len(files) - 1; last >= 0 && files[last].fileID == f.fileID {
			g, known = numbers[last], true
		} else {
			g, known = byID[f.fileID]
		}
		if !known {
			g = int32(len(sizes))
			byID[f.fileID] = g
			sizes = append(sizes, 0)
		}
		sizes[g]++
		files, numbers = append(files, f), append(numbers, g)
	}
	groups := make([][]file, len(sizes))
	gathered := make([]file, len(files))
	for g, size := range sizes {
		groups[g], gathered = gathered[:0:size], gathered[size:]
	}
	for i, g := range numbers {
		groups[g] = append(groups[g], files[i])
	}
	for _, g := range groups {
		slices.SortFunc(g, compareFiles)
	}
	slices.SortFunc(groups, func(a, b []file) int { return strings.Compare(a[0].fileID, b[0].fileID) })
	return groups
}

// compareFiles orders the files of a group: base files before logs, base files
// by instant, logs as they merge.
func compareFiles(a, b file) int {
	if (a.kind == kindBase) != (b.kind == kindBase) {
		return cmp.Compare(a.kind, b.kind)
	}
	return compareLogs(a, b)
}

func compareLogs(a, b file) int {
	return cmp.Or(strings.Compare(a.instant, b.instant), cmp.Compare(a.version, b.version),
		strings.Compare(a.token, b.token), cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
}

// A proto is a slice while its group is put together.
type proto struct {
	instant string
	base    *file
	pending bool // of a pending compaction: continues the slice before
	logs    []file
}

// group gives the slice to read of one file group, if there is one.
func (v *view) group(ctx context.Context, partition string, files []file) (FileSlice, bool, error) {
	id := FileGroupID{Partition: partition, FileID: files[0].fileID}
	protos := v.protos[:0]
	n := 0
	for ; n < len(files) && files[n].kind == kindBase; n++ {
		f := &files[n]
		ok, err := v.isCommitted(ctx, f.instant)
		if err != nil {
			return FileSlice{}, false, err
		}
		switch last := len(protos) - 1; {
		case !ok:
		case last >= 0 && protos[last].instant == f.instant:
			protos[last].base = f // what a task's second attempt wrote
		default:
			protos = append(protos, proto{instant: f.instant, base: f})
		}
	}
	if !v.readOptimized {
		var err error
		if protos, err = v.addLogs(ctx, id, protos, files[n:]); err != nil {
			return FileSlice{}, false, err
		}
	}
	v.protos = protos
	p, ok := v.choose(protos)
	if !ok {
		return FileSlice{}, false, nil
	}
	if v.replaced != nil {
		gone, err := v.replaced(ctx, id, protos[len(protos)-1].instant)
		if err != nil || gone {
			return FileSlice{}, false, err
		}
	}
	return p.slice(id), true, nil
}

// addLogs puts logs, in their order, into the slices they belong to.
func (v *view) addLogs(ctx context.Context, id FileGroupID, protos []proto, logs []file) ([]proto, error) {
	pending := v.pending[id]
	if pending != "" {
		protos = insert(protos, proto{instant: pending, pending: true})
	}
	for _, f := range logs {
		if f.instant != pending {
			ok, err := v.isCommitted(ctx, f.instant)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		at, err := v.home(ctx, protos, f)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			protos = insert(protos, proto{instant: f.instant})
			at, _ = find(protos, f.instant)
		}
		protos[at].logs = append(protos[at].logs, f)
	}
	return protos, nil
}

// home gives the index of the slice that a committed log belongs to, -1 if
// the log begins one.
func (v *view) home(ctx context.Context, protos []proto, f file) (int, error) {
	at, exact := find(protos, f.instant)
	if exact {
		return at, nil
	}
	if v.version < 8 {
		return -1, nil
	}
	// at is the first slice after the log's request. Only if there is one does
	// it matter when the log was completed.
	if at < len(protos) {
		completed, ok, err := v.completed(ctx, f.instant)
		if err != nil {
			return 0, err
		}
		// Times of another granularity can't be compared.
		if ok && len(completed) == len(protos[at].instant) {
			if n, exact := find(protos, completed); exact {
				at = n + 1
			} else {
				at = n
			}
		}
	}
	return at - 1, nil
}

// find gives the index of the slice at an instant, or where it would be.
func find(protos []proto, instant string) (int, bool) {
	return slices.BinarySearchFunc(protos, instant, func(p proto, t string) int { return strings.Compare(p.instant, t) })
}

// insert adds a slice in order, unless there is one at its instant.
func insert(protos []proto, p proto) []proto {
	at, exact := find(protos, p.instant)
	if exact {
		return protos
	}
	return slices.Insert(protos, at, p)
}

// choose gives the slice to read.
func (v *view) choose(protos []proto) (proto, bool) {
	at := len(protos) - 1
	for at >= 0 && protos[at].instant > v.instant {
		at--
	}
	if at < 0 {
		return proto{}, false
	}
	p := protos[at]
	for p.pending && at > 0 {
		at--
		before := protos[at]
		p = proto{instant: before.instant, base: before.base, pending: before.pending,
			logs: append(slices.Clone(before.logs), p.logs...)}
		slices.SortFunc(p.logs, compareLogs)
	}
	if v.version >= 8 {
		// A log is of one write, so its name tells whether it is too new. Logs
		// are in the order of their instants.
		for len(p.logs) > 0 && p.logs[len(p.logs)-1].instant > v.instant {
			p.logs = p.logs[:len(p.logs)-1]
		}
	}
	return p, p.base != nil || len(p.logs) > 0
}

// isCommitted asks once per instant.
func (v *view) isCommitted(ctx context.Context, instant string) (bool, error) {
	ok, known := v.judged[instant]
	if known {
		return ok, nil
	}
	ok, err := v.committed(ctx, instant)
	if err != nil {
		return false, err
	}
	if v.judged == nil {
		v.judged = map[string]bool{}
	}
	v.judged[instant] = ok
	return ok, nil
}

// slice gives the proto in the form that leaves the package.
func (p proto) slice(id FileGroupID) FileSlice {
	s := FileSlice{Partition: id.Partition, FileID: id.FileID, BaseInstant: p.instant}
	in := func(name string) string {
		if id.Partition == "" {
			return name
		}
		return id.Partition + "/" + name
	}
	if p.base != nil {
		s.Base = &BaseFile{Path: in(p.base.name), Size: p.base.size, Instant: p.base.instant, Format: p.base.format, External: p.base.external}
	}
	if len(p.logs) > 0 {
		s.Logs = make([]LogFile, 0, len(p.logs))
	}
	for _, f := range p.logs {
		s.Logs = append(s.Logs, LogFile{Path: in(f.name), Size: f.size, Instant: f.instant, Version: f.version,
			WriteToken: f.token, Kind: logKinds[f.kind], Format: f.format})
	}
	return s
}

var logKinds = [...]string{kindInline: LogInline, kindData: LogData, kindDeletes: LogDeletes}
