package snapshot

import (
	"net/url"
	"strconv"
	"strings"
)

// Kinds of files in a partition, in the order in which view.go wants them
// within a file group.
type fileKind uint8

const (
	kindBase fileKind = iota
	kindInline
	kindData
	kindDeletes
)

// A file is a data file by its name. The strings share the name's memory.
type file struct {
	fileID   string
	instant  string
	token    string
	version  int
	kind     fileKind
	external bool
	format   string // of base files and native logs
	name     string // relative to the partition
	size     int64
}

// parseFile takes the name of a data file apart; ok is false for every file
// that a snapshot does not read: metafiles, checksums, CDC logs, strangers.
//
// It is called for each file of a table, hence no regular expressions. Native
// logs are told first: their names would pass for base files too.
func parseFile(name string) (f file, ok bool) {
	switch {
	case strings.HasPrefix(name, "."):
		return parseInlineLog(name)
	case strings.HasSuffix(name, externalSuffix):
		return parseExternal(name)
	}
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		return file{}, false
	}
	stem, ext := name[:dot], name[dot+1:]
	if kind, format, two := strings.Cut(ext, "."); two {
		return parseNativeLog(name, stem, kind, format)
	}
	fileID, rest, ok1 := strings.Cut(stem, "_")
	token, instant, ok2 := strings.Cut(rest, "_")
	format, ok3 := formatOf(ext)
	if !ok1 || !ok2 || !ok3 || fileID == "" || !isInstant(instant) {
		return file{}, false
	}
	return file{fileID: fileID, token: token, instant: instant, kind: kindBase, format: format, name: name}, true
}

// formatOf names the format of a file by its extension.
func formatOf(ext string) (string, bool) {
	switch ext {
	case "parquet":
		return FormatParquet, true
	case "hfile":
		return FormatHFile, true
	case "orc":
		return FormatORC, true
	case "lance":
		return FormatLance, true
	}
	return "", false
}

// parseInlineLog reads .fileId_instant.log.version[_token]. File ids of
// external files hold dots.
func parseInlineLog(name string) (file, bool) {
	const mark = ".log."
	at := strings.LastIndex(name, mark)
	if at < 1 {
		return file{}, false
	}
	head, tail := name[1:at], name[at+len(mark):]
	under := strings.LastIndexByte(head, '_')
	if under < 1 || !isInstant(head[under+1:]) {
		return file{}, false
	}
	n := digits(tail)
	version, err := strconv.Atoi(tail[:n])
	if err != nil {
		return file{}, false
	}
	f := file{fileID: head[:under], instant: head[under+1:], version: version, kind: kindInline, name: name}
	if tail = tail[n:]; tail != "" {
		if tail[0] != '_' || !isToken(tail[1:]) { // also what ends in .cdc
			return file{}, false
		}
		f.token = tail[1:]
	}
	return f, true
}

// parseNativeLog reads fileId_token_instant_version.kind.format.
func parseNativeLog(name, stem, kind, format string) (file, bool) {
	f := file{name: name}
	switch kind {
	case "log":
		f.kind = kindData
	case "deletes":
		f.kind = kindDeletes
	default: // also cdc
		return file{}, false
	}
	format, ok := formatOf(format)
	if !ok {
		return file{}, false
	}
	f.format = format
	var version string
	for _, part := range [...]*string{&f.fileID, &f.token, &f.instant} {
		if *part, stem, ok = strings.Cut(stem, "_"); !ok {
			return file{}, false
		}
	}
	version = stem
	n, err := strconv.Atoi(version)
	if err != nil || digits(version) != len(version) || f.fileID == "" || !isToken(f.token) || !isInstant(f.instant) {
		return file{}, false
	}
	f.version = n
	return f, true
}

const (
	externalSuffix = "_hudiext"
	externalPrefix = "_fg%3D" // folder below the partition
)

// parseExternal reads <name>_<instant>[_fg%3D<folder>]_hudiext: a file that
// some other system wrote, under its own name, and that a commit took in.
func parseExternal(name string) (file, bool) {
	stem := strings.TrimSuffix(name, externalSuffix)
	folder := ""
	if at := strings.LastIndex(stem, externalPrefix); at >= 0 {
		var err error
		if folder, err = url.QueryUnescape(stem[at+len(externalPrefix):]); err != nil {
			return file{}, false
		}
		stem = stem[:at]
	}
	under := strings.LastIndexByte(stem, '_')
	if under < 1 || !isInstant(stem[under+1:]) {
		return file{}, false
	}
	original := stem[:under]
	if folder != "" {
		original = folder + "/" + original
	}
	format, ok := formatOf(original[strings.LastIndexByte(original, '.')+1:])
	if !ok {
		return file{}, false
	}
	return file{fileID: original, instant: stem[under+1:], kind: kindBase, external: true, format: format, name: original}, true
}

func isInstant(s string) bool { return s != "" && digits(s) == len(s) }

// isToken tells whether s is a write token: three numbers joined by dashes.
func isToken(s string) bool {
	for part := range 3 {
		n := digits(s)
		if n == 0 {
			return false
		}
		s = s[n:]
		if part == 2 {
			break
		}
		if s == "" || s[0] != '-' {
			return false
		}
		s = s[1:]
	}
	return s == ""
}
