package hudilog

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A Name is the parsed file name of an inline log.
type Name struct {
	FileID     string
	Instant    string // requested instant of the writer, or the slice's base instant below table version 8
	Extension  string // "log" or "archive"
	Version    int
	WriteToken string // "" in very old files
	CDC        bool   // a change-data log, never merged
}

// A NativeName is the parsed file name of a native log (table version 10).
type NativeName struct {
	FileID     string
	WriteToken string
	Instant    string
	Version    int
	Kind       string // KindLog, KindDeletes or KindCDC
	Format     string // container format, e.g. "parquet" or "hfile"
}

// Kinds of native log files.
const (
	KindLog     = "log"
	KindDeletes = "deletes"
	KindCDC     = "cdc"
)

var (
	inlineName = regexp.MustCompile(`^\.(.+)_([^_.]*)\.(log|archive)\.(\d+)(?:_(\d+-\d+-\d+)(\.cdc)?)?$`)
	nativeName = regexp.MustCompile(`^([^._]+)_(\d+-\d+-\d+)_([^_]+)_(\d+)\.(log|deletes|cdc)\.([^.]+)$`)
)

// ParseName takes the name of an inline log file apart. Only the last
// component of a path is looked at.
func ParseName(name string) (Name, bool) {
	m := inlineName.FindStringSubmatch(path.Base(name))
	if m == nil {
		return Name{}, false
	}
	version, err := strconv.Atoi(m[4])
	if err != nil {
		return Name{}, false
	}
	return Name{FileID: m[1], Instant: m[2], Extension: m[3], Version: version, WriteToken: m[5], CDC: m[6] != ""}, true
}

// ParseNativeName takes the name of a native log file apart. Test it before
// taking a name for a base file: native names look like one.
func ParseNativeName(name string) (NativeName, bool) {
	m := nativeName.FindStringSubmatch(path.Base(name))
	if m == nil {
		return NativeName{}, false
	}
	version, err := strconv.Atoi(m[4])
	if err != nil {
		return NativeName{}, false
	}
	return NativeName{FileID: m[1], WriteToken: m[2], Instant: m[3], Version: version, Kind: m[5], Format: m[6]}, true
}

// An Order is what decides the place of a log file among the logs of its file
// slice.
type Order struct {
	Instant    string
	Version    int
	WriteToken string
	Kind       string // "" or KindLog, KindDeletes, KindCDC
}

// Order is the file's place among the logs of its slice.
func (n Name) Order() Order {
	kind := KindLog
	if n.CDC {
		kind = KindCDC
	}
	return Order{n.Instant, n.Version, n.WriteToken, kind}
}

// Order is the file's place among the logs of its slice.
func (n NativeName) Order() Order { return Order{n.Instant, n.Version, n.WriteToken, n.Kind} }

// Compare orders by instant, version, write token and kind (data before
// deletes before changes). Instants compare as text: it is the requested
// time that counts.
func (o Order) Compare(p Order) int {
	return cmp.Or(
		strings.Compare(o.Instant, p.Instant),
		cmp.Compare(o.Version, p.Version),
		strings.Compare(o.WriteToken, p.WriteToken),
		cmp.Compare(kindRank(o.Kind), kindRank(p.Kind)),
	)
}

func kindRank(kind string) int {
	switch kind {
	case KindDeletes:
		return 1
	case KindCDC:
		return 2
	}
	return 0
}

// Compare orders the names (or paths) of two log files, inline or native, as
// they are merged within a file slice. Names that are no log files come last,
// by text.
func Compare(a, b string) int {
	x, okA := orderOf(a)
	y, okB := orderOf(b)
	switch {
	case okA && okB:
		return x.Compare(y)
	case okA:
		return -1
	case okB:
		return 1
	}
	return strings.Compare(a, b)
}

func orderOf(name string) (Order, bool) {
	if n, ok := ParseNativeName(name); ok {
		return n.Order(), true
	}
	if n, ok := ParseName(name); ok {
		return n.Order(), true
	}
	return Order{}, false
}
