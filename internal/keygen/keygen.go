// Package keygen knows how Hudi's key generators write values into partition
// paths and record keys, and reads them back: the path of a file gives the
// values of partition columns that the file lacks, the values of a row give the
// record key in tables without meta columns.
package keygen

import (
	"strconv"
	"strings"

	"github.com/hudi-go/hudi/snapshot"
)

// Kind is a family of key generators; it decides the form of paths and keys.
type Kind uint8

// The families, after KeyGeneratorType.
const (
	Simple Kind = iota
	Complex
	Timestamp
	Custom
	NonPartitioned
)

// NullPartition is the path segment of a null or empty value; DefaultPartition
// that of tables before version 5.
const (
	NullPartition    = "__HIVE_DEFAULT_PARTITION__"
	DefaultPartition = "default"
)

// A Spec is what the table config says about keys and partition paths.
type Spec struct {
	Kind            Kind
	KeyFields       []string // record key fields, nested ones as dotted paths
	PartitionFields []snapshot.PartitionField
	SlashedDates    bool // yyyy-MM-dd is written as yyyy/MM/dd
	TableVersion    int
}

// NewSpec reads a table's configuration.
func NewSpec(c *snapshot.Config) Spec {
	s := Spec{
		KeyFields: c.RecordKeys, PartitionFields: c.PartitionFields, SlashedDates: c.SlashDates, TableVersion: c.Version,
	}
	switch c.KeyGenerator {
	case "COMPLEX":
		s.Kind = Complex
	case "TIMESTAMP":
		s.Kind = Timestamp
	case "CUSTOM":
		s.Kind = Custom
	case "NON_PARTITION", "GLOBAL_DELETE":
		s.Kind = NonPartitioned
	}
	if s.Kind == Simple && (len(s.PartitionFields) > 1 || len(s.KeyFields) > 1) {
		s.Kind = Complex
	}
	return s
}

// Unescape undoes the escaping of PartitionPathEncodeUtils: `%` and two hex
// digits stand for one UTF-16 unit, everything else for itself.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteRune(rune(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
